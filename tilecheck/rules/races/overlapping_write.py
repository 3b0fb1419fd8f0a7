"""TC101 overlapping-write: two blocks write the same element.

## What it does

Reports two blocks of one launch that write the same element of an array, through one statement or through two. The
finding shows a *witness*: a grid, constants and shapes, the two blocks with their loop iterations, and the element
that both write. Each witness is evaluated before it is shown.

A kernel that reads `ct.bid(k)` or `ct.num_blocks(k)` is written for several blocks on axis `k`. Without a seen launch,
a collision along that axis is therefore an error, not a condition on the launch.

Seen launches decide. The blocks of a launch whose numbers are known are executed, and a collision there is an error
with the numbers of that launch. If every seen launch was executed without a collision, the kernel is right for these
launches, which becomes a clause of its contract. If neither is known, because a value comes from code that is not
followed, the finding is a warning.

Two collisions depend on data, which the witness shows. They are warnings, because the program may exclude the data.
Rows of variable length that begin at an element of an array of offsets collide in short segments, if they are compared
with the end of no segment. Places that are computed from a number of a counter, such as
`ct.atomic_add(counter, 0, 1) // 2`, collide in some order of the blocks.

## Why is this bad?

The blocks of a launch run at the same time and in no particular order. Two plain writes to one location from two
blocks conflict, and nothing orders them. By the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)) that is a data race, and a program with a
data race has undefined behaviour. The behaviour is undefined even if both blocks write equal values: the memory model
makes no exception for them. In practice the result differs from run to run, or is right until the grid grows.

## Example

The grid has two axes, but the index of the destination depends on the first one only: all blocks with the same `i`
write the same tile.

```python
import cuda.tile as ct


@ct.kernel
def copy_tiles(src, dst, T: ct.Constant[int], U: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(src, (i, j), (T, U))
    ct.store(dst, (i, 0), tile)  # error: TC101
```

A block advances by `T // 2` elements and writes `T` elements, so it writes half of the elements that the next block
writes:

```python
import cuda.tile as ct


@ct.kernel
def half_a_step(src, dst, T: ct.Constant[int]):
    offsets = ct.bid(0) * (T // 2) + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets))  # error: TC101
```

## Use instead

Let the index of the destination depend on every grid axis that the kernel reads, with a step at least as long as the
tile:

```python
import cuda.tile as ct


@ct.kernel
def copy_tiles(src, dst, T: ct.Constant[int], U: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(src, (i, j), (T, U))
    ct.store(dst, (i, j), tile)


@ct.kernel
def whole_step(src, dst, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets))
```

If blocks must combine their results in one location, use an atomic (`ct.atomic_add`). Alternatively, write partial
results to a workspace with one location for each block, and reduce them in a second launch.

## How to suppress it

`# tilecheck: allow[TC101] why this cannot happen` on the line or above the kernel, or `@unsafe("why")` on the kernel.
Both need a reason.

See also: [pictures of the blocks that collide](../show.md), [the fixes that `--fix` applies](../fixes.md),
[TC102](TC102.md) for writes that could not be proved disjoint, and [the memory model](../memory-model.md).
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.wording import (
    advise_on_example,
    blocks,
    element_of,
    iterations,
    launch_of,
    note_example,
    pair_of_blocks,
    show_axes,
)
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Bid, Term, atoms_of
from tilecheck.symbolic.footprint import Witness

CODE: Final = "TC101"

EQUAL_VALUES = "a race even where both blocks store the same value: the memory model leaves the result undefined"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    w = s.witness
    assert w is not None
    first, second = pair_of_blocks(w, model.axes_read)
    message = f"{blocks(w, model.axes_read)} both write {element_of(s.access.array, w)}"
    example = (f"{launch_of(w)}: block {first}{iterations(w.first)} and block "
               f"{second}{iterations(w.second)} write {element_of(s.access.array, w)}")
    notes = [Note(example, restates=True)]
    if s.other is not None and s.other.span != s.access.span:
        notes.insert(0, Note(f"the other write to `{s.access.array}` is here", s.other.span))
    notes += [*note_example(s.reason, w), *s.advice.notes]
    notes.append(Note(EQUAL_VALUES))
    return Diagnostic(CODE, "error", message, s.access.span, model.name, tuple(notes),
                      s.advice.help or _help(s, model, w), w, Proposal(edits=s.advice.edits))


def _help(s: DecidedObligation, model: KernelModel, w: Witness) -> str:
    array = s.access.array
    rows = advise_on_example(s.reason)
    if rows is not None:
        return rows
    differ = [k for k in sorted(show_axes(w, model.axes_read)) if w.first.block[k] != w.second.block[k]]
    if s.other is not None and s.other.site != s.access.site:
        return f"make the two writes to `{array}` disjoint: no block may write an element that another one writes"
    missing = [k for k in differ if not _mentions(s.access, k)]
    if missing:
        k = missing[0]
        return (f"let the index of `{array}` depend on `ct.bid({k})`: blocks that differ only in it write the same "
                "location")
    if s.access.loops and w.first.iterations != w.second.iterations:
        return (f"step the loop by the number of blocks, `ct.num_blocks({differ[0]})`, so that no two blocks "
                f"use the same index of `{array}`")
    if w.first.lanes == w.second.lanes:
        k = differ[0]
        return (f"compute the index of `{array}` from all of `ct.bid({k})`, not from a part of it: these blocks "
                "differ and have the same index")
    # the blocks collide in different lanes
    return f"advance from block to block by at least the whole tile that is written to `{array}`"


def _mentions(access: Access, axis: int) -> bool:
    def reaches(t: Term) -> bool:
        return any(isinstance(a, Bid) and a.axis == axis for a in atoms_of(t))

    return any(reaches(t) for t in access.region.index) or any(
        isinstance(a, Bid) and a.axis == axis for a in atoms_of(access.region.guard))


RULE: Final = Rule(
    code=CODE,
    name="overlapping-write",
    summary="two blocks write the same element",
    severity="error",
    mypy="tile-race",
    residual=True,
    fixes=("advised",),
    obligation=report_obligation,
)
