"""Operations that give the elements of a tile another shape or order."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import UNKNOWN
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import axes_of, constant_int, constant_ints, shape_from
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.poison.propagation import with_shadow
from tilecheck.interp.kernel.poison.rules import move_lanes
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.shapes import broadcast, lanes_of, permutation, product, relabel, reshape
from tilecheck.interp.kernel.tile_types.notes import note_extents, shape_written
from tilecheck.interp.kernel.tile_types.operators import type_result
from tilecheck.interp.kernel.tile_types.typing import NOTHING, drop_type, note, operand
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, Bool, Const, Data, Int, Shape, Tuple, Value
from tilecheck.ops.arguments import tile_of
from tilecheck.symbolic import ONE, floordiv

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_reshape(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "shape"))
    value = tile_of(m, given.get("x", MISSING), args)
    target = given.get("shape", MISSING)
    if len(args.positional) > 2:
        target = Tuple(args.positional[1:])
    shape = shape_from(m, target, args.span)
    if shape is None:
        return Data(None, None, blur(value.shadow))
    minus = [k for k, e in enumerate(shape) if e.constant == -1]
    if minus:
        if value.shape is None or len(minus) > 1:
            return Data(None, None, blur(value.shadow))
        rest = product([e for k, e in enumerate(shape) if k != minus[0]])
        missing = floordiv(product(value.shape), rest)
        shape = tuple(missing if k == minus[0] else e for k, e in enumerate(shape))
    return _reshape_value(m, value, shape, args)


def _reshape_value(m: Machine, value: Int | Bool | Data, shape: Shape, args: Arguments) -> Value:
    move = None if value.shape is None else reshape(value.shape, shape)
    if move is None:
        return _scramble(m, value, shape, args)
    return relabel(value, shape, move)


def _scramble(m: Machine, value: Int | Bool | Data, shape: Shape | None, args: Arguments) -> Value:
    """The same elements in an order that is not followed."""
    return with_shadow(_in_disorder(m, value, shape, args), blur(value.shadow))


def _in_disorder(m: Machine, value: Int | Bool | Data, shape: Shape | None, args: Arguments) -> Value:
    if isinstance(value, Int):
        if value.shape is not None and not lanes_of(value.term):
            return Int(value.term, shape)
        return m.fresh_int("reshaped", args.span, shape)
    if isinstance(value, Bool):
        if value.shape is not None and not lanes_of(value.cond):
            return Bool(value.cond, shape)
        return m.fresh_truth("reshaped", args.span, shape)
    return Data(shape)


def _compute_permute(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axes"))
    value = tile_of(m, given.get("x", MISSING), args)
    target = Tuple(args.positional[1:]) if len(args.positional) > 2 else given.get("axes", MISSING)
    return _permute_value(m, value, None if value.shape is None else axes_of(m, target, len(value.shape)), args)


def _permute_value(m: Machine, value: Int | Bool | Data, axes: list[int] | None, args: Arguments) -> Value:
    if value.shape is None or axes is None or sorted(axes) != list(range(len(value.shape))):
        return _scramble(m, value, None, args)
    shape, move = permutation(value.shape, axes)
    return relabel(value, shape, move)


def _compute_transpose(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis0", "axis1"))
    value = tile_of(m, given.get("x", MISSING), args)
    if value.shape is None:
        return _scramble(m, value, None, args)
    rank = len(value.shape)
    pair = [given[n] for n in ("axis0", "axis1") if n in given and given[n] != Const(None)]
    if not pair:
        return _permute_value(m, value, list(reversed(range(rank))), args)
    axes = axes_of(m, Tuple(tuple(pair)), rank)
    if axes is None or len(axes) != 2:
        return _scramble(m, value, None, args)
    order = list(range(rank))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    return _permute_value(m, value, order, args)


def _compute_broadcast_to(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "shape"))
    value = tile_of(m, given.get("x", MISSING), args)
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    if value.shape is None or shape is None or broadcast(value.shape, shape) != shape:
        return _scramble(m, value, shape, args)
    return relabel(value, shape, {})


def _compute_expand_dims(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "axis"))
    value = tile_of(m, given.get("x", MISSING), args)
    if value.shape is None:
        return _scramble(m, value, None, args)
    rank = len(value.shape)
    axes = axes_of(m, given.get("axis", MISSING), rank + 1)
    if axes is None or len(axes) != 1:
        return _scramble(m, value, None, args)
    shape = (*value.shape[:axes[0]], ONE, *value.shape[axes[0]:])
    return _reshape_value(m, value, shape, args)


# --- types -----------------------------------------------------------------------------------------------------------

def _get_rest(args: Arguments, name: str) -> Value | None:
    """The second argument of a method that also takes its items one by one."""
    return args.take(("x", name)).get(name)


def _type_reshape(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    shape = shape_written(m, _get_rest(args, "shape"))
    x = operand(value)
    if shape is not None and x is not NOTHING and len(args.positional) <= 2:
        note(m, "reshape", op, (x, Operand(UNKNOWN, shape)), args.span)
    return type_result(result, x.dtype, (value,), args.span)


def _type_permute(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    axes = constant_ints(m, _get_rest(args, "axes"))
    x = operand(value)
    if axes is not None and len(args.positional) <= 2 and x is not NOTHING:
        note(m, "permute", op, (x,), args.span, axes)
    return type_result(result, x.dtype, (value,), args.span)


def _type_transpose(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis0", "axis1"))
    pair = [given[n] for n in ("axis0", "axis1") if n in given and given[n] != NONE]
    axes = tuple(n for n in map(constant_int, pair) if n is not None)
    x = operand(given.get("x"))
    if x is not NOTHING and len(axes) == len(pair) and len(axes) in (0, 2):
        note(m, "transpose", op, (x,), args.span, axes)
    if x.shape is not None and not pair and len(x.shape) != 2:
        return drop_type(result)
    return type_result(result, x.dtype, (given.get("x"),), args.span)


def _type_broadcast_to(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "shape"))
    x, shape = operand(given.get("x")), shape_written(m, given.get("shape"))
    note_extents(m, op, shape, args.span)
    if shape is not None and x is not NOTHING:
        note(m, "into", op, (x, Operand(None, shape, None, args.span)), args.span)
    return type_result(result, x.dtype, (given.get("x"),), args.span)


def _type_expand_dims(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    axes, x = constant_ints(m, given.get("axis")), operand(given.get("x"))
    if axes is not None and x is not NOTHING:
        note(m, "axes", op, (x,), args.span, axes)
    return type_result(result, x.dtype, (given.get("x"),))


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("reshape", "x, /, shape", "The elements in row-major order in another shape.", "none", _compute_reshape,
              _type_reshape, move_lanes, method="shape", each=True),
    Operation("permute", "x, /, axes", "The axes in another order.", "none", _compute_permute, _type_permute,
              move_lanes, method="axes", each=True),
    Operation("transpose", "x, /, axis0=None, axis1=None", "Two axes exchanged; all of them without arguments.", "none",
              _compute_transpose, _type_transpose, move_lanes, method="axis0=None, axis1=None", each=True),
    Operation("broadcast_to", "x, /, shape", "Axes of extent 1 repeated to fill a shape.", "none",
              _compute_broadcast_to, _type_broadcast_to, move_lanes, each=True),
    Operation("expand_dims", "x, /, axis", "A new axis of extent 1.", "none", _compute_expand_dims, _type_expand_dims,
              move_lanes, each=True),
)
