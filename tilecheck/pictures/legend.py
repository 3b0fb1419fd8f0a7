"""What the patterns of a picture mean: those that occur in it."""

from __future__ import annotations

from tilecheck.pictures.scene import WORDS, MarkKind, Scene

__all__ = ["legend"]


def legend(scene: Scene) -> tuple[tuple[MarkKind, str], ...]:
    """The kinds of marks in a scene, in a fixed order, each with its meaning."""
    found = {m.kind for a in scene.arrays for p in a.panels for m in p.marks}
    return tuple((kind, words) for kind, words in WORDS.items() if kind in found)
