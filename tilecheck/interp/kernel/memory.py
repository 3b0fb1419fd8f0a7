"""Memory operations of cuda.tile."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from tilecheck.interp.kernel.calls import Arguments, MethodOperation, Operation
from tilecheck.interp.kernel.coerce import (
    arrays_in,
    constant_int,
    expand,
    shape_from,
    to_array,
    to_bool,
    to_int,
    to_term,
)
from tilecheck.interp.kernel.footprints import Effect, element_access, raw_access, tile_access
from tilecheck.interp.kernel.interpreter import CasResult, Machine
from tilecheck.interp.kernel.locks import ACQUIRING, WIDE, release, update
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.overflow import bits_of, fit_unrecorded, fit_value
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
    TileSlice,
    Tuple,
    Unknown,
    Value,
    with_term,
)
from tilecheck.symbolic import FALSE, ONE, TRUE, Array, Atom, Cond, Lane, Term, conj, disj, lane, negate
from tilecheck.syntax.tree import Span


def _forget_arguments(m: Machine, given: dict[str, Value]) -> None:
    """The operation is not followed, and neither is what it is given."""
    lose_all(m, "an operation on an array or with an index that is not known", *given.values())


def _target(m: Machine, value: Value | None, what: str, span: Span) -> ArrayRef | None:
    """The arrays that an operation works on. When that is not known, no verdict on any of them can stand."""
    ref = None if value is None else to_array(m, value)
    if ref is None or not ref.options:
        arrays = frozenset() if value is None else arrays_in(m, value)
        m.gap(f"{what} on an array that is not known", arrays or frozenset(m.parameters), span)
        return None
    return ref


def _order(given: dict[str, Value], default: tuple[str, str]) -> tuple[str, str]:
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


def _indices(m: Machine, value: Value | None, count: int | None, span: Span) -> tuple[Int, ...] | None:
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
        return tuple(m.fresh_int(f"unknown_extent{k}", span).term for k in range(rank))
    return shape


def _load(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "index", "shape"))
    return _tile_load(m, given, args.span, "load", None)


def _tile_load(m: Machine, given: dict[str, Value], span: Span, op: str, shape: Shape | None) -> Value:
    ref = _target(m, given.get("array"), op, span)
    if shape is None and "shape" in given:
        shape = shape_from(m, given["shape"], span)
    index = _indices(m, given.get("index"), None if shape is None else len(shape), span)
    if ref is None:
        _forget_arguments(m, given)
        return Data(shape)
    if shape == () and index is not None:
        # one element, as a scalar
        given = {**given, "shape": Tuple((Int(ONE),) * len(index))}
        value = _tile_load(m, given, span, op, None)
        return relabel(value, (), {}) if isinstance(value, (Int, Bool, Data)) else value
    if index is None or (shape is not None and len(shape) != len(index)):
        m.gap(f"{op} with an index that is not known", _roots(ref), span)
        _forget_arguments(m, given)
        return Data(shape)
    extents = shape
    if extents is None:
        extents = tuple(m.fresh_int(f"unknown_extent{k}", span).term for k in range(len(index)))
    axes = permutation(m, given.get("order"), len(index))
    if axes is None:
        m.gap(f"{op} with an order that is not known", _roots(ref), span)
        _forget_arguments(m, given)
        return Data(shape)
    index = tuple(_wrap_index(m, ref, "read", i) for i in index) if _in_64_bits(m, ref) else index
    order, scope = _order(given, ("weak", "none"))
    mode = _mode(given, ref)
    effect = Effect("read", op, order, scope, _is_checked(m, given, span), span, padding_of(mode),
                    _get_unchecked_condition(m, given, span), unspecified=unspecified_of(mode))
    return tile_access(m, ref, index, extents, axes, effect)


def _mode(given: dict[str, Value], ref: ArrayRef) -> Value | None:
    """The padding mode that was given, to the load or to the view that it goes through; None when none was."""
    if "padding_mode" in given:
        return given["padding_mode"]
    modes = {view.padding for _, view in ref.options}
    return modes.pop() if len(modes) == 1 else Unknown("padding")


def unspecified_of(mode: Value | None) -> Cond | None:
    """The condition under which padding is unspecified; None when that is not known."""
    if mode is None:
        return TRUE
    if isinstance(mode, TileRef):
        return TRUE if mode.name.rpartition(".")[2] == "UNDETERMINED" else FALSE
    if isinstance(mode, Choice):
        a, b = unspecified_of(mode.then), unspecified_of(mode.other)
        return None if a is None or b is None else disj(conj(mode.cond, a), conj(negate(mode.cond), b))
    return None


def padding_of(mode: Value | None) -> Value | None:
    if isinstance(mode, TileRef):
        name = mode.name.rpartition(".")[2]
        if name == "ZERO":
            return Const(0)
        return None if name == "UNDETERMINED" else Const(name)
    return None if mode is None else Unknown("padding")


def _store(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "index", "tile"))
    return _tile_store(m, given, args.span, "store", None)


def _tile_store(m: Machine, given: dict[str, Value], span: Span, op: str, shape: Shape | None) -> Value:
    ref = _target(m, given.get("array"), op, span)
    tile = given.get("tile", Unknown("tile"))
    own = shape_of(tile)
    count = len(shape) if shape is not None else len(own) if own else None
    index = _indices(m, given.get("index"), count, span)
    if ref is None:
        _forget_arguments(m, given)
        return NONE
    axes = None if index is None else permutation(m, given.get("order"), len(index))
    if index is None or axes is None:
        m.gap(f"{op} with an index that is not known", _roots(ref), span)
        _forget_arguments(m, given)
        return NONE
    index = tuple(_wrap_index(m, ref, "write", i) for i in index) if _in_64_bits(m, ref) else index
    extents = shape if shape is not None and len(shape) == len(index) else _tile_extents(m, tile, len(index), span)
    order, scope = _order(given, ("weak", "none"))
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


def _roots(ref: ArrayRef) -> frozenset[Array]:
    return frozenset(v.root for _, v in ref.options)


def _mask(m: Machine, given: dict[str, Value], span: Span) -> Bool:
    value = given.get("mask")
    if value is None or (isinstance(value, Const) and value.value is None):
        return Bool(TRUE)
    return to_bool(m, value, span)


def _element(m: Machine, given: dict[str, Value], op: str, mode: str, default: tuple[str, str], span: Span,
             update: Shape | None = ()) -> tuple[Value, ArrayRef | None, tuple[Int, ...], str, str]:
    """Executes an access by element indices. Returns the value that was read, and its location."""
    ref = _target(m, given.get("array"), op, span)
    rank = None
    if ref is not None:
        ranks = {m.knowledge.ranks.get(v.root) for _, v in ref.options}
        rank = ranks.pop() if len(ranks) == 1 else None
    index = _indices(m, given.get("indices"), rank, span)
    order, scope = _order(given, default)
    if ref is None or index is None:
        if ref is not None:
            m.gap(f"{op} with an index that is not known", _roots(ref), span)
        _forget_arguments(m, given)
        return Data(None), None, (), order, scope
    mask = _mask(m, given, span)
    index = tuple(_wrap_index(m, ref, mode, i) for i in index)
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
    return not _roots(ref).isdisjoint(m.indexed)


def _wrap_index(m: Machine, ref: ArrayRef, mode: str, index: Int) -> Int:
    """The index of an element: of one outside that wrapped, the bounds check knows nothing."""
    changed = mode != "read" or m.knowledge.written is None or not _roots(ref).isdisjoint(m.knowledge.written)
    return with_term(index, fit_unrecorded(m, index)) if changed else index


def _gather(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices"))
    return _element(m, given, "gather", "read", ("weak", "none"), args.span)[0]


def _scatter(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "value"))
    update = shape_of(given.get("value", Unknown("value")))
    _element(m, given, "scatter", "write", ("weak", "none"), args.span, update)
    return NONE


def _atomic(op: str, m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "update"))
    span = args.span
    update = shape_of(given.get("update", Unknown("value")))
    _, ref, index, order, scope = _element(m, given, op, "atomic", ("acq_rel", "device"), span, update)
    if ref is None:
        return Data(None)
    shape = broadcast(*(i.shape for i in index), update)
    if op == "atomic_xchg" and len(ref.options) == 1:
        value = to_int(m, given.get("update", Unknown("value")), span)
        release(m, ref.options[0][1].root, tuple(i.term for i in index), value.term, order, scope)
    shown = '|'.join(map(str, sorted(_roots(ref))))
    if op == "atomic_add" and not _ticket(m, ref, index, given.get("update")):
        return m.fresh_int(f"{op} of {shown}", span, shape)
    return m.fresh_int(f"{op}({shown})", span, shape)


def _ticket(m: Machine, ref: ArrayRef, index: tuple[Int, ...], update: Value | None) -> bool:
    """Whether no two atomic additions on the array return the same value, if no other operation changes the array.

    This holds if all of them add at least one to the same element.
    """
    added = None if update is None else constant_int(update)
    return (added is not None and added > 0 and not any(i.term.varying for i in index)
            and all(view.root in m.knowledge.counters for _, view in ref.options))


def _cas(m: Machine, args: Arguments) -> Value:
    given = args.take(("array", "indices", "expected", "desired"))
    span = args.span
    _, ref, index, order, scope = _element(m, given, "atomic_cas", "atomic", ("acq_rel", "device"), span)
    if ref is None:
        return Data(None)
    shape = broadcast(*(i.shape for i in index))
    value = m.fresh_int(f"atomic_cas({'|'.join(map(str, sorted(_roots(ref))))})", span, shape)
    atom = value.term.single
    if atom is not None and len(ref.options) == 1 and "expected" in given and "desired" in given:
        strong = order in ACQUIRING and scope in WIDE
        root = ref.options[0][1].root
        free, taken = to_int(m, given["expected"], span).term, to_int(m, given["desired"], span).term
        m.cas[atom] = CasResult(root, tuple(i.term for i in index), free, taken, strong)
        update(m, root, ("take", free, (free - taken).constant not in (None, 0)))
    else:
        for root in _roots(ref):
            update(m, root, ("seize",))
    return value


# --- advanced indexing -----------------------------------------------------------------------------------------------

def _index_advanced(m: Machine, given: dict[str, Value], op: str, mode: str, span: Span) -> Value:
    ref = _target(m, given.get("array"), op, span)
    items = None if "indices" not in given else expand(m, given["indices"])
    if ref is None or items is None:
        _forget_arguments(m, given)
        if ref is not None:
            m.gap(f"{op} with an index that is not known", _roots(ref), span)
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
            index.append(_wrap_index(m, ref, mode, value))
        extents.append(size)
    shape = tuple(extents)
    kind = _mode(given, ref)
    effect = Effect(mode, op, "weak", "none", _is_checked(m, given, span), span, padding=padding_of(kind),
                    unspecified=unspecified_of(kind) if mode == "read" else FALSE, value=given.get("tile"))
    rows = tuple(k for k, item in enumerate(items) if not isinstance(item, TileSlice))
    return element_access(m, ref, tuple(index), TRUE, shape, shape, effect, rows)


def _load_advanced(m: Machine, args: Arguments) -> Value:
    return _index_advanced(m, args.take(("array", "indices")), "load_advanced_indexing", "read", args.span)


def _store_advanced(m: Machine, args: Arguments) -> Value:
    _index_advanced(m, args.take(("array", "indices", "tile")), "store_advanced_indexing", "write", args.span)
    return NONE


def _slice_value(m: Machine, args: Arguments) -> Value:
    given = args.take(("start", "length"))
    if "start" not in given or "length" not in given:
        return Unknown("slice")
    start = to_int(m, given["start"], args.span)
    return TileSlice(to_term(m, with_term(start, fit_unrecorded(m, start)), args.span),
                     to_term(m, given["length"], args.span))


# --- views and raw memory --------------------------------------------------------------------------------------------

def _view_shape(ref: ArrayRef) -> Shape | None:
    shapes = {v.tile for _, v in ref.options}
    return shapes.pop() if len(shapes) == 1 else None


def _view_load(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    given = {**args.take(("index",)), "array": owner}
    shape = None if ref is None else _view_shape(ref)
    if shape is None:
        m.gap("load through something that is not a tiled view", arrays_in(m, owner), args.span)
        _forget_arguments(m, given)
        return Data(None)
    return _tile_load(m, given, args.span, "tiled_view.load", shape)


def _view_store(op: str, m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    given = {**args.take(("index", "tile")), "array": owner}
    shape = None if ref is None else _view_shape(ref)
    if shape is None:
        m.gap("store through something that is not a tiled view", arrays_in(m, owner), args.span)
        _forget_arguments(m, given)
        return NONE
    return _tile_store(m, given, args.span, op, shape)


def _raw(op: str, mode: str, m: Machine, owner: Value, args: Arguments) -> Value:
    names = ("offset", "expected", "desired") if op == "atomic_cas_offset" else ("offset", "value")
    given = args.take(names)
    ref = _target(m, owner, op, args.span)
    if ref is None:
        _forget_arguments(m, given)
        return Data(None)
    if not args.positional:
        m.gap(f"{op} without an offset", _roots(ref), args.span)
        _forget_arguments(m, given)
        return Data(None)
    offset = to_int(m, args.positional[0], args.span)
    m.integer_use(offset.term)
    offset = _wrap_index(m, ref, mode, offset)
    mask = _mask(m, given, args.span)
    default = ("acq_rel", "device") if mode == "atomic" else ("weak", "none")
    order, scope = _order(given, default)
    shape = broadcast(offset.shape, mask.shape)
    update = shape_of(given["value"]) if "value" in given else ()
    stored = [given[n] for n in ("value", "expected", "desired") if n in given]
    effect = Effect(mode, op, order, scope, False, args.span, value=Tuple(tuple(stored)))
    observe(m, mask.shadow, m.path, "mask", "", args.span)
    return raw_access(m, ref, offset, mask.cond, shape, broadcast(shape, update), effect)


ATOMICS = ("add", "max", "min", "and", "or", "xor", "xchg")

OPERATIONS: Final[Mapping[str, Operation]] = {
    "load": _load, "store": _store, "gather": _gather, "scatter": _scatter, "atomic_cas": _cas,
    "load_advanced_indexing": _load_advanced, "store_advanced_indexing": _store_advanced, "Slice": _slice_value,
    **{f"atomic_{k}": partial(_atomic, f"atomic_{k}") for k in ATOMICS},
}
METHODS: Final[Mapping[str, MethodOperation]] = {
    "load": _view_load,
    "store": partial(_view_store, "tiled_view.store"),
    **{f"atomic_store_{k}": partial(_view_store, f"tiled_view.atomic_store_{k}") for k in ATOMICS if k != "xchg"},
    "load_offset": partial(_raw, "load_offset", "read"),
    "store_offset": partial(_raw, "store_offset", "write"),
    **{f"atomic_{k}_offset": partial(_raw, f"atomic_{k}_offset", "atomic") for k in (*ATOMICS, "cas")},
}

__all__ = ["ATOMICS", "METHODS", "OPERATIONS", "padding_of", "unspecified_of"]
