"""Selects relevant files by their bytes. Other files are neither decoded nor parsed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LAUNCHERS", "may_launch", "may_matter", "may_own"]

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
