"""TC103 cross-block-read: a block reads an element that another block writes in the same launch."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, iterations, launch_of

__all__ = ["diagnose"]

CODE = "TC103"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    array = s.access.array
    notes = [Note(f"`{array}` is written here", s.other.span)] if s.other is not None else []
    help_ = f"read what other blocks write to `{array}` in a second launch, or read from an array that nobody writes"
    w = s.witness
    if s.verdict == "refuted" and w is not None:
        axes = model.axes_read
        writer, reader = block_name(w.first.block, axes), block_name(w.second.block, axes)
        message = f"block {reader} reads {element_of(array, w)}, which block {writer} writes in the same launch"
        notes.append(Note(f"{launch_of(w)}: block {writer}{iterations(w.first)} writes and block "
                          f"{reader}{iterations(w.second)} reads {element_of(array, w)}"))
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (*notes, *s.advice.notes),
                          s.advice.help or help_, w, Proposal(edits=s.advice.edits))
    semantic = tuple(c.text for c in s.clauses if c.kind == "semantic")
    if s.verdict == "conditional":
        message = f"a block may read what another one writes to `{array}` unless {clause_list(semantic)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = f"could not prove that no block reads what another one writes to `{array}`: {s.why}"
        if s.missing:
            help_ = f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}"
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), help_, w)
