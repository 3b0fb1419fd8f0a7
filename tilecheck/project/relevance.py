"""Selects relevant files by their bytes. Other files are neither decoded nor parsed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LAUNCHERS", "imported_names", "may_launch", "may_matter", "may_own"]

LAUNCHERS: Final = frozenset({"launch", "exhaustive_search", "autotune_launch", "replace_hints"})
"""Names of functions that launch or tune kernels."""

_NAMES: Final = tuple(name.encode() for name in sorted(LAUNCHERS))
_LAUNCH: Final = re.compile(rb"\b(?:%s)\b" % b"|".join(_NAMES))


_KERNEL: Final = re.compile(rb"@[ \t]*[\w.]*kernel\b|\.kernel\s*\(|import[^\n]*\bkernel\b")


def may_matter(data: bytes) -> bool:
    """Whether a file can contain a kernel: it names cuda.tile or the runtime, or uses a name `kernel`."""
    return (b"tile" in data and b"cuda" in data) or b"tilecheck_runtime" in data or (
        b"kernel" in data and _KERNEL.search(data) is not None)


def may_launch(data: bytes) -> bool:
    """Whether a file names anything that launches a kernel."""
    # a search for bytes is much faster than one for whole words
    return any(name in data for name in _NAMES) and _LAUNCH.search(data) is not None


_WORDS: Final = (b"tilecheck_runtime", b".sync(", b".unpartition(")
_STREAMS: Final = re.compile(rb"\bcuda\.(?:Stream|stream|CUDAGraph|graph)\b")


def may_own(data: bytes) -> bool:
    """Whether a file can concern ownership: it names the runtime, runs launches, or uses streams and graphs."""
    return any(word in data for word in _WORDS) or (b"cuda." in data and _STREAMS.search(data) is not None)


_FROM: Final = re.compile(rb"\bfrom[\s\\]*(\.|[\w\x80-\xff]+)")
_IMPORT: Final = re.compile(rb"\bimport\b(?=((?:\\\r?\n|[^\n;#])*))")
_NAME: Final = re.compile(rb"[\s\\(]*([\w\x80-\xff]+)")
_SOURCE: Final = re.compile(rb"\bfrom[ \t]*[\w.]+[ \t]*\Z")
_FAR: Final = 120
"""Bytes before `import` that are searched for `from`. If it is farther away, the result has extra names."""


def imported_names(data: bytes) -> frozenset[str]:
    """The first names of the modules that a file may import.

    `.` stands for a module that is found from the file's folder, and for a name that is not ASCII.
    """
    found = set(_FROM.findall(data))
    # `import` may be part of a string or a comment beside the statement, so every occurrence counts
    for word in _IMPORT.finditer(data):
        if _SOURCE.search(data, max(word.start() - _FAR, 0), word.start()) is None:  # else names follow
            found.update(name[1] for part in word[1].split(b",") if (name := _NAME.match(part)) is not None)
    return frozenset(name.decode() if name.isascii() else "." for name in found)
