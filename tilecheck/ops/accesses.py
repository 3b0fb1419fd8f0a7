"""Operations that load from and store to arrays."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import UNKNOWN
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.coerce import expand, to_int, to_term
from tilecheck.interp.kernel.footprints import Effect, element_access
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.memory import (
    _is_checked,
    access_elements,
    forget_arguments,
    load_tile,
    roots_of,
    store_tile,
    target_of,
    wrap_index,
)
from tilecheck.interp.kernel.operation import Operation
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.overflow import fit_unrecorded
from tilecheck.interp.kernel.paddings import mode_of, padding_of, unspecified_of
from tilecheck.interp.kernel.poison.propagation import lose_all
from tilecheck.interp.kernel.poison.rules import keep_poison
from tilecheck.interp.kernel.shapes import relabel
from tilecheck.interp.kernel.tile_types.notes import (
    array_operand,
    note_element_access,
    note_extents,
    note_indices,
    shape_written,
)
from tilecheck.interp.kernel.tile_types.operators import TILES
from tilecheck.interp.kernel.tile_types.typing import drop_type, note, operand
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, Data, Int, TileSlice, Unknown, Value, with_term
from tilecheck.symbolic import FALSE, ONE, TRUE, Atom, Lane, Term, lane
from tilecheck.syntax.tree import Span

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_load(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "index", "shape"))
    return load_tile(m, given, args.span, "load", None)


def _compute_store(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "index", "tile"))
    return store_tile(m, given, args.span, "store", None)


def _compute_gather(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices"))
    return access_elements(m, given, "gather", "read", ("weak", "none"), args.span)[0]


def _compute_scatter(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "value"))
    update = shape_of(given.get("value", Unknown("value")))
    access_elements(m, given, "scatter", "write", ("weak", "none"), args.span, update)
    return NONE


def _index_advanced(m: Machine, given: dict[str, Value], op: str, mode: str, span: Span) -> Value:
    ref = target_of(m, given.get("array"), op, span)
    items = None if "indices" not in given else expand(m, given["indices"])
    if ref is None or items is None:
        forget_arguments(m, given)
        if ref is not None:
            m.gap(f"{op} with an index that is not known", roots_of(ref), span)
        return Data(None)
    rank = len(items)
    index: list[Int] = []
    extents: list[Term] = []
    for k, item in enumerate(items):
        if isinstance(item, TileSlice):
            size = item.length
            index.append(Int(item.start + lane(rank - 1 - k, size)))
        else:
            value = to_int(m, item, span)
            m.integer_use(value.term)
            size = value.shape[0] if value.shape is not None and len(value.shape) == 1 else ONE
            if value.shape is None or len(value.shape) > 1:
                lose_all(m, "an index that is not followed", value)
                value = m.fresh_int("unknown", span)
                size = m.fresh_int("unknown_extent", span).term
            elif value.shape:
                move: dict[Atom, Term] = {Lane(0, size): lane(rank - 1 - k, size)} if size != ONE else {}
                moved = relabel(value, (), move)
                assert isinstance(moved, Int)
                value = moved
            index.append(wrap_index(m, ref, mode, value))
        extents.append(size)
    shape = tuple(extents)
    kind = mode_of(given, ref)
    effect = Effect(mode, op, "weak", "none", _is_checked(m, given, span), span, padding=padding_of(kind),
                    unspecified=unspecified_of(kind) if mode == "read" else FALSE, value=given.get("tile"))
    rows = tuple(k for k, item in enumerate(items) if not isinstance(item, TileSlice))
    return element_access(m, ref, tuple(index), TRUE, shape, shape, effect, rows)


def _compute_load_advanced(m: Machine, args: Arguments) -> Value:
    return _index_advanced(m, args.take(("array", "indices")), "load_advanced_indexing", "read", args.span)


def _compute_store_advanced(m: Machine, args: Arguments) -> Value:
    _index_advanced(m, args.take(("array", "indices", "tile")), "store_advanced_indexing", "write", args.span)
    return NONE


def _compute_slice(m: Machine, args: Arguments) -> Value:
    given = args.take(("start", "length"))
    if "start" not in given or "length" not in given:
        return Unknown("slice")
    start = to_int(m, given["start"], args.span)
    return TileSlice(to_term(m, with_term(start, fit_unrecorded(m, start)), args.span),
                     to_term(m, given["length"], args.span))


# --- types -----------------------------------------------------------------------------------------------------------

def _type_load(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "index", "shape"))
    shape = shape_written(m, given.get("shape"))
    count = note_indices(m, op, given, "index", False, args.span)
    array, name = array_operand(m, given.get("array"))
    note_extents(m, op, shape, args.span)
    if count is not None:
        note(m, "load", op, (array, Operand(UNKNOWN, shape)), args.span, (count,), name)
    # a result whose rank differs from that of the index is not a tile
    return result if shape is None or count is None or not shape or len(shape) == count else drop_type(result)


def _type_store(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "index", "tile"))
    count = note_indices(m, op, given, "index", False, args.span)
    array, name = array_operand(m, given.get("array"))
    tile = operand(given.get("tile"))
    if count is not None:
        note(m, "store", op, (tile, array), args.span, (count,), name)
    return result


def _type_gather(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices"))
    shape = note_element_access(m, op, given, args.span)
    array, _ = array_operand(m, given.get("array"))
    if "padding_value" in given:
        padding = operand(given["padding_value"])
        note(m, "into", f"{op} padding", (padding, Operand(array.dtype, shape, None, args.span)), args.span)
    return result if shape is not None and isinstance(result, TILES) and result.shape == shape else drop_type(result)


def _type_scatter(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("array", "indices", "value"))
    shape = note_element_access(m, op, given, args.span)
    array, name = array_operand(m, given.get("array"))
    value = operand(given.get("value"))
    note(m, "into", op, (value, Operand(array.dtype, shape, None, args.span)), args.span, (), name)
    return result


# --- records ---------------------------------------------------------------------------------------------------------

_ORDERED: Final = "memory_order=MemoryOrder.WEAK, memory_scope=MemoryScope.NONE"

OPERATIONS: Final = (
    Operation("load", "array, /, index, shape, *, order='C', padding_mode=PaddingMode.UNDETERMINED, check_bounds=True, "
              f"latency=None, allow_tma=None, {_ORDERED}",
              "The tile of an array at an index, counted in tiles of this shape.", "reads", _compute_load, _type_load,
              keep_poison),
    Operation("store", "array, /, index, tile, *, order='C', check_bounds=True, latency=None, allow_tma=None, "
              f"{_ORDERED}", "Writes a tile to an array at an index, counted in tiles of its shape.", "writes",
              _compute_store, _type_store, keep_poison),
    Operation("gather", "array, indices, /, *, mask=None, padding_value=0, check_bounds=True, latency=None",
              "The elements of an array at indices.", "reads", _compute_gather, _type_gather, keep_poison),
    Operation("scatter", "array, indices, value, /, *, mask=None, check_bounds=True, latency=None",
              "Writes elements to an array at indices.", "writes", _compute_scatter, _type_scatter, keep_poison),
    Operation("load_advanced_indexing",
              "array, indices, /, *, padding_mode=PaddingMode.UNDETERMINED, latency=None, allow_tma=None",
              "The rows of an array at indices and a slice along its other axis.", "reads", _compute_load_advanced,
              None, keep_poison),
    Operation("store_advanced_indexing", "array, indices, tile, /, *, latency=None, allow_tma=None",
              "Writes rows to an array at indices and a slice along its other axis.", "writes",
              _compute_store_advanced, None, keep_poison),
    Operation("Slice", "start, length, /", "A range of elements for `load_advanced_indexing`.", "none", _compute_slice,
              None, keep_poison),
)
