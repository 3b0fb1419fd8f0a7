"""TC302 unused-mask: a mask that is computed and limits no access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Unused

__all__ = ["diagnose"]

CODE = "TC302"
_MASKABLE: Final = ("gather", "scatter")


def diagnose(model: KernelModel) -> Iterator[Diagnostic]:
    for u in model.observed.unused:
        if u.kind == "mask":
            yield _told(model, u)


def _told(model: KernelModel, u: Unused) -> Diagnostic:
    unchecked = any(not a.checked and not a.tile for a in model.accesses)
    message = f"`{u.name}` is computed and never used: it limits no access"
    if unchecked:
        note = "some accesses of this kernel do not check bounds: without a mask they touch whatever the index says"
    else:
        note = ("accesses check bounds against the array by themselves; the mask would have kept out lanes that lie "
                "inside the array and are still not meant")
    maskable = any(a.op in _MASKABLE or a.op.startswith("atomic") for a in model.accesses)
    fix = f"pass it where it belongs, as `mask={u.name}`, or delete it" if maskable else (
        f"apply it, `ct.where({u.name}, ..., 0)`, or delete it")
    # a finding in a helper is the same whichever kernel calls it
    return Diagnostic(CODE, "warning", message, u.span, None if u.helper else model.name, (Note(note),), fix)
