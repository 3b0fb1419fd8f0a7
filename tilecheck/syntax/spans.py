"""Where the nodes of the interpreter's own syntax tree stand, in characters; and the comments, which it leaves out."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from tilecheck.syntax.tree import Span

__all__ = ["Comment", "Places"]

Comment = tuple[int, str, bool]
"""Line, text with its #, and whether it stands alone on its line."""

_TOKENS: Final = re.compile(
    r"""(?P<comment>\#[^\n]*)"""
    r'''|"""(?:[^\\"]|\\.|"(?!""))*"""'''
    r"""|'''(?:[^\\']|\\.|'(?!''))*'''"""
    r'''|"(?:[^\\"\n]|\\.)*"'''
    r"""|'(?:[^\\'\n]|\\.)*'""", re.DOTALL)
"""Comments, and the strings in which a # begins none."""
_DEFINED: Final = re.compile(r"(?:async(?:\s|\\\n)+)?def(?:\s|\\\n)+(?P<name>\w+)")
_PLACED_APART: Final = sys.version_info < (3, 12)
"""Whether the parser places what is in a formatted string by itself, from its beginning."""


class Places:
    """Spans of the nodes of one text, of which `lines` are the lines and the first is line `first_line` of `file`."""

    def __init__(self, file: str, lines: Sequence[str], first_line: int = 1) -> None:
        self.file = file
        self.lines = lines
        self._shift = first_line - 1
        self._plain = all(map(str.isascii, lines))
        self._fixed: Span | None = None

    def span(self, node: Any) -> Span:
        """The span of a node: names, calls and so on exclude the parentheses around them; tuples and generators
        include their own."""
        if self._fixed is not None:
            return self._fixed
        line, end = node.lineno, node.end_lineno
        start, stop = node.col_offset, node.end_col_offset
        if not self._plain:
            start, stop = self._column(line, start), self._column(end, stop)
        shift = self._shift
        return Span(self.file, line + shift, start, end + shift, stop)

    def inside(self, node: ast.JoinedStr) -> Places:
        """The places of what stands in a formatted string: its own where the parser does not know them."""
        if not _PLACED_APART or self._fixed is not None:
            return self
        out = Places(self.file, (), self._shift + 1)
        out._fixed = self.span(node)
        return out

    def name_span(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        """The span of the name of a definition."""
        line = node.lineno
        start = self._column(line, node.col_offset)
        text = "\n".join([self.lines[line - 1][start:], *self.lines[line : line + 4]])
        found = _DEFINED.match(text)
        if found is None:  # more line breaks than anyone writes there
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

    def closed(self, node: ast.Tuple) -> bool:
        """Whether a tuple stands in parentheses of its own, and not only in those of a subscript."""
        line = self.lines[node.end_lineno - 1] if node.end_lineno is not None and self.lines else ""
        return line[self._column(node.end_lineno or 1, node.end_col_offset or 0) - 1 :][:1] == ")"

    def comments(self, first: int, last: int) -> list[Comment]:
        """The comments on these lines of the text, where a statement begins on the first; lines are those of the
        file."""
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
        """Characters before what stands that many bytes after the beginning of a line."""
        if self._plain:
            return offset
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))
