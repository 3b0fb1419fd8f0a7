"""What each kind of operation asks of its operands, as the front end of cuda.tile does: pure functions of a use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from tilecheck.interp.kernel.tile_types.dtypes import (
    ACCUMULATORS,
    BITS,
    CLASH,
    FLOATS,
    INTEGERS,
    LOOSE,
    RESTRICTED,
    SCALED,
    concrete,
    fits_into,
    in_range,
    known,
    promoted,
)
from tilecheck.interp.kernel.tile_types.extents import apart, broadcastable, clashing, pairs, power_of_two
from tilecheck.interp.kernel.tile_types.uses import OPEN, Misfit, Operand, Use, Verdict
from tilecheck.interp.kernel.values import Shape
from tilecheck.symbolic import Term, const

__all__ = ["judged"]


def judged(use: Use) -> Verdict:
    """The first thing that is wrong for certain, else whether anything may be."""
    verdict: Verdict = None
    for found in _CHECKS[use.kind](use):
        if found is not None and found != OPEN:
            return found
        verdict = found or verdict
    return verdict


def _open(*dtypes: str) -> Verdict:
    """Open where a visible launch may tell types that are not known here."""
    return OPEN if any(d.endswith(".dtype") for d in dtypes) else None


# --- element by element ----------------------------------------------------------------------------------------------

def _clashes(shapes: Iterable[Shape | None], code_how: str = "combined") -> Iterator[Verdict]:
    known_shapes = [s for s in shapes if s is not None]
    for k, a in enumerate(known_shapes):
        for b in known_shapes[k + 1:]:
            for axis, x, y in pairs(a, b):
                clash = clashing(x, y)
                if clash:
                    yield Misfit("TC501", code_how, (), (x, y), axis)
                elif clash is None:
                    yield OPEN


_LOGIC: Final = frozenset({"&", "|", "^"})
_SHIFTS: Final = frozenset({"<<", ">>"})
_ANY_NUMBER: Final = frozenset({"compare", "where"})
"""Operations that take types which do not otherwise take part in arithmetic."""


def _elementwise(use: Use) -> Iterator[Verdict]:
    """The last two operands are those that combine; of `where` the first is the condition."""
    yield from _clashes(o.shape for o in use.operands)
    x, y = use.operands[-2:]
    if x.dtype in LOOSE and y.dtype in LOOSE:
        return
    op = use.op
    name = op.removeprefix("ct.")
    group = _GROUPS.get(name, name)
    if group in _LOGIC or group in _SHIFTS:
        yield from _bits(use, x, y, group in _SHIFTS)
        return
    if group not in _ANY_NUMBER:
        for o in (x, y):
            if o.dtype in RESTRICTED:
                yield Misfit("TC502", "arithmetic", (o.dtype,))
    if group == "**" and x.dtype in FLOATS and y.dtype in INTEGERS:
        return
    yield from _promotes(x, y, group in ("/", "truediv"))
    numbers = group in ("compare", "where", "/", "truediv")
    if not numbers and x.dtype in ("bool_", "~bool") and y.dtype in ("bool_", "~bool"):
        yield Misfit("TC502", "truth", ())
    yield _open(x.dtype, y.dtype)


_GROUPS: Final[Mapping[str, str]] = {
    "==": "compare", "!=": "compare", "<": "compare", "<=": "compare", ">": "compare", ">=": "compare",
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), "compare"),
    "mod": "%", "pow": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_lshift": "<<",
    "bitwise_rshift": ">>",
}


def _promotes(x: Operand, y: Operand, divided: bool = False) -> Iterator[Verdict]:
    """A quotient has a fraction, so that any number will do."""
    if promoted(x.dtype, y.dtype) == CLASH:
        yield Misfit("TC502", "promotion", (x.dtype, y.dtype))
    for number, other in ((x, y), (y, x)):
        small = number.dtype == "~int" and other.dtype in INTEGERS and not divided
        if small and not in_range(number.value, other.dtype):
            yield Misfit("TC502", "range", (str(number.value), other.dtype))


def _bits(use: Use, x: Operand, y: Operand, shift: bool) -> Iterator[Verdict]:
    for o in (x, y):
        if o.dtype in FLOATS or o.dtype in RESTRICTED or o.dtype == "~float" or (
                shift and o.dtype in ("bool_", "~bool")):
            yield Misfit("TC502", "shift" if shift else "bits", (o.dtype,))
    pair = {x.dtype, y.dtype}
    if not shift and ((known(x.dtype) and known(y.dtype) and x.dtype != y.dtype) or pair == {"int8", "~bool"}):
        yield Misfit("TC502", "bits_differ", (x.dtype.lstrip("~"), y.dtype.lstrip("~")))
    if shift or x.dtype in LOOSE or y.dtype in LOOSE:
        yield from _promotes(x, y)
    yield _open(x.dtype, y.dtype)


def _unary(use: Use) -> Iterator[Verdict]:
    """Functions that take only numbers with a fraction, or only integers."""
    (x,) = use.operands
    fraction = use.op in ("ct.floor", "ct.ceil", "ct.isnan")
    wrong = x.dtype in INTEGERS or x.dtype == "bool_" if fraction else x.dtype in FLOATS or x.dtype in RESTRICTED
    if wrong:
        yield Misfit("TC502", "only_fractions" if fraction else "only_integers", (x.dtype,))
    yield _open(x.dtype)


# --- memory ----------------------------------------------------------------------------------------------------------

def _converted(value: Operand, target: Operand) -> Verdict:
    fits = fits_into(value.dtype, target.dtype, value.value)
    if fits is None:
        return _open(value.dtype, target.dtype)
    if fits:
        return None
    loose = value.dtype == "~int" and value.value is not None
    given = str(value.value) if loose else value.dtype
    return Misfit("TC502", "number_stored" if loose else "stored", (given, target.dtype))


def _into(use: Use) -> Iterator[Verdict]:
    """The first operand is repeated to the shape of the second one and converted to its type, if that has one."""
    value, target = use.operands
    if value.shape is not None and target.shape is not None:
        fits = broadcastable(value.shape, target.shape)
        if fits is False:
            yield _not_into(value.shape, target.shape)
        elif fits is None:
            yield OPEN
    if target.dtype:
        yield _converted(value, target)


def _not_into(value: Shape, target: Shape) -> Misfit:
    if len(value) > len(target):
        return Misfit("TC503", "more_axes", (str(len(value)), str(len(target))))
    wrong = [(axis, x, y) for axis, x, y in pairs(value, target) if broadcastable((x,), (y,)) is False]
    axis, x, y = wrong[0]
    return Misfit("TC501", "into", (), (x, y), axis)


def _mask(use: Use) -> Iterator[Verdict]:
    mask, target = use.operands
    if (known(mask.dtype) and mask.dtype != "bool_") or mask.dtype in ("~int", "~float"):
        yield Misfit("TC502", "mask", (mask.dtype,))
    yield from _into(Use(use.kind, use.op, (mask, Operand("", target.shape, None, target.made)), use.span))
    yield _open(mask.dtype)


def _store(use: Use) -> Iterator[Verdict]:
    """`numbers`: the count of the index."""
    tile, array = use.operands
    (count,) = use.numbers
    if tile.shape and len(tile.shape) != count:
        yield Misfit("TC503", "stored_rank", (str(len(tile.shape)), str(count)))
    yield from _array_rank(use, array, count)
    yield _converted(tile, array)


def _array_rank(use: Use, array: Operand, count: int) -> Iterator[Verdict]:
    if array.shape is not None and len(array.shape) != count:
        yield Misfit("TC503", "array_rank", (str(count), str(len(array.shape))))
    elif array.shape is None and use.array:
        yield OPEN


def _load(use: Use) -> Iterator[Verdict]:
    """`numbers`: the count of the index. The operands are the array and what is loaded."""
    array, tile = use.operands
    (count,) = use.numbers
    if tile.shape and len(tile.shape) != count:
        yield Misfit("TC503", "loaded_rank", (str(len(tile.shape)), str(count)))
    yield from _array_rank(use, array, count)


def _indices(use: Use) -> Iterator[Verdict]:
    """Indices of elements: integers whose shapes combine. `numbers`: whether tiles may be indices."""
    (tiles,) = use.numbers
    yield from _clashes((o.shape for o in use.operands), "indices")
    for place, o in enumerate(use.operands):
        if o.dtype in FLOATS or o.dtype in RESTRICTED or o.dtype in ("bool_", "~bool", "~float"):
            yield Misfit("TC502", "index", (str(place), o.dtype))
        if not tiles and o.dtype.startswith("uint"):
            yield Misfit("TC502", "index_sign", (str(place), o.dtype))
        if not tiles and o.shape:
            yield Misfit("TC503", "index_tile", (str(place),))
        yield _open(o.dtype)


_ATOMIC: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("xchg", "cas"), frozenset(
        {"int32", "int64", "uint32", "uint64", "float32", "float64"})),
    "add": frozenset({"int32", "int64", "uint32", "uint64", "float32", "float64", "float16", "bfloat16"}),
    **dict.fromkeys(("min", "max", "and", "or", "xor"), frozenset({"int32", "int64", "uint32", "uint64"})),
}


def _atomic(use: Use) -> Iterator[Verdict]:
    """The operands are the updates and, last, the array with the shape of the indices."""
    *updates, array = use.operands
    which = use.op.rpartition("atomic_")[2].removeprefix("store_").removesuffix("_offset")
    takes = _ATOMIC[which]
    if known(array.dtype) and array.dtype not in takes:
        yield Misfit("TC502", "atomic", (array.dtype,))
    for update in updates:
        shape = Operand("", array.shape, None, array.made)
        yield from _into(Use("into", use.op, (update, shape), use.span))
        if which in ("and", "or", "xor"):
            mine = concrete(update.dtype, update.value)
            if known(mine) and known(array.dtype) and mine != array.dtype:
                yield Misfit("TC502", "atomic_bits", (mine, array.dtype))
        else:
            yield _converted(update, array)
    yield _open(array.dtype, *(u.dtype for u in updates))


# --- shapes ----------------------------------------------------------------------------------------------------------

def _extents(use: Use) -> Iterator[Verdict]:
    """A shape that a tile is to have."""
    (tile,) = use.operands
    for axis, extent in enumerate(tile.shape or ()):
        found = power_of_two(extent)
        if found is False:
            yield Misfit("TC504", "extent", (), (extent,), axis)
        elif found is None:
            yield OPEN


def _product(shape: Shape) -> Term:
    total = const(1)
    for e in shape:
        total = total * e
    return total


def _reshape(use: Use) -> Iterator[Verdict]:
    """From the shape of the first operand to that of the second, in which one extent may be -1."""
    old, new = use.operands
    if old.shape is None or new.shape is None:
        return
    free = [k for k, e in enumerate(new.shape) if e.constant is not None and e.constant < 0]
    if len(free) > 1:
        yield Misfit("TC501", "two_free", ())
        return
    if any(e.constant is not None and e.constant < -1 for e in new.shape):
        yield Misfit("TC501", "negative", (), tuple(new.shape))
        return
    have = _product(old.shape)
    rest = _product(tuple(e for k, e in enumerate(new.shape) if k not in free))
    if free:
        a, b = have.constant, rest.constant
        if a is not None and b is not None:
            if b == 0 or a % b:
                yield Misfit("TC501", "reshape", (), (have, rest))
        elif have != rest:
            yield OPEN
        return
    different = apart(have, rest)
    if different:
        yield Misfit("TC501", "reshape", (), (have, rest))
    elif different is None:
        yield OPEN


def _axes(use: Use) -> Iterator[Verdict]:
    """`numbers` are axes of the operand; of `ct.expand_dims` of the result."""
    (x,) = use.operands
    if x.shape is None:
        return
    rank = len(x.shape) + (use.op == "ct.expand_dims")
    for axis in use.numbers:
        if not -rank <= axis < rank:
            yield Misfit("TC503", "axis", (str(axis), str(rank)))
    # `ct.permute` compares the numbers as they are written
    seen = [a if use.op == "ct.permute" else a % rank for a in use.numbers] if rank else []
    if len(set(seen)) != len(seen) and use.op != "ct.transpose":
        yield Misfit("TC503", "twice", (str(next(a for a in seen if seen.count(a) > 1)),))


def _scalar(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape:
        yield Misfit("TC503", "scalar", (str(len(x.shape)),))


def _subscript(use: Use) -> Iterator[Verdict]:
    """`numbers`: the axes that are kept."""
    (x,) = use.operands
    (kept,) = use.numbers
    if x.shape is not None and kept > len(x.shape):
        yield Misfit("TC503", "subscript", (str(kept), str(len(x.shape))))


def _permute(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape is not None and len(use.numbers) != len(x.shape):
        yield Misfit("TC503", "axes_count", (str(len(use.numbers)), str(len(x.shape))))
    yield from _axes(use)


def _transpose(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape is None:
        return
    if len(x.shape) < 2:
        yield Misfit("TC503", "transpose", (str(len(x.shape)),))
    elif not use.numbers and len(x.shape) > 2:
        yield Misfit("TC503", "transpose_which", (str(len(x.shape)),))
    yield from _axes(use)


def _cat(use: Use) -> Iterator[Verdict]:
    """`numbers`: the axis."""
    tiles = use.operands
    if len(tiles) > 2:
        yield Misfit("TC501", "cat_count", (str(len(tiles)),))
    if len(tiles) != 2:
        return
    x, y = tiles
    if known(x.dtype) and known(y.dtype) and x.dtype != y.dtype:
        yield Misfit("TC502", "together", (x.dtype, y.dtype))
    else:
        yield _open(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return
    if len(x.shape) != len(y.shape):
        yield Misfit("TC503", "ranks", (str(len(x.shape)), str(len(y.shape))))
        return
    (axis,) = use.numbers
    rank = len(x.shape)
    if not -rank <= axis < rank:
        yield Misfit("TC503", "axis", (str(axis), str(rank)))
        return
    for k, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)):
        if k != axis % rank:
            different = apart(a, b)
            if different:
                yield Misfit("TC501", "cat", (), (a, b), k)
            elif different is None:
                yield OPEN
    whole = x.shape[axis % rank] + y.shape[axis % rank]
    power = power_of_two(whole)
    if power is False:
        yield Misfit("TC504", "cat", (), (whole,), axis % rank)
    elif power is None:
        yield OPEN


def _part(use: Use) -> Iterator[Verdict]:
    """A part of a tile: the tile, the part. `numbers`: the count of the index."""
    whole, part = use.operands
    if use.op.endswith("insert") and known(whole.dtype) and known(part.dtype) and whole.dtype != part.dtype:
        yield Misfit("TC502", "inserted", (part.dtype, whole.dtype))
    if whole.shape is None:
        return
    for count in use.numbers:
        if count != len(whole.shape):
            yield Misfit("TC503", "part_index", (str(count), str(len(whole.shape))))
    if not part.shape:
        return
    if len(part.shape) != len(whole.shape):
        yield Misfit("TC503", "part_rank", (str(len(part.shape)), str(len(whole.shape))))
        return
    for k, (a, b) in enumerate(zip(whole.shape, part.shape, strict=True)):
        m, n = a.constant, b.constant
        if m is not None and n is not None:
            if n == 0 or m % n:
                yield Misfit("TC501", "part", (), (a, b), k)
        elif a != b:
            yield OPEN


# --- products --------------------------------------------------------------------------------------------------------

def _mma(use: Use) -> Iterator[Verdict]:
    """The operands are x, y and, but of `ct.matmul`, what is added to."""
    x, y, *rest = use.operands
    scaled = use.op == "ct.mma_scaled"
    for name, o in zip(("first", "second", "added"), use.operands, strict=False):
        low = 1 if not rest else 2
        if o.shape is not None and len(o.shape) < low and not (name == "added" and not scaled):
            yield Misfit("TC505", "rank", (name, str(len(o.shape)), str(low)))
        elif scaled and o.shape is not None and len(o.shape) > 3:
            yield Misfit("TC505", "rank_of_scaled", (name, str(len(o.shape))))
    if x.shape and y.shape:
        yield from _extents_of_product(x.shape, y.shape, rest[0].shape if rest else None)
    if not scaled:
        yield from _types_of_product(use, x, y, rest[0] if rest else None)


def _extents_of_product(x: Shape, y: Shape, acc: Shape | None) -> Iterator[Verdict]:
    inner = (x[-1], y[-2] if len(y) > 1 else y[-1])
    different = apart(*inner)
    if different:
        yield Misfit("TC501", "inner", (), inner, len(x) - 1)
    elif different is None:
        yield OPEN
    if len(x) > 2 or len(y) > 2:
        yield from _clashes((x[:-2], y[:-2]), "batch")
    if acc is None or len(x) < 2 or len(y) < 2:
        return
    rank = max(len(x), len(y))
    if len(acc) != rank:
        yield Misfit("TC503", "added_rank", (str(len(acc)), str(rank)))
        return
    for k, (mine, made) in enumerate(((acc[-2], x[-2]), (acc[-1], y[-1]))):
        different = apart(mine, made)
        if different:
            yield Misfit("TC501", "added", (), (made, mine), rank - 2 + k)
        elif different is None:
            yield OPEN


def _types_of_product(use: Use, x: Operand, y: Operand, acc: Operand | None) -> Iterator[Verdict]:
    a, b = (concrete(o.dtype, o.value) for o in (x, y))
    name = use.op
    if name == "ct.mma":
        if known(a) and known(b) and a != b and not {a, b} <= {"int8", "uint8"}:
            yield Misfit("TC505", "operands", (a, b))
        common = a
    else:
        common = promoted(a, b)
        if common == CLASH:
            yield Misfit("TC505", "operands", (a, b))
            return
    if known(common) and common not in ACCUMULATORS:
        yield Misfit("TC505", "no_product", (common,))
    if acc is not None and common in ACCUMULATORS and known(acc.dtype) and acc.dtype not in ACCUMULATORS[common]:
        yield Misfit("TC505", "accumulator", (common, acc.dtype, ACCUMULATORS[common][-1]))
    yield _open(a, b, acc.dtype if acc is not None else "")


def _scales(use: Use) -> Iterator[Verdict]:
    """x, its scales, y, its scales, what is added to."""
    x, xs, y, ys, acc = use.operands
    for a, b, how in ((x, y, "operands"), (xs, ys, "scales")):
        if known(a.dtype) and known(b.dtype) and a.dtype != b.dtype:
            yield Misfit("TC505", how, (a.dtype, b.dtype))
    if known(x.dtype) and x.dtype not in SCALED:
        yield Misfit("TC505", "no_scaled", (x.dtype,))
    takes = SCALED.get(x.dtype, {})
    if takes and known(xs.dtype) and xs.dtype not in takes:
        yield Misfit("TC505", "scale", (xs.dtype, x.dtype, ", ".join(takes)))
    if known(acc.dtype) and acc.dtype != "float32":
        yield Misfit("TC505", "accumulator", (x.dtype if known(x.dtype) else "scaled operands", acc.dtype, "float32"))
    yield from _mma(Use("mma", "ct.mma_scaled", (x, y, acc), use.span))
    for tile, scales, axis in ((x, xs, -1), (y, ys, -2)):
        yield from _scaled_extents(tile, scales, axis, takes.get(xs.dtype, ()))
    yield _open(x.dtype, xs.dtype, y.dtype, ys.dtype, acc.dtype)


def _scaled_extents(tile: Operand, scales: Operand, axis: int, sizes: tuple[int, ...]) -> Iterator[Verdict]:
    if tile.shape is None or scales.shape is None:
        return
    if len(scales.shape) not in (2, 3):
        yield Misfit("TC505", "rank_of_scaled", ("scales", str(len(scales.shape))))
        return
    if len(tile.shape) not in (2, 3):
        return
    if len(tile.shape) != len(scales.shape):
        yield Misfit("TC503", "ranks", (str(len(tile.shape)), str(len(scales.shape))))
        return
    place = len(tile.shape) + axis
    for k, (a, b) in enumerate(zip(tile.shape, scales.shape, strict=True)):
        if k != place:
            different = apart(a, b)
            if different:
                yield Misfit("TC501", "scales", (), (a, b), k)
            elif different is None:
                yield OPEN
    whole, count = tile.shape[place].constant, scales.shape[place].constant
    if whole is not None and count is not None:
        if sizes and (count == 0 or whole % count or whole // count not in sizes):
            yield Misfit("TC505", "block", (tile.dtype, scales.dtype, " or ".join(map(str, sizes))),
                         (tile.shape[place], scales.shape[place]), place)
    else:
        yield OPEN


# --- conversions -----------------------------------------------------------------------------------------------------

def _astype(use: Use) -> Iterator[Verdict]:
    """The second operand has the type. `numbers`: whether a rounding mode is given."""
    x, target = use.operands
    (rounded,) = use.numbers
    fraction = (x.dtype in FLOATS or x.dtype in RESTRICTED) and x.dtype != target.dtype
    if fraction and target.dtype == "float8_e8m0fnu" and not rounded:
        yield Misfit("TC502", "rounding", (x.dtype, target.dtype))
    elif rounded and known(x.dtype) and known(target.dtype) and not (
            (x.dtype in FLOATS or x.dtype in RESTRICTED) and (target.dtype in FLOATS or target.dtype in RESTRICTED)):
        yield Misfit("TC502", "not_rounded", (x.dtype, target.dtype))
    yield _open(x.dtype, target.dtype)


def _bitcast(use: Use) -> Iterator[Verdict]:
    x, target = use.operands
    mine = concrete(x.dtype, x.value)
    if "bool_" in (mine, target.dtype):
        yield Misfit("TC502", "bits_of_truth", (mine, target.dtype))
    elif known(mine) and known(target.dtype) and BITS[mine] != BITS[target.dtype]:
        yield Misfit("TC502", "widths", (mine, str(BITS[mine]), target.dtype, str(BITS[target.dtype])))
    yield _open(mine, target.dtype)


def _pack(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.dtype == "bool_":
        yield Misfit("TC502", "packed_truth", (x.dtype,))
    yield _open(x.dtype)


def _unpack(use: Use) -> Iterator[Verdict]:
    x, target = use.operands
    if x.shape is not None and len(x.shape) != 1:
        yield Misfit("TC503", "unpacked", (str(len(x.shape)),))
    mine = concrete(x.dtype, x.value)
    if known(mine) and mine != "uint8":
        yield Misfit("TC502", "unpacked", (mine,))
    if target.dtype == "bool_":
        yield Misfit("TC502", "packed_truth", (target.dtype,))
    yield _open(mine, target.dtype)


def _reduce(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.dtype in RESTRICTED:
        yield Misfit("TC502", "reduced", (x.dtype,))
    yield from _axes(use)
    yield _open(x.dtype)


# --- control ---------------------------------------------------------------------------------------------------------

def _carried(use: Use) -> Iterator[Verdict]:
    """What a variable is before a loop, and at the end of its body."""
    before, after = use.operands
    mine, theirs = concrete(before.dtype, before.value), concrete(after.dtype, after.value)
    if before.shape is not None and after.shape is not None:
        if len(before.shape) != len(after.shape):
            yield Misfit("TC501", "carried_rank", (str(len(before.shape)), str(len(after.shape))))
            return
        for k, (a, b) in enumerate(zip(before.shape, after.shape, strict=True)):
            different = apart(a, b)
            if different:
                yield Misfit("TC501", "carried", (), (a, b), k)
            elif different is None:
                yield OPEN
    if known(mine) and known(theirs) and mine != theirs:
        yield Misfit("TC502", "carried", (mine, theirs))
    elif mine != theirs:
        yield _open(mine, theirs)


_CHECKS: Final[Mapping[str, Callable[[Use], Iterator[Verdict]]]] = {
    "elementwise": _elementwise, "unary": _unary, "into": _into, "mask": _mask, "store": _store, "load": _load,
    "indices": _indices, "atomic": _atomic, "extents": _extents, "reshape": _reshape, "axes": _axes,
    "scalar": _scalar, "subscript": _subscript, "permute": _permute, "transpose": _transpose, "cat": _cat,
    "part": _part, "mma": _mma, "mma_scaled": _scales, "astype": _astype, "bitcast": _bitcast, "pack": _pack,
    "unpack": _unpack, "reduce": _reduce, "carried": _carried,
}
