"""Operations that create tiles."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.dtypes import BOOL, is_fraction
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import shape_from, to_bool, to_int, to_term
from tilecheck.interp.kernel.conversions import named_type, narrow_value
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import is_float
from tilecheck.interp.kernel.poison.rules import combine_operands, keep_poison
from tilecheck.interp.kernel.tile_types.notes import note_extents
from tilecheck.interp.kernel.tile_types.operators import TILES
from tilecheck.interp.kernel.tile_types.typing import dtype_named, note, operand, set_type
from tilecheck.interp.kernel.values import Bool, Data, Int, Shape, TileRef, Value
from tilecheck.symbolic import ONE, ZERO, const, lane

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_arange(m: Machine, args: Arguments) -> Value:
    given = args.take(("size",))
    size = to_term(m, given.get("size", MISSING), args.span)
    start = to_int(m, given["start"], args.span).term if "start" in given else ZERO
    step = to_int(m, given["step"], args.span).term if "step" in given else ONE
    dtype = given.get("dtype")
    if is_fraction(named_type(dtype)):
        return Data((size,))
    tile = Int(start + lane(0, size) * step, (size,))
    return narrow_value(m, named_type(dtype), tile, args) if isinstance(dtype, TileRef) else tile


def _fill_tile(m: Machine, shape: Shape | None, value: Value, dtype: Value | None, args: Arguments) -> Value:
    target = named_type(dtype)
    if is_fraction(target):
        return Data(shape)
    if target is BOOL:
        return Bool(to_bool(m, value, args.span).cond, shape)
    if target is not None or (dtype is None and not is_float(value)):
        inner = narrow_value(m, target, value, args)
        return Int(inner.term, shape) if inner.shape in ((), (ONE,)) else m.fresh_int("full", args.span, shape)
    return Data(shape)


def _compute_full(m: Machine, args: Arguments) -> Value:
    given = args.take(("shape", "fill_value", "dtype"))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    return _fill_tile(m, shape, given.get("fill_value", MISSING), given.get("dtype"), args)


def _compute_constant(value: int, m: Machine, args: Arguments) -> Value:
    given = args.take(("shape", "dtype"))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    return _fill_tile(m, shape, Int(const(value)), given.get("dtype", MISSING), args)


# --- types -----------------------------------------------------------------------------------------------------------

def _type_new(names: tuple[str, ...], m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(names)
    if not isinstance(result, TILES):
        return result
    note_extents(m, op, result.shape, args.span)
    filling = operand(given.get("fill_value"))
    if filling.shape:
        note(m, "scalar", op, (filling,), args.span)
    return set_type(result, dtype_named(given.get("dtype")), args.span)


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("arange", "size, /, *, dtype, start=0, step=1",
              "The numbers `start`, `start + step`, ... in a tile of `size` elements.", "none", _compute_arange,
              partial(_type_new, ("size",)), combine_operands),
    Operation("full", "shape, fill_value, dtype", "A tile that contains one value everywhere.", "none", _compute_full,
              partial(_type_new, ("shape", "fill_value", "dtype")), combine_operands),
    Operation("zeros", "shape, dtype", "A tile of zeros.", "none", partial(_compute_constant, 0),
              partial(_type_new, ("shape", "dtype")), keep_poison),
    Operation("ones", "shape, dtype", "A tile of ones.", "none", partial(_compute_constant, 1),
              partial(_type_new, ("shape", "dtype")), keep_poison),
)
