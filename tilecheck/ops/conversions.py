"""Operations that convert elements to another type."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.dtypes import DTYPES, INTEGERS, U8
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.conversions import convert, named_type, narrow_value
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.poison.propagation import shadow_of, spread
from tilecheck.interp.kernel.poison.rules import combine_operands, lanes_shape
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.tile_types.operators import type_result
from tilecheck.interp.kernel.tile_types.typing import NOTHING, dtype_named, note, operand, set_type
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import Const, Data, Int, ParamRef, TileRef, Value
from tilecheck.ops.arguments import two_of

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_astype(m: Machine, args: Arguments) -> Value:
    a, b = two_of(args, "x", "dtype")
    return convert(m, a, b, args)


def _compute_bitcast(m: Machine, args: Arguments) -> Value:
    a, b = two_of(args, "x", "dtype")
    target = named_type(b)
    if target in INTEGERS and isinstance(a, (Int, ParamRef)):
        return narrow_value(m, target, a, args)
    return Data(shape_of(a))


def _compute_astile(m: Machine, args: Arguments) -> Value:
    given = args.take(("value",))
    return convert(m, given.get("value", MISSING), given.get("dtype", MISSING), args)


def _compute_element(name: str, m: Machine, args: Arguments) -> Value:
    """A dtype called as a function, `ct.int32(x)`."""
    return convert(m, args.positional[0], TileRef(name), args) if args.positional else MISSING


def _compute_bytes(m: Machine, args: Arguments) -> Value:
    return Data(None)


# --- types -----------------------------------------------------------------------------------------------------------

def _type_astype(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    dtype, x = dtype_named(given.get("dtype")), operand(given.get("x"))
    rounded = "rounding_mode" in given and given["rounding_mode"] != Const(None)
    if x is not NOTHING:
        note(m, "astype", op, (x, Operand(dtype, None)), args.span, (int(rounded),))
    return type_result(result, dtype, (given.get("x"),))


def _type_bitcast(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    dtype, x = dtype_named(given.get("dtype")), operand(given.get("x"))
    if x is not NOTHING:
        note(m, "bitcast", op, (x, Operand(dtype, None)), args.span)
    return type_result(result, dtype, (given.get("x"),))


def _type_element(name: str, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    """`ct.float32(x)`"""
    return type_result(result, DTYPES[name], args.positional[:1])


def _type_astile(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("value",))
    return type_result(result, dtype_named(given.get("dtype")), (given.get("value"),))


def _type_pack(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    x = operand(args.take(("x",)).get("x"))
    if x is not NOTHING:
        note(m, "pack", op, (x,), args.span)
    return set_type(result, U8, args.span)


def _type_unpack(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "dtype"))
    x, dtype = operand(given.get("x")), dtype_named(given.get("dtype"))
    if x is not NOTHING:
        note(m, "unpack", op, (x, Operand(dtype, None)), args.span)
    return set_type(result, dtype, args.span)


# --- poison ----------------------------------------------------------------------------------------------------------

def _poison_bitcast(m: Machine, args: Arguments, result: Value) -> Value:
    """Element-wise where the shape stays as it was."""
    shadow = shadow_of(args.values()[0]) if args.values() else ()
    if not shadow:
        return result
    same = lanes_shape(result) is not None and lanes_shape(result) == lanes_shape(args.values()[0])
    return spread(m, result, shadow if same else blur(shadow))


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("astype", "x, dtype, /, *, rounding_mode=None", "The values of `x` as elements of type `dtype`.", "none",
              _compute_astype, _type_astype, combine_operands, method="dtype, *, rounding_mode=None"),
    Operation("bitcast", "x, /, dtype", "The bits of `x` read as elements of type `dtype`.", "none", _compute_bitcast,
              _type_bitcast, _poison_bitcast),
    Operation("astile", "value, /, *, dtype", "A number as a tile without axes, of type `dtype`.", "none",
              _compute_astile, _type_astile, combine_operands),
    Operation("pack_to_bytes", "x, /", "The bytes of `x` in a tile of one axis.", "none", _compute_bytes, _type_pack),
    Operation("unpack_from_bytes", "x, /, dtype", "The elements of type `dtype` that bytes stand for.", "none",
              _compute_bytes, _type_unpack),
    *(Operation(name, "x=0, /", f"The value of `x` as an element of type `{name}`.", "none",
                partial(_compute_element, name), partial(_type_element, name), combine_operands) for name in DTYPES),
)
