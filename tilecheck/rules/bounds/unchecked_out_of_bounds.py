"""TC202 unchecked-out-of-bounds: an access without bounds check that is not proved to stay inside."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.bounds import at_block, example, index_text, place, where
from tilecheck.rules.messages.wording import clause_list

__all__ = ["diagnose"]

CODE = "TC202"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    if s.access.op == "assume_divisible_by":
        return _assumption(s, model)
    if s.verdict == "refuted":
        axes = model.axes_read
        message = f"{at_block(s, axes)} {where(s)}, and nothing checks it"
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (Note(example(s, axes)),),
                          _checked(s, "keep the index inside"), s.witness)
    if s.verdict == "conditional":
        # the launches are where it is decided
        message = f"without a bounds check, this stays {place(s)} only if {clause_list(_semantic(s))}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(_semantic(s))}")'
        return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_,
                          proposal=Proposal(requires=_semantic(s)))
    message = (f"without a bounds check, the index{index_text(s)} {place(s)} must stay inside, which is not proved: "
               f"{s.why}")
    help_ = (f"if it does, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing
             else _checked(s, "mask the lanes that may be outside"))
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_,
                      proposal=Proposal(requires=(s.missing,) if s.missing else ()))


def _semantic(s: Settled) -> tuple[str, ...]:
    return tuple(c.text for c in s.clauses if c.kind == "semantic")


def _checked(s: Settled, otherwise: str) -> str:
    raw = s.access.op.endswith("_offset")
    return otherwise if raw else f"leave out `check_bounds=False`, or {otherwise}"


def _assumption(s: Settled, model: KernelModel) -> Diagnostic:
    if s.verdict == "conditional":
        message = f"what is assumed here holds only if {clause_list(_semantic(s))}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(_semantic(s))}")'
        return Diagnostic(CODE, "note", message, s.access.span, model.name, (), help_)
    refuted = s.verdict == "refuted"
    message = (f"what is assumed here is false: {s.why}" if refuted else
               f"the compiler relies on what is assumed here, and it is not proved: {s.why}")
    return Diagnostic(CODE, "error" if refuted else "warning", message, s.access.span, model.name, (),
                      "assume a divisor that divides every value, or leave the assumption out")
