"""TC102 unproven-disjoint: writes of different blocks could not be proved disjoint.

## What it does

Reports a write for which the checker found neither a proof that blocks never write the same element, nor a collision.
It also reports a write that is disjoint only under a condition on the launch that nothing states; the message names
the condition.

The finding is a warning. With `--strict`, or with `@deny_residual` on the kernel, it is an error.

## Why is this bad?

If two blocks write the same element, the program has a data race, and the Tile IR memory model ([Tile IR
specification, memory model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)) makes its behaviour
undefined. The reported write may be correct. Its safety depends on a fact that the index arithmetic does not show.

## Example

Each block reads the row that it writes from an array. The kernel is correct if `rows` contains no value twice, but
nothing states that.

```python
import cuda.tile as ct


@ct.kernel
def scatter_rows(src, rows, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(rows, (i,), (1,)).item()
    ct.store(dst, (row, 0), ct.load(src, (i, 0), (1, T)))  # error: TC102
```

## Use instead

State what the index array satisfies, in the contract language. The declaration becomes part of the kernel's contract,
which `tilecheck contract` prints:

```python
import cuda.tile as ct
from tilecheck import requires


@requires("injective(rows)")
@ct.kernel
def scatter_rows(src, rows, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(rows, (i,), (1,)).item()
    ct.store(dst, (row, 0), ct.load(src, (i, 0), (1, T)))
```

Declare a condition on constants or shapes in the same way. Here each block writes `T` elements of a row of `W`
elements; rows are disjoint only if `T <= W`:

```python
import cuda.tile as ct
from tilecheck import requires


@requires("T <= W")
@ct.kernel
def head_of_rows(src, dst, W: ct.Constant[int], T: ct.Constant[int]):
    offsets = ct.bid(0) * W + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.gather(src, offsets))
```

## How to suppress it

`# tilecheck: allow[TC102] why blocks write disjoint elements` on the line or above the kernel, or `@unsafe("why")` on
the kernel. A declaration is better than a suppression: launches are checked against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal, Severity
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import clause_list, element_of, launch_of
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import ArrayParam

CODE: Final = "TC102"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    semantic = s.semantic_texts
    notes: list[Note] = []
    if s.other is not None and s.other.span != s.access.span:
        notes.append(Note(f"the other write to `{s.access.array}` is here", s.other.span))
    if s.verdict == "conditional":
        message = f"blocks write disjoint parts of `{s.access.array}` only if {clause_list(semantic)}"
        if s.witness is not None:
            w = s.witness
            notes.append(Note(f"{launch_of(w)} two blocks write {element_of(s.access.array, w)}", restates=True))
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = f"could not prove that blocks write disjoint parts of `{s.access.array}`: {reason_text(s.reason)}"
        help_ = (f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing else
                 f"write `{s.access.array}` through an index that each block computes from its own coordinates")
    notes += s.advice.notes
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), help_, s.witness,
                      Proposal(requires=semantic or ((s.missing,) if s.missing else ())))


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A finding for each unsupported construct that may use an array, if no other finding reports the array."""
    model = view.model
    reported = {s.access.array for s in view.proof.obligations if s.verdict in ("unproven", "refuted")}
    unowned = {ArrayParam(f.array) for f in model.ownership.faults if f.code == "TC110"}
    severity: Severity = "error" if model.dialect else "warning"
    for gap in model.gaps:
        if unowned.intersection(gap.arrays):
            continue  # the construct is unsupported because of the annotation, which TC110 reports
        arrays = [array for array in gap.arrays if array not in reported]
        if not model.dialect:
            # a further construct adds nothing: everything about these arrays is open
            reported |= set(arrays)
        if arrays:
            names = ", ".join(f"`{array}`" for array in arrays)
            yield Diagnostic(
                CODE, severity, f"could not prove anything of {names}: {gap.what}", gap.span, model.name,
                help="use operations of cuda.tile, or a helper whose source is in the checked files")


RULE: Final = Rule(
    code=CODE,
    name="unproven-disjoint",
    summary="writes of different blocks could not be proved disjoint",
    severity="warning",
    mypy="tile-race",
    residual=True,
    fixes=("declaration",),
    obligation=report_obligation,
    kernel=report_kernel,
)
