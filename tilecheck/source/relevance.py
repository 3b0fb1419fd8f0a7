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


_FROM: Final = re.compile(rb"\bfrom[\s\\]*(\.|\w+)")
_IMPORT: Final = re.compile(rb"([^\n;]*)\bimport\b((?:\\\r?\n|[^\n;#])*)")
_SOURCE: Final = re.compile(rb"\bfrom[ \t]*[\w.]+[ \t]*\Z")


def imported(data: bytes) -> frozenset[str]:
    """The first names of the modules that a file may import; `.` stands for one that is found from its own folder."""
    found = set(_FROM.findall(data))
    for before, names in _IMPORT.findall(data):
        if _SOURCE.search(before) is None:  # else what comes is in the module
            found.update(name.strip(b" \t\r\n\\(").partition(b" ")[0].partition(b".")[0] for name in names.split(b","))
    return frozenset(name.decode(errors="replace") for name in found if name)
