"""Documents that are open in an editor."""

from __future__ import annotations

import io
import tokenize

from msgspec import Struct

from tilecheck.diagnostics import Failure
from tilecheck.syntax.text import SourceError, decode, is_valid, parse
from tilecheck.text.notebooks import SUFFIX, extract_source

__all__ = ["Document", "document"]


class Document(Struct, frozen=True):
    """A text as it stands in an editor.

    text    of a notebook, the source that its code cells are together
    data    the bytes of the file, as they would be on disk
    source  the bytes of the text
    fault   why it cannot be parsed, as far as it is written; None when it can
    """

    path: str
    version: int
    text: str
    data: bytes
    source: bytes
    fault: Failure | None


def document(path: str, version: int, text: str) -> Document:
    data = _bytes(text)
    if path.endswith(SUFFIX):
        try:
            source = extract_source(data)
        except ValueError as error:
            return Document(path, version, "", data, b"", Failure(path, str(error)))
        text = source.decode("utf-8", "replace")
    else:
        source = data
    return Document(path, version, text, data, source, None if is_valid(source) else _fault(path, source))


def _bytes(text: str) -> bytes:
    """The bytes of a text: in the encoding that it declares, if it can be encoded so."""
    data = text.encode("utf-8", "surrogatepass")
    if "coding" in text[:200]:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            return text.encode(encoding)
        except (SyntaxError, LookupError, UnicodeError):
            return data  # the checker says what is wrong with it
    return data


def _fault(path: str, data: bytes) -> Failure | None:
    try:
        parse(decode(data, path), path)
    except SourceError as error:
        return Failure(path, error.message, error.line)
    return None
