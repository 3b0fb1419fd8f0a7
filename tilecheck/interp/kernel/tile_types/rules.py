"""The result type of each operation of cuda.tile, and its use of its operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from tilecheck.dtypes import (
    BOOL,
    DTYPES,
    F32,
    FLOATS,
    I32,
    INTEGERS,
    U8,
    UNKNOWN,
    DType,
    ElementType,
    Weak,
    get_quotient_type,
    is_fraction,
    promote,
)
from tilecheck.interp.kernel.coerce import constant_int, expand, to_array
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.typing import (
    NOTHING,
    array_type,
    drop_type,
    dtype_named,
    note,
    operand,
    set_type,
    view_of,
)
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import Bool, Const, Data, Int, Shape, Tuple, Value
from tilecheck.symbolic import Term, const
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.kernel.calls import Arguments

__all__ = ["of_builtin", "of_method", "of_operation", "of_subscript", "of_unary", "type_combination"]

Rule: TypeAlias = "Callable[[Machine, str, Arguments, Value], Value]"

_TILES: Final = (Int, Bool, Data)


def of_operation(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The result of an operation of cuda.tile, or of a method of a tile, with its type."""
    rule = _RULES.get(name)
    if rule is None or m.knowledge.written is None:
        return drop_type(result)
    return rule(m, f"ct.{name}", args, result)


