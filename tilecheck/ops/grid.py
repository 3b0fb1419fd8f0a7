"""Operations that read the grid of a launch and the number of tiles of an array."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import I32, UNKNOWN
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import constant_int, extent_of, shape_from, to_array, to_int
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.poison.rules import keep_poison
from tilecheck.interp.kernel.tile_types.notes import note_extents, shape_written
from tilecheck.interp.kernel.tile_types.typing import note, set_type
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, Int, Value
from tilecheck.ops.arguments import one_of
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import app, bid, cdiv, conj, grid

# --- values ----------------------------------------------------------------------------------------------------------

def _grid_axis(m: Machine, args: Arguments) -> int | None:
    axis = constant_int(one_of(args, "axis"))
    under = conj(*(c for c in conjuncts(m.path) if not c.varying))
    if axis in (0, 1, 2):
        m.axes.add((axis, under))
        return axis
    m.axes.update((k, under) for k in range(3))
    return None


def _compute_bid(m: Machine, args: Arguments) -> Value:
    axis = _grid_axis(m, args)
    return m.fresh_int("bid", args.span) if axis is None else Int(bid(axis))


def _compute_num_blocks(m: Machine, args: Arguments) -> Value:
    axis = _grid_axis(m, args)
    if axis is not None:
        return Int(grid(axis))
    where = to_int(m, one_of(args, "axis"), args.span).term
    return Int(app("num_blocks", where))


def _compute_num_tiles(m: Machine, args: Arguments) -> Value:
    from tilecheck.interp.kernel.memory import permutation

    given = args.take(("array", "axis", "shape"))
    ref = to_array(m, given.get("array", MISSING))
    axis = constant_int(given.get("axis", MISSING))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    if ref is None or axis is None or shape is None:
        return m.fresh_int("num_tiles", args.span)
    for _, view in ref.options:
        m.shows_rank(view.root, len(shape))
    axes = permutation(m, given.get("order"), len(shape))
    place = axis + len(shape) if axis < 0 else axis
    if axes is None or not 0 <= place < len(shape):
        return m.fresh_int("num_tiles", args.span)
    return Int(cdiv(extent_of(m, ref, axes[place]), shape[place]))


# --- types -----------------------------------------------------------------------------------------------------------

def _type_grid(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    return set_type(result, I32)


def _type_num_tiles(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "axis", "shape"))
    shape, axis = shape_written(m, given.get("shape")), constant_int(given.get("axis", NONE))
    note_extents(m, op, shape, args.span)
    if shape and axis is not None:
        note(m, "axes", op, (Operand(UNKNOWN, shape),), args.span, (axis,))
    return set_type(result, I32)


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("bid", "axis", "The index of the block along an axis of the grid.", "none", _compute_bid, _type_grid,
              keep_poison),
    Operation("num_blocks", "axis", "The number of blocks along an axis of the grid.", "none", _compute_num_blocks,
              _type_grid, keep_poison),
    Operation("num_tiles", "array, /, axis, shape, order='C'",
              "The number of tiles of a shape that an array has along an axis, rounded up.", "none", _compute_num_tiles,
              _type_num_tiles, keep_poison),
)
