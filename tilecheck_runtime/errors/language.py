"""Exceptions for kernels that are not valid cuTile programs, under the names that cuTile uses."""

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
    "UnsupportedCallError",
]


class TileError(Exception):
    """Base of all of them."""


class TileSyntaxError(TileError):
    """Python syntax that cuTile does not support."""


class TileTypeError(TileError):
    """A value of the wrong type, rank or element type."""


class TileValueError(TileError):
    """A value that is out of its range."""


class TileRecursionError(TileError):
    """A helper with unbounded recursion."""


class TileStaticEvalError(TileError):
    """`static_eval` of an expression that is not known at compile time."""


class TileStaticAssertionError(TileError):
    """A `static_assert` that does not hold."""


class StaticException(TileStaticEvalError):
    """`raise ct.static_exception(...)`."""


class TileUnsupportedFeatureError(TileError):
    """An operation or element type that the CPU does not execute; the message names it."""


class UnsupportedCallError(TileError):
    """A call of a function that has no counterpart on the device."""


class TileInternalError(TileError):
    """An error of the executor itself."""


class TileCompilerExecutionError(TileInternalError):
    """Raised by the GPU compiler only; here so that code can name it."""


class TileCompilerTimeoutError(TileInternalError):
    """Raised by the GPU compiler only; here so that code can name it."""


class KernelStuckError(TileError):
    """A block waits for an event that no other block can cause, because blocks run one after another."""
