"""The findings for refusals of the compiler: each kind has a message and a help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.device.refusal import RefusalCode
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.refusals import Refused

__all__ = ["Texts", "refusal_findings"]

Texts: TypeAlias = Mapping[str, tuple[str, str]]
"""The message and the help of each kind of refusal, with a field for each word of it."""


def refusal_findings(view: KernelView, code: RefusalCode, texts: Texts) -> Iterator[Diagnostic]:
    """An error for each refusal that a rule reports."""
    for refused in view.refused:
        refusal = refused.refusal
        if refusal.code == code:
            message, help_ = (text.format(*refusal.words) for text in texts[refusal.how])
            yield Diagnostic(code, "error", message, refusal.span, view.model.name, _launch_notes(refused), help_)


def _launch_notes(refused: Refused) -> tuple[Note, ...]:
    if refused.launch is None:
        return ()
    values = ", ".join(f"{name} = {n}" for name, n in refused.values)
    return (Note(f"compiled for this launch{f', with {values}' if values else ''}", refused.launch),)
