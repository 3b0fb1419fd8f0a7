"""Prints events like diagnostics of the checker."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.syntax.tree import Span
from tilecheck.text.block_names import block_name, rank_of_grid
from tilecheck_runtime.sanitizer.events import Event, Point

__all__ = ["diagnostic", "render"]


def diagnostic(event: Event) -> Diagnostic:
    """An event as a diagnostic of the checker, with the two operations as its witness."""
    notes = [Note(text) for text in event.notes]
    witness = None
    if event.other is not None:
        if event.code == "TC301":
            notes.append(Note("undefined lanes come from here", _relative_span(event.other.site.span)))
        else:
            if event.other.site != event.point.site:
                notes.append(Note("the other access", _relative_span(event.other.site.span)))
            witness = Witness(event.grid, (), _block(event.other), _block(event.point), event.element or ())
    if witness is None:
        block = block_name(event.point.block, rank_of_grid(event.grid))
        notes.append(Note(f"in block {block} of grid {_numbers(event.grid)}"
                          + "".join(f", iteration {n}" for n in event.point.loops)))
    notes += [Note("called from here", _relative_span(span)) for span in event.point.site.spans[1:]]
    if event.times > 1:
        notes.append(Note(f"happened {event.times} times"))
    return Diagnostic(event.code, "error", event.message, _relative_span(event.point.site.span), event.kernel,
                      tuple(notes),
                      None, witness)


def render(events: Sequence[Event], launch_count: int, colour: bool = False) -> str:
    """All events and a closing line."""
    from tilecheck.report.style import Style
    from tilecheck.report.text import render_diagnostic
    from tilecheck.text.sources import SourceLines

    sources, style = SourceLines(), Style(colour)
    blocks = [render_diagnostic(diagnostic(event), sources, style) for event in events]
    launches = f"{launch_count} launch{'' if launch_count == 1 else 'es'}"
    count = len(events)
    if not launch_count and not count:
        return "Nothing was launched.\n"
    found = f"Found {count} error{'' if count == 1 else 's'}" if count else "No findings"
    return "\n\n".join([*blocks, f"{found} in {launches}."]) + "\n"


def _block(point: Point) -> BlockPoint:
    loops = tuple((f"loop {depth}", value) for depth, value in enumerate(point.loops, 1))
    return BlockPoint(point.block, loops, ())


def _relative_span(span: Span) -> Span:
    """The span with its path relative to the current folder, when it is below it."""
    try:
        relative = os.path.relpath(span.file)
    except ValueError:
        return span
    shown = span.file if relative.startswith("..") or not os.path.exists(span.file) else relative
    return Span(shown, span.line, span.column, span.end_line, span.end_column)


def _numbers(values: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, values))})"
