"""TC108 lost-order: accesses of one block whose program order the compiler does not keep."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, iterations, launch_of

__all__ = ["diagnose"]

CODE = "TC108"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    if s.kind != "order":
        return _weak_lock(s, model)
    array, w = s.access.array, s.witness
    help_ = f"take the view of `{array}` outside the loop, or move the view and keep the index fixed"
    if s.verdict == "refuted" and w is not None:
        message = (f"two iterations of the loop write {element_of(array, w)}, and the compiler leaves these stores "
                   "unordered")
        note = Note(f"{launch_of(w)}, block {block_name(w.first.block, model.axes_read)}:{iterations(w.first)} and"
                    f"{iterations(w.second)}")
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (note,), help_, w)
    semantic = tuple(c.text for c in s.clauses if c.kind == "semantic")
    condition = f" unless {clause_list(semantic)}" if semantic else ""
    message = (f"iterations of the loop may write one element of `{array}`{condition}, and the compiler leaves these "
               "stores unordered")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_, w)


def _weak_lock(s: Settled, model: KernelModel) -> Diagnostic:
    lock = next((array for array, _, how in s.access.locks if how != "ordered"),
                next((array for array, _, _ in s.access.locks), "the lock"))
    message = f"the lock `{lock}` does not order this access to `{s.access.array}`: it may move out of the locked part"
    help_ = (f"take `{lock}` with memory_order=ct.MemoryOrder.ACQUIRE and give it back with RELEASE, both with "
             "memory_scope=ct.MemoryScope.DEVICE")
    w = s.witness
    notes = () if w is None else (Note(
        f"{launch_of(w)} blocks {block_name(w.first.block, model.axes_read)} and "
        f"{block_name(w.second.block, model.axes_read)} meet in {element_of(s.access.array, w)}"),)
    severity: Severity = "warning" if w is None else "error"
    return Diagnostic(CODE, severity, message, s.access.span, model.name, notes, help_, w)
