"""Arguments of operations of cuda.tile that are of a kind which the parameter does not take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tilecheck.dtypes import DType, Kind, Weak
from tilecheck.interp.kernel.device.kinds import is_number, kind_of
from tilecheck.interp.kernel.device.note import is_passed, refuse
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import Bool, Builtin, Const, Data, Extents, Int, Tuple, Value
from tilecheck.syntax.tree import Span

__all__ = ["check_arguments", "check_format", "has_other_type"]

Check = Callable[[Machine, Value], "tuple[str, str] | None"]
"""Returns words for an argument and for the values that the parameter takes; None if it may fit."""


def check_arguments(m: Machine, name: str, given: Mapping[str, Value], span: Span) -> None:
    """Notes the arguments, by parameter, of an operation that are of a kind which it does not take."""
    for parameter, value in given.items():
        check = _SPECIAL.get((name, parameter)) or _BY_PARAMETER.get(parameter)
        found = None if check is None else check(m, value)
        if found is not None:
            refuse(m, "TC605", "argument", span, parameter, f"ct.{name}", *found)


def _array(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    return None if kind in (None, "an array") else (kind or "", "an array")


def _tile(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    return None if kind in (None, "a number", "a tile") else (kind or "", "a tile or a number")


def _number(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    return None if kind in (None, "a number", "a tile") else (kind or "", "a number")


def _dtype(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    if isinstance(value, Builtin) and value.name in ("int", "float", "bool"):
        return f"`{value.name}` of Python", f"an element type, as in `ct.{_SIZED[value.name]}`"
    return None if kind in (None, "an element type", "a class") else (kind or "", "an element type")


_SIZED: Final = MappingProxyType({"int": "int32", "float": "float32", "bool": "bool_"})


def _constant(m: Machine, value: Value) -> tuple[str, str] | None:
    """An axis."""
    kind = kind_of(m, value)
    if kind == "a number" and not _is_integer(value):
        return "a number with a fraction", "an integer constant"
    if kind == "a number":
        return ("a number that is not known when the kernel is compiled", "a constant") if is_passed(m, value) else None
    return None if kind in (None, "a tuple", "`None`") else (kind or "", "an integer constant")


def _required_constant(m: Machine, value: Value) -> tuple[str, str] | None:
    """An axis or a size that cannot be left out."""
    kind = kind_of(m, value)
    if kind in ("a tuple", "`None`") or (kind == "a number" and has_other_type(value)):
        return kind if kind != "a number" else "a number that is not an integer", "an integer constant"
    return _constant(m, value)


def _passed_number(m: Machine, value: Value) -> tuple[str, str] | None:
    return ("a value that is not known when the kernel is compiled", "a constant") if is_passed(m, value) else None


def _is_integer(value: Value) -> bool:
    return isinstance(value, Int) or (isinstance(value, Bool) and not isinstance(value.dtype, Weak))


def _grid_axis(m: Machine, value: Value) -> tuple[str, str] | None:
    number = value.term.constant if isinstance(value, Int) else None
    if number is not None and not 0 <= number <= 2:
        return str(number), "0, 1 or 2"
    kind = kind_of(m, value)
    return (kind, "0, 1 or 2") if kind in ("a tuple", "`None`") else _constant(m, value)


def _shape(m: Machine, value: Value) -> tuple[str, str] | None:
    if isinstance(value, Tuple):
        return next((found for item in value.items if (found := _extent(m, item)) is not None), None)
    if isinstance(value, Extents):
        return "the shape of an array, which is not known when the kernel is compiled", "constants"
    return _extent(m, value)


def _extent(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    if kind == "a number" and is_number(value) and is_passed(m, value):
        return "a number that is not known when the kernel is compiled", "constants: annotate it as `ct.Constant[int]`"
    if isinstance(value, Const) or kind not in (None, "a number"):
        return kind or "a value", "integer constants"
    return ("a number that is not an integer", "integer constants") if has_other_type(value) else None


def has_other_type(value: Value) -> bool:
    """Whether a number is for certain of another type than integers."""
    dtype = value.dtype if isinstance(value, (Int, Bool, Data)) else None
    return dtype in (Weak.BOOL, Weak.FLOAT) or (
        isinstance(dtype, DType) and dtype.kind not in (Kind.SIGNED, Kind.UNSIGNED))


def _index(m: Machine, value: Value) -> tuple[str, str] | None:
    if isinstance(value, Tuple):
        return next((found for item in value.items if (found := _coordinate(m, item)) is not None), None)
    return _coordinate(m, value)


def _coordinate(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    dtype = value.dtype if isinstance(value, (Int, Bool, Data)) else None
    if isinstance(value, Const):
        return kind or "a value", "integers"
    if kind == "a number" and has_other_type(value):
        return "a number that is not an integer", "integers"
    if isinstance(dtype, DType) and dtype.kind is Kind.UNSIGNED and kind == "a number":
        return f"of type {dtype.name}", "signed integers: `ct.int32(i)`"
    return None if kind in (None, "a number", "a tile") else (kind or "", "integers")


def _padding(m: Machine, value: Value) -> tuple[str, str] | None:
    kind = kind_of(m, value)
    return None if kind is None else (kind, "a member of `ct.PaddingMode`")


def _axes(m: Machine, value: Value) -> tuple[str, str] | None:
    items = value.items if isinstance(value, Tuple) else ()
    return next((found for item in items if (found := _constant(m, item)) is not None), None)


def _tiles(m: Machine, value: Value) -> tuple[str, str] | None:
    items = value.items if isinstance(value, Tuple) else ()
    return next((found for item in items if (found := _tile(m, item)) is not None), None)


def _tile_or_tiles(m: Machine, value: Value) -> tuple[str, str] | None:
    return _tiles(m, value) if isinstance(value, Tuple) and value.items else _tile(m, value)


_DIRECTIVE: Final = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[hlL]*([a-zA-Z]))")


def check_format(m: Machine, given: Sequence[Value], span: Span) -> None:
    """Notes a format of `ct.printf` with other directives than its arguments."""
    if not given:
        return
    text = given[0].value if isinstance(given[0], Const) else None
    if not isinstance(text, str):
        kind = kind_of(m, given[0])
        if kind is not None:
            refuse(m, "TC605", "argument", span, "format", "ct.printf", kind, "a string")
        return
    letters = [found[2] for found in _DIRECTIVE.finditer(text) if found[2] is not None]
    if len(letters) != len(given) - 1:
        what = f"for {len(letters)} values, and {len(given) - 1} are passed"
        refuse(m, "TC605", "argument", span, "format", "ct.printf", what, "one directive for each value")


_BY_PARAMETER: Final[Mapping[str, Check]] = MappingProxyType({
    **dict.fromkeys(("x", "y", "x1", "x2", "tile", "update", "cond", "acc", "fill_value", "value"), _tile),
    "array": _array, "axes": _axes, "axis": _constant, "dtype": _dtype, "shape": _shape, "size": _constant,
    "tiles": _tiles, "padding_mode": _padding,
})
_SPECIAL: Final[Mapping[tuple[str, str], Check]] = MappingProxyType({
    ("bid", "axis"): _grid_axis, ("num_blocks", "axis"): _grid_axis, ("load", "index"): _index,
    ("store", "index"): _index, ("ensure_constant", "value"): _passed_number, ("astile", "value"): lambda m, v: None,
    **{(name, "axis"): _required_constant for name in (
        "cumsum", "cumprod", "num_tiles", "cat", "expand_dims", "scan")},
    ("arange", "size"): _required_constant, ("num_tiles", "shape"): _shape,
    ("transpose", "x"): _tile, ("atomic_cas", "value"): _tile,
    ("reduce", "x"): _tile_or_tiles, ("scan", "x"): _tile_or_tiles,
})
