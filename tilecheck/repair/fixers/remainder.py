"""TC305: a loop over `n // T` tiles takes the remainder along, with a neutral padding."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.fixers.neutral import PADDINGS, find_outcome
from tilecheck.repair.fixers.padding import add_padding
from tilecheck.repair.source.operations import spell_name
from tilecheck.repair.source.tree import Source, walk
from tilecheck.syntax.tree import Span


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    cdiv = spell_name(source, "cdiv")
    division = _find_division(source, diagnostic)
    if cdiv is None or division is None:
        return
    size, tile = source.code(division.left), source.code(division.right)
    title = f"run to `{cdiv}({size}, {tile})`"
    edit = source.replace(division, f"{cdiv}({size}, {tile})")
    proposal = diagnostic.proposal
    load = None if proposal is None else source.call_at(proposal.span)
    if load is not None:
        for mode in PADDINGS:
            more = add_padding(source, load, mode) if find_outcome(source, load, mode, None) == "neutral" else None
            if more is not None:
                yield Fix(diagnostic.code, f"{title}, padding with {mode}", "unsafe", (edit, more))
    yield Fix(diagnostic.code, title, "unsafe", (edit,))


def _find_division(source: Source, diagnostic: Diagnostic) -> cst.BinaryOperation | None:
    """The quotient in the header of the loop, or the one that a name in it is bound to."""
    for node in source.nodes:
        if isinstance(node, cst.For) and _get_start(source.at.span(node)) == _get_start(diagnostic.span):
            function = source.function_around(node)
            found = list(_find_divisions(node.iter))
            if not found and function is not None:
                found = [division for part in walk(node.iter) if isinstance(part, cst.Name)
                         for value in source.values_of(function, part.value) if value is not None
                         for division in _find_divisions(value)]
            return found[0] if len(found) == 1 else None
    return None


def _get_start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _find_divisions(node: cst.CSTNode) -> Iterator[cst.BinaryOperation]:
    for part in walk(node):
        if isinstance(part, cst.BinaryOperation) and isinstance(part.operator, cst.FloorDivide):
            yield part
