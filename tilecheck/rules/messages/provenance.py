"""How messages spell shapes whose extents are symbols, and where these come from."""

from __future__ import annotations

from collections.abc import Iterable

from tilecheck.diagnostics import Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.symbolic import Symbol, Term

__all__ = ["origin_notes", "shape_text"]


def shape_text(shape: Iterable[Term | None]) -> str:
    """`(BM, 32)`; an extent that is not known is `?`"""
    parts = ["?" if e is None else spell_term(e) for e in shape]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def origin_notes(model: KernelModel, shapes: Iterable[Iterable[Term | None]]) -> tuple[Note, ...]:
    """One note for each parameter whose annotation names some of the symbols."""
    used = {a.name for shape in shapes for e in shape if e is not None for a in e.atoms() if isinstance(a, Symbol)}
    by: dict[str, list[str]] = {}
    spans = {}
    for origin in model.ownership.origins:
        if origin.symbol in used:
            by.setdefault(origin.parameter, []).append(origin.symbol)
            spans[origin.parameter] = origin.span
    return tuple(Note(_describe_origin(parameter, names), spans[parameter]) for parameter, names in by.items())


def _describe_origin(parameter: str, names: list[str]) -> str:
    return f"{parameter} is a constant that the launch passes" if names == [parameter] else (
        f"{' and '.join(names)} from the annotation of `{parameter}`")
