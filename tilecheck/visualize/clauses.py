"""Which clauses of a contract stand in a picture, and which are folded away because nothing is to be seen in them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilecheck.visualize.scene import ClauseLine, Scene

__all__ = ["Folded", "fold_clauses", "open_clauses"]

_FEW: Final = 3
"""Clauses that are not folded."""
_QUIET: Final = frozenset({"discharged", "unseen", "declared"})


class Folded(Struct, frozen=True):
    """Clauses of one kind and state."""

    kind: str
    state: str
    clauses: tuple[str, ...]

    @property
    def words(self) -> str:
        """How many, and what holds of all of them."""
        return f"{len(self.clauses)} {self.kind} clauses, all {self.state}"


def fold_clauses(scene: Scene) -> tuple[Folded, ...]:
    """Groups of unbroken structural clauses with the same state."""
    groups: dict[str, list[str]] = {}
    for c in scene.contract:
        if _is_quiet(c):
            groups.setdefault(c.state, []).append(c.clause)
    return tuple(Folded("structural", state, tuple(own)) for state, own in groups.items() if len(own) >= _FEW)


def open_clauses(scene: Scene) -> tuple[ClauseLine, ...]:
    """The others."""
    away = {x for f in fold_clauses(scene) for x in f.clauses}
    return tuple(c for c in scene.contract if c.clause not in away or not _is_quiet(c))


def _is_quiet(c: ClauseLine) -> bool:
    return c.kind == "structural" and c.state in _QUIET and not c.broken
