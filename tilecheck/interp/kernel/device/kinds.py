"""The kinds of values, in words, as far as they are certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tilecheck.dtypes import DTYPES
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Builtin,
    Class,
    Const,
    Data,
    Extents,
    External,
    Function,
    Instance,
    Int,
    LambdaValue,
    Method,
    ModuleValue,
    ParamRef,
    Range,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.project.tilenames import MEMBERS
from tilecheck.syntax.tree import FuncDef, get_last_name

__all__ = ["is_number", "is_tile", "kind_of"]


def is_tile(value: Value) -> bool:
    """Whether a value is for certain a tile or a number."""
    return isinstance(value, (Int, Bool, Data)) and value.dtype is not None and value.shape is not None


def is_number(value: Value) -> bool:
    """Whether a value is for certain a number, or a tile without axes."""
    return isinstance(value, (Int, Bool, Data)) and is_tile(value) and value.shape == ()


def kind_of(m: Machine, value: Value | None) -> str | None:
    """`a tile`, `an array`, `a tuple` and so on; None if the kind is not certain."""
    handler = None if value is None else _KINDS.get(type(value))
    return None if handler is None else handler(m, value)


def _tile(m: Machine, value: Int | Bool | Data) -> str | None:
    if not is_tile(value):
        return None
    return "a number" if value.shape == () else "a tile"


def _constant(m: Machine, value: Const) -> str | None:
    if value.value is None:
        return "`None`"
    if value.value is Ellipsis:
        return "`...`"
    return "a string" if isinstance(value.value, str) else "a number" if isinstance(value.value, float) else None


def _param(m: Machine, value: ParamRef) -> str | None:
    if value.outer or value.member is not None:
        return None
    return "an array" if value.root in m.knowledge.ranked else None


_CLASSES: Final = frozenset({"int", "float", "bool", "str", "range", "tuple", "list", "dict", "set", "type", "object"})
_MODULES: Final = frozenset({"math", "numpy", "torch", "functools", "random", "os", "sys", "time", "itertools"})

_KINDS: Final[Mapping[type, Callable[[Machine, Any], str | None]]] = MappingProxyType({
    Int: _tile,
    Bool: _tile,
    Data: _tile,
    Const: _constant,
    ArrayRef: lambda m, v: "an array" if all(view.tile is None and not view.raw for _, view in v.options) else None,
    ParamRef: _param,
    Tuple: lambda m, v: "a tuple",
    Extents: lambda m, v: "a tuple",
    Range: lambda m, v: "a range",
    Function: lambda m, v: "a function",
    LambdaValue: lambda m, v: "a function",
    Class: lambda m, v: "a class",
    Instance: lambda m, v: _object(v),
    Unknown: lambda m, v: _UNFOLLOWED.get(v.what),
    TileRef: lambda m, v: _name(m, v.name),
    Builtin: lambda m, v: "a class" if v.name in _CLASSES else "a function",
    ModuleValue: lambda m, v: "a module",
    External: lambda m, v: "a module" if v.name in _MODULES else None,
    Method: lambda m, v: "a method" if is_tile(v.owner) else None,
})

_UNFOLLOWED: Final[Mapping[str, str]] = MappingProxyType({
    "formatted string": "a string", "text": "a string", "context": "a context manager",
})
"""Values that are not followed, whose kind is certain."""


def _object(value: Instance) -> str | None:
    if value.member is None:
        return "an object" if _is_plain(value) else None
    return "a member" if [get_last_name(b) for b in value.of.definition.bases] == ["Enum"] else None


def _is_plain(value: Instance) -> bool:
    """Whether a class defines no operator."""
    return not any(isinstance(s, FuncDef) and s.name.startswith("__") for s in value.of.definition.body) and not (
        value.of.definition.bases)


def _name(m: Machine, name: str) -> str | None:
    """The kind of a name of cuda.tile; an empty one is that of the module."""
    if not name:
        return "a module"
    if name in DTYPES:
        return "an element type"
    return "a function" if name in m.operations.tile else "a class" if name in MEMBERS else None

