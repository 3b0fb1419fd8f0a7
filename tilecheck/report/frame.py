"""Source frames: the lines of labels, with each label underlined."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilecheck.report.style import Style
from tilecheck.syntax.tree import Span

Sources: TypeAlias = Callable[[str], Sequence[str]]
"""The lines of a file by its path, without line endings; empty if it cannot be read."""


def no_sources(path: str) -> Sequence[str]:
    """The sources of reports without source frames."""
    return ()


_TAB: Final = 4
_LONGEST_SPAN: Final = 5
_LONGEST_LABEL: Final = 72
_WIDEST: Final = 100
"""The most columns that a mark and its text take side by side."""
_BESIDE: Final = 24
"""The most columns of a mark whose text is always beside it."""


class Label(Struct, frozen=True):
    """A range of source to underline, with a text."""

    span: Span
    text: str
    primary: bool


def gutter_width(labels: Iterable[Label]) -> int:
    """Width of the widest line number in the frames of these labels."""
    return max(len(str(label.span.end_line)) for label in labels)


def render_frames(labels: Sequence[Label], sources: Sources, style: Style) -> list[str]:
    """Frames of the labels, one for each file, beginning with the file of the first label."""
    width = gutter_width(labels)
    out: list[str] = []
    for file in dict.fromkeys(label.span.file for label in labels):
        mine = [label for label in labels if label.span.file == file]
        lines = sources(file)
        if out:
            first = mine[0].span
            out.append(f"{' ' * width}{style.gutter(':::')} {file}:{first.line}:{first.column + 1}")
        out += _frame(mine, lines, width, style) if lines else _without_source(mine, width, style)
    return out


def _without_source(labels: Sequence[Label], width: int, style: Style) -> list[str]:
    return [f"{' ' * width} {style.gutter('=')} line {each.span.line}: {each.text}" for each in labels if each.text]


def _frame(labels: Sequence[Label], lines: Sequence[str], width: int, style: Style) -> list[str]:
    bar = style.gutter("|")
    empty = f"{' ' * width} {bar}"
    shown = sorted({number for label in labels for number in _shown_lines(label.span, len(lines))})
    out = [empty]
    previous = shown[0] if shown else 0
    for number in shown:
        if number == previous + 2:
            out.append(_source_line(number - 1, lines, width, style))
        elif number > previous + 1:
            out.append(style.gutter("..."))
        out.append(_source_line(number, lines, width, style))
        here = [label for label in labels if number in _shown_lines(label.span, len(lines))]
        for label in sorted(here, key=lambda label: (not label.primary, label.span)):
            out += [f"{empty} {mark}".rstrip() for mark in _underline(label, number, lines[number - 1], style)]
        previous = number
    out.append(empty)
    return out


def _shown_lines(span: Span, count: int) -> tuple[int, ...]:
    """The lines of a span that a frame shows. A long span is shortened in the middle."""
    last = min(span.end_line, count)
    numbers = range(span.line, last + 1)
    if len(numbers) <= _LONGEST_SPAN:
        return tuple(numbers)
    return (*numbers[:3], last)


def _source_line(number: int, lines: Sequence[str], width: int, style: Style) -> str:
    text = _expand(lines[number - 1]).rstrip() if 0 < number <= len(lines) else ""
    return f"{style.gutter(f'{number:>{width}} |')} {text}".rstrip()


def _underline(label: Label, number: int, line: str, style: Style) -> list[str]:
    """The mark under a line, with its text beside it, or below it if the line would become too long."""
    span = label.span
    indent = len(line) - len(line.lstrip())
    start = span.column if number == span.line else indent
    end = span.end_column if number == span.end_line else len(line.rstrip())
    before, marked = _columns(line[:start]), _columns(line[start : max(end, start)], _columns(line[:start]))
    mark = ("^" if label.primary else "-") * max(marked, 1)
    last = number == min(span.end_line, max(_shown_lines(span, span.end_line)))
    text = label.text if last else ""
    paint = style.primary if label.primary else style.secondary
    room = " " * before
    if not text or before + len(mark) + 1 + len(text) <= _WIDEST or len(mark) <= _BESIDE:
        return [room + paint(f"{mark} {text}" if text else mark)]
    return [room + paint(mark), room + paint(text)]


def _expand(line: str) -> str:
    return line.expandtabs(_TAB)


def _columns(text: str, start: int = 0) -> int:
    """Columns that the text takes on a terminal if it begins in column `start`."""
    column = start
    for character in text:
        if character == "\t":
            column += _TAB - column % _TAB
        elif unicodedata.combining(character):
            continue
        else:
            column += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return column - start


def fits(text: str) -> bool:
    """Whether a text is short enough for the side of an underline."""
    return len(text) <= _LONGEST_LABEL
