"""TC205: the grid of a launch covers the array: a quotient rounds up, or two axes that are swapped change places.

These are guesses: one is applied only if it alone leaves the launch without a finding.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import spell_name
from tilecheck.repair.source.tree import Source, walk


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    launch = source.call_at(diagnostic.span)
    written = None if launch is None else source.argument(launch, 1, "grid")
    function = None if launch is None else source.function_around(launch)
    if written is None:
        return
    grid = written if function is None else source.resolve_name(function, written)
    if isinstance(grid, cst.Tuple):
        yield from _round_up(source, diagnostic, grid, function)
        yield from _swap_axes(source, diagnostic, grid)


def _round_up(
    source: Source, diagnostic: Diagnostic, grid: cst.Tuple, function: cst.FunctionDef | None,
) -> Iterator[Fix]:
    cdiv = spell_name(source, "cdiv")
    for axis, element in enumerate(grid.elements):
        extent = element.value if function is None else source.resolve_name(function, element.value)
        for part in walk(extent) if cdiv is not None else ():
            if isinstance(part, cst.BinaryOperation) and isinstance(part.operator, cst.FloorDivide):
                text = f"{cdiv}({source.code(part.left)}, {source.code(part.right)})"
                yield Fix(diagnostic.code, f"launch `{text}` blocks on axis {axis}", "unsafe",
                          (source.replace(part, text),), only=True)


def _swap_axes(source: Source, diagnostic: Diagnostic, grid: cst.Tuple) -> Iterator[Fix]:
    texts = [source.code(element.value) for element in grid.elements]
    for second in range(len(texts)):
        for first in range(second):
            if texts[first] != texts[second] and "1" not in (texts[first], texts[second]):
                edits = (source.replace(grid.elements[first].value, texts[second]),
                         source.replace(grid.elements[second].value, texts[first]))
                yield Fix(diagnostic.code, f"swap axes {first} and {second} of the grid", "unsafe", edits, only=True)
