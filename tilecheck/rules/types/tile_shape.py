"""TC501 tile-shape: a tile whose shape does not match its use.

## What it does

Follows the shapes of tiles and reports shapes that do not match: operands of a product with different inner extents,
tiles of different extents in an element-wise operation, a reshape to another number of elements, a tile that cannot
be broadcast to the shape of the store, a variable that changes its shape in a loop. The finding names both extents
and the lines that they come from.

Extents are numbers and constants of the kernel. Two constants that may be equal are not reported, unless a seen
launch gives them values that do not match; the finding then shows the launch.

In a kernel of the dialect, the rule also reports a tile that is stored to a piece of another shape, and an index or a
partition with another number of axes than the array. There, two different type variables are two different extents,
and the finding names the annotations that they come from. An unknown extent is not reported.

## Why is this bad?

The location of a tile in memory is its index times its own extents. A tile of another shape that is stored through a
cell does not lie in the piece of its block, but in a piece of another block, so that both blocks write there. That is
a data race, and undefined behaviour by the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). Operations that access no memory do not
compile, or compile only for launches in which two extents happen to be equal.

## Example

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def transposed(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    bm, bn = z.tile
    z.store(x.partition(bn, bm)[0, 0])  # error: TC501


@kernel
def swapped(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    z.store(ct.mma(py[0, 0], px[0, 0], ct.zeros((bm, bn), ct.float32)))  # error: TC501
```

```python
import cuda.tile as ct


@ct.kernel
def scores(q, k, c, D: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(q, (i, 0), (64, D), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(k, (j, 0), (64, 2 * D), padding_mode=ct.PaddingMode.ZERO)
    acc = ct.mma(x, ct.transpose(y), ct.zeros((64, 64), ct.float32))  # error: TC501
    ct.store(c, (i, j), acc.astype(c.dtype))
```

## Use instead

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def plain(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    bm, bn = z.tile
    z.store(x.partition(bm, bn)[0, 0])


@kernel
def in_order(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    z.store(ct.mma(px[0, 0], py[0, 0], ct.zeros((bm, bn), ct.float32)))
```

```python
import cuda.tile as ct


@ct.kernel
def scores(q, k, c, D: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(q, (i, 0), (64, D), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(k, (j, 0), (64, D), padding_mode=ct.PaddingMode.ZERO)
    acc = ct.mma(x, ct.transpose(y), ct.zeros((64, 64), ct.float32))
    ct.store(c, (i, j), acc.astype(c.dtype))
```

## How to suppress it

`# tilecheck: allow[TC501] BM and BN are always equal` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.interp.kernel.tile_types.uses import Misfit, Operand, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.operands import Words, dims, line, op, shapes, type_findings
from tilecheck.rules.messages.provenance import origin_notes, shape_text
from tilecheck.rules.rule import Rule

CODE: Final = "TC501"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    assert s.fault is not None
    return _at_fault(s.fault, model)


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at operations; those at accesses of the ownership dialect are obligations."""
    yield from (_at_fault(fault, view.model) for fault in view.model.ownership.typed if fault.code == CODE)
    yield from type_findings(view, CODE, _WORDS)


# --- the ownership dialect -------------------------------------------------------------------------------------------

def _at_fault(fault: Fault, model: KernelModel) -> Diagnostic:
    message, help_ = _DIALECT_WORDS[fault.how](fault)
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, origin_notes(model, fault.shapes), help_)


def _axes(shape: Sized) -> str:
    return f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"


def _two(f: Fault) -> tuple[str, str]:
    first, second = f.shapes
    return shape_text(first), shape_text(second)


