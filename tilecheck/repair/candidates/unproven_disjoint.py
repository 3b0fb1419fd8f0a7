"""A place that data choose: the lines on which they are read."""

from __future__ import annotations

from tilecheck.diagnostics import Note
from tilecheck.obligations.obligation import Advice, DecidedObligation
from tilecheck.obligations.reasons import depends_on_example
from tilecheck.repair.candidates.scene import Scene
from tilecheck.symbolic import Load, atoms_in

__all__ = ["advise_on_data"]


def advise_on_data(scene: Scene, s: DecidedObligation) -> Advice | None:
    if s.verdict != "unproven" and not depends_on_example(s.reason):
        return None
    accesses = [a for a in (s.access, s.other) if a is not None]
    arrays = sorted({a.array for x in accesses for a in atoms_in(*x.region.index) if isinstance(a, Load)})
    notes = []
    for array in arrays:
        read = next((a for a in scene.model.accesses if a.mode == "read" and a.array == array), None)
        if read is not None and read.span not in {a.span for a in accesses}:
            notes.append(Note(f"the place is read from `{array}` here", read.span, True))
    return Advice(tuple(notes)) if notes else None
