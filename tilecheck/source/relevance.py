"""Which files can matter, judged by their bytes. A file that cannot is neither decoded nor parsed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LAUNCHERS", "may_launch", "may_matter", "may_own"]

LAUNCHERS: Final = frozenset({"launch", "exhaustive_search", "autotune_launch", "replace_hints"})
"""Names that stand where kernels are launched or tuned."""

_LAUNCH: Final = re.compile(rb"\b(?:%s)\b" % b"|".join(name.encode() for name in sorted(LAUNCHERS)))


_KERNEL: Final = re.compile(rb"@[ \t]*[\w.]*kernel\b|\.kernel\s*\(|import[^\n]*\bkernel\b")


def may_matter(data: bytes) -> bool:
    """Whether a file can hold a kernel: it names cuda.tile or the runtime, or uses something called `kernel`."""
    return (b"tile" in data and b"cuda" in data) or b"tilecheck_runtime" in data or _KERNEL.search(data) is not None


def may_launch(data: bytes) -> bool:
    """Whether a file names anything that launches a kernel."""
    return _LAUNCH.search(data) is not None


_OWNERSHIP: Final = re.compile(
    rb"tilecheck_runtime|\.(?:sync|unpartition)\(|\bcuda\.(?:Stream|stream|CUDAGraph|graph)\b")


def may_own(data: bytes) -> bool:
    """Whether a file can be about the ownership of tensors: it names the runtime, runs what it launches, or works with
    streams and graphs."""
    return _OWNERSHIP.search(data) is not None
