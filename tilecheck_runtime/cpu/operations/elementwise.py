"""Element-wise operations: arithmetic, comparisons, bits, mathematics, selection and conversion."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.dtypes import (
    BOOL,
    DTYPES,
    FLOAT,
    FLOAT32,
    INT32,
    INTEGRAL,
    DType,
    as_dtype,
    common,
    loose_dtype,
    promote,
)
from tilecheck_runtime.cpu.errors import TileTypeError, TileUnsupportedFeatureError, TileValueError
from tilecheck_runtime.cpu.taint import Taint, merged
from tilecheck_runtime.cpu.tile import Tile, cast, convert, extend, scalar

__all__ = ["NAMES", "add", "astile_like", "astype", "joint_dtype", "maximum", "minimum", "mul", "operand", "where"]

BOOLEAN: Final = DTYPES["bool_"]
Function = Callable[..., Any]


def joint_dtype(a: Any, b: Any) -> DType:
    """The type in which an operation on both is done; one of them at least is a tile."""
    if type(a) is Tile:
        return promote(a.dtype, b.dtype) if type(b) is Tile else common(a.dtype, b)
    return common(b.dtype, a)


def operand(value: Any, dtype: DType) -> Any:
    """A tile or number as NumPy elements in which operations of `dtype` are computed."""
    compute = dtype.compute
    if type(value) is Tile:
        data = value.data
        return data if data.dtype is compute else cast(data, dtype).astype(compute)
    try:
        return compute.type(value)
    except OverflowError:
        raise TileValueError(f"{value} is out of the range of {dtype}") from None


def result(data: Any, dtype: DType, *operands: Any) -> Tile:
    """A tile of computed elements, rounded to storage, with what its operands carry."""
    if data.dtype is not dtype.storage:
        data = data.astype(dtype.storage)
    tile = Tile(data, dtype)
    for item in operands:
        if type(item) is Tile and item.taint is not None:
            tile.taint = merged([o.taint for o in operands if type(o) is Tile], np.shape(data))
            break
    return tile


def astile_like(value: Any) -> Tile:
    """A number as a tile of the type it has by itself; a tile is itself."""
    return value if type(value) is Tile else scalar(value, loose_dtype(value))


def _no_divisor_zero(data: Any, divisor: Any, tile: Tile) -> Tile:
    """Lanes of an integer division by zero are undefined."""
    zero = divisor == 0
    if zero.any():
        lanes = np.broadcast_to(zero, np.shape(data))
        fresh = Taint(lanes, (machine.undefined("an integer division by zero"),))
        tile.taint = merged([tile.taint, fresh], np.shape(data))
    return tile


def _arithmetic(compute: Function, loose: Function, real: bool = False, divides: bool = False) -> Function:
    def operation(x: Any, y: Any, /, **_: Any) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if dtype.category == BOOL:
            raise TileTypeError(f"{loose.__name__} does not take booleans: cast them to integers")
        if real and dtype.category == INTEGRAL:
            dtype = FLOAT32
        a, b = operand(x, dtype), operand(y, dtype)
        data = compute(a, b)
        tile = result(data, dtype, x, y)
        return _no_divisor_zero(data, b, tile) if divides and dtype.category == INTEGRAL else tile

    return operation


def _comparison(compute: Function, loose: Function, exact: bool = False) -> Function:
    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        if y is None or x is None:
            return loose is operator.ne
        dtype = joint_dtype(x, y)
        tile = result(compute(operand(x, dtype), operand(y, dtype)), BOOLEAN, x, y)
        if not exact and tile.taint is not None and tile.taint.tokens:
            kept = tuple(t for t in tile.taint.tokens if not t.exact)
            tile.taint = Taint(tile.taint.lanes, tile.taint.sources, kept)
        return tile

    return operation


def _lanes(value: Any, shape: tuple[int, ...]) -> Any:
    taint = value.taint if type(value) is Tile else None
    return np.broadcast_to(False if taint is None or taint.lanes is None else taint.lanes, shape)


def _bits(compute: Function, loose: Function, absorbing: bool | None = None) -> Function:
    """Bitwise operations. `absorbing`: the boolean that decides the result whatever the other operand is."""

    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if dtype.category > INTEGRAL:
            raise TileTypeError("bitwise operations take integers and booleans: bitcast other types")
        a, b = operand(x, dtype), operand(y, dtype)
        tile = result(compute(a, b), dtype, x, y)
        taint = tile.taint
        if taint is not None and taint.lanes is not None and dtype.category == BOOL and absorbing is not None:
            shape = tile.shape
            decided = ((a == absorbing) & ~_lanes(x, shape)) | ((b == absorbing) & ~_lanes(y, shape))
            lanes = taint.lanes & ~decided
            tile.taint = Taint(lanes, taint.sources, taint.tokens) if lanes.any() else None
        return tile

    return operation


def _shift(compute: Function, loose: Function) -> Function:
    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if dtype.category != INTEGRAL:
            raise TileTypeError("shifts take integers")
        return result(compute(operand(x, dtype), operand(y, dtype)), dtype, x, y)

    return operation


def _number_of(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _unary(compute: Function, real: bool = True, boolean: DType | None = FLOAT32) -> Function:
    """`real`: integers become single precision. `boolean`: what booleans become."""

    def operation(x: Any, /, **_: Any) -> Any:
        if type(x) is not Tile:
            return _number_of(compute(float(x) if real else x))
        dtype = x.dtype
        if dtype.category == BOOL and boolean is not None:
            dtype = boolean
        if real and dtype.category <= INTEGRAL:
            dtype = FLOAT32
        return result(np.asarray(compute(operand(x, dtype)))[()], dtype, x)

    return operation


def _pow(x: Any, y: Any, /) -> Any:
    if type(x) is not Tile and type(y) is not Tile:
        return x ** y
    dtype = x.dtype if type(x) is Tile and x.dtype.category == FLOAT else joint_dtype(x, y)
    exponent = operand(y, dtype) if dtype.category > INTEGRAL else np.maximum(operand(y, dtype), 0)
    return result(np.power(operand(x, dtype), exponent), dtype, x, y)


def _cdiv(x: Any, y: Any, /) -> Any:
    if type(x) is not Tile and type(y) is not Tile:
        return -(-x // y)
    dtype = joint_dtype(x, y)
    a, b = operand(x, dtype), operand(y, dtype)
    if dtype.category == INTEGRAL:
        data = np.floor_divide(a, b) + (np.remainder(a, b) != 0).astype(dtype.storage)
        return _no_divisor_zero(data, b, result(data, dtype, x, y))
    return result(np.ceil(a / b), dtype, x, y)


def _isnan(x: Any, /) -> Any:
    if type(x) is not Tile:
        return x != x
    return result(np.isnan(x.data.astype(x.dtype.compute)), BOOLEAN, x)


def _extremum(ignoring: Function, propagating: Function, plain: Function, loose: Function) -> Function:
    def operation(x: Any, y: Any, /, *, flush_to_zero: Any = False, propagate_nan: Any = False) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        compute = plain if dtype.category <= INTEGRAL else propagating if propagate_nan else ignoring
        return result(compute(operand(x, dtype), operand(y, dtype)), dtype, x, y)

    return operation


def where(cond: Any, x: Any, y: Any, /) -> Tile:
    """Selection. Lanes not selected are not observed."""
    cond, x, y = astile_like(cond), _adapted(x, y), _adapted(y, x)
    dtype = promote(x.dtype, y.dtype)
    chosen = cond.data if cond.dtype is BOOLEAN else cond.data != 0
    data = np.where(chosen, operand(x, dtype), operand(y, dtype))[()]
    tile = Tile(data if data.dtype is dtype.storage else data.astype(dtype.storage), dtype)
    if cond.taint is None and x.taint is None and y.taint is None:
        return tile
    shape = tile.shape
    whole = merged((cond.taint, x.taint, y.taint), shape)
    if whole is None or whole.lanes is None:
        tile.taint = whole
        return tile
    lanes = np.where(chosen, _lanes(x, shape), _lanes(y, shape)) | _lanes(cond, shape)
    tile.taint = Taint(lanes, whole.sources, whole.tokens) if lanes.any() else None
    return tile


def _adapted(value: Any, other: Any) -> Tile:
    if type(value) is Tile:
        return value
    dtype = common(other.dtype, value) if type(other) is Tile else joint_loose(value, other)
    return scalar(value, dtype)


def joint_loose(a: Any, b: Any) -> DType:
    """The type of two Python numbers together."""
    return promote(loose_dtype(a), loose_dtype(b))


def astype(x: Any, dtype: Any, /, *, rounding_mode: Any = None) -> Tile:
    """Conversion. Raises TileUnsupportedFeatureError for directed rounding, except of floats to integers."""
    target = as_dtype(dtype)
    name = getattr(rounding_mode, "name", None)
    if name in (None, "RN", "RZI", "FULL", "APPROX"):
        return convert(x, target)
    return _directed(x, target, str(name))


def _directed(x: Any, target: DType, mode: str) -> Tile:
    source = astile_like(x)
    if target.category < FLOAT or mode not in ("RZ", "RP", "RM"):
        raise TileUnsupportedFeatureError(f"astype to {target} with rounding mode {mode} is not supported on the CPU")
    exact = source.data.astype(np.float64)
    nearest = cast(source.data, target)
    value = nearest.astype(np.float64)
    over, under = value > exact, value < exact
    wrong = {"RZ": np.where(exact > 0, over, under), "RP": under, "RM": over}[mode]
    if not np.any(wrong):
        return Tile(nearest, target, source.taint)
    unsigned = np.asarray(nearest).view(f"u{target.storage.itemsize}")
    away = (value >= 0) == (mode == "RP")
    step = np.where(away & (mode != "RZ"), unsigned + 1, unsigned - 1).astype(unsigned.dtype)
    return Tile(np.where(wrong, step, unsigned).view(target.storage)[()], target, source.taint)


def bitcast(x: Any, /, dtype: Any) -> Tile:
    """The same bits as another type of the same width."""
    target, source = as_dtype(dtype), astile_like(x)
    if target.bits != source.dtype.bits:
        raise TileTypeError(f"bitcast of {source.dtype} to {target}: the widths differ")
    return Tile(np.asarray(source.data).view(target.storage)[()], target, source.taint)


def _loose_truediv(x: Any, y: Any) -> Any:
    return x / y if y else float(np.divide(np.float64(x), np.float64(y)))


def _divmod(x: Any, y: Any, /) -> Any:
    return NAMES["floordiv"](x, y), NAMES["mod"](x, y)


def _invert(x: Any, /) -> Any:
    if type(x) is not Tile:
        return (not x) if isinstance(x, bool) else ~x
    if x.dtype.category > INTEGRAL:
        raise TileTypeError("bitwise_not takes integers and booleans")
    return result(np.invert(x.data), x.dtype, x)


add: Final = _arithmetic(np.add, operator.add)
mul: Final = _arithmetic(np.multiply, operator.mul)
minimum: Final = _extremum(np.fmin, np.minimum, np.minimum, min)
maximum: Final = _extremum(np.fmax, np.maximum, np.maximum, max)

NAMES: Final[dict[str, Function]] = {
    "add": add, "sub": _arithmetic(np.subtract, operator.sub), "mul": mul,
    "truediv": _arithmetic(np.divide, _loose_truediv, real=True),
    "floordiv": _arithmetic(np.floor_divide, operator.floordiv, divides=True),
    "mod": _arithmetic(np.remainder, operator.mod, divides=True),
    "divmod": _divmod, "pow": _pow, "cdiv": _cdiv,
    "atan2": _arithmetic(np.arctan2, np.arctan2, real=True),
    "minimum": minimum, "maximum": maximum,
    "bitwise_and": _bits(np.bitwise_and, operator.and_, False), "bitwise_or": _bits(np.bitwise_or, operator.or_, True),
    "bitwise_xor": _bits(np.bitwise_xor, operator.xor), "bitwise_not": _invert,
    "bitwise_lshift": _shift(np.left_shift, operator.lshift),
    "bitwise_rshift": _shift(np.right_shift, operator.rshift),
    "greater": _comparison(np.greater, operator.gt), "greater_equal": _comparison(np.greater_equal, operator.ge),
    "less": _comparison(np.less, operator.lt), "less_equal": _comparison(np.less_equal, operator.le),
    "equal": _comparison(np.equal, operator.eq, exact=True),
    "not_equal": _comparison(np.not_equal, operator.ne, exact=True),
    "exp": _unary(np.exp), "exp2": _unary(np.exp2), "log": _unary(np.log), "log2": _unary(np.log2),
    "sqrt": _unary(np.sqrt), "rsqrt": _unary(lambda x: 1 / np.sqrt(x)), "sin": _unary(np.sin), "cos": _unary(np.cos),
    "tan": _unary(np.tan), "sinh": _unary(np.sinh), "cosh": _unary(np.cosh), "tanh": _unary(np.tanh),
    "floor": _unary(np.floor), "ceil": _unary(np.ceil), "abs": _unary(np.abs, real=False, boolean=None),
    "negative": _unary(np.negative, real=False, boolean=INT32), "isnan": _isnan,
    "where": where, "astype": astype, "bitcast": bitcast,
}

_OPERATORS: Final = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
    "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_lshift",
    "rshift": "bitwise_rshift", "divmod": "divmod",
}
_COMPARED: Final = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                    "ne": "not_equal"}
_UNARY: Final = {"neg": "negative", "invert": "bitwise_not", "abs": "abs"}


def _forward(function: Function) -> Function:
    return lambda self, other: function(self, other) if _is_operand(other) else NotImplemented


def _reflected(function: Function) -> Function:
    return lambda self, other: function(other, self) if _is_operand(other) else NotImplemented


def _is_operand(value: Any) -> bool:
    return type(value) is Tile or isinstance(value, (bool, int, float))


def _single(function: Function) -> Function:
    return lambda self: function(self)


extend(Tile, {f"__{name}__": _forward(NAMES[target]) for name, target in (_OPERATORS | _COMPARED).items()})
extend(Tile, {f"__r{name}__": _reflected(NAMES[target]) for name, target in _OPERATORS.items()})
extend(Tile, {f"__{name}__": _single(NAMES[target]) for name, target in _UNARY.items()})
extend(Tile, {"__pos__": lambda self: self, "astype": astype})
