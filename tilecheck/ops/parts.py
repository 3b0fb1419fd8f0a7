"""Operations that join tiles and that read or replace a part of a tile."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import UNKNOWN, Weak
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import constant_int, constant_ints, expand, shape_from, to_int
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.lint_facts import SliceUse, SubTile
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.poison.propagation import lose_all, place_part, shadow_of, spread
from tilecheck.interp.kernel.poison.rules import lanes_shape, move_lanes
from tilecheck.interp.kernel.poison.sources import blur, mark_inexact, merge_poison, restrict_poison
from tilecheck.interp.kernel.shapes import lanes_of, relabel
from tilecheck.interp.kernel.tile_types.notes import count_indices, note_extents, shape_written
from tilecheck.interp.kernel.tile_types.operators import type_result
from tilecheck.interp.kernel.tile_types.typing import NOTHING, drop_type, note, operand
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, Bool, Data, Int, Shape, Value
from tilecheck.ops.arguments import tile_of
from tilecheck.ops.shapes import _scramble
from tilecheck.symbolic import ONE, UNKNOWN_ARRAY, ZERO, Atom, Cond, Lane, Term, conj, ge, lane, lt, negate

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_cat(m: Machine, args: Arguments) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", MISSING))
    if not tiles:
        return Data(None)
    shapes = [shape_of(t) for t in tiles]
    axis = constant_int(given.get("axis", Int(ZERO)))
    first = shapes[0]
    if axis is None or first is None or any(s is None or len(s) != len(first) for s in shapes):
        shape = None
    else:
        place = axis % len(first) if first else 0
        total = ZERO
        for s in shapes:
            if s is not None and place < len(s):
                total = total + s[place]
        shape = tuple(total if k == place else e for k, e in enumerate(first))
    if all(isinstance(t, Int) for t in tiles):
        return m.fresh_int("cat", args.span, shape)
    if all(isinstance(t, Bool) for t in tiles):
        return m.fresh_truth("cat", args.span, shape)
    return Data(shape)


def _compute_extract(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "index", "shape"))
    value = tile_of(m, given.get("x", MISSING), args)
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    index = expand(m, given.get("index", MISSING)) or (given.get("index", MISSING),)
    _require_inside(m, index, shape, value.shape, args)
    if value.shape is None or shape is None or len(shape) != len(value.shape) or len(index) != len(shape):
        return _scramble(m, value, shape, args)
    move: dict[Atom, Term] = {}
    rank = len(shape)
    _note_part(m, "extract", index, shape, value.shape, args)
    for k, extent in enumerate(shape):
        if value.shape[k] != ONE:
            at = to_int(m, index[k], args.span).term
            move[Lane(rank - 1 - k, value.shape[k])] = at * extent + lane(rank - 1 - k, extent)
    return relabel(value, shape, move)


def _note_part(m: Machine, op: str, index: tuple[Value, ...], part: Shape, whole: Shape, args: Arguments) -> None:
    if m.noting:
        at = tuple(to_int(m, i, args.span).term for i in index)
        m.notes.parts[SubTile(op, at, part, whole, m.path, args.span)] = None


def _require_inside(
    m: Machine, index: tuple[Value, ...], part: Shape | None, whole: Shape | None, args: Arguments,
) -> None:
    """Notes the bounds that the index of a part must keep to: nothing defines what lies outside the tile.

    The compiler checks that the part at index 0 fits. An extent that is not known may have any value.
    """
    if not m.noting:
        return
    for axis, value in enumerate(index):
        at = to_int(m, value, args.span).term
        if at == ZERO:
            continue
        unknown = m.fresh_int("unknown_extent", args.span).term
        size, end = (unknown if s is None else s[axis] if axis < len(s) else ONE for s in (part, whole))
        m.notes.slices[SliceUse(
            UNKNOWN_ARRAY, axis, at * size, (at + 1) * size, end, m.path, m.exact, args.span)] = None


def _compute_insert(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "index", "value"))
    value = tile_of(m, given.get("x", MISSING), args)
    part = shape_of(given.get("value", MISSING))
    index = expand(m, given.get("index", MISSING)) or (given.get("index", MISSING),)
    _require_inside(m, index, part, value.shape, args)
    if value.shape is not None and part is not None and len(part) == len(value.shape) == len(index):
        _note_part(m, "insert", index, part, value.shape, args)
    if isinstance(value, Int):
        return m.fresh_int("insert", args.span, value.shape)
    return m.fresh_truth("insert", args.span, value.shape) if isinstance(value, Bool) else Data(value.shape)


def _compute_item(m: Machine, args: Arguments) -> Value:
    value = tile_of(m, args.take(("x",)).get("x", MISSING), args)
    if isinstance(value, Data):
        return Data((), value.term, value.shadow)
    move: dict[Atom, Term] = dict.fromkeys(lanes_of(value.term if isinstance(value, Int) else value.cond), ZERO)
    return relabel(value, (), move)


# --- types -----------------------------------------------------------------------------------------------------------

def _type_cat(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", NONE)) or ()
    axes = constant_ints(m, given.get("axis"))
    types = [operand(t) for t in tiles]
    if not types or any(t is NOTHING for t in types) or axes is None or len(axes) != 1:
        return drop_type(result)
    note(m, "cat", op, types, args.span, axes)
    first = types[0].dtype
    return type_result(result, first if all(t.dtype == first for t in types) else UNKNOWN, tiles, args.span)


def _type_extract(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "shape"))
    x, shape = operand(given.get("x")), shape_written(m, given.get("shape"))
    note_extents(m, op, shape, args.span)
    if shape is not None and x is not NOTHING:
        note(m, "part", op, (x, Operand(x.dtype, shape)), args.span, count_indices(m, given.get("index")))
    return type_result(result, x.dtype, (given.get("x"),), args.span)


def _type_insert(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "value"))
    x, part = operand(given.get("x")), operand(given.get("value"))
    if x is not NOTHING and part is not NOTHING and not isinstance(part.dtype, Weak):
        note(m, "part", op, (x, part), args.span, count_indices(m, given.get("index")))
    return type_result(result, x.dtype, (given.get("x"),))


def _type_item(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    x = operand(args.positional[0])
    if x is not NOTHING:
        note(m, "reshape", "item", (x, Operand(UNKNOWN, ())), args.span)
    return type_result(result, operand(args.positional[0]).dtype, args.positional[:1])


# --- poison ----------------------------------------------------------------------------------------------------------

def _poison_cat(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", MISSING)) or ()
    shadows = [shadow_of(t) for t in tiles]
    if not any(shadows):
        return result
    axis = constant_int(given.get("axis", Int(ZERO)))
    whole = lanes_shape(result)
    shapes = [lanes_shape(t) for t in tiles]
    if axis is None or not whole or any(s is None or len(s) != len(whole) for s in shapes):
        return spread(m, result, blur(merge_poison(*shadows)))
    rank = len(whole)
    place = axis % rank
    start, parts = ZERO, []
    for shadow, shape in zip(shadows, shapes, strict=True):
        assert shape is not None
        parts.append(place_part(shadow, place, shape[place], start, whole[place], rank))
        start = start + shape[place]
    return spread(m, result, merge_poison(*parts))


def _poison_insert(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "value"))
    lose_all(m, "an index that is undefined", given.get("index", MISSING))
    value = given.get("value", MISSING)
    part, whole = lanes_shape(value), lanes_shape(result)
    index = expand(m, given.get("index", MISSING)) or (given.get("index", MISSING),)
    below, placed = shadow_of(given.get("x", MISSING)), shadow_of(value)
    if part is None or not whole or not len(part) == len(whole) == len(index):
        return spread(m, result, merge_poison(mark_inexact(below), blur(placed)))
    starts = [to_int(m, i, args.span).term * extent for i, extent in zip(index, part, strict=True)]
    covered: list[Cond] = []
    for k, (start, extent, total) in enumerate(zip(starts, part, whole, strict=True)):
        placed = place_part(placed, k, extent, start, total, len(whole))
        at = lane(len(whole) - 1 - k, total)
        covered += [ge(at, start), lt(at, start + extent)]
    return spread(m, result, merge_poison(restrict_poison(negate(conj(*covered)), below), placed))


# --- records ---------------------------------------------------------------------------------------------------------

OPERATIONS: Final = (
    Operation("cat", "tiles, /, axis", "Two tiles joined along an axis.", "none", _compute_cat, _type_cat, _poison_cat,
              each=True),
    Operation("extract", "x, /, index, shape", "The part of a tile at an index, counted in parts of this shape.",
              "none", _compute_extract, _type_extract, move_lanes, method="index, shape", each=True),
    Operation("insert", "x, /, index, value", "The tile with the part at an index replaced.", "none", _compute_insert,
              _type_insert, _poison_insert, method="index, value", each=True),
    Operation("item", "x, /", "The only element of a tile, as a scalar.", "none", _compute_item, _type_item, move_lanes,
              method="", function=False),
)
