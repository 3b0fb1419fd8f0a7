"""Grids, arrays and accesses to them, as SVG. Every part has its blocks and steps as data attributes, so that a page
can highlight it without any computation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, TypeAlias

from msgspec import Struct

from tilecheck.visualize.place import Cell, Rect
from tilecheck.visualize.scene import NAMED, ArrayView, Mark, Panel, Scene

__all__ = ["COLOURS", "PATTERNS", "Picture", "array_picture", "attributes", "grid_picture"]

COLOURS: Final = 6
"""Colours that blocks take in turn; names distinguish blocks of one colour."""
_WIDEST: Final = 640
_GAP: Final = 26
_LABELS: Final = 60
"""Parts of one mark that are named."""

Box: TypeAlias = tuple[float, float, float, float]
"""Left, upper, right and lower edge."""

PATTERNS: Final = (
    '<defs>'
    '<pattern id="p-clash" width="11" height="11" patternUnits="userSpaceOnUse">'
    '<rect width="11" height="11" class="clash-back"/><path d="M0 0 11 11M11 0 0 11" class="clash-line"/></pattern>'
    '<pattern id="p-outside" width="10" height="10" patternUnits="userSpaceOnUse">'
    '<rect width="10" height="10" class="clash-back"/><path d="M0 10 10 0" class="clash-line"/></pattern>'
    '<pattern id="p-undefined" width="7" height="7" patternUnits="userSpaceOnUse">'
    '<rect width="7" height="7" class="undefined-back"/><circle cx="3.5" cy="3.5" r="1.6" class="undefined-dot"/>'
    '</pattern>'
    '<pattern id="p-padding" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 6 6 0" class="padding-line"/></pattern>'
    '</defs>'
)


class Picture(Struct, frozen=True):
    """A drawing and its size, in pixels."""

    body: str
    width: int
    height: int

    def standalone(self, label: str, kind: str) -> str:
        """As an element of a page."""
        return (f'<svg class="{kind}" role="group" aria-label="{escape(label)}" width="{self.width}" '
                f'height="{self.height}" viewBox="0 0 {self.width} {self.height}">{self.body}</svg>')


def attributes(mark: Mark) -> str:
    """The data attributes of a mark, for a page."""
    at = " ".join(f"{b}:{s}" for b, s in mark.at)
    accesses = " ".join(map(str, mark.accesses))
    return f'data-at="{at}" data-access="{accesses}"'


def grid_picture(scene: Scene, marked: Sequence[int] = ()) -> Picture:
    """The blocks of the grid, one cell each; `marked` are the two of the finding."""
    nx, ny, nz = scene.grid
    gap, size = 6, 46
    wide = 64 if max((len(n) for n in scene.names), default=0) > 7 else size
    flat = ny == 1 and nz == 1
    # one axis from left to right; of two, axis 0 downwards as the rows of an array are
    rows, columns = (1, nx) if flat else (nx, ny)
    out: list[str] = []
    x0, y0 = 4, 18
    width = 0
    for z in range(nz):
        if nz > 1:
            out.append(f'<text x="{x0}" y="{y0 - 5}" class="small">axis 2 = {z}</text>')
        for r in range(rows):
            for c in range(columns):
                block = (c, 0, z) if flat else (r, c, z)
                n = scene.blocks.index(block)
                x, y = x0 + c * (wide + gap), y0 + r * (size + gap)
                mark = " ab" if n in marked else " amiss" if n in scene.amiss else ""
                name = scene.names[n]
                out.append(
                    f'<g class="block b{n % COLOURS}{mark}" data-block="{n}" tabindex="0" role="button" '
                    f'aria-pressed="false" aria-label="block {escape(name)}">'
                    f'<rect x="{x}" y="{y}" width="{wide}" height="{size}" rx="5"/>'
                    f'<text x="{x + wide / 2:g}" y="{y + size / 2 + 4:g}" class="name">{escape(name)}</text></g>')
        x0 += columns * (wide + gap) + 18
        width = max(width, x0)
    return Picture("".join(out), max(width, 60), y0 + rows * (size + gap) + 4)


def cell_size(panels: Sequence[Panel]) -> int:
    """Pixels of an element: as large as fits, and large enough for names of blocks where there are few."""
    columns = max((p.high[1] - p.low[1] for p in panels), default=1)
    rows = max((p.high[0] - p.low[0] for p in panels), default=1)
    most = 46 if max(rows, columns) <= 9 else 30
    return max(4, min(most, _WIDEST // max(columns, 1), 520 // max(rows, 1)))


def array_picture(array: ArrayView) -> Picture:
    """All panels of an array, side by side."""
    if not array.panels:
        return Picture("", 10, 10)
    size = cell_size(array.panels)
    out: list[str] = []
    x, y, line = 30, 10, 0
    width = 0
    labelled = any(p.label for p in array.panels)
    for panel in array.panels:
        columns, rows = panel.high[1] - panel.low[1], panel.high[0] - panel.low[0]
        w, h = columns * size, rows * size + (20 if labelled else 4) + 14
        if x > 30 and x + w > _WIDEST + 120:
            x, y, line = 30, y + line + 10, 0
        out.append(f'<g transform="translate({x},{y + (20 if labelled else 4) + 12})">')
        out += _panel(panel, size, array.folded)
        out.append("</g>")
        width = max(width, x + w + 8)
        x, line = x + w + _GAP + 8, max(line, h)
    return Picture("".join(out), width + 4, y + line + 8)


def _panel(panel: Panel, size: int, folded: int) -> Iterator[str]:
    """One panel, its upper left element at (0, 0)."""
    top, left = panel.low

    def box(r: Rect, inset: float = 0.0) -> str:
        return (f'x="{(r.column - left) * size + inset:g}" y="{(r.row - top) * size + inset:g}" '
                f'width="{r.width * size - 2 * inset:g}" height="{r.height * size - 2 * inset:g}"')

    if panel.label:
        yield f'<text x="0" y="-20" class="panel">{escape(panel.label)}</text>'
    yield f'<path d="{_edge(panel, size)}" class="array"/>'
    if size >= 8:
        yield f'<path d="{_lines(panel, size)}" class="grid"/>'
    for row, column in panel.missing:
        yield f'<rect {box(Rect(row, column, 1, 1))} class="missing"/>'
    yield from _numbers(panel, size, folded)
    for m in (m for m in panel.marks if m.rects):
        inset = {"read": 2.5, "write": 1.0, "atomic": 1.0}.get(m.kind, 0.5) if size >= 10 else 0.0
        blocks = sorted({b for b, _ in m.at})
        colour = f"b{blocks[0] % COLOURS}" if len(blocks) == 1 else "many"
        yield (f'<g class="mark {m.kind} {colour}{" ringed" if m.ringed else ""}" {attributes(m)}>'
               f'<title>{escape(m.title)}</title>')
        for r in m.rects:
            yield f'<rect {box(r, -1.5 if m.ringed else inset)} rx="{2 if size >= 12 else 0}"/>'
        yield "</g>"
    taken: list[tuple[Box, str]] = []
    borders = [((r.column - left) * size, (r.row - top) * size, (r.column + r.width - left) * size,
                (r.row + r.height - top) * size) for m in panel.marks for r in m.rects]
    alone = not any(m.kind in ("write", "atomic") for m in panel.marks)
    for m in panel.marks:
        captions = [_label(m, r, size, (top, left), taken, borders, alone) for r in m.free[:_LABELS]] if m.label else []
        if any(captions):
            yield f'<g class="mark caption {m.kind}" {attributes(m)} aria-hidden="true">{"".join(captions)}</g>'
    yield f'<path d="{_edge(panel, size)}" class="edge"/>'


def _label(
    m: Mark, r: Rect, size: int, origin: Cell, taken: list[tuple[Box, str]], borders: Sequence[Box], alone: bool,
) -> str:
    """The names in a part of a mark: in full, without spaces, or as a number, depending on the space beside
    other names and within the borders of tiles. `alone` means that nothing is written there, so a read may have its
    name in the middle."""
    x0, y0 = (r.column - origin[1]) * size, (r.row - origin[0]) * size
    wide, high = r.width * size, r.height * size
    font = 12 if size >= 16 else 10
    plated = m.kind in ("clash", "twice", "outside", "undefined")
    margin = 3 if plated else 2
    middle, upper, lower = y0 + high / 2 + font * 0.36, y0 + font + 3, y0 + high - 5
    # the name of a write is in the middle, and that of a read at the upper edge
    heights: tuple[float, ...] = (upper, lower, middle) if m.kind == "read" and high >= 26 and not alone else (
        (lower, upper, middle) if m.kind in ("clash", "twice") and r.height > 1 else (middle, lower, upper))
    whole = (x0, y0, x0 + wide, y0 + high)
    for text in _texts(m):
        if any(said == text and _meet(t, whole) for t, said in taken):
            return ""  # the same name stands there for another access
        lines = text.split("\n")
        for size_of in dict.fromkeys((font, 10)):
            half = max(map(len, lines)) * size_of * 0.29
            below = (len(lines) - 1) * (size_of + 1)
            if high < size_of + below + 2 or 2 * (half + margin) > wide:
                continue
            for x, y in ((x0 + wide * part, y) for part in (0.5, 0.25, 0.75)
                         for y in (heights if len(lines) == 1 else (middle - below / 2,))):
                if x - half - margin < x0 or x + half + margin > x0 + wide:
                    continue
                own = (x - half - margin, y - size_of, x + half + margin, y + below + 2)
                if any(_meet(own, t) for t, _ in taken) or any(_straddles(own, b) for b in borders):
                    continue
                taken.append((own, text))
                plate = (f'<rect class="plate" x="{own[0]:g}" y="{y - size_of:g}" width="{2 * (half + margin):g}" '
                         f'height="{size_of + below + 3}" rx="3"/>') if plated else ""
                return plate + "".join(
                    f'<text x="{x:g}" y="{y + n * (size_of + 1):g}" class="name" style="font-size:{size_of}px">'
                    f"{escape(line)}</text>" for n, line in enumerate(lines))
    return ""


def _texts(m: Mark) -> Iterator[str]:
    """Candidate texts, the best first, with line breaks."""
    blocks = len({b for b, _ in m.at})
    yield m.label
    yield m.label.replace(", ", ",").replace(" + ", "+")
    name, _, iteration = m.label.partition(NAMED)
    if iteration:
        yield name
        yield name.replace(", ", ",").replace(" + ", "+")
    if blocks > 1:
        if blocks == 2 and " + " in name:
            yield name.replace(", ", ",").replace(" + ", "\n+")
        yield f"\u00d7{blocks}"
    else:
        yield name.replace(", ", ",").strip("()")


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _straddles(own: Box, border: Box) -> bool:
    """Whether a name lies partly in a tile and partly outside."""
    inside = border[0] <= own[0] and border[1] <= own[1] and own[2] <= border[2] and own[3] <= border[3]
    return _meet(own, border) and not inside


def _edge(panel: Panel, size: int) -> str:
    """The frame of an array: of one whose last row is not full, it ends with the last element."""
    rows, columns = panel.size
    x, y = -panel.low[1] * size, -panel.low[0] * size
    short = len([c for c in panel.missing if c[0] == rows - 1])
    if not short or rows < 2:
        return f"M{x} {y}h{columns * size}v{rows * size}h{-columns * size}z"
    full = columns - short
    return (f"M{x} {y}h{columns * size}v{(rows - 1) * size}h{-short * size}v{size}h{-full * size}z")


def _lines(panel: Panel, size: int) -> str:
    rows, columns = panel.size
    x0, y0 = -panel.low[1] * size, -panel.low[0] * size
    across = "".join(f"M{x0} {y0 + r * size}h{columns * size}" for r in range(1, rows))
    down = "".join(f"M{x0 + c * size} {y0}v{rows * size}" for c in range(1, columns))
    return across + down


def _numbers(panel: Panel, size: int, folded: int) -> Iterator[str]:
    """Indices at the edges, as many as fit; also beyond the ends of the array if a mark is there."""
    top, left = panel.low
    rows, columns = panel.size
    every = max(1, -(-24 // size))
    for c in range(-(-left // every) * every, panel.high[1], every):
        beyond = "" if 0 <= c < columns else " beyond"
        yield f'<text x="{(c - left + 0.5) * size:g}" y="-5" class="index{beyond}">{c}</text>'
    if rows > 1 or top < 0 or panel.high[0] > rows:
        for r in range(-(-top // every) * every, panel.high[0], every):
            beyond = "" if 0 <= r < rows else " beyond"
            yield (f'<text x="-5" y="{(r - top + 0.5) * size + 4:g}" class="index row{beyond}">'
                   f'{r * folded if folded else r}</text>')
