"""Reads, decodes and parses Python source like the interpreter."""

from __future__ import annotations

import ast
import gc
import io
import re
import symtable
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = [
    "FORM_FEEDS", "SourceError", "collector_paused", "decode", "encoding_of", "is_valid", "parse", "read_bytes",
]

_NEWLINES: Final = re.compile("\r\n?")
FORM_FEEDS: Final = re.compile("^[ \t\f]*\f", re.MULTILINE)
"""Form feeds, which reset the indentation. Not every parser supports them."""


class SourceError(Exception):
    """A file that cannot be read, decoded or parsed. `line` is None if the error has no line."""

    def __init__(self, file: str, message: str, line: int | None = None) -> None:
        super().__init__(file, message, line)
        self.file = file
        self.message = message
        self.line = line

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{location}: {self.message}"


def read_bytes(path: Path, file: str) -> bytes:
    """The bytes of a file; `file` is its name for messages. Raises `SourceError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(file, f"cannot be read: {error.strerror or error}") from None


def decode(data: bytes, file: str) -> str:
    """Decode as PEP 263 specifies. Lines of the result end in a newline only, and do not begin with a form feed."""
    try:
        text = data.decode(encoding_of(data))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(file, f"cannot be decoded as {error.encoding}", line) from None
    except (SyntaxError, LookupError) as error:  # an unknown or contradictory coding cookie
        raise SourceError(file, f"cannot be decoded: {error}", 1) from None
    text = _NEWLINES.sub("\n", text.removeprefix("\ufeff"))
    return FORM_FEEDS.sub("", text) if "\f" in text else text


def encoding_of(data: bytes) -> str:
    """The encoding of a file, by PEP 263; `utf-8-sig` with a byte order mark. Raises errors that `decode` handles."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        data.decode("utf-8")  # if the cookie is valid, this error names the invalid byte
        raise
    return encoding


def is_valid(data: bytes) -> bool:
    """Whether a file can be parsed. This takes about half the time of parsing it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(data, "<source>", "exec")  # type: ignore[arg-type]  # takes bytes, and reads the cookie
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return True  # valid so far; deep nesting is an error only in the analysis
    return True


def parse(text: str, file: str) -> ast.Module:
    """The syntax tree of a whole file, from the interpreter's parser. Raises `SourceError`."""
    try:
        with collector_paused(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, file)
    except SyntaxError as error:
        raise SourceError(file, error.msg or "invalid syntax", error.lineno) from None
    except ValueError as error:  # null bytes
        raise SourceError(file, str(error)) from None
    except (RecursionError, MemoryError):
        raise SourceError(file, "the code nests too deeply to be analysed") from None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Disable the garbage collector. Syntax trees have many nodes and few cycles, so collections only cost time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
