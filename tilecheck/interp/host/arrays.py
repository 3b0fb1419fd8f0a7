"""Arrays on the host: shapes, views, copies and allocations of torch, cupy and numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.host.state import State, contiguity, join_values
from tilecheck.interp.host.values import Choice, Int, Items, Plain, Ref, Rest, Shape, Tensor, Thing, Value
from tilecheck.symbolic import (
    ONE,
    Extent,
    Ite,
    LeadingSize,
    Rank,
    Scalar,
    Stride,
    Symbol,
    Term,
    array_from_text,
    const,
    eq,
    floordiv,
    minimum,
    of,
    split_multiples,
    symbol_from_text,
)

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

_RANKS: Final = 5
"""Axes that a shape of unknown rank may have."""

ATTRIBUTES: Final = frozenset({"shape", "ndim", "T", "mT", "H", "size", "dtype", "device", "data", "strides"})


class Bounds(Struct, frozen=True):
    """`lower:upper:step` in a subscript."""

    lower: Term | None
    upper: Term | None
    step: Term | None


# --- shapes ----------------------------------------------------------------------------------------------------------

def rank_of(tensor: Tensor, state: State) -> int | None:
    return len(tensor.shape) if tensor.shape is not None else state.ranks.get(tensor.name)


def shape_of(ev: Evaluator, tensor: Tensor, state: State) -> tuple[Term, ...] | None:
    if tensor.shape is not None:
        return tensor.shape
    rank = state.ranks.get(tensor.name)
    return None if rank is None else tuple(ev.extent(Extent(array_from_text(tensor.name), i)) for i in range(rank))


def extents_of(ev: Evaluator, shape: Shape, rank: int) -> tuple[Value, ...]:
    axes = range(rank)[shape.lower:shape.upper]
    return tuple(Int(ev.extent(Extent(array_from_text(shape.name), i))) for i in axes)


def shape_value(ev: Evaluator, tensor: Tensor, state: State) -> Value:
    known = shape_of(ev, tensor, state)
    return Shape(tensor.name) if known is None else Items(tuple(Int(t) for t in known))


def set_rank(ev: Evaluator, name: str, rank: int, state: State) -> None:
    """The rank became known: extents that were counted from the right are now those counted from the left."""
    if name in state.ranks:
        return
    state.ranks[name] = rank
    array = array_from_text(name)
    for i in range(1, rank + 1):
        if Extent(array, -i) in ev.symbols.extents:
            state.assume(eq(of(Extent(array, -i)), ev.extent(Extent(array, rank - i))))
    if LeadingSize(array) in ev.symbols.extents:
        leading = product([ev.extent(Extent(array, i)) for i in range(rank - 1)])
        state.assume(eq(of(LeadingSize(array)), leading))


def shape_item(ev: Evaluator, shape: Shape, index: Value, state: State) -> Value:
    rank = state.ranks.get(shape.name)
    term = ev.number(index)
    at = None if term is None else term.constant
    pick = None if term is None else term.single
    if isinstance(pick, Ite):
        then, other = (shape_item(ev, shape, Int(part), state) for part in (pick.then, pick.other))
        return join_values(pick.cond, then, other)
    if at is None:
        return Int(ev.extent(ev.symbols.some_extent(array_from_text(shape.name))))
    if rank is not None:
        known = extents_of(ev, shape, rank)
        return known[at] if -len(known) <= at < len(known) else ev.unknown("extent")
    if at >= 0 and shape.lower >= 0:
        return Int(ev.extent(Extent(array_from_text(shape.name), shape.lower + at)))
    if at < 0 and shape.upper is None and (shape.lower >= 0 or shape.lower <= at):
        return Int(ev.extent(Extent(array_from_text(shape.name), at)))
    if at < 0 and shape.upper is not None and shape.upper < 0:
        return Int(ev.extent(Extent(array_from_text(shape.name), shape.upper + at)))
    return ev.unknown("extent")


def product(terms: Sequence[Term]) -> Term:
    out = ONE
    for term in terms:
        out = out * term
    return out


def numel(ev: Evaluator, tensor: Tensor, state: State) -> Term:
    known = shape_of(ev, tensor, state)
    if known is not None:
        return product(known)
    # the number of rows times the last extent
    array = array_from_text(tensor.name)
    return ev.extent(LeadingSize(array)) * ev.extent(Extent(array, -1))


def shape_product(ev: Evaluator, shape: Shape, state: State) -> Term | None:
    """The product of the extents in the slice."""
    rank = state.ranks.get(shape.name)
    if rank is not None:
        return product([ev.integer(v) for v in extents_of(ev, shape, rank)])
    if shape.lower == 0 and shape.upper == -1:
        return ev.extent(LeadingSize(array_from_text(shape.name)))
    if shape.lower == 0 and shape.upper is None:
        array = array_from_text(shape.name)
        return ev.extent(LeadingSize(array)) * ev.extent(Extent(array, -1))
    return None


def row_major(shape: Sequence[Term]) -> tuple[Term, ...]:
    return tuple(product(shape[i + 1:]) for i in range(len(shape)))


# --- attributes and subscripts ---------------------------------------------------------------------------------------

def attribute(ev: Evaluator, tensor: Tensor, name: str, state: State) -> Value:
    if name == "shape":
        return shape_value(ev, tensor, state)
    if name == "ndim":
        rank = rank_of(tensor, state)
        return Thing(Rank(array_from_text(tensor.name)).key) if rank is None else Int(const(rank))
    if name == "size":
        return Int(numel(ev, tensor, state))
    if name == "data":
        return tensor
    if name == "T":
        return reverse_axes(ev, tensor, state)
    if name in ("mT", "H"):
        return transpose(ev, tensor, state)
    if name == "dtype":
        return Thing(f"{tensor.storage}.{name}", numeric=True)
    return Thing(f"{tensor.storage}.{name}")


def slice_value(ev: Evaluator, owner: Value, bounds: Bounds, state: State) -> Value | None:
    """`owner[lower:upper]` of a tuple, list or shape with constant bounds."""
    low = 0 if bounds.lower is None else bounds.lower.constant
    high = None if bounds.upper is None else bounds.upper.constant
    if low is None or (bounds.upper is not None and high is None) or bounds.step is not None:
        return ev.unknown("slice", numeric=False) if isinstance(owner, Items | Ref | Shape) else None
    if isinstance(owner, Shape):
        rank = state.ranks.get(owner.name)
        if rank is not None:
            return Items(extents_of(ev, owner, rank)[low:high])
        plain = owner.lower == 0 and owner.upper is None
        return Shape(owner.name, low, high) if plain else ev.unknown("slice", numeric=False)
    if isinstance(owner, Items):
        return ev.unknown("slice", numeric=False) if owner.spliced else Items(
            owner.items[low:high], owner.places[low:high])
    if isinstance(owner, Ref) and owner.kind == "list":
        items = ev.elements(owner, state)
        return ev.unknown("slice", numeric=False) if items is None else ev.new_list(items[low:high], state)
    return None


Part: TypeAlias = Bounds | Value


def subscript(ev: Evaluator, owner: Value, parts: tuple[Part, ...], state: State) -> Value:
    """An array indexed by integers, slices and more; integers and slices give a view of a part."""
    if isinstance(owner, Choice | Items | Ref):
        return ev.unknown("part", numeric=False)
    tensor = ev.tensor(owner, state)
    plain = all(isinstance(part, Bounds | Int) for part in parts)
    if not plain:
        none_only = all(isinstance(p, Bounds | Int | Plain) for p in parts)
        fresh = ev.invent_name(f"{tensor.name}[...]")
        storage = tensor.storage if none_only else ev.symbols.allocation(fresh, tensor.storage)
        return Tensor(fresh, fresh, storage, whole=False, maybe=tensor.storage)
    shape = shape_of(ev, tensor, state)
    name = ev.invent_name(f"{tensor.name}[...]")
    if all(part == Bounds(None, None, None) for part in parts):
        return tensor
    extents: tuple[Term, ...] | None = None
    if shape is not None and len(parts) <= len(shape):
        padded = (*parts, *(Bounds(None, None, None),) * (len(shape) - len(parts)))
        extents = tuple(
            _extent(ev, part, extent, name)
            for part, extent in zip(padded, shape, strict=True) if isinstance(part, Bounds))
    return Tensor(name, name, tensor.storage, extents, whole=False, rows=_rows(tensor, parts))


def _rows(tensor: Tensor, parts: tuple[Part, ...]) -> tuple[str, int, int | None] | None:
    """Where a slice of the first axis of all of a storage begins and ends, in constants that count from its start."""
    first = parts[0]
    if not tensor.whole or not isinstance(first, Bounds) or first.step is not None or any(
            part != Bounds(None, None, None) for part in parts[1:]):
        return None
    low = 0 if first.lower is None else first.lower.constant
    high = None if first.upper is None else first.upper.constant
    if low is None or low < 0 or (first.upper is not None and (high is None or high < 0)):
        return None
    return tensor.name, low, high


def _extent(ev: Evaluator, part: Bounds, extent: Term, name: str) -> Term:
    low, high = part.lower, part.upper
    if part == Bounds(None, None, None):
        return extent
    if part.step is None and (low is None or low.constant == 0) and high is not None and not_negative(ev, high):
        return minimum(high, extent)
    return ev.extent(Scalar(ev.invent_name(f"{name}.extent")))


def not_negative(ev: Evaluator, term: Term) -> bool:
    """Whether the term is a sum of products of extents, plainly."""
    return all(
        c > 0 and all(isinstance(a, Symbol) and ev.symbols.not_negative(a) for a in m)
        for m, c in term.monos.items())


# --- views and copies ------------------------------------------------------------------------------------------------

def transpose(ev: Evaluator, tensor: Tensor, state: State, first: int = -2, second: int = -1) -> Tensor:
    shape = shape_of(ev, tensor, state)
    name = ev.invent_name(f"{tensor.name}.T")
    if shape is None or len(shape) < 2 or not all(-len(shape) <= i < len(shape) for i in (first, second)):
        return Tensor(name, name, tensor.storage, whole=tensor.whole)
    order = list(range(len(shape)))
    order[first], order[second] = order[second], order[first]
    return permute(ev, tensor, order, state)


def reverse_axes(ev: Evaluator, tensor: Tensor, state: State) -> Tensor:
    """`x.T`: all axes, in the opposite order."""
    rank = rank_of(tensor, state)
    return transpose(ev, tensor, state) if rank is None or rank < 2 else permute(
        ev, tensor, tuple(reversed(range(rank))), state)


def permute(ev: Evaluator, tensor: Tensor, order: Sequence[int], state: State) -> Tensor:
    shape = shape_of(ev, tensor, state)
    name = ev.invent_name(f"{tensor.name}.permuted")
    if shape is None or sorted(i % len(shape) for i in order) != list(range(len(shape))):
        return Tensor(name, name, tensor.storage, whole=tensor.whole)
    known = strides_of(ev, tensor, state)
    strides = None if known is None else tuple(known[i] for i in order)
    return Tensor(name, name, tensor.storage, tuple(shape[i] for i in order), strides, whole=tensor.whole)


def strides_of(ev: Evaluator, tensor: Tensor, state: State) -> tuple[Term, ...] | None:
    if tensor.strides is not None:
        return tensor.strides
    shape = shape_of(ev, tensor, state)
    if shape is None:
        return None
    if tensor.dense:
        return row_major(shape)
    return tuple(of(Stride(array_from_text(tensor.strided), i)) for i in range(len(shape)))


def copy_tensor(ev: Evaluator, tensor: Tensor, how: str) -> Tensor:
    """The same elements in memory of their own, row by row."""
    fresh = ev.symbols.allocation(ev.invent_name(f"{tensor.name}.{how}()"))
    return replace(tensor, strided=fresh, storage=fresh, strides=None, dense=True, whole=True, fresh=how, maybe=None)


def contiguous(ev: Evaluator, tensor: Tensor, state: State) -> Tensor:
    """The array itself when it is contiguous, else a copy."""
    if tensor.dense or state.decide(contiguity(tensor)):
        return tensor if tensor.dense else replace(tensor, dense=True, strides=None)
    fresh = ev.symbols.allocation(ev.invent_name(f"{tensor.name}.contiguous()"), tensor.storage)
    return replace(tensor, strided=fresh, storage=fresh, strides=None, dense=True, maybe=tensor.storage)


def copied_or_not(ev: Evaluator, copy: Value, base: Value, state: State) -> Value | None:
    """`x.contiguous() if isinstance(x, Tensor) else x`, where x may not be an array. The result is as large as x, or is
    the same number; its layout in memory is unknown."""
    if not isinstance(copy, Tensor) or not isinstance(base, Thing) or not base.numeric or base.origin is not None or (
            copy.maybe != base.name or copy.name != base.name or copy.shape is not None):
        return None
    name = ev.invent_name(base.name)
    state.assume(eq(of(symbol_from_text(name)), of(symbol_from_text(base.name))))
    new, old = array_from_text(name), array_from_text(base.name)
    for axis in (*range(_RANKS), -1):
        state.assume(eq(ev.extent(Extent(new, axis)), ev.extent(Extent(old, axis))))
    state.assume(eq(ev.extent(LeadingSize(new)), ev.extent(LeadingSize(old))))
    return Thing(name)


def reshape(
    ev: Evaluator, tensor: Tensor, extents: Sequence[Value] | None, state: State, view: bool, how: str,
) -> Tensor:
    """The elements in another shape: a view where that is sure, else possibly a copy."""
    like = None if extents is None else whole_shape(extents)
    if like == tensor.name and tensor.shape is None and (view or tensor.dense):
        return tensor
    shape = None if extents is None else resolved_shape(ev, extents, numel(ev, tensor, state), state)
    if like is not None:
        state.assume(eq(numel(ev, tensor, state), numel(ev, Tensor(like, like, like), state)))
    keeps = view or tensor.dense
    if shape is not None and shape == shape_of(ev, tensor, state) and keeps:
        return tensor
    name = ev.invent_name(f"{tensor.name}.{how}()")
    storage, maybe = tensor.storage, tensor.maybe
    if not keeps:
        storage, maybe = ev.symbols.allocation(name, tensor.storage), tensor.storage
    # a copy by reshape is dense; a view of an array that is not dense may not be dense
    return Tensor(
        like or name, name, storage, shape, None, tensor.dense, tensor.whole, tensor.fresh if keeps else None, maybe)


def whole_shape(extents: Sequence[Value]) -> str | None:
    """The name of the array whose shape, of unknown rank, these extents are."""
    only = extents[0] if len(extents) == 1 else None
    only = only.shape if isinstance(only, Rest) else only
    return only.name if isinstance(only, Shape) and only.lower == 0 and only.upper is None else None


def resolved_shape(
    ev: Evaluator, extents: Sequence[Value], total: Term | None, state: State,
) -> tuple[Term, ...] | None:
    """Extents as terms, with -1 worked out from the number of elements."""
    if any(isinstance(e, Shape | Rest) for e in extents):
        return None
    terms = [ev.integer(e, "extent") for e in extents]
    holes = [i for i, t in enumerate(terms) if t.constant == -1]
    if total is None or len(holes) > 1:
        return None if holes else tuple(terms)
    rest = product([t for t in terms if t.constant != -1])
    if holes:
        quotient, remainder = split_multiples(total, rest)
        if rest.constant == 0:
            return None
        terms[holes[0]] = quotient if remainder.constant == 0 else floordiv(total, rest)
        if remainder.constant != 0:
            state.assume(eq(floordiv(total, rest) * rest, total))
        return tuple(terms)
    state.assume(eq(rest, total))
    return tuple(terms)


def allocate(
    ev: Evaluator, how: str, extents: Sequence[Value] | None, state: State, like: Tensor | None = None,
) -> Tensor:
    """New memory. An array `like` another has its shape, and its layout only where that is row by row."""
    name = ev.symbols.allocation(ev.invent_name(how))
    if like is not None:
        return Tensor(like.name, name, name, like.shape, None, like.dense, True, how)
    shape = None if extents is None else resolved_shape(ev, extents, None, state)
    same = None if extents is None else whole_shape(extents)
    return Tensor(same or name, name, name, shape, None, True, True, how)


def extents_from(ev: Evaluator, args: Sequence[Value], state: State) -> Sequence[Value] | None:
    """The extents in `f(a, b)`, `f((a, b))` or `f(x.shape)`."""
    if len(args) == 1:
        known = args[0].items if isinstance(args[0], Items) else ev.elements(args[0], state)
        if known is not None:
            return known
        if not isinstance(args[0], Int | Shape):
            # one name may be a number or a tuple
            return None
    out: list[Value] = []
    for arg in args:
        known = arg.items if isinstance(arg, Items) else None
        out += [arg] if known is None else known
    return out
