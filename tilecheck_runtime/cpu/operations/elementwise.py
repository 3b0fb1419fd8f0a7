"""Element-wise operations: arithmetic, comparisons, bits and mathematics; and the operators of tiles."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.directed import DIRECTED, compute_directed, flush
from tilecheck_runtime.cpu.dtypes import BOOL, FLOAT, FLOAT32, INT32, INTEGRAL, DType
from tilecheck_runtime.cpu.operations.operands import (
    BOOLEAN,
    astile_like,
    joint_dtype,
    operand,
    result,
    undefined_lanes,
)
from tilecheck_runtime.cpu.taint import Taint, merge_taints
from tilecheck_runtime.cpu.tile import Tile, extend
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["NAMES", "maximum", "minimum"]

Function = Callable[..., Any]


def _no_divisor_zero(data: Any, divisor: Any, tile: Tile) -> Tile:
    """Marks lanes of an integer division by zero as undefined."""
    zero = divisor == 0
    if zero.any():
        lanes = np.broadcast_to(zero, np.shape(data))
        fresh = Taint(lanes, (machine.register_undefined("an integer division by zero"),))
        tile.taint = merge_taints([tile.taint, fresh], np.shape(data))
    return tile


def _no_booleans(dtype: DType, name: str) -> None:
    if dtype.category == BOOL:
        raise TileTypeError(f"{name} does not take booleans: cast them to integers")


def _arithmetic(compute: Function, loose: Function, real: bool = False, divides: bool = False) -> Function:
    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if real and dtype.category <= INTEGRAL:
            dtype = FLOAT32
        _no_booleans(dtype, loose.__name__)
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


def _bits(compute: Function, loose: Function, absorbing: bool | None = None) -> Function:
    """Bitwise operations. `absorbing`: the boolean that decides the result regardless of the other operand."""

    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if dtype.category > INTEGRAL:
            raise TileTypeError("bitwise operations take integers and booleans: bitcast other types")
        if type(x) is Tile and type(y) is Tile and x.dtype is not y.dtype:
            raise TileTypeError(f"bitwise operations take operands of one type, not {x.dtype} and {y.dtype}")
        if dtype.name == "int8" and (isinstance(x, bool) or isinstance(y, bool)):
            raise TileTypeError("bitwise operations do not take a boolean and int8")
        a, b = operand(x, dtype), operand(y, dtype)
        tile = result(compute(a, b), dtype, x, y)
        taint = tile.taint
        if taint is not None and taint.lanes is not None and dtype.category == BOOL and absorbing is not None:
            shape = tile.shape
            decided = ((a == absorbing) & ~undefined_lanes(x, shape)) | ((b == absorbing) & ~undefined_lanes(y, shape))
            lanes = taint.lanes & ~decided
            tile.taint = Taint(lanes, taint.sources, taint.tokens) if lanes.any() else None
        return tile

    return operation


def _shift(compute: Function, loose: Function) -> Function:
    def operation(x: Any, y: Any, /) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        if any(astile_like(part).dtype.category != INTEGRAL for part in (x, y)):
            raise TileTypeError("shifts take integers")
        return result(compute(operand(x, dtype), operand(y, dtype)), dtype, x, y)

    return operation


def _number_of(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _unary(compute: Function, real: bool = True, boolean: DType | None = FLOAT32, loose: Function | None = None,
           strict: bool = False) -> Function:
    """`real`: integers become single precision, or are rejected if `strict`. `boolean`: the type that booleans become.
    `loose`: the operation on Python numbers, if it differs."""

    def operation(x: Any, /) -> Any:
        if type(x) is not Tile:
            return _number_of(compute(float(x))) if loose is None else loose(x)
        dtype = x.dtype
        if strict and dtype.category <= INTEGRAL:
            raise TileTypeError(f"{compute.__name__} takes floats, not {dtype}")
        if dtype.category == BOOL and boolean is not None:
            dtype = boolean
        if real and dtype.category <= INTEGRAL:
            dtype = FLOAT32
        return result(np.asarray(compute(operand(x, dtype)))[()], dtype, x)

    return operation


def _precise(compute: Function) -> Function:
    """Computes functions of single precision in double precision, so that the results of all processors are equal."""

    def operation(*operands: Any) -> Any:
        if operands[0].__class__ is float or operands[0].dtype != np.float32:
            return compute(*operands)
        return np.asarray(compute(*(np.asarray(value).astype(np.float64) for value in operands))).astype(np.float32)[()]

    return operation


def _pow(x: Any, y: Any, /) -> Any:
    if type(x) is not Tile and type(y) is not Tile:
        return x ** y
    dtype = joint_dtype(x, y)
    _no_booleans(dtype, "pow")
    exponent = operand(y, dtype) if dtype.category > INTEGRAL else np.maximum(operand(y, dtype), 0)
    return result(_precise(np.power)(operand(x, dtype), exponent), dtype, x, y)


def _cdiv(x: Any, y: Any, /) -> Any:
    if type(x) is not Tile and type(y) is not Tile:
        return -(-x // y)
    dtype = joint_dtype(x, y)
    _no_booleans(dtype, "cdiv")
    a, b = operand(x, dtype), operand(y, dtype)
    if dtype.category == INTEGRAL:
        data = np.floor_divide(a, b) + (np.remainder(a, b) != 0).astype(dtype.storage)
        return _no_divisor_zero(data, b, result(data, dtype, x, y))
    return result(np.ceil(a / b), dtype, x, y)


_divide_integers: Final = _arithmetic(np.floor_divide, operator.floordiv, divides=True)


def _floordiv(x: Any, y: Any, /) -> Any:
    """Rounds the quotient of floats before it takes the floor, as the device does; of constants, as Python does."""
    if all(type(part) is not Tile or part.constant for part in (x, y)):
        return _divide_integers(x, y)
    dtype = joint_dtype(x, y)
    if dtype.category < FLOAT:
        return _divide_integers(x, y)
    quotient = np.asarray(operand(x, dtype) / operand(y, dtype)).astype(dtype.storage)
    return result(np.floor(quotient.astype(dtype.compute))[()], dtype, x, y)


def _atan2(x: Any, y: Any, /) -> Any:
    if type(x) is not Tile and type(y) is not Tile:
        return math.atan2(x, y)
    dtype = joint_dtype(x, y)
    if dtype.category < FLOAT:
        raise TileTypeError(f"atan2 takes floats, not {dtype}")
    return result(_precise(np.arctan2)(operand(x, dtype), operand(y, dtype)), dtype, x, y)


def _isnan(x: Any, /) -> Any:
    if type(x) is not Tile:
        return x != x
    if x.dtype.category < FLOAT:
        raise TileTypeError(f"isnan takes floats, not {x.dtype}")
    return result(np.isnan(x.data.astype(x.dtype.compute)), BOOLEAN, x)


def _extremum(ignoring: Function, propagating: Function, plain: Function, loose: Function) -> Function:
    def operation(x: Any, y: Any, /, *, flush_to_zero: Any = False, propagate_nan: Any = False) -> Any:
        if type(x) is not Tile and type(y) is not Tile:
            return loose(x, y)
        dtype = joint_dtype(x, y)
        _no_booleans(dtype, loose.__name__)
        compute = plain if dtype.category <= INTEGRAL else propagating if propagate_nan else ignoring
        if not flush_to_zero:
            return result(compute(operand(x, dtype), operand(y, dtype)), dtype, x, y)
        if dtype is not FLOAT32:
            raise TileTypeError(f"{loose.__name__} flushes subnormal numbers of float32 only, not of {dtype}")
        return result(flush(compute(flush(operand(x, dtype)), flush(operand(y, dtype)))), dtype, x, y)

    return operation


def _loose_truediv(x: Any, y: Any) -> Any:
    return x / y if y else float(np.divide(np.float64(x), np.float64(y)))


def _divmod(x: Any, y: Any, /) -> Any:
    return _PLAIN["floordiv"](x, y), _PLAIN["mod"](x, y)


def _invert(x: Any, /) -> Any:
    if type(x) is not Tile:
        return (not x) if isinstance(x, bool) else ~x
    if x.dtype.category > INTEGRAL:
        raise TileTypeError("bitwise_not takes integers and booleans")
    return result(np.invert(x.data), x.dtype, x)


_MODES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("add", "sub", "mul"), DIRECTED | {"RN"}),
    "truediv": DIRECTED | {"RN", "FULL", "APPROX"}, "sqrt": DIRECTED | {"RN", "APPROX"},
    **dict.fromkeys(("exp", "tanh"), frozenset({"FULL", "APPROX"})),
}
"""The rounding modes of operations. FULL and APPROX give a result of unspecified accuracy; here it is the exact one."""
_FLUSHED: Final = frozenset({"add", "sub", "mul", "truediv", "sqrt", "exp2", "rsqrt"})
_UNRESTRICTED: Final = frozenset({"float16", "bfloat16", "float32", "float64"})


def _check_options(name: str, tile: Any, mode: str, flushed: bool) -> None:
    """Raises TileTypeError for options that an operation does not have with elements of that type."""
    if mode and mode not in _MODES.get(name, ()):
        raise TileTypeError(f"{name} does not take rounding mode {mode}")
    if flushed and name not in _FLUSHED:
        raise TileTypeError(f"{name} does not flush subnormal numbers")
    dtype = tile.dtype if type(tile) is Tile else None
    if dtype is None:
        return
    if mode and (dtype.name not in _UNRESTRICTED or (mode in ("FULL", "APPROX") and dtype is not FLOAT32)):
        raise TileTypeError(f"{name} of elements of {dtype} does not take rounding mode {mode}")
    if flushed and dtype is not FLOAT32:
        raise TileTypeError(f"{name} flushes subnormal numbers of float32 only, not of {dtype}")


def _apply_options(name: str, function: Function, operands: tuple[Any, ...], rounding_mode: Any, flushed: bool) -> Any:
    """An operation with a rounding mode and flushing of subnormal numbers."""
    mode, done = getattr(rounding_mode, "name", ""), function(*operands)
    if not mode and not flushed:
        return done
    _check_options(name, done, mode, flushed)
    if type(done) is not Tile:
        return done
    dtype = done.dtype
    parts = [operand(value, dtype) for value in operands]
    parts = [flush(part) for part in parts] if flushed else parts
    data = done.data
    if mode in DIRECTED:
        data = compute_directed(name, dtype.storage, mode, *parts)
    elif flushed:
        data = function(*(Tile(part, dtype) for part in parts)).data
    return Tile(flush(data) if flushed else data, dtype, done.taint, done.constant)


def _with_options(name: str, function: Function) -> Function:
    """Adds the options that an operation has."""

    def take_both(*operands: Any, rounding_mode: Any = None, flush_to_zero: Any = False) -> Any:
        return _apply_options(name, function, operands, rounding_mode, bool(flush_to_zero))

    def rounding(x: Any, /, *, rounding_mode: Any = None) -> Any:
        return _apply_options(name, function, (x,), rounding_mode, False)

    def flushing(x: Any, /, *, flush_to_zero: Any = False) -> Any:
        return _apply_options(name, function, (x,), None, bool(flush_to_zero))

    if name in _MODES:
        return take_both if name in _FLUSHED else rounding
    return flushing if name in _FLUSHED else function


minimum: Final = _extremum(np.fmin, np.minimum, np.minimum, min)
maximum: Final = _extremum(np.fmax, np.maximum, np.maximum, max)

_PLAIN: Final[dict[str, Function]] = {
    "add": _arithmetic(np.add, operator.add), "sub": _arithmetic(np.subtract, operator.sub),
    "mul": _arithmetic(np.multiply, operator.mul), "truediv": _arithmetic(np.divide, _loose_truediv, real=True),
    "floordiv": _floordiv,
    "mod": _arithmetic(np.remainder, operator.mod, divides=True),
    "divmod": _divmod, "pow": _pow, "cdiv": _cdiv, "atan2": _atan2,
    "minimum": minimum, "maximum": maximum,
    "bitwise_and": _bits(np.bitwise_and, operator.and_, False), "bitwise_or": _bits(np.bitwise_or, operator.or_, True),
    "bitwise_xor": _bits(np.bitwise_xor, operator.xor), "bitwise_not": _invert,
    "bitwise_lshift": _shift(np.left_shift, operator.lshift),
    "bitwise_rshift": _shift(np.right_shift, operator.rshift),
    "greater": _comparison(np.greater, operator.gt), "greater_equal": _comparison(np.greater_equal, operator.ge),
    "less": _comparison(np.less, operator.lt), "less_equal": _comparison(np.less_equal, operator.le),
    "equal": _comparison(np.equal, operator.eq, exact=True),
    "not_equal": _comparison(np.not_equal, operator.ne, exact=True),
    **{function.__name__: _unary(_precise(function)) for function in (
        np.exp, np.exp2, np.log, np.log2, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh)},
    "sqrt": _unary(np.sqrt), "rsqrt": _unary(_precise(lambda x: 1 / np.sqrt(x))),
    "floor": _unary(np.floor, loose=math.floor, strict=True), "ceil": _unary(np.ceil, loose=math.ceil, strict=True),
    "abs": _unary(np.abs, real=False, boolean=None, loose=abs),
    "negative": _unary(np.negative, real=False, boolean=INT32, loose=operator.neg),
    "isnan": _isnan,
}
NAMES: Final[dict[str, Function]] = {
    name: _with_options(name, function) for name, function in _PLAIN.items()
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


def _reflect(function: Function) -> Function:
    return lambda self, other: function(other, self) if _is_operand(other) else NotImplemented


def _is_operand(value: Any) -> bool:
    return type(value) is Tile or isinstance(value, (bool, int, float))


def _forward_unary(function: Function) -> Function:
    return lambda self: function(self)


extend(Tile, {f"__{name}__": _forward(_PLAIN[target]) for name, target in (_OPERATORS | _COMPARED).items()})
extend(Tile, {f"__r{name}__": _reflect(_PLAIN[target]) for name, target in _OPERATORS.items()})
extend(Tile, {f"__{name}__": _forward_unary(_PLAIN[target]) for name, target in _UNARY.items()})
extend(Tile, {"__pos__": lambda self: self})
