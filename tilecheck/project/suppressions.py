"""`# tilecheck: allow[TC102] reason` comments and the lines they cover."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from tilecheck.project.module import Module

__all__ = ["Suppression", "covers", "suppressions"]

_COMMENT: Final = re.compile(r"#\s*tilecheck:\s*allow\b(?:\s*\[([^\]]*)\])?[\s:]*([^#]*)")
_MARKER: Final = b"tilecheck:"
_BLANK: Final = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER})


class Suppression(Struct, frozen=True):
    """One suppression comment.

    codes       the codes that it names, as in the source; without a code it suppresses nothing
    reason      the rest of the comment; empty without a reason
    line        the line of the comment; `column` and `end_column` delimit it
    scope       whether it covers a statement or a whole definition
    first_line  the first line that it covers; `last_line` the last; an empty range if nothing follows it
    """

    file: str
    codes: tuple[str, ...]
    reason: str
    line: int
    column: int
    end_column: int
    scope: Literal["line", "definition"]
    first_line: int
    last_line: int


def covers(suppression: Suppression, line: int) -> bool:
    """Whether the suppression covers this line."""
    return suppression.first_line <= line <= suppression.last_line


class _Comment(Struct, frozen=True):
    text: str
    line: int
    column: int
    alone: bool


def suppressions(module: Module) -> tuple[Suppression, ...]:
    """The suppression comments of a file in order. Raises `SourceError` if it has any and cannot be parsed."""
    if _MARKER not in module.data:
        return ()
    _ = module.skeleton
    spans, comments = _read(module.text)
    return tuple(_suppression(module, comment, match, spans) for comment in comments
                 for match in _COMMENT.finditer(comment.text))


def _read(text: str) -> tuple[list[tuple[int, int]], list[_Comment]]:
    """The first and last line of each logical line, and the comments."""
    spans: list[tuple[int, int]] = []
    comments: list[_Comment] = []
    start: int | None = None
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip() and start is None
            comments.append(_Comment(token.string, *token.start, alone))
        elif token.type == tokenize.NEWLINE:
            spans.append((token.start[0] if start is None else start, token.start[0]))
            start = None
        elif start is None and token.type not in _BLANK:
            start = token.start[0]
    return spans, comments


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return  # the interpreter's parser accepted the file; the tokens up to here count


def _suppression(
    module: Module, comment: _Comment, match: re.Match[str], spans: list[tuple[int, int]]
) -> Suppression:
    codes = tuple(dict.fromkeys(code.strip() for code in (match[1] or "").split(",") if code.strip()))
    covered = _covered_lines(module, comment, spans)
    definition = covered if covered is None or not comment.alone else _definition(module, covered[0])
    first, last = definition or covered or (comment.line, comment.line - 1)
    whole = comment.alone and definition is not None and definition != covered
    column = comment.column + match.start()
    length = len(match[0].rstrip())
    return Suppression(module.path, codes, match[2].strip(), comment.line, column, column + length,
                       "definition" if whole else "line", first, last)


def _covered_lines(module: Module, comment: _Comment, spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The logical line of a comment, or the one directly below it."""
    if not comment.alone:
        return next((span for span in spans if span[0] <= comment.line <= span[1]), None)
    line = comment.line + 1
    while line <= len(module.lines) and module.lines[line - 1].lstrip().startswith("#"):
        line += 1
    return next((span for span in spans if span[0] == line), None)


def _definition(module: Module, line: int) -> tuple[int, int] | None:
    """The lines of the definition that begins on this line, with its decorators or after them."""
    skeleton = module.skeleton
    for definition in skeleton.definitions.values():
        if definition.first_line <= line <= definition.node.lineno:
            return definition.first_line, definition.end_line
    for node, _ in skeleton.classes.values():
        first = min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)
        if first <= line <= node.lineno:
            return first, node.end_lineno or node.lineno
    return None
