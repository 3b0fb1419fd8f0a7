"""TC203 index-space: an element index where a tile index is expected, or the reverse.

## What it does

Reports an element offset where an index counts tiles, and the reverse. `load`, `store` and tiled views multiply the
index by the extent of the tile. `ct.extract` and `ct.insert` multiply it by the extent of the part. `ct.gather` and
`ct.scatter` take element indices.

An index is reported if it is a multiple of the extent by which the operation multiplies it again, such as `i * T`, or
the variable of `range(0, K, T)`, for a tile of `T` elements. It is not reported if the kernel compares it with a
number of such tiles, if other accesses take the tiles between, or if every seen launch keeps it inside the array.

The index of a part is also reported if it is a number of the launch of which the extent of the part is a multiple,
such as `S` for a part of `S * S` elements: no part begins at that element.

A gather is reported if it begins at the block coordinate itself, in a kernel whose blocks write separate tiles of the
same extent. It is not reported if the kernel reads the array elsewhere as well, as a sliding window does.

## Why is this bad?

Block 1 reads tile `T`, which begins at element `T * T`. For most blocks that tile lies outside the array, which is
undefined even with bounds checks on. The other blocks read the wrong elements.

## Example

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    start = ct.bid(0) * T
    t = ct.load(src, (start,), (T,))  # error: TC203
    ct.store(dst, (ct.bid(0),), t * 2)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    t = ct.load(src, (ct.bid(0),), (T,))
    ct.store(dst, (ct.bid(0),), t * 2)
```

Or gather by element:

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets) * 2)
```

## How to suppress it

`# tilecheck: allow[TC203] why this counts tiles` on the line or above the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.source_names import spell_term, spelling
from tilecheck.obligations.index_space import ElementIndex, PartOffset, TileOffset
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Atom, Bid, Counter, Term

CODE: Final = "TC203"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each index that looks like one of the other kind."""
    for lint in view.lints:
        match lint:
            case TileOffset():
                yield _tile_offset(lint, view.model.name)
            case PartOffset():
                yield _part_offset(lint, view.model.name)
            case ElementIndex():
                yield _element_index(lint, view.model.name)


def _tile_offset(lint: TileOffset, kernel: str) -> Diagnostic:
    access, axis, extent = lint.access, lint.axis, lint.extent
    where = f" along axis {axis}" if len(access.tile) > 1 else ""
    message = (f"the tile index `{spell_term(lint.index)}` of `{access.array}`{where} is an element offset: an index "
               f"counts tiles of {_elements(extent)}")
    return Diagnostic(CODE, "warning", message, lint.span, kernel, _second_tile(axis, extent, lint.tile),
                      f"pass `{spell_term(lint.tile)}`: {access.op} multiplies the index by the extent of the tile "
                      "itself",
                      proposal=Proposal((spell_term(lint.tile),), axis=axis))


def _part_offset(lint: PartOffset, kernel: str) -> Diagnostic:
    kind = "is an element offset" if lint.quotient is not None else "looks like an element offset"
    message = (f"the index `{spell_term(lint.index)}` of {lint.op} along axis {lint.axis} {kind}: it counts parts of "
               f"{_elements(lint.extent)}")
    if lint.quotient is None:
        return Diagnostic(
            CODE, "warning", message, lint.span, kernel, (),
            f"{lint.op} multiplies the index by the extent of the part: this part begins at element "
            f"`{spell_term(lint.index * lint.extent)}`, and none begins at element `{spell_term(lint.index)}`; lay the "
            "tile out so that each part begins at a multiple of its extent")
    return Diagnostic(CODE, "warning", message, lint.span, kernel, (),
                      f"pass `{spell_term(lint.quotient)}`: {lint.op} multiplies the index by the extent of the part",
                      proposal=Proposal((spell_term(lint.quotient),), axis=lint.axis))


def _element_index(lint: ElementIndex, kernel: str) -> Diagnostic:
    array, block, size = lint.access.array, spelling.atom(lint.block), spell_term(lint.size)
    where = f" along axis {lint.axis}" if len(lint.access.region.index) > 1 else ""
    message = (f"`ct.{block}` is used as an element index of `{array}`{where}: blocks read overlapping elements and "
               "write separate tiles")
    n = lint.size.constant or 4
    given = "" if lint.size.constant is not None else f"with {size} = {n} "
    note = Note(f"{given}block 1 reads {array}[1] to {array}[{n}] and writes the elements {n} to {2 * n - 1}")
    return Diagnostic(CODE, "warning", message, lint.span, kernel, (note,), f"begin at element `{block} * {size}`")


def _elements(extent: Term) -> str:
    return f"{extent.constant} elements" if extent.constant is not None else f"`{spell_term(extent)}` elements"


def _second_tile(axis: int, extent: Term, tile: Term) -> tuple[Note, ...]:
    """The elements that the second tile is read from, in numbers, and those that were meant."""
    size = extent.constant or 4
    given = "" if extent.constant is not None else f"with {spell_term(extent)} = {size} "
    atom = tile.single
    who = None if atom is None else _SECOND.get(type(atom))
    if who is None:
        return ()
    return (Note(f"{given}{who} takes the elements {size * size} to {size * size + size - 1} along axis {axis}, "
                 f"not {size} to {2 * size - 1}"),)


_SECOND: Final[Mapping[type[Atom], str]] = {Bid: "block 1", Counter: "the second iteration"}


RULE: Final = Rule(
    code=CODE,
    name="index-space",
    summary="an element index where a tile index is expected, or the reverse",
    severity="warning",
    mypy="tile-bounds",
    fixes=("index_space",),
    kernel=report_kernel,
)
