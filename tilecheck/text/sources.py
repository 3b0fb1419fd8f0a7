"""Lines of source for reports, read on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tilecheck.text.notebooks import SUFFIX, extract_source


class SourceLines:
    """The lines of files by path. A file that cannot be read has no lines."""

    def __init__(self, given: Mapping[str, bytes] | None = None) -> None:
        self._given = dict(given or {})
        self._lines: dict[str, Sequence[str]] = {}

    def __call__(self, path: str) -> Sequence[str]:
        if path not in self._lines:
            self._lines[path] = self._read(path)
        return self._lines[path]

    def _read(self, path: str) -> Sequence[str]:
        data = self._given.get(path)
        try:
            if data is None:
                with open(path, "rb") as stream:
                    data = stream.read()
            data = extract_source(data) if path.endswith(SUFFIX) else data
            return re.split("\r\n|\r|\n", _decode(data))
        except (OSError, SyntaxError, ValueError, LookupError):
            return ()


def _decode(data: bytes) -> str:
    if b"coding" in data[:200]:
        import io
        import tokenize

        return data.decode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
    return data.decode("utf-8-sig")
