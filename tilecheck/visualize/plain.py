"""A scene as one drawing that does not move: for documents and reviews."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Final

from tilecheck.visualize.build import BY
from tilecheck.visualize.clauses import fold_clauses, open_clauses
from tilecheck.visualize.files import read
from tilecheck.visualize.legend import grid_words, legend, remarks, source_words, states, verdict_words
from tilecheck.visualize.scene import ArrayView, Scene
from tilecheck.visualize.svg import PATTERNS, Picture, array_picture, grid_picture

__all__ = ["render_svg"]

_MARGIN: Final = 18
_SIDE: Final = 500
_LETTER: Final = 6.5
"""Pixels that a letter of running text takes, on average; a little more than it is."""
_CODE: Final = 56
"""Letters of a line of source that fit beside the drawing."""
_LINES: Final = 60
"""Lines of source beside the drawing."""
_CONTRACT: Final = 14
_OBLIGATIONS: Final = 12
_TEXT: Final = 14
_SMALL: Final = 13
"""Pixels of running text. A page that shows the drawing scales it down a little."""


class _Column:
    """Things one below the other, from a left edge on."""

    def __init__(self, left: int, top: int, width: int) -> None:
        self.left, self.y, self.width = left, top, width
        self.right = left
        self.parts: list[str] = []

    def text(self, words: str, style: str = "", size: int = _TEXT, colour: str = "var(--ink)") -> None:
        for line in textwrap.wrap(words.replace("`", ""), max(20, int(self.width / (_LETTER * size / 12)))) or [""]:
            self.y += round(size * 1.4)
            self.right = max(self.right, self.left + round(len(line) * _LETTER * size / 12))
            self.parts.append(f'<text x="{self.left}" y="{self.y}" style="font-size:{size}px;fill:{colour};{style}">'
                              f"{escape(line, quote=False)}</text>")

    def add_titled(self, key: str, words: str) -> None:
        """Add a paragraph that begins with a title in bold."""
        lines = textwrap.wrap(f"{key}{words}".replace("`", ""), max(20, int(self.width / (_LETTER * _TEXT / 12))),
                              subsequent_indent="    ")
        for n, line in enumerate(lines):
            self.y += round(_TEXT * 1.4)
            self.right = max(self.right, self.left + round(len(line) * _LETTER * _TEXT / 12))
            bold = len(key.rstrip()) if n == 0 and line.startswith(key.rstrip()) else 0
            head = f'<tspan style="font-weight:700">{escape(line[:bold], quote=False)}</tspan>' if bold else ""
            left = self.left + (18 if n else 0)
            self.parts.append(f'<text x="{left}" y="{self.y}" style="font-size:{_TEXT}px">{head}'
                              f"{escape(line[bold:] if bold else line.lstrip(), quote=False)}</text>")

    def picture(self, made: Picture, label: str) -> None:
        self.parts.append(f'<g transform="translate({self.left},{self.y + 4})" role="group" '
                          f'aria-label="{escape(label)}">{made.body}</g>')
        self.y += made.height + 6
        self.right = max(self.right, self.left + made.width)

    def space(self, height: int) -> None:
        self.y += height


def render_svg(scene: Scene) -> str:
    """The drawing, with its finding, its arrays, the contract and the verdicts beside them."""
    pictures = [(a, array_picture(a)) for a in scene.arrays]
    marked = [scene.blocks.index(b) for b in scene.headline.blocks] if scene.headline is not None else []
    grid = grid_picture(scene, marked)
    body = max([460, grid.width, *(p.width for _, p in pictures)])
    top = _Column(_MARGIN, _MARGIN, body + _SIDE + 30)
    _title(top, scene)
    left = _Column(_MARGIN, top.y + 12, body)
    left.text(f"The grid: {grid_words(scene)}", "font-weight:600")
    left.picture(grid, "grid of blocks")
    _legend(left, scene)
    for array, made in pictures:
        _array(left, array, made)
    right = _Column(_MARGIN + body + 30, top.y + 12, _SIDE)
    _add_side_column(right, scene)
    width = max(top.right, left.right, right.left + _SIDE) + _MARGIN
    height = max(left.y, right.y) + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="title desc">\n<title id="title">{escape(scene.kernel)}: which block touches what'
        f'</title>\n<desc id="desc">{escape(_describe_scene(scene))}</desc>\n<style>\n{read("picture.css")}</style>\n'
        f'{PATTERNS}\n<rect width="{width}" height="{height}" style="fill:var(--paper)"/>\n'
        + "\n".join((*top.parts, *left.parts, *right.parts)) + "\n</svg>\n")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


def _describe_scene(scene: Scene) -> str:
    words = [scene.headline.what if scene.headline is not None else scene.summary]
    words += [w for a in scene.arrays for w in a.alarms]
    return " ".join(w.replace("`", "").rstrip(".") + "." for w in words)


def _title(column: _Column, scene: Scene) -> None:
    column.text(f"{scene.kernel}: {scene.verdict}", "font-weight:700", 18)
    values = ", ".join(f"{n} = {v}" for n, v in scene.values)
    grid = BY.join(map(str, scene.grid[:max(scene.axes, default=0) + 1]))
    column.text(f"{scene.file}:{scene.line} · grid {grid}{', ' + values if values else ''}", "", _SMALL, "var(--soft)")
    if scene.origin:
        column.text(_sentence(scene.origin), "", _SMALL, "var(--soft)")
    column.space(4)
    h = scene.headline
    if h is None:
        colour = "var(--warn)" if scene.broken else "var(--good)"
        column.text(_sentence(scene.claim), "font-weight:600", 16, colour)
        if scene.breach:
            column.text(_sentence(f"but {scene.breach}"), "font-weight:600", _TEXT, colour)
        return
    colour = "var(--clash)" if h.severity == "error" else "var(--warn)"
    column.text(f"{h.code}: {h.what}", "font-weight:700", 17, colour)
    names = [scene.names[scene.blocks.index(b)] for b in h.blocks]
    if h.look:
        column.add_titled("Look at ", f"{h.look}.")
    elif names:
        who = " and ".join(f"block {n}" for n in names)
        column.text(f"Look at {who}, outlined in the grid; {scene.summary}.")
    elif scene.summary:
        column.text(_sentence(scene.summary))
    if h.parts:
        column.add_titled("The index: ", "; ".join(f"{p.place}, {p.words}" for p in h.parts) + ".")
    for place, what in h.changes:
        lettered = f"{place}{what}".startswith("(")
        column.add_titled(f"{place}: " if place and lettered else "" if lettered else
                    f"What to change{', ' if place else ''}{place}: ", what)
    if scene.breach:
        column.add_titled("The launch: ", f"{scene.breach}.")
    for note in h.notes:
        column.add_titled("Note: ", f"{note}.")
    if h.elsewhere:
        column.add_titled("Note: ", f"{h.elsewhere}.")
    if h.shown:
        column.add_titled("Not shown: ", h.shown)


def _legend(column: _Column, scene: Scene) -> None:
    for kind, words in legend(scene):
        column.y += 20
        column.parts.append(
            f'<g class="mark {kind} many"><rect x="{column.left + 1}" y="{column.y - 12}" width="18" height="13"/></g>'
            f'<text x="{column.left + 26}" y="{column.y - 1}" style="font-size:{_SMALL}px">{escape(words)}</text>')
    for words in remarks(scene):
        column.text(words, "", _SMALL, "var(--soft)")
    column.space(6)


def _array(column: _Column, array: ArrayView, made: Picture) -> None:
    column.space(8)
    folded = f", drawn in rows of {array.folded}" if array.folded else ""
    column.text(f"{array.name}: {array.shape}{folded}, {array.role}", "font-weight:600", 15)
    if array.omitted:
        column.text(array.omitted, "", _SMALL, "var(--soft)")
    column.picture(made, f"array {array.name}")
    for words in array.alarms[:3]:
        column.text(words, "font-weight:600", _SMALL, "var(--clash)")
    for line in array.accesses:
        words = f"{line.mode} {line.place}: {line.text}"
        column.text(words, "font-family:ui-monospace,monospace", 12, "var(--soft)")


def _add_side_column(column: _Column, scene: Scene) -> None:
    _source(column, scene)
    _obligations(column, scene)
    _contract(column, scene)
    for r in scene.remarks:
        column.text(r, "", _SMALL, "var(--soft)")


def _contract(column: _Column, scene: Scene) -> None:
    column.text("What every launch must satisfy", "font-weight:600")
    seen = open_clauses(scene)
    for c in seen[:_CONTRACT]:
        colour = "var(--clash)" if c.broken else "var(--ink)"
        broken = ", broken by this launch" if c.broken else ""
        column.text(f"{c.clause}  ({c.kind}, {c.state}{broken})", "", _SMALL, colour)
    if len(seen) > _CONTRACT:
        column.text(f"and {len(seen) - _CONTRACT} more", "", _SMALL, "var(--soft)")
    for f in fold_clauses(scene):
        column.text(f"{f.words}: {', '.join(f.clauses)}", "", _SMALL)
    if not scene.contract:
        column.text("nothing", "", _SMALL)
    for word, told in states(scene):
        column.text(f"{word}: {told}", "", 12, "var(--soft)")
    column.space(10)


def _obligations(column: _Column, scene: Scene) -> None:
    column.text("What must hold, and whether it does", "font-weight:600")
    colours = {"refuted": "var(--clash)", "unproven": "var(--warn)", "conditional": "var(--warn)"}
    for o in scene.obligations[:_OBLIGATIONS]:
        column.text(f"{o.place}, {o.array}: {o.what}: {o.verdict}", "", _SMALL, colours.get(o.verdict, "var(--good)"))
    if len(scene.obligations) > _OBLIGATIONS:
        column.text(f"and {len(scene.obligations) - _OBLIGATIONS} more", "", _SMALL, "var(--soft)")
    for told in verdict_words(scene):
        column.text(told, "", 12, "var(--soft)")
    column.space(10)


def _source(column: _Column, scene: Scene) -> None:
    column.text(scene.file, "font-weight:600")
    column.space(2)
    previous: int | None = None
    for line in scene.source[:_LINES]:
        if previous is not None and line.number != previous + 1:
            _code(column, "   \u2026", "var(--soft)")
        previous = line.number
        colour = "var(--clash)" if line.flagged else "var(--warn)" if line.related else "var(--ink)"
        for n, text in enumerate(_wrap_source(line.text)):
            _code(column, f"{line.number if n == 0 else '':>4}  {text}", colour)
        for n, text in enumerate(textwrap.wrap(line.note, _CODE - 4)):
            _code(column, f"        {chr(0x2191) if n == 0 else ' '} {text}", "var(--soft)")
    if len(scene.source) > _LINES:
        column.text(f"and {len(scene.source) - _LINES} more lines", "", _SMALL, "var(--soft)")
    for words in source_words(scene, "brown"):
        column.text(words, "", 12, "var(--soft)")
    column.space(10)


def _wrap_source(line: str) -> list[str]:
    """A line of source, wrapped; continued lines are indented."""
    text = line.expandtabs(4)
    inward = " " * min(len(text) - len(text.lstrip()), _CODE // 2)
    return textwrap.wrap(text.strip(), _CODE, initial_indent=inward, subsequent_indent=inward + "    ",
                         break_on_hyphens=False) or [""]


def _code(column: _Column, text: str, colour: str) -> None:
    column.y += 17
    column.parts.append(
        f'<text x="{column.left}" y="{column.y}" xml:space="preserve" style="font:13px ui-monospace,\'DejaVu Sans '
        f'Mono\',monospace;fill:{colour}">{escape(text, quote=False)}</text>')
