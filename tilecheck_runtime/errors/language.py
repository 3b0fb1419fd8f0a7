"""What is raised for a kernel that is not a cuTile program, under the names that cuTile uses."""

from __future__ import annotations

__all__ = [
    "KernelStuckError",
    "StaticException",
    "TileCompilerExecutionError",
    "TileCompilerTimeoutError",
    "TileError",
    "TileInternalError",
    "TileRecursionError",
    "TileStaticAssertionError",
    "TileStaticEvalError",
    "TileSyntaxError",
    "TileTypeError",
    "TileUnsupportedFeatureError",
    "TileValueError",
]


class TileError(Exception):
    """Base of all of them."""


class TileSyntaxError(TileError):
    """Python that cuTile does not have."""


class TileTypeError(TileError):
    """A value of the wrong type, rank or element type."""


class TileValueError(TileError):
    """A value that is out of its range."""


class TileRecursionError(TileError):
    """A helper that calls itself without end."""


class TileStaticEvalError(TileError):
    """`static_eval` of something that is not known at compile time."""


class TileStaticAssertionError(TileError):
    """A `static_assert` that does not hold."""


class StaticException(TileError):
    """`raise ct.static_exception(...)`."""


class TileUnsupportedFeatureError(TileError):
    """An operation or element type that the CPU does not execute; the message names it."""


class TileInternalError(TileError):
    """A fault of the executor itself."""


class TileCompilerExecutionError(TileInternalError):
    """Raised by the GPU compiler only; here so that code can name it."""


class TileCompilerTimeoutError(TileInternalError):
    """Raised by the GPU compiler only; here so that code can name it."""


class KernelStuckError(TileError):
    """A block that waits for what no other block can do: blocks run one after another."""
