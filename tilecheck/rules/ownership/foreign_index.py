"""TC105 foreign-index: a piece written through an index that its partition did not issue.

## What it does

Reports a piece of an output that is selected by anything but a cell of that output:

* numbers;
* a cell of another output;
* the result of arithmetic on a cell;
* a value that is a cell of one output on one path and of another output on another path.

It also reports writes to the array behind an output (`z.array`), which bypass the pieces, and reads of a piece that
is selected by a cell of another output.

Only `z.cell()`, `z.cells()` and `z.pieces(...)` issue cells. The checker follows cells through assignments, tuples,
helpers and loops, until paths join that carry different cells.

## Why is this bad?

A cell belongs to one block. That is the whole proof that blocks write disjoint pieces. Two blocks may compute the
same index if the partition did not issue it. Then both write one piece, which is a data race and undefined behaviour
by the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)).

## Example

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)


@kernel
def by_numbers(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in z.cells():
        m, n = z.coords(cell)
        z[n, m] = x.partition(*z.tile)[m, n]  # error: TC105


@kernel
def by_the_other(a: Mut[f32, BM], b: Mut[f32, BM], x: Ref[f32, Dyn]) -> None:
    for cell in a.cells():
        b[cell] = x.load_like(a)  # error: TC105


@kernel
def past_the_pieces(z: Mut[f32, BM], x: Ref[f32, Dyn]) -> None:
    ct.store(z.array, (0,), x.load_like(z))  # error: TC105
```

## Use instead

Store through the cell, or use `z.store(t)` if each block has one piece. Walk two outputs together if they are
partitioned alike:

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)


@kernel
def by_its_cell(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in z.cells():
        m, n = z.coords(cell)
        z[cell] = x.partition(*z.tile)[m, n]


@kernel
def together(a: Mut[f32, BM], b: Mut[f32, BM], x: Ref[f32, Dyn]) -> None:
    for cell in a.cells(b):
        t = x.partition(*a.tile)[a.coords(cell)[0]]
        a[cell] = t
        b[cell] = t * 2.0


@kernel
def its_own_piece(z: Mut[f32, BM], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))
```

## How to suppress it

`# tilecheck: allow[TC105] no two blocks get one index` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.rule import Rule

CODE: Final = "TC105"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    message, help_ = _WORDS[fault.how](fault)
    return Diagnostic(CODE, "error", message, fault.span, model.name, (), help_)


def _names(names: tuple[str, ...]) -> str:
    quoted = [f"`{n}`" for n in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _own(z: str) -> str:
    return f"use a cell that `{z}` issues: `for cell in {z}.cells():`, or `{z}.store(t)` for the only piece"


def _describe_made(f: Fault) -> tuple[str, str]:
    return f"`{f.array}` is indexed by numbers, but only a cell that `{f.array}` issued selects a piece", _own(f.array)


def _describe_computed(f: Fault) -> tuple[str, str]:
    return (f"`{f.array}` is indexed by the result of arithmetic: a value that is computed from a cell is not a cell",
            _own(f.array))


def _describe_foreign(f: Fault) -> tuple[str, str]:
    other, *alike = f.words
    return (f"a cell of `{other}` is used to select a piece of `{f.array}`, which has other pieces",
            f"walk both together, `for cell in {f.array}.cells({other}):`, or use a cell of `{f.array}`" if alike else
            _own(f.array))


def _describe_coordinates(f: Fault) -> tuple[str, str]:
    other = f.words[0]
    return (f"`{f.array}.coords` gets a cell of `{other}`, which has other pieces",
            f"`{other}.coords(cell)`")


def _describe_numbered(f: Fault) -> tuple[str, str]:
    return (f"`{f.array}.coords` gets a number, but only a cell has coordinates",
            f"pass a cell that `{f.array}` issued: `for cell in {f.array}.cells():`")


def _describe_joined(f: Fault) -> tuple[str, str]:
    return (f"the index of `{f.array}` is a cell of {_names(f.words)}, depending on a condition: after the branches "
            "its owner is not known", f"store in each branch, through the cell that `{f.array}` issued there")


_LOST: Final = {
    "changed in a loop": "a loop assigns another value to it",
    "one of several values": "it is one of several values",
}


def _describe_lost(f: Fault) -> tuple[str, str]:
    why = _LOST.get(f.words[0], "its origin is not known")
    return f"the index of `{f.array}` is not known to be one of its cells: {why}", _own(f.array)


def _describe_either(f: Fault) -> tuple[str, str]:
    return (f"this is one of the outputs {_names(f.words)}, depending on a condition: neither its tile nor its "
            "location is known when the kernel is compiled", "store to each output in its own branch")


def _describe_raw(f: Fault) -> tuple[str, str]:
    return (f"`ct.{f.words[0]}` writes to the whole array behind `{f.array}`, which bypasses the pieces that blocks "
            "own",
            f'write through `{f.array}`, or take responsibility: @unsafe("why no two blocks write one element")')


_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {
    "made": _describe_made,
    "computed": _describe_computed,
    "foreign": _describe_foreign,
    "coordinates": _describe_coordinates,
    "numbered": _describe_numbered,
    "joined": _describe_joined,
    "lost": _describe_lost,
    "either": _describe_either,
    "raw": _describe_raw,
}


RULE: Final = Rule(
    code=CODE,
    name="foreign-index",
    summary="a piece written through an index that its partition did not issue",
    severity="error",
    mypy="tile-ownership",
    obligation=report_obligation,
)
