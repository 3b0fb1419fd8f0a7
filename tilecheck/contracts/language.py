"""Tokens and names of the contract language, and how its mistakes are reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from msgspec import Struct

TokenKind: TypeAlias = Literal["int", "name", "op", "end"]

MAX_LENGTH: Final = 4000
MAX_DEPTH: Final = 60
MAX_BITS: Final = 128

CONSTANTS: Final = {"True": 1, "False": 0}
WORDS: Final = frozenset({"and", "or", "not", "if", "else"})

ANNOTATIONS: Final = {
    "injective": "injective(ids) or injective(ids, n)",
    "monotone": "monotone(indptr)",
    "segments": "segments(offsets) or segments(offsets, lengths)",
    "range": "range(ids, lo, hi)",
    "multiple": "multiple(sizes, n)",
    "ticket": "ticket(counter)",
    "lock": "lock(locks[i])",
    "disjoint": "disjoint(c, a) or disjoint(c)",
    "integer": "integer(n)",
}
"""Facts about arguments that are not arithmetic, with the way each is written."""

FUNCTIONS: Final = {
    "min": "min(a, b, ...)",
    "max": "max(a, b, ...)",
    "cdiv": "cdiv(a, b)",
    "abs": "abs(a)",
    "next_pow2": "next_pow2(a)",
    "len": "len(xs)",
    "numel": "numel(x)",
}
"""Integer functions, with the way each is written."""


class ContractError(ValueError):
    """A text that is not a contract. `column` counts from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column


class Token(Struct, frozen=True):
    kind: TokenKind
    text: str
    column: int


_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<int>\d[\w]*)|(?P<name>[^\W\d]\w*)"
    r"|(?P<op>\*\*|//|<<|>>|<=|>=|==|!=|[-+*%<>()\[\],.&|^])"
)


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a contract, with an end token. Raises ContractError for a character that has no place in one."""
    if len(text) > MAX_LENGTH:
        raise ContractError(f"a contract has at most {MAX_LENGTH} characters", MAX_LENGTH)
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ContractError(_describe_stray(text[at]), at)
        kind = found.lastgroup
        if kind == "int":
            yield Token("int", _number(found.group(), at), at)
        elif kind == "name":
            word = found.group()
            yield Token("op" if word in WORDS else "name", word, at)
        elif kind == "op":
            yield Token("op", found.group(), at)
        at = found.end()
    yield Token("end", "", len(text))


def _number(text: str, column: int) -> str:
    try:
        value = int(text.replace("_", ""), 0)
    except ValueError:
        raise ContractError(f"`{text}` is not an integer", column) from None
    if value.bit_length() > MAX_BITS:
        raise ContractError("the number is too large", column)
    return str(value)


_HINTS: Final = {
    "/": "division rounds down: write `//`",
    "=": "write `==` to compare",
    "!": "write `not` or `!=`",
    "#": "a contract has no comments",
}


def _describe_stray(character: str) -> str:
    hint = _HINTS.get(character)
    return f"unexpected `{character}`" + (f": {hint}" if hint else "")
