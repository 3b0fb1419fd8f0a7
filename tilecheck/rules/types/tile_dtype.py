"""TC502 tile-dtype: a tile whose element type is not the one that its place asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault

__all__ = ["diagnose"]

CODE = "TC502"


def diagnose(model: KernelModel) -> Iterator[Diagnostic]:
    """One finding for each such place."""
    for fault in model.ownership.typed:
        if fault.code == CODE:
            yield _WORDS[fault.how](fault, model)


def _stored(f: Fault, model: KernelModel) -> Diagnostic:
    given, wanted = f.words
    span = next((p.span for p in model.params if p.name == f.array), None)
    notes = () if span is None else (Note(f"{wanted} from the annotation of `{f.array}`", span),)
    return Diagnostic(
        CODE, "error", f"a tile of {given} is stored to a piece of `{f.array}`, whose elements are {wanted}", f.span,
        model.name, notes, f"convert it first: `ct.astype(t, ct.{wanted})`")


_WORDS: Final[Mapping[str, Callable[[Fault, KernelModel], Diagnostic]]] = {
    "stored": _stored,
}
