"""Runs the launch of a witness in the sanitizer and looks for the finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.oracle.replay import Parameter, arguments_of
from tests.oracle.sanitized import in_order, run_only
from tilecheck.diagnostics import Diagnostic
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import TileError
from tilecheck_runtime.sanitizer.events import Event
from tilecheck_runtime.tile_language.kernels import function_of

_RACES: Final = frozenset(("TC101", "TC103", "TC106", "TC107"))
_OUTSIDE: Final = frozenset(("TC201", "TC202", "TC204"))
CODES: Final[Mapping[str, frozenset[str]]] = {
    "TC101": frozenset(("TC101",)), "TC103": frozenset(("TC103",)), "TC106": frozenset(("TC106",)),
    "TC107": frozenset(("TC107",)), "TC206": frozenset(("TC101", "TC103")), "TC201": frozenset(("TC201",)),
    "TC202": frozenset(("TC202",)), "TC203": _OUTSIDE, "TC204": frozenset(("TC204",)), "TC205": _OUTSIDE,
    "TC301": frozenset(("TC301",)),
}
"""The code of a fault at run time, by the code of the static finding."""


def lines_of(d: Diagnostic) -> set[int]:
    """Lines of a finding and of the notes that point at source."""
    spans = [d.span, *(n.span for n in d.notes if n.span is not None)]
    return {line for s in spans for line in range(s.line, s.end_line + 1)}


def _matches(d: Diagnostic, e: Event) -> bool:
    """Whether an event is what the witness says: the code, the line and the blocks."""
    assert d.witness is not None
    blocks = {tuple(d.witness.first.block), tuple(d.witness.second.block)}
    spans = [s for p in (e.point, e.other) if p is not None for s in p.site.spans]
    at = any(s.line <= d.span.end_line and d.span.line <= s.end_line for s in spans)
    mine = set(e.blocks) if e.code in _RACES else {e.point.block}
    return e.code in CODES[d.code] and at and mine <= blocks and all(
        {*range(s.line, s.end_line + 1)} & lines_of(d) for p in (e.point, e.other) if p for s in p.site.spans[:1])


def reproduce(kernel: Any, parameters: Sequence[Parameter], d: Diagnostic, room: int = 256) -> str:
    """Why the launch of a witness does not show its finding; empty when it does. Only the blocks of the witness run."""
    assert d.witness is not None
    function = function_of(kernel)
    values = in_order(function, arguments_of(parameters, d.witness, room))
    blocks = (tuple(d.witness.first.block), tuple(d.witness.second.block))
    try:
        with run_only(blocks):
            report = sanitize(kernel, d.witness.grid, values, seed=None, replay=True)
    except (TileError, ArithmeticError, ValueError, TypeError, IndexError) as error:
        return f"the launch of the witness fails: {type(error).__name__}: {error}"
    if any(_matches(d, e) for e in report.events):
        return ""
    said = "; ".join(f"{e.code} at {e.lines} in {e.blocks}" for e in report.events) or "nothing"
    return f"the sanitizer says {said}"
