"""Accesses to arrays: what operations of cuda.tile on memory share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tilecheck.interp.kernel.coerce import arrays_in, constant_int, expand, shape_from, to_array, to_bool, to_int
from tilecheck.interp.kernel.footprints import UNKNOWN_EXTENT, Effect, element_access, tile_access
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.overflow import bits_of, fit_unrecorded, fit_value
from tilecheck.interp.kernel.paddings import mode_of, padding_of, unspecified_of
from tilecheck.interp.kernel.poison.propagation import elementwise, fits, lose_all, observe, shadow_of, with_shadow
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.shapes import broadcast, relabel
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Int,
    Shape,
    TileRef,
    Tuple,
    Unknown,
    Value,
    with_term,
)
from tilecheck.symbolic import FALSE, ONE, TRUE, Array, Cond, build_opaque, conj, negate
from tilecheck.syntax.tree import Span


def forget_arguments(m: Machine, given: dict[str, Value]) -> None:
    """The operation is not followed, and neither is what it is given."""
    lose_all(m, "an operation on an array or with an index that is not known", *given.values())


def target_of(m: Machine, value: Value | None, what: str, span: Span) -> ArrayRef | None:
    """The arrays that an operation works on. When that is not known, no verdict on any of them can stand."""
    ref = None if value is None else to_array(m, value)
    if ref is None or not ref.options:
        arrays = frozenset() if value is None else arrays_in(m, value)
        m.gap(f"{what} on an array that is not known", arrays or frozenset(m.parameters), span)
        return None
    return ref


def order_of(given: dict[str, Value], default: tuple[str, str]) -> tuple[str, str]:
    order, scope = default
    written = given.get("memory_order")
    if written is not None:
        order = written.name.rpartition(".")[2].lower() if isinstance(written, TileRef) else "weak"
    where = given.get("memory_scope")
    if where is not None:
        scope = where.name.rpartition(".")[2].lower() if isinstance(where, TileRef) else "block"
    return order, scope


def _is_checked(m: Machine, given: dict[str, Value], span: Span) -> bool:
    value = given.get("check_bounds")
    return value is None or to_bool(m, value, span).cond is TRUE


def _get_unchecked_condition(m: Machine, given: dict[str, Value], span: Span) -> Cond:
    """The condition under which the bounds check is left out."""
    value = given.get("check_bounds")
    return FALSE if value is None else negate(to_bool(m, value, span).cond)


def indices_of(m: Machine, value: Value | None, count: int | None, span: Span) -> tuple[Int, ...] | None:
    """One integer per axis."""
    if value is None:
        return None
    items = expand(m, value)
    if items is None and isinstance(value, Unknown):
        return None if count is None else tuple(m.fresh_int(f"unknown{k}", span) for k in range(count))
    if items is None:
        items = (value,)
    out = []
    for item in items:
        index = to_int(m, item, span)
        m.integer_use(index.term)
        out.append(with_term(index, fit_value(m, index)) if bits_of(index.dtype) < 32 else index)
    return tuple(out)


def permutation(m: Machine, value: Value | None, rank: int) -> tuple[int, ...] | None:
    """The array axis that each tile axis runs along; None when it is not known."""
    if value is None or (isinstance(value, Const) and value.value == "C"):
        return tuple(range(rank))
    if isinstance(value, Const) and value.value == "F":
        return tuple(reversed(range(rank)))
    items = expand(m, value)
    axes = None if items is None else [constant_int(v) for v in items]
    if axes is None or any(a is None for a in axes):
        return None
    resolved = tuple(a + rank if a < 0 else a for a in axes if a is not None)
    return resolved if sorted(resolved) == list(range(rank)) else None


def _tile_extents(m: Machine, value: Value, rank: int, span: Span) -> Shape:
    """The extents of a stored tile: a scalar is one element, an unknown shape has unknown extents."""
    shape = shape_of(value)
    if shape == ():
        return (ONE,) * rank
    if shape is None or len(shape) != rank:
        return _unknown_extents(m, rank, span)
    return shape


def _unknown_extents(m: Machine, rank: int, span: Span) -> Shape:
    """The extents of a tile whose shape is not known. They are constants of a specialization: code that is executed
    again has a tile of the same extents, in every block."""
    return tuple(build_opaque(m.name(f"{UNKNOWN_EXTENT}{k}", span), uniform=True) for k in range(rank))


_Access: TypeAlias = Callable[[Machine, dict[str, Value], Span, str, Shape | None], Value]


def _in_either_order(access: _Access) -> _Access:
    """An access whose order of axes a condition chooses: one access in each of the orders, where it is chosen."""

    def perform(m: Machine, given: dict[str, Value], span: Span, op: str, shape: Shape | None) -> Value:
        order = given.get("order")
        if not isinstance(order, Choice):
            return access(m, given, span, op, shape)
        before = m.path
        m.path = conj(before, order.cond)
        first = perform(m, {**given, "order": order.then}, span, op, shape)
        m.path = conj(before, negate(order.cond))
        second = perform(m, {**given, "order": order.other}, span, op, shape)
        m.path = before
        return join(m, order.cond, first, second, span)

    return perform


@_in_either_order
def load_tile(m: Machine, given: dict[str, Value], span: Span, op: str, shape: Shape | None) -> Value:
    ref = target_of(m, given.get("array"), op, span)
    if shape is None and "shape" in given:
        shape = shape_from(m, given["shape"], span)
    index = indices_of(m, given.get("index"), None if shape is None else len(shape), span)
    if ref is None:
        forget_arguments(m, given)
        return Data(shape)
    if shape == () and index is not None:
        # one element, as a scalar
        given = {**given, "shape": Tuple((Int(ONE),) * len(index))}
        value = load_tile(m, given, span, op, None)
        return relabel(value, (), {}) if isinstance(value, (Int, Bool, Data)) else value
    if index is None or (shape is not None and len(shape) != len(index)):
        m.gap(f"{op} with an index that is not known", roots_of(ref), span)
        forget_arguments(m, given)
        return Data(shape)
    extents = shape
    if extents is None:
        extents = _unknown_extents(m, len(index), span)
    axes = permutation(m, given.get("order"), len(index))
    if axes is None:
        m.gap(f"{op} with an order that is not known", roots_of(ref), span)
        forget_arguments(m, given)
        return Data(shape)
    index = tuple(wrap_index(m, ref, "read", i) for i in index) if _in_64_bits(m, ref) else index
    order, scope = order_of(given, ("weak", "none"))
    mode = mode_of(given, ref)
    effect = Effect("read", op, order, scope, _is_checked(m, given, span), span, padding_of(mode),
                    _get_unchecked_condition(m, given, span), unspecified=unspecified_of(mode))
    return tile_access(m, ref, index, extents, axes, effect)


@_in_either_order
def store_tile(m: Machine, given: dict[str, Value], span: Span, op: str, shape: Shape | None) -> Value:
    ref = target_of(m, given.get("array"), op, span)
    tile = given.get("tile", Unknown("tile"))
    own = shape_of(tile)
    count = len(shape) if shape is not None else len(own) if own else None
    index = indices_of(m, given.get("index"), count, span)
    if ref is None:
        forget_arguments(m, given)
        return NONE
    axes = None if index is None else permutation(m, given.get("order"), len(index))
    if index is None or axes is None:
        m.gap(f"{op} with an index that is not known", roots_of(ref), span)
        forget_arguments(m, given)
        return NONE
    index = tuple(wrap_index(m, ref, "write", i) for i in index) if _in_64_bits(m, ref) else index
    extents = shape if shape is not None and len(shape) == len(index) else _tile_extents(m, tile, len(index), span)
    order, scope = order_of(given, ("weak", "none"))
    mode = "atomic" if op.startswith("tiled_view.atomic") else "write"
    if mode == "atomic":
        order, scope = "relaxed", "device"
    value = tile if fits(tile, extents) else with_shadow(tile, blur(shadow_of(tile)))
    effect = Effect(
        mode,
        op,
        order,
        scope,
        _is_checked(m, given, span),
        span,
        unchecked=_get_unchecked_condition(m, given, span),
        value=value,
    )
    tile_access(m, ref, index, extents, axes, effect)
    return NONE


def roots_of(ref: ArrayRef) -> frozenset[Array]:
    return frozenset(v.root for _, v in ref.options)


def mask_of(m: Machine, given: dict[str, Value], span: Span) -> Bool:
    value = given.get("mask")
    if value is None or (isinstance(value, Const) and value.value is None):
        return Bool(TRUE)
    return to_bool(m, value, span)


def access_elements(m: Machine, given: dict[str, Value], op: str, mode: str, default: tuple[str, str], span: Span,
             update: Shape | None = ()) -> tuple[Value, ArrayRef | None, tuple[Int, ...], str, str]:
    """Executes an access by element indices. Returns the value that was read, and its location."""
    ref = target_of(m, given.get("array"), op, span)
    rank = None
    if ref is not None:
        ranks = {m.knowledge.ranks.get(v.root) for _, v in ref.options}
        rank = ranks.pop() if len(ranks) == 1 else None
    index = indices_of(m, given.get("indices"), rank, span)
    order, scope = order_of(given, default)
    if ref is None or index is None:
        if ref is not None:
            m.gap(f"{op} with an index that is not known", roots_of(ref), span)
        forget_arguments(m, given)
        return Data(None), None, (), order, scope
    mask = mask_of(m, given, span)
    index = tuple(wrap_index(m, ref, mode, i) for i in index)
    shape = broadcast(*(i.shape for i in index), mask.shape)
    spread = shape if update is None else broadcast(shape, update)
    padding = given.get("padding_value", Const(0))
    stored = [given[n] for n in ("value", "update", "expected", "desired") if n in given]
    effect = Effect(
        mode,
        op,
        order,
        scope,
        _is_checked(m, given, span),
        span,
        padding,
        _get_unchecked_condition(m, given, span),
        value=Tuple(tuple(stored)),
    )
    value = element_access(m, ref, index, mask.cond, shape, shape if mode == "read" else spread, effect)
    if mode != "read":
        observe(m, mask.shadow, m.path, "mask", "", span)
    return elementwise(m, value, mask, padding), ref, index, order, scope


def _in_64_bits(m: Machine, ref: ArrayRef) -> bool:
    """Whether an array may have more tiles than an index of 32 bits can name: there, being inside is not enough."""
    return not roots_of(ref).isdisjoint(m.indexed)


def wrap_index(m: Machine, ref: ArrayRef, mode: str, index: Int) -> Int:
    """The index of an element: of one outside that wrapped, the bounds check knows nothing."""
    changed = mode != "read" or m.knowledge.written is None or not roots_of(ref).isdisjoint(m.knowledge.written)
    return with_term(index, fit_unrecorded(m, index)) if changed else index
