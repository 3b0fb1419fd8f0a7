"""`Ref` and `Part`: reads of arrays that no block may write. Loads pad with zeros unless they say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from msgspec.structs import replace

from tilecheck.dtypes import SOME_INTEGER
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.calls import unknown_call
from tilecheck.interp.kernel.coerce import constant_int, expand, shape_from, to_int, to_term
from tilecheck.interp.kernel.dialect.cells import blame, extent, own
from tilecheck.interp.kernel.dialect.methods import Method, takes
from tilecheck.interp.kernel.dialect.ownership import Construction, Held
from tilecheck.interp.kernel.dialect.values import Borrowed, Mutable, Part
from tilecheck.interp.kernel.footprints import Effect, element_access, tile_access
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.paddings import padding_of, unspecified_of
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.values import ArrayRef, Choice, Const, Data, Int, Shape, Tuple, Unknown, Value, View, array
from tilecheck.symbolic import ONE, TRUE, Term, cdiv, enforceable, eq, lane, le
from tilecheck.symbolic.steps import ProofStep
from tilecheck.syntax.tree import Span

__all__ = ["PART_METHODS", "REF_METHODS", "WRITES", "item"]

WRITES: Final = frozenset({
    "store", "store_at", "scatter", "atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor",
    "atomic_xchg", "atomic_cas", "add", "min", "max", "and_", "or_", "xor", "cell", "cells", "pieces",
})
"""Methods of arrays that a kernel may change. Other arrays do not have them."""


def _ref(x: Borrowed) -> ArrayRef:
    return array(View(x.array))


def _read(x: Borrowed, span: Span, held: Held | None = None) -> Effect:
    return Effect(
        "read", "load", "weak", "none", True, span, padding_of(x.padding), unspecified=unspecified_of(x.padding),
        held=held)


def _load_like(m: Machine, x: Borrowed, args: Arguments) -> Value:
    """The tile at the place of the block's piece of a mutable array, with its extents."""
    like = args.take(("z",))["z"]
    if not isinstance(like, Mutable):
        return unknown_call(m, "load_like of something that is not a mutable array", x, args)
    tile = like.parameter.tile
    if len(x.axes) != len(tile):
        blame(m, "TC501", args.span, x.name, "like", like.name, shapes=(x.parameter.extents, tile))
        return Data(None)
    needs = tuple(le(extent(like.array, k), extent(x.array, axis)) for k, axis in enumerate(x.axes))
    effect = _read(x, args.span, Held(False, (ProofStep(Construction.REACHES_AS_FAR, (x.name, like.name)),), needs))
    index = tuple(Int(c) for c in own(m, like))
    return tile_access(m, _ref(x), index, tile, x.axes, effect)


def _load(m: Machine, x: Borrowed, args: Arguments) -> Value:
    given = args.take(("index", "shape"))
    index = _indices(m, _get_single_index(m, given["index"], len(x.axes)), args.span)
    return _tile(m, x, index, shape_from(m, given["shape"], args.span), args)


def _get_single_index(m: Machine, index: Value | None, rank: int) -> Value | None:
    """An index that may be written without parentheses, as only one of a single axis can."""
    return Tuple((index,)) if index is not None and rank == 1 and expand(m, index) is None else index


def _tile(m: Machine, x: Borrowed, index: tuple[Int, ...] | None, shape: Shape | None, args: Arguments) -> Value:
    if index is None or shape is None or len(index) != len(shape):
        return unknown_call(m, "load with an index that is not known", x, args)
    if len(index) != len(x.axes):
        blame(m, "TC501", args.span, x.name, "indexed", shapes=(shape, x.parameter.extents))
        return Data(shape)
    return tile_access(m, _ref(x), index, shape, x.axes, _read(x, args.span))


def _indices(m: Machine, value: Value | None, span: Span) -> tuple[Int, ...] | None:
    items = None if value is None else expand(m, value)
    if items is None:
        return None
    found = tuple(to_int(m, v, span) for v in items)
    for i in found:
        m.integer_use(i.term)
    return found


def _partition(m: Machine, x: Borrowed, args: Arguments) -> Value:
    if any(isinstance(v, Tuple) for v in args.positional):
        blame(m, "TC501", args.span, x.name, "starred", "partition")
        return Unknown("a partition by a tuple", frozenset())
    tile = tuple(to_term(m, v, args.span) for v in args.positional)
    if len(tile) != len(x.axes):
        blame(m, "TC501", args.span, x.name, "partition", shapes=(tile, x.parameter.extents))
        return Unknown("a partition of another rank")
    return Part(x, tile)


def item(m: Machine, part: Part, index: Value, span: Span) -> Value:
    """`p[m, k]`: a tile of the partition."""
    args = Arguments((index,), {}, True, span)
    return _tile(m, part.array, _indices(m, _get_single_index(m, index, len(part.tile)), span), part.tile, args)


