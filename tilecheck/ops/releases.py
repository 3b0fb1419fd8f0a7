"""What is known of cuda.tile by release. Source: `cuda.tile.__all__` of each."""

from __future__ import annotations

from typing import Final

from tilecheck.ops.catalog import OPERATIONS

__all__ = ["KNOWN_RELEASES", "is_known", "is_newer"]

KNOWN_RELEASES: Final = ("1.7",)
"""Releases whose operations the checker was written for and is tested with."""

_NO_OPERATIONS: Final = frozenset({
    "Array", "ArrayAnnotation", "ByTarget", "Constant", "ConstantAnnotation", "DType", "IndexedWithInt64",
    "ListAnnotation", "MemoryOrder", "MemoryScope", "PaddingMode", "RoundingMode", "Scalar", "ScalarInt64",
    "StaticException", "Tile", "TileCompilerExecutionError", "TileCompilerTimeoutError", "TileError",
    "TileInternalError", "TileRecursionError", "TileStaticAssertionError", "TileStaticEvalError", "TileSyntaxError",
    "TileTypeError", "TileUnsupportedFeatureError", "TileValueError", "TiledView", "compilation", "compiler_timeout",
    "foreign_pointer_dtype", "function", "kernel", "launch", "static_exception", "tune",
})
"""Types, errors, and what host code calls."""


def is_newer(release: str) -> bool:
    """Whether a release is newer than those that the checker knows."""
    return _order(release) > max(map(_order, KNOWN_RELEASES))


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def is_known(name: str) -> bool:
    """Whether the checker knows what a public name of cuda.tile stands for; what it does not know costs verdicts."""
    return name in OPERATIONS or name in _NO_OPERATIONS
