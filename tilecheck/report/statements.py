"""Statements of source in a form that does not depend on their layout."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tilecheck.report.frame import Sources

__all__ = ["Statements"]

_LAYOUT: Final = frozenset({
    tokenize.COMMENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER, tokenize.INDENT, tokenize.NEWLINE,
    tokenize.NL,
})
_CLOSING: Final = frozenset(")]}")


class Statements:
    """The logical lines of files. For a compound statement, this is its header up to the colon."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._files: dict[str, dict[int, str]] = {}

    def at(self, file: str, line: int) -> str:
        """The statement that line `line` of a file is part of, without comments, line breaks and spaces.

        The text of the line if it has no statement; an empty text if the file cannot be read.
        """
        if file not in self._files:
            self._files[file] = dict(_by_line(self._sources(file)))
        found = self._files[file].get(line)
        if found is not None:
            return found
        lines = self._sources(file)
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _by_line(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each line of a statement with the statement."""
    current: list[tokenize.TokenInfo] = []
    for token in _tokens("\n".join(lines)):
        if token.type == tokenize.NEWLINE and current:
            text = _join_tokens(current)
            for line in range(current[0].start[0], token.start[0] + 1):
                yield line, text
            current = []
        elif token.type not in _LAYOUT:
            current.append(token)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return  # the tokens up to here count


def _join_tokens(tokens: Iterable[tokenize.TokenInfo]) -> str:
    """The text of tokens, with spaces only between words."""
    out: list[str] = []
    for token in tokens:
        word = _string(token.string) if token.type == tokenize.STRING else token.string
        if word in _CLOSING and out and out[-1] == ",":
            out.pop()  # formatters add and remove it
        if out and word and _is_word(out[-1][-1:]) and _is_word(word[0]):
            out.append(" ")
        out.append(word)
    return "".join(out)


def _string(text: str) -> str:
    """A literal with normalized quotes. Formatted strings stay as they are."""
    try:
        return repr(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
