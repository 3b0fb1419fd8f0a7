"""The legend of a picture: the meaning of the patterns and words that occur in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tilecheck.visualize.scene import WORDS, Mark, Panel, Scene
from tilecheck.visualize.svg import array_picture

__all__ = ["grid_words", "legend", "remarks", "source_words", "states", "verdict_words"]

_STATES: Final = {
    "structural": "follows from how the kernel is meant to be launched: a grid that fits, arrays that do not overlap",
    "semantic": "is about sizes that the author may not have thought of",
    "unseen": "no launch of the kernel was found in the files that were checked",
    "open": "a launch was found, and it is not known whether it satisfies this",
    "broken": "a launch was found that does not satisfy it",
    "discharged": "every launch that was found satisfies it",
    "disjoint(a, b)": "the two arrays share no storage",
    "disjoint(a)": "no two elements of the array share storage",
}
_FORMS: Final = {
    "disjoint(a, b)": re.compile(r"disjoint\([^()]*,[^()]*\)"), "disjoint(a)": re.compile(r"disjoint\([^(),]*\)")}
"""Clauses whose form is explained."""
_PLAIN: Final = ("read", "write", "atomic")
_VERDICTS: Final = {
    "refuted": "refuted: a launch breaks it",
    "conditional": "conditional: holds for launches that satisfy the semantic clauses as well",
    "unproven": "unproven: neither proved nor refuted",
    "proved": "proved: holds for every launch that satisfies the clauses of the contract",
}


def legend(scene: Scene) -> tuple[tuple[str, str], ...]:
    """The kinds of marks in a scene, in a fixed order, each with its meaning; `ringed` is the thick box."""
    found = {m.kind for m in _marks(scene)}
    ringed = [("ringed", _describe_ring(scene))] if any(m.ringed for m in _marks(scene)) else []
    return (*((kind, words) for kind, words in WORDS.items() if kind in found), *ringed)


def _describe_ring(scene: Scene) -> str:
    """The meaning of the thick box. The message of a finding names its element only if it is an error."""
    named = scene.headline is None or scene.headline.severity == "error"
    return "the element that the finding names" if named else "the element of the report's example"


def remarks(scene: Scene) -> tuple[str, ...]:
    """The meaning of the colours of a scene."""
    panels = [p for a in scene.arrays for p in a.panels]
    several = any(len({b for b, _ in m.at}) > 1 and m.rects and m.kind in _PLAIN for m in _marks(scene))
    out = ["colours distinguish blocks, as their names do" + ("; grey: several blocks at once" if several else "")]
    pairs = [pair for p in panels for pair in _overlapping(p)]
    if any(_blocks(a) == _blocks(b) for a, b in pairs):
        out.append("darker: one block comes there more than once")
    if any(_blocks(a) != _blocks(b) for a, b in pairs):
        out.append("mixed colours: parts of several blocks that overlap")
    outlined = {scene.blocks.index(b) for b in scene.headline.blocks} if scene.headline is not None else set()
    if outlined:
        out.append("red in the grid: blocks of the finding")
    if not outlined.issuperset(scene.amiss):
        out.append("red and dashed: other blocks that collide or reach outside" if outlined else
                   "red and dashed in the grid: blocks that collide or reach outside")
    if any(">\u00d7" in array_picture(a).body for a in scene.arrays):
        out.append("\u00d72: two blocks, where their names do not fit")
    return tuple(out)


def source_words(scene: Scene, related: str) -> tuple[str, ...]:
    """The meaning of the colours of source lines; `related` is the colour of lines that the finding mentions."""
    out = []
    if any(x.flagged for x in scene.source):
        several = scene.headline is not None and len(scene.headline.blocks) > 1
        out.append("red: a finding stands here" + (", or the other side of its collision" if several else ""))
    if any(x.related for x in scene.source):
        out.append(f"{related}: what the finding comes from")
    return tuple(out)


def states(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Words of the contract that occur, each with its meaning in a line."""
    found = {c.kind for c in scene.contract} | {c.state for c in scene.contract}
    found |= {name for name, shape in _FORMS.items() if any(shape.fullmatch(c.clause) for c in scene.contract)}
    return tuple((word, told) for word, told in _STATES.items() if word in found)


def verdict_words(scene: Scene) -> tuple[str, ...]:
    """The verdicts that occur, each with its meaning in a line."""
    found = {scene.verdict, *(o.verdict for o in scene.obligations)}
    return tuple(told for word, told in _VERDICTS.items() if word in found)


def grid_words(scene: Scene) -> str:
    """The meaning of the rows and columns of the grid."""
    if sum(n > 1 for n in scene.grid) <= 1:
        axis = next((k for k in range(3) if scene.grid[k] > 1), scene.axes[0] if scene.axes else 0)
        return f"blocks by `ct.bid({axis})`"
    return "rows are `ct.bid(0)`, columns are `ct.bid(1)`"


def _marks(scene: Scene) -> Iterator[Mark]:
    yield from (m for a in scene.arrays for p in a.panels for m in p.marks)


def _cells(m: Mark) -> set[tuple[int, int]]:
    return {(r.row + i, r.column + j) for r in m.rects for i in range(r.height) for j in range(r.width)}


def _blocks(m: Mark) -> frozenset[int]:
    return frozenset(b for b, _ in m.at)


def _overlapping(panel: Panel) -> Iterator[tuple[Mark, Mark]]:
    """Marks of touched elements that lie on each other, where no pattern covers them."""
    hidden = {c for m in panel.marks if m.kind in ("clash", "twice") for c in _cells(m)}
    plain = [(m, _cells(m) - hidden) for m in panel.marks if m.kind in _PLAIN]
    for n, (a, cells) in enumerate(plain):
        yield from ((a, b) for b, others in plain[n + 1:] if not cells.isdisjoint(others))
