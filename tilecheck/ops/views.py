"""Methods of arrays, of views of tiles and of raw memory."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.dtypes import I32
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.calls import unknown_call
from tilecheck.interp.kernel.coerce import (
    arrays_in,
    constant_int,
    extent,
    extent_of,
    rank_of,
    shape_from,
    to_array,
    to_int,
    to_term,
)
from tilecheck.interp.kernel.footprints import Effect, raw_access
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.lint_facts import SliceUse
from tilecheck.interp.kernel.memory import (
    forget_arguments,
    load_tile,
    mask_of,
    order_of,
    roots_of,
    store_tile,
    target_of,
    wrap_index,
)
from tilecheck.interp.kernel.operation import Method
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.poison.propagation import observe
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.tile_types.notes import note_extents, note_indices, shape_written, view_operand
from tilecheck.interp.kernel.tile_types.typing import note, operand, set_type
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, ArrayRef, Const, Data, Int, Shape, Tuple, Value, View
from tilecheck.ops.arguments import one_of
from tilecheck.symbolic import ZERO, app, cdiv, conj

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_array_slice(m: Machine, owner: Value, args: Arguments) -> Value:
    given = args.take(("axis", "start", "stop"))
    ref = to_array(m, owner)
    axis = constant_int(given.get("axis", MISSING))
    if ref is None or axis is None or "start" not in given or "stop" not in given:
        return unknown_call(m, "slice along an axis that is not known", owner, args)
    rank = rank_of(m, ref)
    if axis < 0:
        if rank is None:
            if m.knowledge.written is not None:
                return unknown_call(m, "slice along an axis that is not known", owner, args)
            rank = 1 - axis
        axis += rank
    start, stop = to_term(m, given["start"], args.span), to_term(m, given["stop"], args.span)
    out = []
    for cond, view in ref.options:
        before = view.slice_of(axis)
        base = ZERO if before is None else before[0]
        kept = tuple(s for s in view.slices if s[0] != axis)
        if m.noting:
            whole = extent(m, view, axis) if before is None else before[1] - before[0]
            m.notes.slices[SliceUse(
                view.root, axis, start, stop, whole, conj(m.path, cond), m.exact, args.span)] = None
        slices = tuple(sorted((*kept, (axis, base + start, base + stop)), key=lambda s: s[0]))
        out.append((cond, View(view.root, view.member, slices, view.tile, view.steps, view.raw, view.padding)))
    return ArrayRef(tuple(out))


def _compute_tiled_view(m: Machine, owner: Value, args: Arguments) -> Value:
    given = args.take(("tile_shape",))
    ref = to_array(m, owner)
    shape = shape_from(m, given.get("tile_shape", MISSING), args.span)
    steps_value = given.get("traversal_steps")
    steps = None
    if steps_value is not None and not (isinstance(steps_value, Const) and steps_value.value is None):
        steps = shape_from(m, steps_value, args.span)
        if steps is None:
            return unknown_call(m, "tiled_view with steps that are not known", owner, args)
    if ref is None or shape is None:
        return unknown_call(m, "tiled_view with a shape that is not known", owner, args)
    padding = given.get("padding_mode")
    return ArrayRef(tuple((c, View(v.root, v.member, v.slices, shape, steps, padding=padding)) for c, v in ref.options))


def _compute_raw_memory(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    if ref is None:
        return unknown_call(m, "get_raw_memory", owner, args)
    return ArrayRef(tuple((c, View(v.root, v.member, v.slices, raw=True)) for c, v in ref.options))


def _compute_view_tiles(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    axis = constant_int(one_of(args, "axis"))
    if ref is None or axis is None or len(ref.options) != 1:
        return m.fresh_int("num_tiles", args.span)
    view = ref.options[0][1]
    if view.tile is None or not -len(view.tile) <= axis < len(view.tile):
        return m.fresh_int("num_tiles", args.span)
    place = axis % len(view.tile)
    size = extent_of(m, ref, place)
    if view.steps is None or view.steps == view.tile:
        return Int(cdiv(size, view.tile[place]))
    return Int(app("num_tiles", size, view.tile[place], view.steps[place]))


def _view_shape(ref: ArrayRef) -> Shape | None:
    shapes = {v.tile for _, v in ref.options}
    return shapes.pop() if len(shapes) == 1 else None


def _compute_view_load(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    given = {**args.take(("index",)), "array": owner}
    shape = None if ref is None else _view_shape(ref)
    if shape is None:
        m.gap("load through something that is not a tiled view", arrays_in(m, owner), args.span)
        forget_arguments(m, given)
        return Data(None)
    return load_tile(m, given, args.span, "tiled_view.load", shape)


def _compute_view_store(op: str, m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    given = {**args.take(("index", "tile")), "array": owner}
    shape = None if ref is None else _view_shape(ref)
    if shape is None:
        m.gap("store through something that is not a tiled view", arrays_in(m, owner), args.span)
        forget_arguments(m, given)
        return NONE
    return store_tile(m, given, args.span, op, shape)


def _compute_raw(op: str, mode: str, m: Machine, owner: Value, args: Arguments) -> Value:
    names = ("offset", "expected", "desired") if op == "atomic_cas_offset" else ("offset", "value")
    given = args.take(names)
    ref = target_of(m, owner, op, args.span)
    if ref is None:
        forget_arguments(m, given)
        return Data(None)
    if not args.positional:
        m.gap(f"{op} without an offset", roots_of(ref), args.span)
        forget_arguments(m, given)
        return Data(None)
    offset = to_int(m, args.positional[0], args.span)
    m.integer_use(offset.term)
    offset = wrap_index(m, ref, mode, offset)
    mask = mask_of(m, given, args.span)
    default = ("acq_rel", "device") if mode == "atomic" else ("weak", "none")
    order, scope = order_of(given, default)
    shape = broadcast(offset.shape, mask.shape)
    update = shape_of(given["value"]) if "value" in given else ()
    stored = [given[n] for n in ("value", "expected", "desired") if n in given]
    effect = Effect(mode, op, order, scope, False, args.span, value=Tuple(tuple(stored)))
    observe(m, mask.shadow, m.path, "mask", "", args.span)
    return raw_access(m, ref, offset, mask.cond, shape, broadcast(shape, update), effect)


# --- types -----------------------------------------------------------------------------------------------------------

def _type_tiled_view(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    shape = shape_written(m, args.take(("tile_shape",)).get("tile_shape"))
    note_extents(m, op, shape, args.span)
    return result


def _type_view_load(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    view, name = view_operand(m, owner)
    count = note_indices(m, op, args.take(("index",)), "index", False, args.span)
    if count is not None and view.shape:
        note(m, "load", op, (Operand(view.dtype, None), view), args.span, (count,), name)
    return result


def _type_view_store(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    given = args.take(("index", "tile"))
    view, name = view_operand(m, owner)
    count = note_indices(m, op, given, "index", False, args.span)
    if count is not None and view.shape:
        note(m, "load", op, (Operand(view.dtype, None), view), args.span, (count,), name)
    note(m, "into", op, (operand(given.get("tile")), view), args.span, (), name)
    return result


def _type_view_atomic(m: Machine, op: str, owner: Value, args: Arguments, result: Value) -> Value:
    given = args.take(("index", "update"))
    view, name = view_operand(m, owner)
    note_indices(m, op, given, "index", False, args.span)
    note(m, "atomic", op, (operand(given.get("update")), view), args.span, (), name)
    return result


# --- records ---------------------------------------------------------------------------------------------------------

_UPDATES: Final = {
    "add": "Adds", "max": "Raises to at least a value", "min": "Lowers to at most a value", "and": "Clears bits",
    "or": "Sets bits", "xor": "Inverts bits", "xchg": "Replaces",
}
_ORDERED: Final = "/, *, mask=None, memory_order=MemoryOrder.ACQ_REL, memory_scope=MemoryScope.DEVICE"
_OPTIONS: Final = "check_bounds=True, latency=None, allow_tma=None"

METHODS: Final = (
    Method("slice", "Array", "axis, start, stop", "The part of an array between two indices along an axis.", "none",
           _compute_array_slice),
    Method("tiled_view", "Array", "tile_shape, *, padding_mode=PaddingMode.UNDETERMINED, traversal_steps=None",
           "The tiles of an array.", "none", _compute_tiled_view, _type_tiled_view),
    Method("get_raw_memory", "Array", "", "The elements of an array in the order of their addresses.", "none",
           _compute_raw_memory),
    Method("num_tiles", "TiledView", "axis", "The number of tiles along an axis.", "none", _compute_view_tiles,
           lambda m, op, owner, args, result: set_type(result, I32)),
    Method("load", "TiledView", f"index, *, {_OPTIONS}", "The tile at an index.", "reads", _compute_view_load,
           _type_view_load),
    Method("store", "TiledView", f"index, tile, *, {_OPTIONS}", "Writes the tile at an index.", "writes",
           partial(_compute_view_store, "tiled_view.store"), _type_view_store),
    *(Method(f"atomic_store_{name}", "TiledView", "index, update, /", f"{what}, element by element and in one step.",
             "updates", partial(_compute_view_store, f"tiled_view.atomic_store_{name}"), _type_view_atomic)
      for name, what in _UPDATES.items() if name != "xchg"),
    Method("load_offset", "RawArrayMemory", "offset, /, *, mask=None, padding_value=0, latency=None",
           "The elements at offsets.", "reads", partial(_compute_raw, "load_offset", "read")),
    Method("store_offset", "RawArrayMemory", "offset, value, /, *, mask=None, latency=None",
           "Writes the elements at offsets.", "writes", partial(_compute_raw, "store_offset", "write")),
    *(Method(f"atomic_{name}_offset", "RawArrayMemory", f"offset, update, {_ORDERED}",
             f"{what} at offsets, in one step.", "updates", partial(_compute_raw, f"atomic_{name}_offset", "atomic"))
      for name, what in _UPDATES.items()),
    Method("atomic_cas_offset", "RawArrayMemory", f"offset, expected, desired, {_ORDERED}",
           "Replaces elements at offsets that have an expected value.", "updates",
           partial(_compute_raw, "atomic_cas_offset", "atomic")),
)
