"""TC205 grid-coverage: a grid larger than the tile space, or one that leaves part of an output unwritten.

## What it does

Checks seen launches and reports

* a grid with more blocks than an array has tiles (an error): the launch breaks the clause `grid[0] <=
  cdiv(c.shape[0], T)` of the kernel's contract for every value of its variables;
* a grid with fewer blocks than an output has tiles (a warning), if the host allocates the output next to the launch
  with `torch.empty` or a similar function: the end of the output is not written.

## Why is this bad?

A block beyond the last tile reads and writes a tile that lies wholly outside the array, which is undefined behaviour
even with bounds checks on. Missing blocks leave part of the output uninitialised.

## Example

The launch has twice as many blocks as there are rows, because the batch is counted on two axes:

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i, 0), ct.load(x, (i, 0), (1, T)) * 2)


def doubled(x):
    rows = x.shape[0]
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (2 * rows, 1, 1), double, (x, out, 128))  # error: TC205
    return out
```

The number of blocks is rounded down:

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (x.shape[0] // 128, 1, 1), double, (x, out, 128))  # error: TC205
    return out
```

## Use instead

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128), 1, 1), double, (x, out, 128))
    return out
```

## How to suppress it

`# tilecheck: allow[TC205] why the launch is right` on the line of the launch. If the host establishes that the tile
divides the extent, state it with an `assert` before the launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.obligations.grid_coverage import Uncovered, find_uncovered
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.launch_breaches import Breach
from tilecheck.rules.messages.launches import SAMPLED, breach_severity, values_of
from tilecheck.rules.messages.wording import clause_list
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import GridDim, atoms_of

CODE: Final = "TC205"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The launches with more blocks than tiles, and those that do not write all of an output."""
    kernel = view.model.name
    yield from (_describe_excess(breach, kernel) for breach in view.breaches if breach.exceeds_tiles)
    yield from (_describe_uncovered(found, kernel) for found in find_uncovered(view.model, view.launches))


def _describe_excess(breach: Breach, kernel: str) -> Diagnostic:
    s, clause = breach.needing, breach.clause.text
    assert s is not None
    blocks = _blocks(breach)
    has = f"has {blocks}, more than" if blocks else "has more blocks than"
    message = f"this launch {has} `{s.access.array}` has tiles for: it breaks `{clause}`{_say(breach.result.values)}"
    notes = [Note(f"`{s.access.array}` is accessed here; an access to a tile that lies wholly outside is undefined",
                  s.access.span)]
    if breach.result.text:
        notes.insert(0, Note(f"at this launch the clause is {breach.result.text}"))
    if breach.also:
        notes.append(Note(f"it also breaks {clause_list(breach.also)}"))
    if breach.sampled:
        notes.append(Note(SAMPLED, breach.launch.span))
    severity: Severity = breach_severity(breach)
    return Diagnostic(CODE, severity, message, breach.launch.span, kernel, tuple(notes),
                      f"launch no more blocks than the array has tiles: `{clause}`")


def _say(values: tuple[tuple[str, int], ...]) -> str:
    return f" (for example, with {values_of(values)})" if values else ""


def _blocks(breach: Breach) -> str:
    """`9 blocks on axis 0`, if that is a number."""
    cond = breach.clause.cond
    axes = [] if cond is None else sorted(a.axis for a in atoms_of(cond) if isinstance(a, GridDim))
    axis = axes[0] if axes else None
    extent = None if axis is None else breach.launch.grid[axis]
    value = None if extent is None else extent.constant
    return "" if value is None else f"{value} blocks on axis {axis}"


def _describe_uncovered(found: Uncovered, kernel: str) -> Diagnostic:
    array = found.access.array
    message = (f"this launch does not write all of `{array}`, which `{found.fresh}` leaves uninitialised: its blocks "
               f"end before axis {found.axis} does{_say(found.covers.values)}")
    notes = (Note(f"it is covered only if {found.covers.text}"),
             Note(f"each block writes its own tile of `{array}` here", found.access.span))
    return Diagnostic(CODE, "warning", message, found.launch.span, kernel, notes,
                      "round the number of blocks up: `ct.cdiv(n, T)`, not `n // T`")


RULE: Final = Rule(
    code=CODE,
    name="grid-coverage",
    summary="a grid larger than the tile space, or one that leaves part of an output unwritten",
    severity="error",
    mypy="tile-bounds",
    fixes=("launch_grid", "swapped_axes"),
    kernel=report_kernel,
)
