"""Values that the compiler does not take in a place: operands, items, conditions, attributes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.dtypes import SOME_INTEGER, SOME_NUMBER, DType, Kind, Weak
from tilecheck.interp.kernel.device.arguments import has_other_type
from tilecheck.interp.kernel.device.kinds import is_tile, kind_of
from tilecheck.interp.kernel.device.note import is_passed, refuse, refuse_where, suggest
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.translation.values import Stage, stage_of
from tilecheck.interp.kernel.undeclared import undecided_numbers
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Builtin,
    Const,
    Data,
    Extents,
    External,
    Function,
    Int,
    LambdaValue,
    ParamRef,
    Range,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import conj, negate
from tilecheck.syntax.tree import Constant, Expr, SliceExpr, Span

__all__ = [
    "check_attribute", "check_comparison", "check_context", "check_index", "check_item_assignment",
    "check_iterable", "check_operands", "check_range", "check_returned", "check_starred", "check_static_assertion",
    "check_static_iterable",
    "check_subscript", "check_truth", "check_unary", "check_unpacked",
]


# --- operators -------------------------------------------------------------------------------------------------------

_OPERANDS: Final = frozenset({"a number", "a tile"})
_CONVERT: Final = "use operands that are tiles or numbers"


def check_operands(m: Machine, op: str, left: Value, right: Value, span: Span) -> None:
    """Notes arithmetic with operands that have none."""
    a, b = kind_of(m, left), kind_of(m, right)
    if op == "**" and _is_integer(left) and _is_integer(right) and (is_passed(m, left) or is_passed(m, right)):
        m.power = span
        if m.storing:
            refuse(m, "TC605", "power", span)
    if op in _BITS and _is_constant_fraction(left, right):
        refuse(m, "TC605", "operator", span, op, a or "a value", b or "a value", "use integers")
    elif _is_refused(m, left, right, a, b) and (op != "+" or a != b or a not in ("a tuple", "a string")):
        refuse(m, "TC605", "operator", span, op, a or "a value", b or "a value", _suggest_operand(a, b))


_BITS: Final = frozenset({"<<", ">>", "&", "|", "^"})


def _is_constant_fraction(left: Value, right: Value) -> bool:
    """Whether both operands are constants, and one is a number with a fraction."""
    weak = [v.dtype if isinstance(v, (Int, Bool, Data)) else Weak.FLOAT if isinstance(v, Const) and isinstance(
        v.value, float) else None for v in (left, right)]
    return Weak.FLOAT in weak and all(isinstance(w, Weak) for w in weak)


def _is_integer(value: Value) -> bool:
    dtype = value.dtype if isinstance(value, (Int, Data)) else None
    return dtype in (Weak.INT, SOME_INTEGER) or (
        isinstance(dtype, DType) and dtype.kind in (Kind.SIGNED, Kind.UNSIGNED))


def check_comparison(m: Machine, op: str, left: Value, right: Value, span: Span) -> None:
    """Notes a comparison that the compiler does not translate."""
    a, b = kind_of(m, left), kind_of(m, right)
    if op in ("is", "is not"):
        if a is not None and b is not None and "`None`" not in (a, b):
            refuse(m, "TC605", "identity", span, op)
    elif op in ("in", "not in"):
        if b is not None and b not in ("a tuple", "a dict"):
            refuse(m, "TC605", "operator", span, op, a or "a value", b, "test membership in a tuple")
    elif _is_refused(m, left, right, a, b) and not (op in ("==", "!=") and _may_be_anything(left, right)):
        same = a == b and a in ("a tuple", "a string", "an element type", "a member", "a function")
        if not (same and (op in ("==", "!=") or a == "a string")) and (
                "an object" not in (a, b) and {a, b} != {"a class"}):
            refuse(m, "TC605", "operator", span, op, a or "a value", b or "a value", _suggest_operand(a, b))


def _may_be_anything(left: Value, right: Value) -> bool:
    """Whether one of them is a constant of a launch without a declared type: it may be a member or an element type."""
    return any(isinstance(v, Int) and v.dtype is SOME_NUMBER for v in (left, right))


def _is_refused(m: Machine, left: Value, right: Value, a: str | None, b: str | None) -> bool:
    """Whether the kinds of the operands are certain, and one of them has no operators."""
    if a is None or b is None:
        other = right if a is None else left
        return (a or b) == "`None`" and isinstance(other, ParamRef) and not other.outer
    return not {a, b} <= _OPERANDS


def _suggest_operand(a: str | None, b: str | None) -> str:
    for kind in (a, b):
        if kind in _INSTEAD_OF:
            return _INSTEAD_OF[kind]
    return _CONVERT


_INSTEAD_OF: Final[Mapping[str | None, str]] = MappingProxyType({
    "an array": "load a tile: `ct.load(a, index, shape)`",
    "`None`": "compare with `is`, or use a number",
    "a tuple": "use its items",
})


def check_unary(m: Machine, op: str, value: Value, span: Span) -> None:
    """Notes a unary operator of a value that has none."""
    kind = kind_of(m, value)
    if kind is not None and kind not in _OPERANDS:
        refuse(m, "TC605", "unary", span, op, kind, _suggest_operand(kind, None))


def check_truth(m: Machine, value: Value, span: Span) -> None:
    """Notes a condition that is not one number."""
    kind = kind_of(m, value)
    if kind in ("an array", "a tile", "an object", "a method", "a context manager") or (
            isinstance(value, (Extents, LambdaValue))) or (
            isinstance(value, Function) and value.closure is not None) or (
            isinstance(value, Unknown) and value.what == "formatted string") or (
            isinstance(value, Tuple) and any(is_passed(m, item) for item in value.items)):
        refuse(m, "TC605", "truth", span, kind or "a tuple")


# --- items and attributes --------------------------------------------------------------------------------------------

def check_subscript(m: Machine, value: Value, items: tuple[Expr, ...], span: Span) -> None:
    """Notes an item of a value that has none."""
    kind = kind_of(m, value)
    if kind == "an array":
        refuse(m, "TC605", "array item", span, kind)
    elif is_tile(value) and any(_is_no_axis(m, item) for item in items):
        refuse(m, "TC605", "tile item", span)
    elif kind in ("`None`", "a string", "a function", "a class", "a range", "a module", "an element type", "a method",
                  "a member", "`...`"):
        how = "compute it in `ct.static_eval`" if kind == "a string" else "use a tuple"
        refuse(m, "TC605", "item of", span, kind, how)


def _is_no_axis(m: Machine, item: Expr) -> bool:
    """Whether an item in the subscript of a tile is for certain none of `:`, `None` and `...`."""
    if isinstance(item, SliceExpr):
        return not (item.lower is None and item.upper is None and item.step is None)
    if isinstance(item, Constant):
        return item.value is not None and item.value is not Ellipsis
    with m.suspend_recording():
        kind = kind_of(m, m.eval(item))
    return kind not in (None, "`None`", "`...`")


def check_index(m: Machine, count: int | None, index: Value, span: Span) -> None:
    """Notes the index of a tuple that is not a constant inside of it."""
    kind = kind_of(m, index)
    number = index.term.constant if isinstance(index, Int) else None
    if isinstance(index, Data) or kind not in (None, "a number", "a tile") or isinstance(index, Const):
        refuse(m, "TC605", "index kind", span, kind or "a number with a fraction")
    elif number is not None and count is not None and not -count <= number < count:
        refuse(m, "TC605", "out of range", span, str(number), str(count), str(-count), str(count - 1))
    elif number is None and is_passed(m, index):
        refuse(m, "TC605", "tuple index", span)


def check_item_assignment(m: Machine, owner: Value, span: Span) -> None:
    """Notes the assignment of an item."""
    kind = kind_of(m, owner)
    if kind == "an array":
        refuse(m, "TC605", "array item set", span, kind)
    elif kind is not None:
        refuse(m, "TC605", "item set", span, kind)


_TILE: Final = frozenset({
    "dtype", "shape", "ndim", "item", "extract", "insert", "reshape", "permute", "transpose", "astype"})
_LATER: Final = frozenset({"cbrt", "exp2", "sumprod", "fma", "fmax", "fmin", "isnormal", "issubnormal", "signbit",
                           "integer"})
"""Names of `math` in later releases of Python."""
_ARRAY: Final = frozenset({
    "dtype", "shape", "strides", "ndim", "slice", "tiled_view", "get_raw_memory", "foreign_pointer", "from_foreign"})
_VIEW: Final = frozenset({
    "dtype", "tile_shape", "traversal_steps", "num_tiles", "load", "store", "atomic_store_add", "atomic_store_max",
    "atomic_store_min", "atomic_store_and", "atomic_store_or", "atomic_store_xor"})
_OPERATIONS: Final = frozenset({
    "sum", "max", "min", "prod", "argmax", "argmin", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan",
    "tanh", "floor", "ceil", "abs", "cumsum", "cumprod", "isnan", "store", "load"})
_METHODS_INSTEAD: Final[Mapping[str, str]] = MappingProxyType({
    "T": "write `ct.transpose(t)`", "to": "write `t.astype(dtype)`", "float": "write `t.astype(ct.float32)`",
    "int": "write `t.astype(ct.int32)`", "half": "write `t.astype(ct.float16)`", "view": "write `ct.reshape(t, shape)`",
    "flatten": "write `ct.reshape(t, (-1,))`", "mean": "divide `ct.sum(t, axis)` by the number of elements",
    "squeeze": "write `ct.reshape(t, shape)`", "unsqueeze": "write `ct.expand_dims(t, axis)`",
})


def check_attribute(m: Machine, value: Value, name: str, span: Span) -> None:
    """Notes an attribute that a value does not have."""
    kind = kind_of(m, value)
    if name.startswith("__") and name.endswith("__"):
        return
    if is_tile(value) or (isinstance(value, Const) and kind == "a number"):
        _check_name(m, kind or "a tile", name, _TILE, span)
    elif isinstance(value, ArrayRef):
        views = [view for _, view in value.options]
        if all(view.tile is not None for view in views):
            _check_name(m, "a tiled view", name, _VIEW, span)
        elif all(view.tile is None and not view.raw for view in views):
            _check_name(m, "an array", name, _ARRAY, span)
    elif kind == "an array":
        _check_name(m, kind, name, _ARRAY, span)
    elif isinstance(value, (Tuple, Extents)):
        _check_name(m, "a tuple", name, frozenset(), span)
    elif isinstance(value, Builtin):
        if hasattr(builtins, value.name) and not hasattr(getattr(builtins, value.name), name):
            refuse(m, "TC601", "attribute", span, f"`{value.name}`", name, "a kernel calls it by its name")
    elif isinstance(value, External) and value.name == "math":
        if not hasattr(math, name) and name not in _LATER:
            close = suggest(name, dir(math))
            refuse(m, "TC601", "attribute", span, "`math`", name, f"did you mean `math.{close}`?" if close else (
                "see the documentation of `math`"))
    elif kind in ("a string", "`None`", "a function", "a range", "an element type", "`...`", "a method") and (
            name != "join"):
        _check_name(m, kind or "", name, frozenset(), span)


def _check_name(m: Machine, kind: str, name: str, known: frozenset[str], span: Span) -> None:
    if name in known:
        return
    if name in _OPERATIONS and kind in ("a tile", "a number"):
        how = f"write `ct.{name}(t)`"
    elif kind == "an array" and (name in _TILE or name in _OPERATIONS):
        how = "load a tile first: `ct.load(a, index, shape)`"
    else:
        close = suggest(name, known)
        how = _METHODS_INSTEAD.get(name) or (f"did you mean `{close}`?" if close else f"{kind} has {_list(known)}")
    refuse(m, "TC601", "attribute", span, kind, name, how)


def _list(names: frozenset[str]) -> str:
    return ", ".join(f"`{n}`" for n in sorted(names)) or "no attributes in a kernel"


# --- statements ------------------------------------------------------------------------------------------------------

def check_iterable(m: Machine, value: Value, span: Span) -> None:
    """Notes a loop over something other than a range."""
    kind = kind_of(m, value)
    if isinstance(value, ParamRef) and not value.outer:
        kind = kind or "a parameter"
    if kind is not None and kind != "a range":
        instead = "write `for x in ct.static_iter(t)`" if kind == "a tuple" else "write `for i in range(n)`"
        refuse(m, "TC604", "iterable", span, kind, instead)


def check_static_iterable(m: Machine, value: Value, span: Span) -> None:
    """Notes a loop over items that the compiler cannot list."""
    kind = kind_of(m, value)
    if kind in _NO_ITEMS:
        refuse(m, "TC604", "static iterable", span, kind or "")
    elif isinstance(value, Range) and any(
            is_passed(m, Int(t)) for t in (value.start, value.stop, value.step)):
        refuse(m, "TC604", "static range", span)


_NO_ITEMS: Final = frozenset({
    "`None`", "a number", "a function", "an object", "a module", "an element type", "a member", "an array", "a tile",
    "a method"})


def check_range(m: Machine, values: tuple[Value, ...], span: Span) -> None:
    """Notes a range with a step that does not count up, or with a bound that is not an integer."""
    if not 1 <= len(values) <= 3:
        refuse(m, "TC604", "range arguments", span, str(len(values)))
        return
    for value in values:
        kind = kind_of(m, value)
        wrong = m.knowledge.variant is not None and has_other_type(value)
        if wrong or isinstance(value, Const) or kind not in (None, "a number", "a tile") or (
                isinstance(value, Data) and is_tile(value) and not _may_be_integer(m, value)) or (kind == "a tile"):
            refuse(m, "TC604", "bound", span, kind if kind not in ("a number", None) else "a number with a fraction")
            return
    step = values[2].term.constant if len(values) == 3 and isinstance(values[2], Int) else None
    if step is not None and step <= 0:
        refuse(m, "TC604", "step", span, str(step))


def _may_be_integer(m: Machine, value: Data) -> bool:
    """Whether a number that is computed as a fraction is one of a parameter that may be an integer."""
    return value.term is not None and not isinstance(value.dtype, DType) and bool(undecided_numbers(m, value.term))


def check_returned(m: Machine, value: Value, span: Span) -> None:
    """Notes a value that the kernel itself returns."""
    kind = kind_of(m, value)
    if kind is not None and kind != "`None`" and not m.via and not m.holdings.roles:
        refuse(m, "TC605", "returned", span, kind)


def check_unpacked(m: Machine, value: Value, have: int | None, want: int, span: Span) -> None:
    """Notes the unpacking of a value that is not a tuple of so many items."""
    kind = kind_of(m, value)
    if have is not None and kind == "a tuple" and have != want:
        refuse(m, "TC605", "unpack", span, f"a tuple of {have} items", str(want), f"write {have} names")
    elif kind is not None and kind != "a tuple":
        refuse(m, "TC605", "unpack", span, kind, str(want), "unpack a tuple")


def check_static_assertion(m: Machine, given: tuple[Value, ...], span: Span) -> None:
    """Notes an assertion of the compiler that fails in a variant, or whose condition it does not know."""
    test = given[0] if given else None
    if m.knowledge.variant is not None and isinstance(test, Bool):
        stage = stage_of(m, test)
        if stage is Stage.RUN_TIME:
            refuse(m, "TC605", "static condition", span)
        elif stage is Stage.CONSTANT and test.cond.op == "false":
            refuse(m, "TC605", "asserted", span)
    elif isinstance(test, Bool) and is_passed(m, test):
        refuse(m, "TC605", "static condition", span)
    elif isinstance(test, Bool):
        if conj(m.path, negate(test.cond)).op != "false":
            refuse_where(m, negate(test.cond), "TC605", "asserted", span)
    elif isinstance(test, (Int, Data)) and is_tile(test):
        refuse(m, "TC605", "static kind", span)


def check_context(m: Machine, value: Value, span: Span) -> None:
    """Notes a `with` of a value that is not a context manager."""
    kind = kind_of(m, value)
    if kind is not None and kind not in ("a class", "a context manager"):
        refuse(m, "TC605", "context", span, kind)


def check_starred(m: Machine, value: Value, span: Span, call: bool) -> None:
    """Notes `*` before a value that is not a tuple."""
    kind = kind_of(m, value)
    if kind is not None and kind != "a tuple":
        refuse(m, "TC603" if call else "TC605", "starred", span, kind)