def of_builtin(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The same for a builtin or library function."""
    if m.knowledge.written is None or name in _HANDED_ON:
        return result
    if name == "abs" and args.positional:
        return _unary_result(m, "ct.abs", args.positional[0], args.span, result)
    if name == "len":
        return set_type(result, UNKNOWN)
    return drop_type(result)


_HANDED_ON: Final = frozenset({
    "min", "max", "sum", "math.prod", "functools.reduce", "operator.add", "operator.mul", "pow", "getattr"})
"""Functions that consist of operators. The operators check types themselves."""


def of_method(m: Machine, name: str, owner: Value, args: Arguments, result: Value) -> Value:
    """The same for a method of an array or of a view."""
    rule = _METHODS.get(name)
    if rule is None or m.knowledge.written is None:
        return result
    return rule(m, f"view.{name}", owner, args, result)


def _type_result(
    result: Value, dtype: ElementType | None, operands: tuple[Value | None, ...], made: Span | None = None,
) -> Value:
    """The result with a type, if the shapes of all operands are certain."""
    if not isinstance(result, _TILES):
        return result
    types = [operand(v) for v in operands]
    if any(t is NOTHING for t in types):
        return drop_type(result) if result.shape is not None else set_type(result, dtype)
    if made is None:
        made = next((t.made for t in types if t.shape == result.shape and t.made is not None), None)
    return set_type(result, dtype, made)


# --- element by element ----------------------------------------------------------------------------------------------

_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def type_combination(
    m: Machine, op: str, left: Value, right: Value, span: Span, result: Value, name: str = ""
) -> Value:
    """The result of a binary operator or comparison, or of the function `name` that does the same."""
    if m.knowledge.written is None or not isinstance(result, (*_TILES, Const)):
        return result
    a, b = operand(left), operand(right)
    if a is NOTHING or b is NOTHING:
        return drop_type(result)
    if op == "@":
        note(m, "mma", "@", (a, b), span)
        return set_type(result, promote(a.dtype, b.dtype) or UNKNOWN, span)
    both = isinstance(a.dtype, Weak) and isinstance(b.dtype, Weak)
    if not both:
        note(m, "elementwise", name or op, (a, b), span)
    if isinstance(result, Const):
        # a constant with a type of its own is none that takes on another
        return result if both else Data((), None, (), _combined_type(op, a, b))
    made = next((o.made for o in (a, b) if o.shape == result.shape and o.made is not None), None)
    return set_type(result, _combined_type(op, a, b), made)


def _combined_type(op: str, a: Operand, b: Operand) -> ElementType:
    if op in _COMPARISONS:
        if isinstance(a.dtype, Weak) and isinstance(b.dtype, Weak):
            return Weak.BOOL
        return BOOL if a.shape or b.shape or isinstance(a.dtype, DType) or isinstance(b.dtype, DType) else UNKNOWN
    if op == "**" and isinstance(a.dtype, DType) and a.dtype in FLOATS and b.dtype in INTEGERS:
        return a.dtype
    if UNKNOWN in (a.dtype, b.dtype):
        return UNKNOWN
    dtype = promote(a.dtype, b.dtype)
    if dtype is None:
        return UNKNOWN
    if op == "/":
        return get_quotient_type(dtype)
    # a symbol may stand for a truth value, which takes part in arithmetic with another one as a number only
    return dtype


def of_unary(m: Machine, op: str, value: Value, span: Span, result: Value) -> Value:
    """The result of `-x`, `~x` or `not x`."""
    if m.knowledge.written is None:
        return result
    return _unary_result(m, {"-": "ct.negative", "~": "ct.bitwise_not"}.get(op, op), value, span, result)


def _unary_result(m: Machine, op: str, value: Value, span: Span, result: Value) -> Value:
    x = operand(value)
    if x is NOTHING:
        return drop_type(result)
    if op in ("ct.bitwise_not", "ct.floor", "ct.ceil", "ct.isnan") and not isinstance(x.dtype, Weak):
        note(m, "unary", op, (x,), span)
    return _type_result(result, _UNARY_TYPES.get(op, _fraction)(x.dtype), (value,))


_TypeRule: TypeAlias = "Callable[[ElementType | None], ElementType | None]"


def _fraction(dtype: ElementType | None) -> ElementType | None:
    return Weak.FLOAT if isinstance(dtype, Weak) else F32 if dtype in INTEGERS or dtype is BOOL else (
        dtype if is_fraction(dtype) else UNKNOWN)


def _number(dtype: ElementType | None) -> ElementType | None:
    return I32 if dtype is BOOL else dtype if dtype in FLOATS or dtype in INTEGERS or dtype in (
        Weak.INT, Weak.FLOAT) else UNKNOWN


def _of_tile(dtype: ElementType | None) -> ElementType | None:
    return UNKNOWN if isinstance(dtype, Weak) else dtype


_UNARY_TYPES: Final[Mapping[str, _TypeRule]] = {
    "ct.negative": _number, "ct.bitwise_not": _of_tile, "ct.abs": _of_tile, "ct.floor": _of_tile,
    "ct.ceil": _of_tile,
    "not": lambda dtype: Weak.BOOL if isinstance(dtype, Weak) else BOOL,
    "ct.isnan": lambda dtype: UNKNOWN if isinstance(dtype, Weak) else BOOL,
}


def _unary(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    return drop_type(result) if value is None else _unary_result(m, op, value, args.span, result)


def _binary(symbol: str, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    if "x" not in given or "y" not in given:
        return drop_type(result)
    return type_combination(m, symbol, given["x"], given["y"], args.span, result, op)


def _where(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("cond", "x", "y"))
    values = tuple(given.get(n) for n in ("cond", "x", "y"))
    cond, x, y = (operand(v) for v in values)
    note(m, "elementwise", op, (cond, x, y), args.span)
    dtype = UNKNOWN if UNKNOWN in (x.dtype, y.dtype) else promote(x.dtype, y.dtype)
    return _type_result(result, UNKNOWN if isinstance(dtype, Weak) else dtype or UNKNOWN, values)


# --- conversions and factories ---------------------------------------------------------------------------------------

def _astype(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    dtype, x = dtype_named(given.get("dtype")), operand(given.get("x"))
    rounded = "rounding_mode" in given and given["rounding_mode"] != Const(None)
    if x is not NOTHING:
        note(m, "astype", op, (x, Operand(dtype, None)), args.span, (int(rounded),))
    return _type_result(result, dtype, (given.get("x"),))


def _bitcast(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    dtype, x = dtype_named(given.get("dtype")), operand(given.get("x"))
    if x is not NOTHING:
        note(m, "bitcast", op, (x, Operand(dtype, None)), args.span)
    return _type_result(result, dtype, (given.get("x"),))


def _constructor(name: str, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`ct.float32(x)`"""
    return _type_result(result, DTYPES[name], args.positional[:1])


def _astile(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("value",))
    return _type_result(result, dtype_named(given.get("dtype")), (given.get("value"),))


def _extents(m: Machine, op: str, shape: Shape | None, span: Span) -> None:
    if shape is not None:
        note(m, "extents", op, (Operand(UNKNOWN, shape),), span)


def _factory(names: tuple[str, ...], m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(names)
    if not isinstance(result, _TILES):
        return result
    _extents(m, op, result.shape, args.span)
    filling = operand(given.get("fill_value"))
    if filling.shape:
        note(m, "scalar", op, (filling,), args.span)
    return set_type(result, dtype_named(given.get("dtype")), args.span)


def _grid(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    return set_type(result, I32)


def _num_tiles(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "axis", "shape"))
    shape, axis = _shape(m, given.get("shape")), constant_int(given.get("axis", NONE))
    _extents(m, op, shape, args.span)
    if shape and axis is not None:
        note(m, "axes", op, (Operand(UNKNOWN, shape),), args.span, (axis,))
    return set_type(result, I32)


NONE: Final = Const(None)


def _shape(m: Machine, value: Value | None) -> Shape | None:
    """A shape as it is written."""
    if value is None:
        return None
    items = expand(m, value)
    found = [_extent(v) for v in (items if items is not None else (value,))]
    known = tuple(e for e in found if e is not None)
    return known if len(known) == len(found) else None


def _extent(value: Value) -> Term | None:
    if isinstance(value, Int):
        return value.term if value.shape == () else None
    n = constant_int(value)
    return None if n is None else const(n)


def _numbers(m: Machine, value: Value | None) -> tuple[int, ...] | None:
    """Axes that are constants."""
    if value is None:
        return None
    items = expand(m, value)
    found = [constant_int(v) for v in (items if items is not None else (value,))]
    known = tuple(n for n in found if n is not None)
    return known if len(known) == len(found) else None


# --- shapes ----------------------------------------------------------------------------------------------------------

def _get_rest(args: Arguments, name: str) -> Value | None:
    """The second argument of a method that also takes its items one by one."""
    return args.take(("x", name)).get(name)


def _reshape(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    shape = _shape(m, _get_rest(args, "shape"))
    x = operand(value)
    if shape is not None and x is not NOTHING and len(args.positional) <= 2:
        note(m, "reshape", op, (x, Operand(UNKNOWN, shape)), args.span)
    return _type_result(result, x.dtype, (value,), args.span)


def _permute(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    axes = _numbers(m, _get_rest(args, "axes"))
    x = operand(value)
    if axes is not None and len(args.positional) <= 2 and x is not NOTHING:
        note(m, "permute", op, (x,), args.span, axes)
    return _type_result(result, x.dtype, (value,), args.span)


def _transpose(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis0", "axis1"))
    pair = [given[n] for n in ("axis0", "axis1") if n in given and given[n] != NONE]
    axes = tuple(n for n in map(constant_int, pair) if n is not None)
    x = operand(given.get("x"))
    if x is not NOTHING and len(axes) == len(pair) and len(axes) in (0, 2):
        note(m, "transpose", op, (x,), args.span, axes)
    if x.shape is not None and not pair and len(x.shape) != 2:
        return drop_type(result)
    return _type_result(result, x.dtype, (given.get("x"),), args.span)


def _expand_dims(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    axes, x = _numbers(m, given.get("axis")), operand(given.get("x"))
    if axes is not None and x is not NOTHING:
        note(m, "axes", op, (x,), args.span, axes)
    return _type_result(result, x.dtype, (given.get("x"),))


def _broadcast_to(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "shape"))
    x, shape = operand(given.get("x")), _shape(m, given.get("shape"))
    _extents(m, op, shape, args.span)
    if shape is not None and x is not NOTHING:
        note(m, "into", op, (x, Operand(None, shape, None, args.span)), args.span)
    return _type_result(result, x.dtype, (given.get("x"),), args.span)


def _cat(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", NONE)) or ()
    axes = _numbers(m, given.get("axis"))
    types = [operand(t) for t in tiles]
    if not types or any(t is NOTHING for t in types) or axes is None or len(axes) != 1:
        return drop_type(result)
    note(m, "cat", op, types, args.span, axes)
    first = types[0].dtype
    return _type_result(result, first if all(t.dtype == first for t in types) else UNKNOWN, tiles, args.span)


def _extract(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "shape"))
    x, shape = operand(given.get("x")), _shape(m, given.get("shape"))
    _extents(m, op, shape, args.span)
    if shape is not None and x is not NOTHING:
        note(m, "part", op, (x, Operand(x.dtype, shape)), args.span, _count(m, given.get("index")))
    return _type_result(result, x.dtype, (given.get("x"),), args.span)


def _insert(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "value"))
    x, part = operand(given.get("x")), operand(given.get("value"))
    if x is not NOTHING and part is not NOTHING and not isinstance(part.dtype, Weak):
        note(m, "part", op, (x, part), args.span, _count(m, given.get("index")))
    return _type_result(result, x.dtype, (given.get("x"),))


def _count(m: Machine, index: Value | None) -> tuple[int, ...]:
    """How many indices are given, where that is known."""
    if index is None:
        return ()
    items = expand(m, index)
    if items is not None:
        return (len(items),)
    return (1,) if isinstance(index, Int) and index.shape == () else ()


def _item(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    x = operand(args.positional[0])
    if x is not NOTHING:
        note(m, "reshape", "item", (x, Operand(UNKNOWN, ())), args.span)
    return _type_result(result, operand(args.positional[0]).dtype, args.positional[:1])


def _pack(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    x = operand(args.take(("x",)).get("x"))
    if x is not NOTHING:
        note(m, "pack", op, (x,), args.span)
    return set_type(result, U8, args.span)


def _unpack(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    x, dtype = operand(given.get("x")), dtype_named(given.get("dtype"))
    if x is not NOTHING:
        note(m, "unpack", op, (x, Operand(dtype, None)), args.span)
    return set_type(result, dtype, args.span)


def of_subscript(m: Machine, value: Value, kept: int, span: Span) -> None:
    """Checks `t[:, None]`, in which `:` retains this many axes."""
    x = operand(value)
    if x is not NOTHING and m.knowledge.written is not None:
        note(m, "subscript", "[...]", (x,), span, (kept,))


# --- reductions, scans, products -------------------------------------------------------------------------------------

def _reduction(dtype: ElementType | None) -> ElementType | None:
    return I32 if dtype is BOOL else dtype if dtype in INTEGERS or dtype in FLOATS else UNKNOWN


def _reduce(places: DType | None, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`places` is the type of positions that are found; None where values are."""
    given = args.take(("x", "axis"))
    x = operand(given.get("x"))
    if x is NOTHING:
        return drop_type(result)
    axis = given.get("axis")
    scan = op in ("ct.cumsum", "ct.cumprod")
    axes = () if (axis is None and not scan) or axis == NONE else (0,) if axis is None else _numbers(m, axis)
    if axes is not None:
        note(m, "axes" if places else "reduce", op, (x,), args.span, axes)
    return _type_result(result, places or _reduction(x.dtype), (given.get("x"),), None if scan else args.span)


def _type_general(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`ct.reduce` and `ct.scan`, by a function of the author."""
    given = args.take(("x", "axis"))
    x, axes = operand(given.get("x")), _numbers(m, given.get("axis"))
    if x is NOTHING:
        return result if isinstance(result, Tuple) else drop_type(result)
    if axes is not None:
        note(m, "axes", op, (x,), args.span, axes)
    return _type_result(result, None if isinstance(x.dtype, Weak) else x.dtype, (given.get("x"),), args.span)


def _mma(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y", "acc"))
    x, y, acc = (operand(given.get(n)) for n in ("x", "y", "acc"))
    note(m, "mma", op, (x, y, acc), args.span)
    return _type_result(result, acc.dtype, (given.get("acc"),))


def _mma_scaled(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    given = {_SCALE_NAMES.get(k, k): v for k, v in given.items()}
    operands = tuple(operand(given.get(n)) for n in ("x", "xs", "y", "ys", "acc"))
    note(m, "mma_scaled", op, operands, args.span)
    return _type_result(result, operands[-1].dtype, (given.get("acc"),))


_SCALE_NAMES: Final[Mapping[str, str]] = {"x_scale": "xs", "y_scale": "ys"}


def _matmul(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    x, y = operand(given.get("x")), operand(given.get("y"))
    note(m, "mma", op, (x, y), args.span)
    dtype = UNKNOWN if UNKNOWN in (x.dtype, y.dtype) else promote(x.dtype, y.dtype)
    return _type_result(result, dtype or UNKNOWN, (given.get("x"), given.get("y")), args.span)


# --- memory ----------------------------------------------------------------------------------------------------------

def _array(m: Machine, value: Value | None) -> tuple[Operand, str]:
    """The type of an array that is given, and its name."""
    ref = None if value is None else to_array(m, value)
    if ref is None or not ref.options:
        return Operand(UNKNOWN, None), ""
    view = view_of(ref)
    return Operand(array_type(m, ref), None), "" if view is None else view.root.text


def _indices_of(m: Machine, op: str, given: Mapping[str, Value], name: str, tiles: bool, span: Span) -> int | None:
    """Notes the indices, and says how many there are."""
    index = given.get(name)
    if index is None:
        return None
    items = expand(m, index)
    if items is None and not isinstance(index, _TILES):
        return None
    parts = items if items is not None else (index,)
    note(m, "indices", op, [operand(v) for v in parts], span, (int(tiles),))
    return len(parts)


def _load(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "index", "shape"))
    shape = _shape(m, given.get("shape"))
    count = _indices_of(m, op, given, "index", False, args.span)
    array, name = _array(m, given.get("array"))
    _extents(m, op, shape, args.span)
    if count is not None:
        note(m, "load", op, (array, Operand(UNKNOWN, shape)), args.span, (count,), name)
    # a result whose rank differs from that of the index is not a tile
    return result if shape is None or count is None or not shape or len(shape) == count else drop_type(result)


def _store(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "index", "tile"))
    count = _indices_of(m, op, given, "index", False, args.span)
    array, name = _array(m, given.get("array"))
    tile = operand(given.get("tile"))
    if count is not None:
        note(m, "store", op, (tile, array), args.span, (count,), name)
    return result


def _find_common_shape(m: Machine, given: Mapping[str, Value], name: str = "indices") -> Shape | None:
    """The shape that indices of elements have together; None where it is not certain."""
    from tilecheck.interp.kernel.tile_types.extents import broadcast_shapes

    index = given.get(name)
    if index is None:
        return None
    items = expand(m, index)
    types = [operand(v) for v in (items if items is not None else (index,))]
    return None if any(t is NOTHING for t in types) else broadcast_shapes(*(t.shape for t in types))


def _gather(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices"))
    shape = _at_elements(m, op, given, args.span)
    array, _ = _array(m, given.get("array"))
    if "padding_value" in given:
        padding = operand(given["padding_value"])
        note(m, "into", f"{op} padding", (padding, Operand(array.dtype, shape, None, args.span)), args.span)
    return result if shape is not None and isinstance(result, _TILES) and result.shape == shape else drop_type(result)


def _at_elements(m: Machine, op: str, given: Mapping[str, Value], span: Span) -> Shape | None:
    """Notes what an access by elements asks of its indices and its mask. The shape of the indices."""
    count = _indices_of(m, op, given, "indices", True, span)
    array, name = _array(m, given.get("array"))
    if count is not None:
        note(m, "load", op, (array, NOTHING), span, (count,), name)
    shape = _find_common_shape(m, given)
    mask = given.get("mask")
    if mask is not None and mask != NONE:
        note(m, "mask", op, (operand(mask), Operand(None, shape, None, span)), span)
    return shape


def _scatter(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices", "value"))
    shape = _at_elements(m, op, given, args.span)
    array, name = _array(m, given.get("array"))
    value = operand(given.get("value"))
    note(m, "into", op, (value, Operand(array.dtype, shape, None, args.span)), args.span, (), name)
    return result


def _atomic(names: tuple[str, ...], m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices", *names))
    shape = _at_elements(m, op, given, args.span)
    array, name = _array(m, given.get("array"))
    updates = [operand(given.get(n)) for n in names]
    note(m, "atomic", op, (*updates, Operand(array.dtype, shape, None, args.span)), args.span, (), name)
    if shape is None or not isinstance(result, _TILES) or result.shape != shape:
        return drop_type(result)
    return set_type(result, array.dtype, args.span)


# --- methods of arrays and views -------------------------------------------------------------------------------------

MethodRule: TypeAlias = "Callable[[Machine, str, Value, Arguments, Value], Value]"


def _tiled_view(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    shape = _shape(m, args.take(("tile_shape",)).get("tile_shape"))
    _extents(m, op, shape, args.span)
    return result


def _view(m: Machine, owner: Value) -> tuple[Operand, str]:
    """The type of the tiles of a view, and the name of its array."""
    ref = to_array(m, owner)
    view = None if ref is None else view_of(ref)
    if ref is None or view is None:
        return Operand(UNKNOWN, None), ""
    return Operand(array_type(m, ref), view.tile), view.root.text


def _view_load(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    view, name = _view(m, owner)
    count = _indices_of(m, op, args.take(("index",)), "index", False, args.span)
    if count is not None and view.shape:
        note(m, "load", op, (Operand(view.dtype, None), view), args.span, (count,), name)
    return result


def _view_store(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    given = args.take(("index", "tile"))
    view, name = _view(m, owner)
    count = _indices_of(m, op, given, "index", False, args.span)
    if count is not None and view.shape:
        note(m, "load", op, (Operand(view.dtype, None), view), args.span, (count,), name)
    note(m, "into", op, (operand(given.get("tile")), view), args.span, (), name)
    return result


def _view_atomic(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    given = args.take(("index", "update"))
    view, name = _view(m, owner)
    _indices_of(m, op, given, "index", False, args.span)
    note(m, "atomic", op, (operand(given.get("update")), view), args.span, (), name)
    return result


_FRACTIONS: Final = ("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")
_SYMBOLS: Final[Mapping[str, str]] = {
    "truediv": "/", "cdiv": "//", "atan2": "atan2"}
_OPERATORS: Final = (
    "add", "sub", "mul", "floordiv", "mod", "pow", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor",
    "bitwise_lshift", "bitwise_rshift", "greater", "greater_equal", "less", "less_equal", "equal", "not_equal",
    "divmod", "negative", "bitwise_not")
"""Functions that consist of operators. The operators check types themselves."""
_NAMED: Final = tuple(DTYPES)


def _identity(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    return result


_RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys((*_FRACTIONS, "abs", "floor", "ceil", "isnan"), _unary),
    **{name: partial(_binary, symbol) for name, symbol in _SYMBOLS.items()}, "where": _where,
    "astype": _astype, "bitcast": _bitcast, **{name: partial(_constructor, name) for name in _NAMED},
    "astile": _astile, "full": partial(_factory, ("shape", "fill_value", "dtype")),
    **dict.fromkeys(("zeros", "ones"), partial(_factory, ("shape", "dtype"))), "arange": partial(_factory, ("size",)),
    **dict.fromkeys(("bid", "num_blocks"), _grid), "num_tiles": _num_tiles, "reshape": _reshape, "permute": _permute,
    "transpose": _transpose, "expand_dims": _expand_dims, "broadcast_to": _broadcast_to, "cat": _cat,
    "extract": _extract, "insert": _insert, "item": _item, "pack_to_bytes": _pack, "unpack_from_bytes": _unpack,
    **dict.fromkeys(("sum", "prod", "max", "min", "cumsum", "cumprod"), partial(_reduce, None)),
    **dict.fromkeys(("argmax", "argmin"), partial(_reduce, I32)), **dict.fromkeys(("reduce", "scan"), _type_general),
    "mma": _mma, "mma_scaled": _mma_scaled, "matmul": _matmul, "load": _load, "store": _store, "gather": _gather,
    "scatter": _scatter,
    **{f"atomic_{k}": partial(_atomic, ("update",)) for k in ("add", "max", "min", "and", "or", "xor", "xchg")},
    "atomic_cas": partial(_atomic, ("expected", "desired")),
    **dict.fromkeys((*_OPERATORS, "static_eval", "ensure_constant", "assume_divisible_by"), _identity),
}
_METHODS: Final[Mapping[str, MethodRule]] = {
    "tiled_view": _tiled_view, "load": _view_load, "store": _view_store,
    **{f"atomic_store_{k}": _view_atomic for k in ("add", "max", "min", "and", "or", "xor")},
    "num_tiles": lambda m, op, owner, args, result: set_type(result, I32),
}
