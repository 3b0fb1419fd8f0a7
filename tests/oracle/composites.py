"""Complete kernels with several accesses that must keep out of each other's way."""

from __future__ import annotations

from tests.oracle.builder import Builder, Digit
from tests.oracle.decodes import DECODES
from tests.oracle.sinks import flat_scatter, folded_store, tile_store
from tests.oracle.uses import write_only


def number(b: Builder) -> Digit:
    decode = b.pick(*DECODES)
    b.feature(decode.__name__)
    digits = decode(b)
    if len(digits) == 1:
        return digits[0]
    place, total = digits[0], digits[0].expr
    for digit in digits[1:]:
        radix = digit.bound or b.factor()
        total = f"({total} * ({b.code(radix)}) + {digit.expr})"
    return Digit(b.let(total, "p") if total != place.expr else total)


def even_and_odd(b: Builder) -> None:
    """Two stores at `2p` and `2p + 1`, of tiles or of elements."""
    p, array = number(b).expr, b.array("c", 1)
    second = f"2 * {p} + 1"
    if b.slip("stores meet", 60):
        second = b.pick(f"2 * {p} + 2", f"{p} + 1", f"2 * {p} - 1 + 2 * ({p} % 2)")
    if b.chance(50):
        b.emit(f"ct.scatter({array}, 2 * {p}, 1.0)")
        b.emit(f"ct.scatter({array}, {second}, 2.0)")
        return
    value = b.let(f"ct.full(({b.tile()},), 1, ct.float32)", "value")
    b.emit(f"ct.store({array}, (2 * {p},), {value})")
    b.emit(f"ct.store({array}, ({second},), {value})")


def halves(b: Builder) -> None:
    """Two scatters into the halves of a row."""
    p, size, array = number(b).expr, b.tile(), b.array("c", 1)
    row = f"2 * {size}"
    if b.chance(40):
        row = b.stride()
        b.require(f"2 * {size} <= {row}")
    lanes = b.let(f"ct.arange({size}, dtype=ct.int32)", "lanes")
    gap = b.pick(f"{size} // 2 + 1", f"{size} + 1") if b.slip("halves meet", 50) else size
    b.emit(f"ct.scatter({array}, {p} * ({row}) + {lanes}, 1.0)")
    b.emit(f"ct.scatter({array}, {p} * ({row}) + {gap} + {lanes}, 2.0)")


def exclusive_flags(b: Builder) -> None:
    """Two stores of which a flag picks one."""
    p, size, array, flag = number(b).expr, b.tile(), b.array("c", 1), b.flag()
    value, depth = b.let(f"ct.full(({size},), 1, ct.float32)", "value"), b.depth
    b.open(f"if {flag}:")
    b.emit(f"ct.store({array}, ({p},), {value})")
    b.close_to(depth)
    b.open("if True:" if b.slip("flag forgotten", 50) else f"if not {flag}:")
    b.emit(f"ct.store({array}, ({p} + 1,), {value})")


def two_arrays(b: Builder) -> None:
    """One array is written, another read at a foreign place."""
    p, size = number(b).expr, b.tile()
    source, array = b.array("a", 1), b.array("c", 1)
    if b.slip("reads what it writes", 50):
        source = array
    value = b.let(f"ct.load({source}, ({p} + 1,), ({size},))", "value")
    b.emit(f"ct.store({array}, ({p},), {value})")


def two_phases(b: Builder) -> None:
    """Each block writes its part of a workspace, then reads a part: its own, or all of them."""
    size, work, out = b.tile(), b.array("w", 1), b.array("c", 1)
    block, k = b.let(b.bid(0), "i"), b.create_name("k")
    b.emit(f"ct.store({work}, ({block},), ct.full(({size},), 1, ct.float32))")
    total = b.let(f"ct.zeros(({size},), ct.float32)", "total")
    depth = b.depth
    b.open(f"for {k} in range({b.blocks(0)}):" if b.slip("reads the others' parts", 60) else f"for {k} in range(2):")
    index = k if b.slipped and b.slipped[-1].startswith("reads the others") else block
    b.emit(f"{total} = {total} + ct.load({work}, ({index},), ({size},))")
    b.close_to(depth)
    b.emit(f"ct.store({out}, ({block},), {total})")


def only_one_block(b: Builder) -> None:
    """A guard lets one block through."""
    size, array, axis = b.tile(), b.array("c", 1), b.pick(0, 0, 1)
    block = b.bid(axis)
    test = b.pick(f"{block} == 0", f"{block} < 1", f"{block} == {b.blocks(axis)} - 1", f"{block} == 1")
    if b.slip("guard lets several through", 60):
        test = b.pick(f"{block} != 0", f"{block} >= 0", f"{block} < 2")
    b.open(f"if {test}:")
    b.emit(f"ct.store({array}, ({b.pick('0', '1')},), ct.full(({size},), 1, ct.float32))")


def early_return(b: Builder) -> None:
    """Blocks past the end leave at once."""
    total = b.count()
    block = b.let(b.bid(0), "i")
    depth = b.depth
    b.open(f"if {block} >= {total}:")
    b.emit("return")
    b.close_to(depth)
    if b.slip("everyone writes one tile", 60):
        digits = [Digit(b.pick("0", f"{block} // 2", f"min({block}, 1)"), total)]
    else:
        digits = [Digit(b.pick(block, f"min({block}, {total} - 1)", f"{total} - 1 - {block}"), total)]
    b.feature("early_return")
    write_only(b, b.pick(tile_store, folded_store, flat_scatter)(b, digits))


