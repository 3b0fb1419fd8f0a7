"""Faults planted in the sanitizer: what it would overlook, or report of kernels that are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.oracle.generate import Subject
from tilecheck_runtime.cpu.operations import lanes, reductions, selection, windows
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.sanitizer.findings import Findings
from tilecheck_runtime.sanitizer.log import Log
from tilecheck_runtime.sanitizer.races import Races
from tilecheck_runtime.sanitizer.replay import Replay
from tilecheck_runtime.sanitizer.undefined import Undefined


def _method(kind: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    setattr(kind, name, make(getattr(kind, name)))


def _drop_codes(*codes: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda original: lambda self, code, *rest, **more: (
        None if code in codes else original(self, code, *rest, **more))


def writes_never_meet() -> None:
    """Two writes are not a race."""
    _method(Races, "_meet", lambda original: lambda self, target, numbers, foreign, wrote, array, writes, number: (
        None if wrote and writes else original(self, target, numbers, foreign, wrote, array, writes, number)))


def reads_leave_no_trace() -> None:
    """A block that read an element is forgotten."""
    for kind in (Races, Replay):
        _method(kind, "read", lambda original: lambda *args: None)


def own_accesses_are_foreign() -> None:
    """A block meets itself."""
    _method(Log, "begin", lambda original: lambda self, block: (
        original(self, block), setattr(self, "start", 1 << 30))[0])


def reads_count_as_writes() -> None:
    """Two blocks that read one element race."""
    for kind in (Races, Replay):
        setattr(kind, "read", kind.write)  # noqa: B010 - one type for both classes


def masks_do_not_mask() -> None:
    """Lanes that a mask leaves out are touched."""
    original = lanes.places
    lanes.places = lambda array, indices, mask, *rest: original(array, indices, None, *rest)


def duplicates_are_fine() -> None:
    """A scatter may write an element twice."""
    _method(Races, "duplicates", lambda original: lambda *args: None)


def tiles_outside_are_fine() -> None:
    """A tile wholly outside is dropped in silence."""
    _method(Findings, "fault", _drop_codes("TC201"))


def unchecked_is_fine() -> None:
    """An unchecked access past the end is dropped silently."""
    _method(Findings, "fault", _drop_codes("TC202"))


def edges_are_outside() -> None:
    """A tile that reaches past the end is taken for one that lies outside."""
    original = windows.box

    def answer_wrongly(array: Any, *rest: Any) -> Any:
        found = original(array, *rest)
        if found is not None and found.inner is not None:
            windows.machine.recorder().fault("TC201", "a tile at the edge", array.name)
        return found

    windows.box = answer_wrongly


def clipped_lanes_are_stored() -> None:
    """A store observes what it clips."""
    def answer_wrongly(array: Any, found: Any, tile: Any, window: Any, what: str) -> None:
        if tile.taint is not None and tile.taint.lanes is not None:
            windows.machine.recorder().undefined_used(tile.taint.sources, what)

    windows.observe_stored = answer_wrongly


def selection_keeps_all() -> None:
    """`where` does not replace undefined lanes."""
    selection.undefined_lanes = lambda x, shape: np.broadcast_to(
        x.taint is not None and x.taint.lanes is not None and x.taint.lanes.any(), shape)


def combined_is_observed() -> None:
    """Undefined lanes matter where they meet defined ones, even if the result is never used."""
    def answer_wrongly(self: Undefined, sources: Any, what: str) -> tuple[int, ...]:
        self.undefined_used(sources, what)
        return tuple(sources)

    Undefined.undefined_met = answer_wrongly  # type: ignore[method-assign]


def lines_are_undefined_together() -> None:
    """A reduction makes all of its results undefined."""
    original = reductions._reduce_taint

    def answer_wrongly(*args: Any) -> Any:
        found = original(*args)
        return None if found is None else Taint(np.ones_like(found.lanes), found.sources)

    reductions._reduce_taint = answer_wrongly


FAULTS: Final[dict[str, tuple[Callable[[], None], Subject, tuple[str, ...]]]] = {
    "writes": (writes_never_meet, "races", ()),
    "reads": (reads_leave_no_trace, "races", ("reads the neighbour",)),
    "own": (own_accesses_are_foreign, "races", ("two_steps", "in_place")),
    "readers": (reads_count_as_writes, "races", ("rows_of_input", "row_of_index")),
    "masks": (masks_do_not_mask, "races", ("unmasked_row", "row_scatter", "masked")),
    "outside": (tiles_outside_are_fine, "bounds", ()),
    "edges": (edges_are_outside, "bounds", ()),
    "clipped": (clipped_lanes_are_stored, "padding", ()),
    "where": (selection_keeps_all, "padding", ("cleaned",)),
    "combined": (combined_is_observed, "padding", ("row_loop", "row_reduced")),
    "lines": (lines_are_undefined_together, "padding", ("row_reduced",)),
}
"""A fault, the subject of the kernels that show it, and the constructs of those that are tried first."""
IN_CASES: Final[dict[str, tuple[Callable[[], None], str]]] = {
    "duplicates": (duplicates_are_fine, "raw_bad"),
    "unchecked": (unchecked_is_fine, "ordinary_bad"),
}
"""Faults that cases show, and in which file: generated kernels have hardly any such witness."""
