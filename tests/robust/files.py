"""Malformed files, derived from well-formed ones: deterministic for each number."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

__all__ = ["broken_file", "seeds"]

ROOT: Final = Path(__file__).resolve().parents[2]
_PIECES: Final = (
    "ct.bid(0)", "ct.store(c, (i,), t)", "(", ")", "[", "]", "{", "}", ":", ",", "=", "==", "**", "//", "%", "@", ";",
    "\\", "'''", '"', "f'{", "lambda", "yield", "await", "async", "def", "class", "return", "while True:", "for", "in",
    "if", "else:", "try:", "except:", "finally:", "with", "match x:", "case _:", "global i", "nonlocal i", "del i",
    "import *",
    "*args", "**kw", "...", "None", "0x",
    "1e999", "1j", "10**100", "-", "~", "not", "is", "raise", "assert", ":=",
    "@ct.kernel", "ct.Constant[int]", "# tilecheck: allow[TC101]", "# tilecheck: allow[", "@requires('",
    "\t", "\f", "\r",
    "\x00", "\ufeff", "é", "\U0001f600", "\u2028", "\x1a",
)


def seeds() -> tuple[bytes, ...]:
    """Functions of the examples and cases, with the text before the first of them."""
    found: list[bytes] = []
    for folder in ("examples", "tests/cases"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.read_bytes().split(b"\n\n\n")
            found += [parts[0] + b"\n\n\n" + part for part in parts[1:] if len(part) < 6000]
    return tuple(found)


def broken_file(number: int, sources: tuple[bytes, ...]) -> bytes:
    """The file of a number: a seed with one to six edits, of every other file such that mostly leave it valid."""
    rng = random.Random(number)
    data = rng.choice(sources)
    for _ in range(rng.randint(1, 6)):
        data = rng.choice(_MILD if number % 2 else _EDITS)(rng, data, sources)
    return data


def _drop(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    i, n = rng.randrange(len(data) + 1), rng.randint(1, 12)
    return data[:i] + data[i + n:]


def _insert(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + rng.choice(_PIECES).encode() * rng.choice((1, 1, 1, 2, 40)) + data[i:]


def _lines(edit: Callable[[random.Random, list[bytes]], None]) -> Callable[..., bytes]:
    def apply(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            edit(rng, lines)
        return b"".join(lines)

    return apply


def _swap(rng: random.Random, lines: list[bytes]) -> None:
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]


def _repeat(rng: random.Random, lines: list[bytes]) -> None:
    i = rng.randrange(len(lines))
    lines[i:i] = lines[i:i + rng.randint(1, 4)] * rng.choice((1, 2, 20))


def _indent(rng: random.Random, lines: list[bytes]) -> None:
    i = rng.randrange(len(lines))
    lines[i] = rng.choice((b"    ", b"\t", b" ", b"  " * 40)) + lines[i]


def _dedent(rng: random.Random, lines: list[bytes]) -> None:
    i = rng.randrange(len(lines))
    lines[i] = lines[i].lstrip()


def _nest(rng: random.Random, lines: list[bytes]) -> None:
    """A block under ever deeper conditions or loops."""
    i, depth = rng.randrange(len(lines)), rng.randint(1, 30)
    pad = lines[i][:len(lines[i]) - len(lines[i].lstrip())]
    head = rng.choice((b"if i > 0:\n", b"for i in range(i):\n", b"while i:\n", b"with i as j:\n", b"try:\n"))
    lines[i:i] = [pad + b" " * d + head for d in range(depth)] + [pad + b" " * depth + b"i = i + 1\n"]


def _splice(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    other = rng.choice(sources)
    i, j = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1)
    return data[:i] + other[j:]


def _flip(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    if not data:
        return data
    i = rng.randrange(len(data))
    return data[:i] + bytes([rng.randrange(256)]) + data[i + 1:]


def _word(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    """One word for another of the file, which mostly leaves it valid."""
    words = data.replace(b"(", b" ").replace(b",", b" ").replace(b")", b" ").split()
    if len(words) < 2:
        return data
    a, b = rng.choice(words), rng.choice(words)
    at = data.find(a, rng.randrange(len(data)))
    return data if at < 0 else data[:at] + b + data[at + len(a):]


def _operator(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    places = [(i, op) for op in _OPERATORS for i in range(len(data)) if data.startswith(op, i)]
    if not places:
        return data
    at, op = rng.choice(places)
    return data[:at] + rng.choice(_OPERATORS) + data[at + len(op):]


def _number(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    places = [i for i in range(len(data)) if data[i:i + 1].isdigit() and not data[i - 1:i].isalnum()]
    if not places:
        return data
    at = rng.choice(places)
    return data[:at] + rng.choice(_NUMBERS) + data[at + 1:]


def _line(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    """A line less, or twice."""
    lines = data.splitlines(keepends=True)
    i = rng.randrange(len(lines))
    lines[i:i + 1] = rng.choice(([], [lines[i]] * 2))
    return b"".join(lines)


def _endings(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\x0c", b"\\\n")))


def _encode(rng: random.Random, data: bytes, sources: tuple[bytes, ...]) -> bytes:
    head = rng.choice((b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n# \xe9\n", b"# coding: utf-16\n",
                       b"# coding: nonsense\n", b"\xff\xfe", b"# \xe9\n"))
    return head + data


_NUMBERS: Final = (b"0", b"1", b"-1", b"7", b"2147483648", b"i", b"(i // 3)", b"True", b"1.5")
_OPERATORS: Final = (b" + ", b" - ", b" * ", b" // ", b" % ", b" < ",
                      b" >= ", b" == ", b" and ", b" | ", b" & ", b" << ")
_MILD: Final[tuple[Callable[..., bytes], ...]] = (_word, _operator, _operator, _number, _number, _line)
_EDITS: Final[tuple[Callable[..., bytes], ...]] = (
    _drop, _insert, _insert, _splice, _flip, _word, _word, _word, _endings, _encode,
    _lines(_swap), _lines(_repeat), _lines(_indent), _lines(_dedent), _lines(_nest),
)