def _tiles(m: Machine, part: Part, args: Arguments) -> Value:
    axis = constant_int(args.take(("axis",))["axis"])
    rank = len(part.tile)
    if axis is None or not -rank <= axis < rank:
        return m.fresh_int("tiles", args.span)
    place = axis % rank
    return Int(cdiv(extent(part.array.array, part.array.axes[place]), part.tile[place]), dtype=SOME_INTEGER)


def _gather_effect(span: Span) -> Effect:
    return Effect("read", "gather", "weak", "none", True, span, Const(0))


def _element(m: Machine, x: Borrowed, args: Arguments) -> Value:
    """`x.at(i)`: one element, or zero where there is none."""
    return _gather_elements(m, x, args, "at")


def _gather(m: Machine, x: Borrowed, args: Arguments) -> Value:
    return _gather_elements(m, x, args, "gather")


def _gather_elements(m: Machine, x: Borrowed, args: Arguments, what: str) -> Value:
    whole = args.take(("indices",))["indices"] if what == "gather" else Tuple(args.positional)
    index = _indices(m, whole if expand(m, whole) is not None else Tuple((whole,)), args.span)
    if index is None or len(index) != len(x.axes):
        return unknown_call(m, f"{what} with an index that is not known", x, args)
    placed = _permute_indices(x, index)
    shape = broadcast(*(i.shape for i in index))
    return element_access(m, _ref(x), placed, TRUE, shape, shape, _gather_effect(args.span))


def _permute_indices(x: Borrowed, index: tuple[Int, ...]) -> tuple[Int, ...]:
    """The indices in the order of the axes of the array."""
    by = dict(zip(x.axes, index, strict=True))
    return tuple(by[axis] for axis in range(len(index)))


def _gather_row(m: Machine, x: Borrowed, args: Arguments) -> Value:
    """Row `r` of a matrix as a tile of one row; zeros for a row that does not exist."""
    given = args.take(("row", "length"))
    if len(x.axes) != 2:
        return unknown_call(m, "gather_row", x, args)
    row, size = to_int(m, given["row"], args.span), to_term(m, given["length"], args.span)
    m.integer_use(row.term)
    if row.shape != ():
        return unknown_call(m, "gather_row of several rows", x, args)
    index = _permute_indices(x, (row, Int(lane(0, size), (ONE, size))))
    shape = (ONE, size)
    return element_access(m, _ref(x), index, TRUE, shape, shape, _gather_effect(args.span))


def _extent(m: Machine, x: Borrowed, args: Arguments) -> Value:
    axis = constant_int(args.take(("axis",))["axis"])
    if axis is None or not -len(x.axes) <= axis < len(x.axes):
        return m.fresh_int("extent", args.span)
    return Int(extent(x.array, x.axes[axis % len(x.axes)]), dtype=SOME_INTEGER)


def _permute(m: Machine, x: Borrowed, args: Arguments) -> Value:
    """A view for each order that the axes may have: one where they are written as numbers, else one of several by
    their values, which are constants of the compiled kernel."""
    rank = len(x.axes)
    axes = tuple(to_term(m, v, args.span) for v in args.positional)
    orders = [o for o in permutations(range(rank)) if len(axes) == rank and all(
        a.constant in (None, k) for a, k in zip(axes, o, strict=True))]
    if not orders:
        blame(m, "TC501", args.span, x.name, "order", *(str(a.constant) for a in axes), shapes=(x.parameter.extents,))
        return x
    if len(orders) > _ORDERS or not all(enforceable(eq(a, 0)) for a in axes):
        blame(m, "TC501", args.span, x.name, "orders", shapes=(x.parameter.extents,))
        return Unknown("a view whose axes are not known", frozenset())
    return _either_order(x, axes, orders)


_ORDERS: Final = 6
"""The number of views that are distinguished: all orders of three axes."""


def _either_order(x: Borrowed, axes: tuple[Term, ...], orders: Sequence[tuple[int, ...]]) -> Value:
    if len(orders) == 1:
        return replace(x, axes=tuple(x.axes[a] for a in orders[0]))
    place = next(k for k in range(len(axes)) if len({o[k] for o in orders}) > 1)
    value = orders[0][place]
    then, other = ([o for o in orders if (o[place] == value) is same] for same in (True, False))
    return Choice(eq(axes[place], value), _either_order(x, axes, then), _either_order(x, axes, other))


def _pad(m: Machine, x: Borrowed, args: Arguments) -> Value:
    return replace(x, padding=args.take(("padding",))["padding"])


REF_METHODS: Final[dict[str, Method]] = {
    "load_like": takes(_load_like, "z"), "load": takes(_load, "index shape"), "partition": takes(_partition, rest=True),
    "at": takes(_element, rest=True), "gather": takes(_gather, "indices"),
    "gather_row": takes(_gather_row, "row length"), "extent": takes(_extent, "axis"),
    "permute": takes(_permute, rest=True), "padded": takes(_pad, "padding"),
}
PART_METHODS: Final[dict[str, Method]] = {"tiles": takes(_tiles, "axis")}
