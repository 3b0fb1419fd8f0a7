"""The types of values while a kernel is executed: how they are read, set and met, and how uses are noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from tilecheck.dtypes import DTYPES, SOME_NUMBER, UNKNOWN, ElementOf, ElementType, Partial, Weak, get_concrete_type
from tilecheck.interp.kernel.device.note import list_variant_conditions
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.checks import check_use
from tilecheck.interp.kernel.tile_types.uses import Operand, Use
from tilecheck.interp.kernel.values import ArrayRef, Bool, Const, Data, Int, Named, ParamRef, TileRef, Value, View
from tilecheck.syntax.tree import Span

__all__ = [
    "NOTHING",
    "array_type",
    "carried_over",
    "drop_type",
    "dtype_named",
    "join_types",
    "note",
    "operand",
    "read",
    "set_type",
]

_TILES: Final = (Int, Bool, Data)
NOTHING: Final = Operand(UNKNOWN, None)
_SCALAR: Final = Operand(SOME_NUMBER, ())
_FRACTION: Final = Operand(Weak.FLOAT, ())


def operand(value: Value | None) -> Operand:
    """The type of a value as far as it is certain."""
    if isinstance(value, _TILES):
        if value.dtype is None:
            return NOTHING
        number = value.term.constant if isinstance(value, Int) and value.dtype is Weak.INT else None
        return Operand(value.dtype, value.shape, number, value.made)
    if isinstance(value, Const) and isinstance(value.value, float):
        return _FRACTION
    return _SCALAR if isinstance(value, ParamRef) else NOTHING


_WITH: Final[Mapping[type, Callable[..., Value]]] = {
    Int: lambda v, dtype, made: Int(v.term, v.shape, v.shadow, dtype, made),
    Bool: lambda v, dtype, made: Bool(v.cond, v.shape, v.shadow, dtype, made),
    Data: lambda v, dtype, made: Data(v.shape, v.term, v.shadow, dtype, made),
}
"""`replace`, which takes much longer, and every value passes here."""


def set_type(value: Value, dtype: ElementType | None, made: Span | None = None) -> Value:
    """The value with an element type; `made` when its shape comes from here."""
    if not isinstance(value, _TILES):
        return value
    place = value.made if made is None else made
    return value if value.dtype == dtype and value.made is place else _WITH[type(value)](value, dtype, place)


def drop_type(value: Value) -> Value:
    """Returns the value without its type."""
    return set_type(value, None) if isinstance(value, _TILES) and value.dtype is not None else value


def join_types(a: Value, b: Value, result: Value) -> Value:
    """The type where two ways of control meet, which is known when it is the same on both."""
    if (result is a and result is b) or not isinstance(result, _TILES):
        return result
    if not (isinstance(a, _TILES) and isinstance(b, _TILES)) or a.dtype is None or b.dtype is None or (
            a.shape != b.shape):
        return drop_type(result)
    same = a.dtype == b.dtype and (not isinstance(a.dtype, (Weak, Partial)) or a == b)
    dtype = a.dtype if same else UNKNOWN
    return set_type(result, dtype, a.made)


def carried_over(value: Value, start: Value) -> Value:
    """Returns a loop-carried value with the type that it has before the loop. A constant gets a type of its own."""
    if not isinstance(value, _TILES):
        return value
    if not isinstance(start, _TILES) or value.shape != start.shape or start.dtype is None:
        return drop_type(value)
    number = start.term.constant if isinstance(start, Int) else None
    return set_type(value, get_concrete_type(start.dtype, number), start.made)


def dtype_named(value: Value | None) -> ElementType:
    """The element type that an argument names."""
    if isinstance(value, TileRef):
        return DTYPES.get(value.name, UNKNOWN)
    return value.dtype if isinstance(value, Named) and value.dtype is not None else UNKNOWN


def array_type(m: Machine, ref: ArrayRef) -> ElementType:
    """The element type of an array: by name where its annotation gives it."""
    roots = {view.root for _, view in ref.options}
    if len(roots) != 1:
        return UNKNOWN
    (root,) = roots
    return m.element_types.get(root.text) or dict(m.holdings.dtypes).get(root.text) or ElementOf(root.text)


def view_of(ref: ArrayRef) -> View | None:
    return ref.options[0][1] if len(ref.options) == 1 else None


def read(m: Machine, ref: ArrayRef, value: Value, span: Span) -> Value:
    """Returns the value that was read from an array, with the element type of the array."""
    return set_type(value, array_type(m, ref), span)


def note(
    m: Machine, kind: str, op: str, operands: Iterable[Operand], span: Span, numbers: tuple[int, ...] = (),
    array: str = "",
) -> None:
    """Keeps a use where something does not fit, or may not in some launch."""
    if not m.noting or m.doubts:
        return
    given = tuple(operands)
    if check_use(Use(kind, op, given, span, numbers, array)) is not None:
        m.notes.uses[Use(kind, op, given, span, numbers, array, list_variant_conditions(m))] = None
