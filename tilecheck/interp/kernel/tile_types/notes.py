"""Operands of operations as they are written, and notes of their uses, from which conditions follow."""

from __future__ import annotations

from collections.abc import Mapping

from tilecheck.dtypes import UNKNOWN
from tilecheck.interp.kernel.coerce import constant_int, expand, to_array
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.operators import TILES
from tilecheck.interp.kernel.tile_types.typing import NOTHING, array_type, note, operand, view_of
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import NONE, Int, Shape, Value
from tilecheck.symbolic import Term, const
from tilecheck.syntax.tree import Span


def note_extents(m: Machine, op: str, shape: Shape | None, span: Span) -> None:
    if shape is not None:
        note(m, "extents", op, (Operand(UNKNOWN, shape),), span)


def shape_written(m: Machine, value: Value | None) -> Shape | None:
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


def count_indices(m: Machine, index: Value | None) -> tuple[int, ...]:
    """How many indices are given, where that is known."""
    if index is None:
        return ()
    items = expand(m, index)
    if items is not None:
        return (len(items),)
    return (1,) if isinstance(index, Int) and index.shape == () else ()


def array_operand(m: Machine, value: Value | None) -> tuple[Operand, str]:
    """The type of an array that is given, and its name."""
    ref = None if value is None else to_array(m, value)
    if ref is None or not ref.options:
        return Operand(UNKNOWN, None), ""
    view = view_of(ref)
    return Operand(array_type(m, ref), None), "" if view is None else view.root.text


def note_indices(m: Machine, op: str, given: Mapping[str, Value], name: str, tiles: bool, span: Span) -> int | None:
    """Notes the indices, and says how many there are."""
    index = given.get(name)
    if index is None:
        return None
    items = expand(m, index)
    if items is None and not isinstance(index, TILES):
        return None
    parts = items if items is not None else (index,)
    note(m, "indices", op, [operand(v) for v in parts], span, (int(tiles),))
    return len(parts)


def _find_common_shape(m: Machine, given: Mapping[str, Value], name: str = "indices") -> Shape | None:
    """The shape that indices of elements have together; None where it is not certain."""
    from tilecheck.interp.kernel.tile_types.extents import broadcast_shapes

    index = given.get(name)
    if index is None:
        return None
    items = expand(m, index)
    types = [operand(v) for v in (items if items is not None else (index,))]
    return None if any(t is NOTHING for t in types) else broadcast_shapes(*(t.shape for t in types))


def note_element_access(m: Machine, op: str, given: Mapping[str, Value], span: Span) -> Shape | None:
    """Notes what an access by elements asks of its indices and its mask. The shape of the indices."""
    count = note_indices(m, op, given, "indices", True, span)
    array, name = array_operand(m, given.get("array"))
    if count is not None:
        note(m, "load", op, (array, NOTHING), span, (count,), name)
    shape = _find_common_shape(m, given)
    mask = given.get("mask")
    if mask is not None and mask != NONE:
        note(m, "mask", op, (operand(mask), Operand(None, shape, None, span)), span)
    return shape


def view_operand(m: Machine, owner: Value) -> tuple[Operand, str]:
    """The type of the tiles of a view, and the name of its array."""
    ref = to_array(m, owner)
    view = None if ref is None else view_of(ref)
    if ref is None or view is None:
        return Operand(UNKNOWN, None), ""
    return Operand(array_type(m, ref), view.tile), view.root.text