def mixed_atomics(b: Builder) -> None:
    """Atomics on a counter that nothing else touches; a slip reads or writes it plainly."""
    count = b.array("count", 1, element="int32")
    block = b.let(b.bid(0), "i")
    place = b.pick("0", f"{block} // 2", block)
    op = b.pick("atomic_add", "atomic_max", "atomic_or")
    b.emit(f"ct.{op}({count}, {place}, 1)")
    if b.slip("plain access beside atomics", 60):
        if b.chance(50):
            value = b.let(f"ct.load({count}, (0,), (1,))", "seen")
        else:
            b.emit(f"ct.store({count}, (0,), ct.full((1,), 0, ct.int32))")
            value = "1"
        out = b.array("c", 1)
        b.emit(f"ct.scatter({out}, {block}, ct.astype({value}, ct.float32))" if value == "1" else
               f"ct.store({out}, ({block},), ct.astype({value}, ct.float32))")


def spin_lock(b: Builder) -> None:
    """A read-modify-write of one tile under a lock; a slip takes the order away."""
    size, lock, array = b.tile(), b.array("lock", 1, element="int32"), b.array("c", 1)
    order = ("RELAXED", "RELAXED") if b.slip("relaxed lock", 50) else b.pick(("ACQUIRE", "RELEASE"), ("ACQ_REL",) * 2)
    place = b.let(b.pick("0", f"{b.bid(0)} // 2", f"{b.bid(0)} % {b.radix()}"), "place")
    outside = b.slip("write after the release", 40)
    b.axes.add(0)
    b.bid(0)
    b.open(f"while ct.atomic_cas({lock}, {place}, 0, 1, memory_order=ct.MemoryOrder.{order[0]}) != 0:")
    b.emit("pass")
    b.close_to(b.depth - 1)
    value = b.let(f"ct.load({array}, ({place},), ({size},)) + {b.bid(0)}", "value")
    lines = [f"ct.store({array}, ({place},), {value})",
             f"ct.atomic_xchg({lock}, {place}, 0, memory_order=ct.MemoryOrder.{order[1]})"]
    for line in reversed(lines) if outside else lines:
        b.emit(line)


def list_of_arrays(b: Builder) -> None:
    """A list parameter, each array walked persistently."""
    size, k, p = b.tile(), b.create_name("k"), b.create_name("p")
    total = b.count()
    block, step = b.let(b.bid(0), "i"), b.blocks(0)
    if b.slip("wrong persistent step", 60):
        step = b.pick("1", f"{step} - 1")
    b.open(f"for {k} in range(2):")
    array = b.let(f"{b.array_list('outs')}[{k}]", "out")
    b.open(f"for {p} in range({block}, {total}, {step}):")
    b.emit(f"ct.store({array}, ({p},), ct.full(({size},), 1, ct.float32))")


def rows_in_whole_tiles(b: Builder) -> None:
    """`row * N // T + k`: rows of a flat array, of whole tiles each, are walked tile by tile."""
    row, size = number(b).expr, b.tile()
    length, k = b.scalar("N", (2, 3, 4, 6, 8), constant=b.pick(True, False)), b.create_name("k")
    array = b.array("c", 1)
    start = b.let(f"{row} * {length} // {size}", "start")
    trips = f"{length} // {size}"
    if b.slip("one tile too many", 30):
        trips = f"{trips} + 1"
    elif b.slip("half a row on", 20):
        start = b.let(f"{row} // 2 * {length} // {size}", "start")
    b.require(f"{length} % {size} == 0")
    if b.chance(30):
        b.open(f"if {length} % {size} == 0:")
    b.open(f"for {k} in range({trips}):")
    b.emit(f"ct.store({array}, ({start} + {k},), ct.full(({size},), 1, ct.float32))")


def rows_of_input(b: Builder) -> None:
    """A loop over the tiles of an input; the store follows the loop."""
    size, source, k = b.tile(), b.array("x", 2, read_shape=True), b.create_name("k")
    digits = b.pick(*DECODES[:9])(b)[:2]
    depth = b.depth
    total = b.let(f"ct.zeros((1, {size}), ct.float32)", "total")
    b.open(f"for {k} in range(ct.num_tiles({source}, 1, (1, {size}))):")
    inner = b.chance(40)
    array = b.array("c", len(digits) + inner)
    if inner:
        index = ", ".join([d.expr for d in digits] + [k])
        if b.slip("loop tile missing", 40):
            index = ", ".join(["0"] + [d.expr for d in digits[1:]] + [k])
        shape = ", ".join(["1"] * len(digits) + [size])
        b.emit(f"ct.store({array}, ({index}), ct.full(({shape}), 1, ct.float32))")
        return
    b.emit(f"{total} = {total} + ct.load({source}, (0, {k}), (1, {size}))")
    b.close_to(depth)
    index = ", ".join(d.expr for d in digits)
    shape = ", ".join(["1"] * (len(digits) - 1) + [size])
    b.emit(f"ct.store({array}, ({index},), ct.reshape({total}, ({shape},)))")
