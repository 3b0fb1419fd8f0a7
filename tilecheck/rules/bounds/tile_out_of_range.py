"""TC201 tile-out-of-range: a tile index for which the tile lies wholly outside the array.

## What it does

Reports a tile access whose tile lies wholly outside the array in every launch: a negative tile index, a constant
index beyond a known extent, a loop that runs one tile too far. The message gives a block, an iteration and the tile
in numbers.

If the launch decides whether the tiles lie inside, the condition is a clause of the kernel's contract (`grid[0] <=
cdiv(c.shape[0], T)`). `tilecheck contract` prints it, and every seen launch is checked against it. If the index comes
from data, `-v` shows a declaration that would prove it; with `--strict` the access is an error.

Two further cases are warnings:

* a precondition that indicates a bug in the kernel, unless a seen launch is known to satisfy it: a loop with more
  iterations than the array has tiles (`cdiv(n, T) < cdiv(x.shape[0], T)`), shares of the tiles that are rounded up,
  and conditions that only hold for windows and tiles of one element;
* a loop whose last iteration is out of bounds in every launch that executes it, if data or a work queue decides
  whether it executes, so that no concrete launch can be shown.

## Why is this bad?

A tile that extends past the end of the array is fine: its outer elements are padded on a load and dropped on a store.
An access to a tile that lies *wholly* outside is undefined behaviour even with bounds checks on. The index is taken
as unsigned, and the compiler may assume that it lies in the tile space. Tiles are not counted from the end: -1 is a
very large index.

## Example

The first block asks for tile -1:

```python
import cuda.tile as ct


@ct.kernel
def differences(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    before = ct.load(a, (i - 1,), (T,))  # error: TC201
    ct.store(c, (i,), ct.load(a, (i,), (T,)) - before)
```

The loop runs once more than there are tiles:

```python
import cuda.tile as ct


@ct.kernel
def row_sums(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for k in range(ct.num_tiles(a, 1, (1, T)) + 1):
        acc = acc + ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)  # error: TC201
    ct.store(c, (i, 0), acc)
```

The kernel gets the number of columns as an argument, and its loop continues for one tile that begins after all of
them:

```python
import cuda.tile as ct


@ct.kernel
def first_sums(a, c, n, T: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for k in range(ct.cdiv(n, T) + 1):
        acc = acc + ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)  # error: TC201
    ct.store(c, (i, 0), acc)
```

The rows are read from memory, and so is the condition under which the loop executes. If it executes, it runs one tile
too far:

```python
import cuda.tile as ct


@ct.kernel
def picked_sums(a, picked, c, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(picked, (i,), (1,)).item()
    acc = ct.zeros((1, T), ct.float32)
    if row >= 0:
        for k in range(ct.num_tiles(a, 1, (1, T)) + 1):
            acc = acc + ct.load(a, (row, k), (1, T), padding_mode=ct.PaddingMode.ZERO)  # error: TC201
    ct.store(c, (i, 0), acc)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def differences(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    before = ct.load(a, (max(i - 1, 0),), (T,))
    ct.store(c, (i,), ct.load(a, (i,), (T,)) - before)


@ct.kernel
def row_sums(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for k in range(ct.num_tiles(a, 1, (1, T))):
        acc = acc + ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), acc)
```

The contents of an array decide whether an index that is read from it is inside. Declare their range:

```python
import cuda.tile as ct


@ct.kernel
def pick_rows(a, ids, c, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(ids, (i,), (1,)).item()
    ct.store(c, (i, 0), ct.load(a, (row, 0), (1, T)))  # tilecheck: requires range(ids, 0, a.shape[0])
```

## How to suppress it

`# tilecheck: allow[TC201] why the tile is inside` on the line or above the kernel, or `@unsafe("why")` on the kernel.
Both need a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.suspicious_clauses import goes_past
from tilecheck.rules.messages.bounds import at_block, example, index_text, place, where
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import clause_list
from tilecheck.rules.rule import Rule

CODE: Final = "TC201"

UNDEFINED = "an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.verdict != "refuted":
        return _open(s, model)
    axes = model.axes_read
    message = f"{at_block(s, axes)} {where(s)}"
    notes = (Note(example(s, axes), restates=True), *s.advice.notes, Note(UNDEFINED))
    return Diagnostic(CODE, "error", message, s.access.span, model.name, notes, s.advice.help or _help(s), s.witness,
                      Proposal(edits=s.advice.edits))


def _help(s: DecidedObligation) -> str:
    w, reach = s.witness, s.reach
    assert w is not None and reach is not None
    if w.element[0] < 0:
        return (f"keep the index {place(s)} at 0 or above, with `max(..., 0)` or under a condition: tiles are not "
                "counted from the end")
    end = spell_term(reach.end)
    limit = end if reach.step is None or reach.step.constant == 1 else f"ct.cdiv({end}, {spell_term(reach.step)})"
    return f"keep the index {place(s)} below `{limit}`"


def _open(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.verdict == "conditional":
        return _shared_out(s, model)
    if s.overrun is not None:
        return _one_too_many(s, s.overrun, model)
    message = f"could not prove that the index{index_text(s)} {place(s)} stays inside: {reason_text(s.reason)}"
    help_ = (f"if it does, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing else
             "compare the index with `ct.num_tiles(...)` in the kernel, or clamp it")
    return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_)


def _one_too_many(s: DecidedObligation, loop: RangeLoop, model: KernelModel) -> Diagnostic:
    what = "begins" if s.reach is not None and s.reach.step is not None else "is"
    message = (f"in the last iteration of the loop on line {loop.header.line}, the index{index_text(s)} {what} past "
               f"the end {place(s)}, in every launch")
    notes = (Note("the loop runs one iteration too far here", loop.header), Note(UNDEFINED))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, notes,
                      "end the loop at the number of tiles: `ct.num_tiles(...)`")


def _shared_out(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    """The finding for a clause that few launches satisfy, which indicates a bug in the kernel."""
    past = any(goes_past(part) for c in s.semantic_clauses if c.cond is not None for part in (c.cond, *c.cond.args))
    kind = "shares" if s.witness is None and not past else "past" if s.witness is None else "degenerate"
    how, help_ = _UNLESS[kind]
    message = f"the index{index_text(s)} {place(s)} {how} unless {clause_list(s.semantic_texts)}"
    notes = (*(() if s.witness is None else (Note(example(s, model.axes_read), restates=True),)), Note(UNDEFINED))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, notes,
                      _help(s) if s.witness is not None else help_, s.witness)


_UNLESS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({
    # the blocks take shares of the tiles, and nothing keeps the last share from going on past the end
    "shares": ("runs past the end in the last blocks",
               "end each share at the number of tiles: `min((s + 1) * size, ct.num_tiles(...))`"),
    "past": ("continues past the last tile",
             "end the loop at the number of tiles: the one after the last begins outside"),
    "degenerate": ("leaves the array", ""),
})


RULE: Final = Rule(
    code=CODE,
    name="tile-out-of-range",
    summary="a tile index for which the tile lies wholly outside the array",
    severity="error",
    mypy="tile-bounds",
    residual=True,
    fixes=("advised",),
    obligation=report_obligation,
)
