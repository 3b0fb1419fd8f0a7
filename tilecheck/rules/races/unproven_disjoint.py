"""TC102 unproven-disjoint: writes of different blocks could not be proved disjoint, or only under a condition."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import clause_list, element_of, launch_of

__all__ = ["diagnose"]

CODE = "TC102"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    semantic = tuple(c.text for c in s.clauses if c.kind == "semantic")
    notes: list[Note] = []
    if s.other is not None and s.other.span != s.access.span:
        notes.append(Note(f"together with the write to `{s.access.array}` here", s.other.span))
    if s.verdict == "conditional":
        message = f"blocks write disjoint parts of `{s.access.array}` only if {clause_list(semantic)}"
        if s.witness is not None:
            w = s.witness
            notes.append(Note(f"{launch_of(w)} two blocks write {element_of(s.access.array, w)}"))
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = f"could not prove that blocks write disjoint parts of `{s.access.array}`: {s.why}"
        help_ = (f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}" if s.missing else
                 f"write `{s.access.array}` through an index that each block computes from its own coordinates")
    notes += s.advice.notes
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), help_, s.witness,
                      Proposal(requires=semantic or ((s.missing,) if s.missing else ())))
