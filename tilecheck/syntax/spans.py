"""Spans of nodes of the interpreter's syntax tree, in characters; and comments, which the tree does not have."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from tilecheck.syntax.tree import Span

__all__ = ["Comment", "Locator"]

Comment = tuple[int, str, bool]
"""Line, text with its #, and whether it is alone on its line."""

_TOKENS: Final = re.compile(
    r"""(?P<comment>\#[^\n]*)"""
    r'''|"""(?:[^\\"]|\\.|"(?!""))*"""'''
    r"""|'''(?:[^\\']|\\.|'(?!''))*'''"""
    r'''|"(?:[^\\"\n]|\\.)*"'''
    r"""|'(?:[^\\'\n]|\\.)*'""", re.DOTALL)
"""Comments, and strings, in which a # does not begin a comment."""
_DEFINED: Final = re.compile(r"(?:async(?:\s|\\\n)+)?def(?:\s|\\\n)+(?P<name>\w+)")
_STRINGS_SEPARATE: Final = sys.version_info < (3, 12)
"""Whether the parser counts positions in a formatted string from the beginning of the string."""


class Locator:
    """Spans of the nodes of one text. `lines` are its lines; the first is line `first_line` of `file`."""

    def __init__(self, file: str, lines: Sequence[str], first_line: int = 1) -> None:
        self.file = file
        self.lines = lines
        self._shift = first_line - 1
        self._plain = all(map(str.isascii, lines))
        self._fixed: Span | None = None

    def span(self, node: Any) -> Span:
        """The span of a node, without parentheses around it. Tuples and generators include their own."""
        if self._fixed is not None:
            return self._fixed
        line, end = node.lineno, node.end_lineno
        start, stop = node.col_offset, node.end_col_offset
        if not self._plain:
            start, stop = self._column(line, start), self._column(end, stop)
        shift = self._shift
        return Span(self.file, line + shift, start, end + shift, stop)

    def inside_string(self, node: ast.JoinedStr) -> Locator:
        """Spans of nodes in a formatted string: the span of the whole string if the parser does not know theirs."""
        if not _STRINGS_SEPARATE or self._fixed is not None:
            return self
        out = Locator(self.file, (), self._shift + 1)
        out._fixed = self.span(node)
        return out

    def name_span(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        """The span of the name of a definition."""
        line = node.lineno
        start = self._column(line, node.col_offset)
        text = "\n".join([self.lines[line - 1][start:], *self.lines[line : line + 4]])
        found = _DEFINED.match(text)
        if found is None:  # an unusual number of line breaks
            return self.span(node)
        before = text[: found.start("name")]
        broken = before.count("\n")
        at = found.start("name") - before.rfind("\n") - 1 if broken else start + found.start("name")
        line += broken + self._shift
        return Span(self.file, line, at, line, at + len(found["name"]))

    def parameter_span(self, node: ast.arg) -> Span:
        """The span of the name of a parameter."""
        whole = self.span(node)
        return Span(self.file, whole.line, whole.column, whole.line, whole.column + len(node.arg))

    def is_parenthesised(self, node: ast.Tuple) -> bool:
        """Whether a tuple has parentheses of its own, in addition to the brackets of a subscript."""
        line = self.lines[node.end_lineno - 1] if node.end_lineno is not None and self.lines else ""
        return line[self._column(node.end_lineno or 1, node.end_col_offset or 0) - 1 :][:1] == ")"

    def comments(self, first: int, last: int) -> list[Comment]:
        """The comments on these lines of the text. A statement must begin on the first. Lines of the result are those
        of the file."""
        lines = self.lines[first - 1 : last]
        if not any("#" in line for line in lines):
            return []
        text = "\n".join(lines)
        out: list[Comment] = []
        line, counted = first + self._shift, 0
        for found in _TOKENS.finditer(text):
            if found["comment"] is None:
                continue
            at = found.start()
            line += text.count("\n", counted, at)
            counted = at
            out.append((line, found["comment"], not text[text.rfind("\n", 0, at) + 1 : at].strip()))
        return out

    def _column(self, line: int, offset: int) -> int:
        """The column, in characters, of a byte offset in a line."""
        if self._plain:
            return offset
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))
