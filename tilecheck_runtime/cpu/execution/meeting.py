"""Functions that rewritten code calls: the types of values where paths meet, and device values as conditions."""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.cpu.execution.paths import UNKNOWN, Branch, Loop, evaluate, is_constant, meet_constants
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["HELPERS", "MEMBERS", "is_dynamic", "reset"]

BOOL: Final = DTYPES["bool_"]
MEMBERS: Final = frozenset({
    "dtype", "shape", "ndim", "item", "extract", "insert", "reshape", "permute", "transpose", "astype"})
"""The members of scalars, which constants have as well."""
_branches: list[bool] = []
"""For each conditional expression that is being evaluated, innermost last, whether its condition is not known."""


def reset() -> None:
    """Forgets conditional expressions that an error left."""
    _branches.clear()


def is_dynamic(condition: Any) -> bool:
    """Whether the compiler does not know a condition."""
    return type(condition) is Tile and not condition.constant


def join(value: Any, several: bool = True) -> Any:
    """A value where paths meet, if there are several: numbers have a type, and nothing is constant."""
    return _join(value) if several else value


def meet(name: str, value: Any, branch: Branch, condition: Any) -> Any:
    """A variable after a branch on a condition."""
    if not is_dynamic(condition):
        return value
    if not is_constant(value):
        return _join(value)
    return _join_unless(branch.meet(name, value, bool(condition.data), sys._getframe(1)), value)


def repeat(name: str, value: Any, loop: Loop) -> Any:
    """A variable after a loop."""
    return _join_unless(loop.meet(name, value, sys._getframe(1)), value) if is_constant(value) else _join(value)


def _join_unless(known: Any, value: Any) -> Any:
    """A constant, or a value that is not."""
    return _join(value) if known is UNKNOWN else known


def _join(value: Any) -> Any:
    kind = type(value)
    if kind is int or kind is float or kind is bool:
        return Tile(astile_like(value).data, astile_like(value).dtype)
    if kind is Tile:
        return Tile(value.data, value.dtype, value.taint) if value.constant else value
    if kind is tuple:
        return tuple(map(_join, value)) if value else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _join_fields(value)
    return value


def _join_fields(value: Any) -> Any:
    parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if hasattr(value, f.name)}
    joined = {name: _join(part) for name, part in parts.items()}
    if all(joined[name] is parts[name] for name in parts):
        return value
    made = object.__new__(type(value))
    for name, part in joined.items():
        object.__setattr__(made, name, part)
    return made


def has_returned(known: bool, condition: Any) -> bool:
    """Whether a function may have returned already, which the compiler does not know."""
    return known or is_dynamic(condition)


def enter(condition: Any) -> Any:
    """Begins a conditional expression."""
    _branches.append(is_dynamic(condition))
    return condition


def leave(value: Any, other: ast.expr) -> Any:
    """Ends a conditional expression: its value. `other` is the expression that was not evaluated."""
    if not _branches.pop():
        return value
    if not is_constant(value):
        return _join(value)
    return _join_unless(meet_constants(value, evaluate(other, sys._getframe(1))), value)


def truth(value: Any) -> Any:
    """An operand of `and` or `or`, as a boolean."""
    if type(value) is not Tile:
        return bool(value)
    if value.ndim:
        raise TileTypeError(f"a condition must be a scalar, not a tile of shape {value.shape}")
    return value if value.dtype is BOOL else Tile(np.bool_(value.data != 0), BOOL, value.taint, value.constant)


def take_first(value: Any) -> Any:
    """The first operand of `and` or `or`."""
    told = truth(value)
    _branches.append(is_dynamic(told))
    return told


def take_next(value: Any) -> Any:
    """A later operand, which is evaluated if the earlier ones do not decide."""
    told = truth(value)
    _branches[-1] |= is_dynamic(told)
    return told


def decide(value: Any) -> Any:
    """The result: it is known if all operands that were evaluated are."""
    return join(value, _branches.pop())


def negate(value: Any) -> Any:
    """`not value`."""
    if type(value) is not Tile:
        return not value
    told = truth(value)
    return Tile(np.logical_not(told.data), BOOL, told.taint, told.constant)


def contains(value: Any, items: Any) -> Any:
    """`value in items`."""
    if type(items) is not tuple:
        return value in items
    found: Any = False
    for item in items:
        same = value == item
        if not is_dynamic(same):
            if same:
                return same
        else:
            found = same if found is False else found | same
    return found


def member(value: Any, name: str) -> Any:
    """`value.name`, where a number has the members of scalars."""
    kind = type(value)
    return getattr(astile_like(value) if kind is int or kind is float or kind is bool else value, name)


HELPERS: Final[dict[str, Callable[..., Any] | type]] = {
    "@join": join, "@meet": meet, "@repeat": repeat, "@either": has_returned, "@enter": enter, "@leave": leave,
    "@first": take_first, "@next": take_next, "@last": decide, "@negate": negate, "@contains": contains,
    "@member": member, "@unbound": NameError,
}
"""The globals of rewritten code."""
