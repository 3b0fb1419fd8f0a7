"""TC202 unchecked-out-of-bounds: an access without bounds check, or a false assumption of divisibility.

## What it does

Reports an access without a bounds check that is not proved to stay inside its array: one with `check_bounds=False`,
or one by a raw offset. Every lane under the mask must be inside. It also reports `assume_divisible_by` if the divisor
is not known to divide the value.

If launch scalars decide the access, as in `grid[0]*T <= c.shape[0]`, the condition is a clause of the kernel's
contract. `-v` shows it, and a seen launch that breaks it is reported (TC405). All other accesses are reported here,
as a warning, or as an error if they leave the array in every launch.

## Why is this bad?

Without a bounds check, an access outside the array reads or overwrites other memory. A false assumption of
divisibility lets the compiler emit wide or misaligned accesses. Either is undefined behaviour.

## Example

Nothing bounds the values of `idx` by the size of `a`:

```python
import cuda.tile as ct


@ct.kernel
def pick(a, idx, c, T: ct.Constant[int]):
    i = ct.bid(0)
    where = ct.gather(idx, i * T + ct.arange(T, dtype=ct.int32))
    ct.store(c, (i,), ct.gather(a, where, check_bounds=False))  # error: TC202
```

## Use instead

Keep the check, mask the lanes that may be outside, or declare what the array contains:

```python
import cuda.tile as ct
from tilecheck import requires


@ct.kernel
def pick(a, idx, c, T: ct.Constant[int]):
    i = ct.bid(0)
    where = ct.gather(idx, i * T + ct.arange(T, dtype=ct.int32))
    inside = (where >= 0) & (where < a.shape[0])
    ct.store(c, (i,), ct.gather(a, where, mask=inside, check_bounds=False))


@requires("range(idx, 0, a.shape[0])", "a.shape[0] >= 1")
@ct.kernel
def pick_declared(a, idx, c, T: ct.Constant[int]):
    i = ct.bid(0)
    where = ct.gather(idx, i * T + ct.arange(T, dtype=ct.int32))
    ct.store(c, (i,), ct.gather(a, where, check_bounds=False))
```

## How to suppress it

`# tilecheck: allow[TC202] why it stays inside` on the line or above the kernel, or `@unsafe("why")` on the kernel. A
declaration is better than a suppression: launches are checked against it.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.bounds import at_block, example, index_text, place, where
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import clause_list
from tilecheck.rules.rule import Rule

CODE: Final = "TC202"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.access.op == "assume_divisible_by":
        return _assumption(s, model)
    if s.verdict == "refuted":
        axes = model.axes_read
        message = f"{at_block(s, axes)} {where(s)}, and nothing checks it"
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (Note(example(s, axes), restates=True),),
                          _help_to_check(s, "keep the index inside"), s.witness)
    if s.verdict == "conditional":
        # the launches are where it is decided
        message = f"without a bounds check, this stays {place(s)} only if {clause_list(s.semantic_texts)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(s.semantic_texts)}")'
        return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_,
                          proposal=Proposal(requires=s.semantic_texts))
    message = (f"without a bounds check, the index{index_text(s)} {place(s)} must stay inside, which is not proved: "
               f"{reason_text(s.reason)}")
    help_ = (f"if it does, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing
             else _help_to_check(s, "mask the lanes that may be outside"))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_,
                      proposal=Proposal(requires=(s.missing,) if s.missing else ()))


def _help_to_check(s: DecidedObligation, otherwise: str) -> str:
    raw = s.access.op.endswith("_offset")
    return otherwise if raw else f"leave out `check_bounds=False`, or {otherwise}"


def _assumption(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.verdict == "conditional":
        message = f"this assumption holds only if {clause_list(s.semantic_texts)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(s.semantic_texts)}")'
        return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_)
    refuted = s.verdict == "refuted"
    message = (f"this assumption is false: {reason_text(s.reason)}" if refuted else
               f"the compiler relies on this assumption, which is not proved: {reason_text(s.reason)}")
    return Diagnostic(CODE, "error" if refuted else "warning", message, s.access.span, model.name, (),
                      "assume a divisor that divides every value, or leave the assumption out")


RULE: Final = Rule(
    code=CODE,
    name="unchecked-out-of-bounds",
    summary="an access without bounds check, or a false assumption of divisibility",
    severity="error",
    mypy="tile-bounds",
    residual=True,
    fixes=("bounds_check", "declaration"),
    obligation=report_obligation,
)
