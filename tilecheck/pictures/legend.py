"""What the patterns of a picture mean: those that occur in it."""

from __future__ import annotations

from tilecheck.pictures.scene import WORDS, MarkKind, Scene

__all__ = ["grid_words", "legend"]


def legend(scene: Scene) -> tuple[tuple[MarkKind, str], ...]:
    """The kinds of marks in a scene, in a fixed order, each with its meaning."""
    found = {m.kind for a in scene.arrays for p in a.panels for m in p.marks}
    return tuple((kind, words) for kind, words in WORDS.items() if kind in found)


def grid_words(scene: Scene) -> str:
    """What the rows and columns of the grid are."""
    if sum(n > 1 for n in scene.grid) <= 1:
        axis = next((k for k in range(3) if scene.grid[k] > 1), scene.axes[0] if scene.axes else 0)
        return f"blocks by `ct.bid({axis})`"
    return "rows are `ct.bid(0)`, columns are `ct.bid(1)`"
