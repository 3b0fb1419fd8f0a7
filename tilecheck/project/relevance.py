"""Which files can matter, judged by their bytes. A file that cannot is neither decoded nor parsed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LAUNCHERS", "imported", "may_launch", "may_matter", "may_own"]

LAUNCHERS: Final = frozenset({"launch", "exhaustive_search", "autotune_launch", "replace_hints"})
"""Names that stand where kernels are launched or tuned."""

_NAMES: Final = tuple(name.encode() for name in sorted(LAUNCHERS))
_LAUNCH: Final = re.compile(rb"\b(?:%s)\b" % b"|".join(_NAMES))


_KERNEL: Final = re.compile(rb"@[ \t]*[\w.]*kernel\b|\.kernel\s*\(|import[^\n]*\bkernel\b")


def may_matter(data: bytes) -> bool:
    """Whether a file can hold a kernel: it names cuda.tile or the runtime, or uses something called `kernel`."""
    return (b"tile" in data and b"cuda" in data) or b"tilecheck_runtime" in data or (
        b"kernel" in data and _KERNEL.search(data) is not None)


def may_launch(data: bytes) -> bool:
    """Whether a file names anything that launches a kernel."""
    # words are found much faster than where they begin and end
    return any(name in data for name in _NAMES) and _LAUNCH.search(data) is not None


_WORDS: Final = (b"tilecheck_runtime", b".sync(", b".unpartition(")
_STREAMS: Final = re.compile(rb"\bcuda\.(?:Stream|stream|CUDAGraph|graph)\b")


def may_own(data: bytes) -> bool:
    """Whether a file can be about the ownership of tensors: it names the runtime, runs what it launches, or works with
    streams and graphs."""
    return any(word in data for word in _WORDS) or (b"cuda." in data and _STREAMS.search(data) is not None)


_FROM: Final = re.compile(rb"\bfrom[\s\\]*(\.|[\w\x80-\xff]+)")
_IMPORT: Final = re.compile(rb"\bimport\b(?=((?:\\\r?\n|[^\n;#])*))")
_NAME: Final = re.compile(rb"[\s\\(]*([\w\x80-\xff]+)")
_SOURCE: Final = re.compile(rb"\bfrom[ \t]*[\w.]+[ \t]*\Z")
_FAR: Final = 120
"""Bytes before `import` in which `from` is looked for; where it stands farther away, there are names too many."""


def imported(data: bytes) -> frozenset[str]:
    """The first names of the modules that a file may import; `.` stands for one that is found from its own folder, and
    for one whose name bytes do not tell."""
    found = set(_FROM.findall(data))
    # `import` may stand in a string or a comment beside the statement: what follows each of them is looked at
    for word in _IMPORT.finditer(data):
        if _SOURCE.search(data, max(word.start() - _FAR, 0), word.start()) is None:  # else what comes is in the module
            found.update(name[1] for part in word[1].split(b",") if (name := _NAME.match(part)) is not None)
    return frozenset(name.decode() if name.isascii() else "." for name in found)
