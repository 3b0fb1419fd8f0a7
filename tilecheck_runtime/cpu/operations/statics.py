"""Compile-time operations and assertions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from tilecheck.text.block_names import block_name, rank_of_grid
from tilecheck_runtime.cpu.machine import recorder
from tilecheck_runtime.cpu.operations.builtins import DeviceRange
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import StaticException, TileStaticAssertionError
from tilecheck_runtime.sanitizer.progress import Progress

__all__ = ["NAMES"]


def static_eval(expr: Any, /) -> Any:
    """Returns the expression, which Python has already evaluated."""
    return expr


def static_iter(iterable: Iterable[Any]) -> Any:
    """The items, with Python integers for a range."""
    return iterable.as_range() if isinstance(iterable, DeviceRange) else list(iterable)


def static_assert(condition: Any, message: Any = None, /) -> None:
    """Raises TileStaticAssertionError when the condition is false."""
    if not condition:
        raise TileStaticAssertionError("static_assert does not hold" + (f": {message}" if message else ""))


def static_exception(exc: BaseException, /) -> StaticException:
    """An exception that a kernel may raise."""
    return StaticException(f"{type(exc).__name__}: {exc}")


def ensure_constant(value: Any, /) -> Any:
    """The value, which must not be a tile of several elements."""
    if type(value) is Tile and value.ndim:
        raise TileStaticAssertionError("the argument of ensure_constant is not a constant")
    return value


def assert_(cond: Any, /, message: Any = None) -> None:
    """Raises AssertionError, as the device would stop."""
    tile = astile_like(cond)
    if tile.taint is not None and tile.taint.lanes is not None and tile.taint.lanes.any():
        recorder().undefined_used(tile.taint.sources, "an assertion")
    if not np.all(tile.data):
        raise AssertionError(f"block {_block()}: {message or 'assertion does not hold'}")


def assume_divisible_by(x: Any, divisor: Any) -> Any:
    """Returns the value. Raises AssertionError if it is not divisible, because the compiler would rely on it."""
    if operator.index(x) % operator.index(divisor):
        raise AssertionError(f"block {_block()}: assume_divisible_by({x}, {divisor}) is false")
    return x


NAMES: Final[dict[str, Callable[..., Any]]] = {
    "static_eval": static_eval, "static_iter": static_iter, "static_assert": static_assert,
    "static_exception": static_exception, "ensure_constant": ensure_constant, "assert_": assert_,
    "assume_divisible_by": assume_divisible_by,
    "grid_dependency_control_wait": lambda: None, "grid_dependency_control_launch_dependents": lambda: None,
}


def _block() -> str:
    """The name of the running block."""
    return block_name(Progress.block, rank_of_grid(Progress.grid))
