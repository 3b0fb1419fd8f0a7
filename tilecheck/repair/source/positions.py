"""Where libcst nodes stand in the source, for fixes: one pass that replays code generation and notes offsets.

libcst nodes carry no positions. Its own position providers copy or index the whole tree and cost several times the
parse; replaying the code generator while counting characters gives the same spans at a fraction of that.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import libcst as cst
from libcst._nodes.internal import CodegenState

from tilecheck.repair.line_offsets import line_starts
from tilecheck.syntax.tree import Span

__all__ = ["Positions"]

_LEFT_PAREN: Final = cst.LeftParen
_RIGHT_PAREN: Final = cst.RightParen
_COMMENT: Final = cst.Comment


class _Recorder:
    """Context manager around the part of a node that libcst calls its syntactic position."""

    __slots__ = ("first", "last", "node", "start", "state")

    def __init__(self, state: _Offsets, node: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode | None) -> None:
        self.state = state
        self.node = node
        self.first = first
        self.last = last

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(self, *exception: object) -> None:
        state = self.state
        ranges = state.ranges
        start, end = self.start, state.offset
        # libcst also names nodes that have no syntactic position; and an exception may be passing through
        if self.first is not None:
            start = ranges.get(id(self.first), (start, end))[0]
        if self.last is not None:
            end = ranges.get(id(self.last), (start, end))[1]
        ranges[id(self.node)] = (start, end)


class _Offsets(CodegenState):
    """Counts characters instead of collecting text. Ids are stable because the caller keeps the tree alive."""

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.offset = 0
        self.indent = 0
        self.ranges: dict[int, tuple[int, int]] = {}
        self.parens: dict[int, int] = {}
        self.comments: list[tuple[int, str]] = []

    def increase_indent(self, value: str) -> None:
        self.indent_tokens.append(value)
        self.indent += len(value)

    def decrease_indent(self) -> None:
        self.indent -= len(self.indent_tokens.pop())

    def add_indent_tokens(self) -> None:
        self.offset += self.indent

    def add_token(self, value: str) -> None:
        self.offset += len(value)

    def pop_trailing_newline(self) -> None:
        """Nothing follows the last line, so its length does not matter."""

    def before_codegen(self, node: cst.CSTNode) -> None:
        kind = type(node)
        if kind is _LEFT_PAREN:
            self.parens[id(node)] = self.offset
        elif kind is _COMMENT:
            self.comments.append((self.offset, node.value))  # type: ignore[attr-defined]

    def after_codegen(self, node: cst.CSTNode) -> None:
        if type(node) is _RIGHT_PAREN:
            self.parens[id(node)] = self.offset

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recorder:
        return _Recorder(self, node, start_node, end_node)


class Positions:
    """Spans of the nodes of one parsed text. Its first line is line `first_line` of `file`.

    Names, calls and so on exclude the parentheses around them; tuples and generators include their own.
    """

    def __init__(self, module: cst.Module, text: str, file: str, first_line: int = 1) -> None:
        state = _Offsets(module.default_indent, module.default_newline)
        module._codegen(state)
        self.file = file
        self.text = text
        self._ranges = state.ranges
        self._parens = state.parens
        self._starts = line_starts(text)
        self._shift = first_line - 1
        self._comments = state.comments

    def has(self, node: cst.CSTNode) -> bool:
        """Whether libcst notes where this node stands."""
        return id(node) in self._ranges

    def span(self, node: cst.CSTNode) -> Span:
        """The span of a node."""
        start, end = self._ranges[id(node)]
        return self._make_span(start, end)

    def display_span(self, node: cst.Tuple | cst.GeneratorExp) -> Span:
        """The span of a tuple or generator, with the parentheses that belong to it."""
        start, end = self._ranges[id(node)]
        if node.lpar:
            start, end = self._parens[id(node.lpar[-1])], self._parens[id(node.rpar[0])]
        return self._make_span(start, end)

    def join(self, first: cst.CSTNode, last: cst.CSTNode) -> Span:
        """From the start of one node to the end of another."""
        return self._make_span(self._ranges[id(first)][0], self._ranges[id(last)][1])

    def first_line(self, node: cst.CSTNode) -> int:
        """The line on which a node starts."""
        return bisect_right(self._starts, self._ranges[id(node)][0]) + self._shift

    def comments(self) -> list[tuple[int, str, bool]]:
        """All comments in order, as (line, text with its #, whether it stands alone on its line)."""
        result = []
        for offset, value in self._comments:
            index = bisect_right(self._starts, offset)
            alone = not self.text[self._starts[index - 1] : offset].strip()
            result.append((index + self._shift, value, alone))
        return result

    def _make_span(self, start: int, end: int) -> Span:
        starts = self._starts
        line = bisect_right(starts, start)
        end_line = line if line == len(starts) or end < starts[line] else bisect_right(starts, end)
        shift = self._shift
        return Span(self.file, line + shift, start - starts[line - 1], end_line + shift, end - starts[end_line - 1])