def _describe_dialect_stored(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    scalar = tile == "()"
    what = "a scalar" if scalar else f"a tile of shape {tile}"
    return (f"{what} is stored to a piece of `{f.array}`, which is {piece}",
            f"store a tile of shape {piece}" + (f": `ct.full({f.array}.tile, ...)`" if scalar else ""))


def _describe_dialect_nested(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    return (f"a tile of shape {tile} is stored to a nested piece of `{f.array}`, which is {piece}",
            f"store a tile of shape {piece}")


def _describe_dialect_fetched(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    return (f"a tile of shape {tile} is read back from a nested piece of `{f.array}`, which is {piece}",
            f"`{f.array}.load_piece(cell, {piece.strip('(),')})`")


def _describe_dialect_whole(f: Fault) -> tuple[str, str]:
    nested, piece = _two(f)
    return (f"`{f.array}[...]` reads the whole piece back, {piece}, but this is the cell of a nested tile of {nested}",
            f"`{f.array}.load_piece(cell, {nested.strip('(),')})`")


def _describe_dialect_ranks(f: Fault) -> tuple[str, str]:
    array, piece = f.shapes
    return (f"`{f.array}` has {_axes(array)}, but a piece of `{f.words[0]}` has {len(piece)}",
            f"load the tile by its index instead: `{f.array}.partition(...)[...]`")


def _describe_dialect_piece(f: Fault) -> tuple[str, str]:
    mine, theirs = _two(f)
    return (f"a piece of `{f.array}` is {mine}, and one of `{f.words[0]}` is {theirs}: it has no tile at that location",
            f"read back what the block owns of it: `{f.array}.load()`")


def _describe_dialect_indexed(f: Fault) -> tuple[str, str]:
    given, array = f.shapes
    return f"`{f.array}` has {_axes(array)}, but the index has {len(given)}", "give one index for each axis"


def _describe_dialect_partition(f: Fault) -> tuple[str, str]:
    given, array = f.shapes
    return (f"`{f.array}` has {_axes(array)}, but is partitioned into tiles of {len(given)}",
            "give one extent for each axis")


def _describe_dialect_starred(f: Fault) -> tuple[str, str]:
    (name,) = f.words
    return (f"`{f.array}.{name}` takes the extents of a tile one by one, but this is a tuple",
            f"put a star before it: `{f.array}.{name}(*tile)`")


def _describe_dialect_order(f: Fault) -> tuple[str, str]:
    (array,) = f.shapes
    straight = range(len(array))
    given = ", ".join("?" if w == "None" else w for w in f.words)
    turned = ", ".join(str(k) for k in reversed(straight))
    return (f"`{f.array}` has {_axes(array)}, and `permute({given})` does not name each of them once",
            f"name the axes {', '.join(map(str, straight))} in the order of the view: `{f.array}.permute({turned})`")


def _describe_dialect_orders(f: Fault) -> tuple[str, str]:
    (array,) = f.shapes
    turned = ", ".join(str(k) for k in reversed(range(len(array))))
    return (f"the order in which `permute` puts the {_axes(array)} of `{f.array}` is not known when the kernel is "
            "checked",
            f"write the axes as numbers: `{f.array}.permute({turned})`")


def _describe_dialect_together(f: Fault) -> tuple[str, str]:
    other, first = _two(f)
    return (f"`{f.words[0]}` and `{f.array}` cannot be walked together: pieces of {first} and of {other}",
            "walk each by itself, or give both the same tile")


def _describe_dialect_product(f: Fault) -> tuple[str, str]:
    x, y, acc = (shape_text(s) for s in f.shapes)
    return (f"the operands of `ct.{f.words[0]}` do not match: {x} times {y}, added to {acc}" if f.shapes[2] else
            f"the operands of `ct.{f.words[0]}` do not match: {x} times {y}",
            "the first is (M, K), the second (K, N) and the accumulator (M, N)")


def _describe_dialect_combined(f: Fault) -> tuple[str, str]:
    first, second = _two(f)
    return f"tiles of shapes {first} and {second} are combined", "give both the same extents, or extents of 1"


_DIALECT_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {
    "stored": _describe_dialect_stored,
    "nested": _describe_dialect_nested,
    "fetched": _describe_dialect_fetched,
    "whole": _describe_dialect_whole,
    "like": _describe_dialect_ranks,
    "piece": _describe_dialect_piece,
    "indexed": _describe_dialect_indexed,
    "partition": _describe_dialect_partition,
    "pieces": _describe_dialect_partition,
    "starred": _describe_dialect_starred,
    "order": _describe_dialect_order,
    "orders": _describe_dialect_orders,
    "together": _describe_dialect_together,
    "product": _describe_dialect_product,
    "combined": _describe_dialect_combined,
}


# --- operations of cuda.tile -----------------------------------------------------------------------------------------

def _find_operands(use: Use, f: Misfit) -> tuple[Operand, Operand]:
    """The two operands whose extents meet along the axis."""
    rank = max(len(o.shape or ()) for o in use.operands)
    found: list[Operand] = []
    for term in f.terms:
        for o in use.operands:
            place = (f.axis or 0) - rank + len(o.shape or ())
            if o not in found and o.shape is not None and 0 <= place < len(o.shape) and o.shape[place] == term:
                found.append(o)
                break
    return (found[0], found[1]) if len(found) == 2 else (use.operands[-2], use.operands[-1])


def _describe_combined(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    pair = _find_operands(use, f)
    return (f"{op(use)} combines tiles of shapes {shapes(*pair)}; {dims(use, f, file, pair)}",
            "give both the same extent along that dim, or one of them an extent of 1")


def _describe_indices(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    pair = _find_operands(use, f)
    return (f"the indices of {op(use)} have shapes {shapes(*pair)}, which cannot be combined; "
            f"{dims(use, f, file, pair)}",
            "add axes to the indices so that each runs along its own: `rows[:, None]`, `columns[None, :]`")


def _describe_into(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    value, target = use.operands[0], use.operands[-1]
    return (f"a tile of shape {shapes(value)} cannot be broadcast to {shapes(target)} by {op(use)}; "
            f"{dims(use, f, file, (value, target))}", f"give it an extent of 1 or of {spell_term(f.terms[1])} along "
                                                      "that dim")


def _describe_reshape(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    old, new = use.operands
    have, want = f.terms
    return (f"{op(use)} from {shapes(old)} to {shapes(new)}: a tile of {spell_term(have)} elements"
            f"{line(old.made, file)} cannot become one of {spell_term(want)}", "give it a shape with the same number "
                                                                            "of elements")


def _describe_two_free(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} to {shapes(use.operands[1])}: only one extent can be -1", "write all extents but one"


def _describe_negative(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} to {shapes(use.operands[1])}: an extent is positive, or -1",
            "write the extents, or -1 for one of them")


def _describe_cat_count(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"`ct.cat` concatenates two tiles, but gets {f.words[0]}",
            "concatenate them two by two: `ct.cat((ct.cat((a, b), axis), ct.cat((c, d), axis)), axis)`")


def _describe_cat(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"`ct.cat` along dim {use.numbers[0]} of tiles of shapes {shapes(*use.operands)}; {dims(use, f, file)}",
            "concatenate tiles whose extents differ only along that dim")


def _describe_part(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    whole, part = use.operands
    return (f"{op(use)}: {shapes(part)} is not a part of a tile of shape {shapes(whole)}; "
            f"{dims(use, f, file, (whole, part))}", f"take an extent that divides {spell_term(f.terms[0])}")


def _describe_inner(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y = use.operands[:2]
    a, b = f.terms
    return (f"the operands of {op(use)} do not match: {shapes(x)} times {shapes(y)}; dim {f.axis} of the first: "
            f"{spell_term(a)}{line(x.made, file)}, dim {max(len(y.shape or ()) - 2, 0)} of the second: "
            f"{spell_term(b)}{line(y.made, file)}",
            "the first is (M, K) and the second (K, N): exchange or transpose them, or load them with one K")


def _describe_batch(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y = use.operands[:2]
    return (f"the leading axes of the operands of {op(use)} cannot be combined, {shapes(x, y)}; "
            f"{dims(use, f, file, (x, y))}", "give both the same leading extents, or extents of 1")


def _describe_added(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y, acc = use.operands
    first = x if f.axis == len(acc.shape or ()) - 2 else y
    return (f"{op(use)} of {shapes(x)} times {shapes(y)} is added to {shapes(acc)}; "
            f"{dims(use, f, file, (first, acc))}", "the accumulator is (M, N) for (M, K) times (K, N)")


def _describe_scales(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"the scales of `ct.mma_scaled` do not match their tile; dim {f.axis}: "
            f"{spell_term(f.terms[0])} of the tile, {spell_term(f.terms[1])} of the scales",
            "scales have the shape of their tile, except along K")


def _describe_carried(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    before, after = use.operands
    return (f"`{use.op}` is a tile of shape {shapes(before)} before the loop and {shapes(after)} at the end of an "
            f"iteration; {dims(use, f, file)}", "give it one shape, or use another name in the loop")


def _describe_carried_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    before, after = use.operands
    return (f"`{use.op}` has shape {shapes(before)}{line(before.made, file)} before the loop and "
            f"{shapes(after)}{line(after.made, file)} at the end of an iteration",
            f"start with a tile of that shape: `ct.zeros({shapes(after)}, ...)`")


_WORDS: Final[Mapping[str, Words]] = {
    "combined": _describe_combined,
    "indices": _describe_indices,
    "into": _describe_into,
    "reshape": _describe_reshape,
    "two_free": _describe_two_free,
    "negative": _describe_negative,
    "cat_count": _describe_cat_count,
    "cat": _describe_cat,
    "part": _describe_part,
    "inner": _describe_inner,
    "batch": _describe_batch,
    "added": _describe_added,
    "scales": _describe_scales,
    "carried": _describe_carried,
    "carried_rank": _describe_carried_rank,
}


RULE: Final = Rule(
    code=CODE,
    name="tile-shape",
    summary="a tile whose shape does not match its use",
    severity="error",
    mypy="tile-shape",
    obligation=report_obligation,
    kernel=report_kernel,
)
