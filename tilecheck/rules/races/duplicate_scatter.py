"""TC106 duplicate-scatter: one scatter writes an element twice from one block."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, launch_of

__all__ = ["diagnose"]

CODE = "TC106"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    array, w = s.access.array, s.witness
    help_ = f"give every lane its own element of `{array}`, or mask the lanes that repeat one"
    if s.verdict == "refuted" and w is not None:
        first, second = (", ".join(str(v) for _, v in p.lanes) for p in (w.first, w.second))
        message = f"one {s.access.op} writes {element_of(array, w)} twice: from lane {first} and from lane {second}"
        note = Note(f"{launch_of(w)}, in block {block_name(w.first.block, model.axes_read)}; which of the two values "
                    "stays is undefined")
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (note,), help_, w)
    semantic = tuple(c.text for c in s.clauses if c.kind == "semantic")
    if s.verdict == "conditional":
        message = f"lanes write different elements of `{array}` only if {clause_list(semantic)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = f"could not prove that the lanes of this {s.access.op} write different elements of `{array}`"
        if s.missing:
            help_ = f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}"
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_, w)
