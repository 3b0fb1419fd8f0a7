"""TC502 tile-dtype: a tile whose element type is not the one that its place asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.kernel.access import KernelModel
from tilecheck.kernel.dialect.ownership import Fault

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


def _product(f: Fault, model: KernelModel) -> Diagnostic:
    name, first, second = f.words
    return Diagnostic(
        CODE, "error", f"the operands of `ct.{name}` are of {first} and of {second}", f.span, model.name, (),
        f"convert one of them: `ct.astype(t, ct.{first})`")


def _accumulator(f: Fault, model: KernelModel) -> Diagnostic:
    name, given, acc, wanted = f.words
    return Diagnostic(
        CODE, "error", f"`ct.{name}` of {given} cannot be added to {acc}", f.span, model.name, (),
        f"accumulate in {wanted}: `ct.zeros(..., ct.{wanted})`")


_WORDS: Final[Mapping[str, Callable[[Fault, KernelModel], Diagnostic]]] = {
    "stored": _stored, "product": _product, "accumulator": _accumulator,
}
