"""TC107 mixed-atomicity: a plain access, or one too weak to synchronise, to what another block updates atomically."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, iterations, launch_of

__all__ = ["diagnose"]

CODE = "TC107"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    if s.fault is not None:
        return _plain(s.fault, model)
    array, w = s.access.array, s.witness
    notes = [Note(f"`{array}` is updated atomically here", s.other.span)] if (
        s.other is not None and s.other.span != s.access.span) else []
    doing = _doing(s.access)
    if s.verdict == "refuted" and w is not None:
        axes = model.axes_read
        other, mine = block_name(w.first.block, axes), block_name(w.second.block, axes)
        message = f"block {mine} {doing} {element_of(array, w)} while block {other} updates it atomically"
        notes.append(Note(f"{launch_of(w)}: block {other}{iterations(w.first)} updates and block "
                          f"{mine}{iterations(w.second)} {doing} the element"))
        return Diagnostic(CODE, "error", message, s.access.span, model.name, tuple(notes), _help(s), w)
    semantic = tuple(c.text for c in s.clauses if c.kind == "semantic")
    if s.verdict == "conditional":
        message = (f"a block {doing} an element of `{array}` that another one updates atomically, unless "
                   f"{clause_list(semantic)}")
        return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes),
                          f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")', w)
    message = (f"could not prove that no block {doing} an element of `{array}` that another one updates atomically: "
               f"{s.why}")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), _help(s), w)


def _plain(fault: Fault, model: KernelModel) -> Diagnostic:
    """A plain access through an accumulator of the dialect, which has none."""
    array, what = fault.array, fault.words[0]
    message = f"`{array}.{what}` is no atomic, and `{array}` is an accumulator that all blocks update" if (
        what.isidentifier()) else f"a plain assignment to `{array}`, which is an accumulator that all blocks update"
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, (),
        f"update it with `{array}.add(indices, update)` and the like; read it in another launch")


def _doing(a: Access) -> str:
    if a.mode == "atomic":
        return f"updates (scope {a.scope})"
    return {"read": "plainly reads", "write": "plainly writes"}[a.mode]


def _help(s: Settled) -> str:
    if s.access.mode == "atomic" or s.access.order != "weak":
        return "use memory_scope=ct.MemoryScope.DEVICE for what several blocks touch"
    what = "read it with an atomic" if s.access.mode == "read" else "write it with an atomic"
    return f"{what}, or do it in another launch"
