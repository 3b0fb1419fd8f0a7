"""TC304 unused-result: a tile that is loaded or computed and never reaches memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Unused

__all__ = ["diagnose"]

CODE = "TC304"
_WHAT: Final = {"tile": "computed", "loaded": "loaded"}


def diagnose(model: KernelModel) -> Iterator[Diagnostic]:
    for u in model.observed.unused:
        if u.kind in _WHAT:
            yield _told(model, u)


def _told(model: KernelModel, u: Unused) -> Diagnostic:
    message = f"`{u.name}` is {_WHAT[u.kind]} and never reaches memory: nothing that is stored depends on it"
    note = "the compiler removes it, and what leads to it alone"
    # a finding in a helper is the same whichever kernel calls it
    return Diagnostic(CODE, "warning", message, u.span, None if u.helper else model.name, (Note(note),),
                      f"store `{u.name}` or what is made of it, or delete it")
