"""From an operation with its operands to accesses with element regions, and to the value that a read yields."""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.bounds_requirements import Reach, of_member, of_raw, of_tile, of_unchecked, require_overlap
from tilecheck.interp.kernel.coerce import extent
from tilecheck.interp.kernel.dialect.ownership import Held
from tilecheck.interp.kernel.interpreter import LoopMark, Machine, Record
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.locks import update
from tilecheck.interp.kernel.path_simplify import simplify_access
from tilecheck.interp.kernel.poison.propagation import get_stored_poison, observe, spread
from tilecheck.interp.kernel.poison.sources import Edge, Shadow, Undefined
from tilecheck.interp.kernel.shapes import element
from tilecheck.interp.kernel.tile_types.typing import read
from tilecheck.interp.kernel.values import ArrayRef, Const, Data, Int, Shape, Value, View
from tilecheck.symbolic import (
    FALSE,
    FUNCTIONS,
    ONE,
    TRUE,
    UNKNOWN_ARRAY,
    ZERO,
    App,
    Array,
    Atom,
    Cond,
    Counter,
    Extent,
    Item,
    Lane,
    Opaque,
    Source,
    Stride,
    Term,
    atoms_in,
    atoms_of,
    build_opaque,
    conj,
    const,
    ge,
    ite,
    lane,
    load,
    lt,
    negate,
    of,
)
from tilecheck.syntax.tree import Span


class Effect(Struct, frozen=True):
    """The effect of an operation on memory.

    padding      the value that a read yields outside; None if it is unspecified
    unchecked    the condition under which the launch leaves the bounds check out
    unspecified  for a load of a tile, the condition under which its padding is; None when that is not known
    value        the value that a write stores; several values in a tuple
    held         the construction that makes it safe, in a kernel of the dialect
    """

    mode: str
    op: str
    order: str
    scope: str
    checked: bool
    span: Span
    padding: Value | None = None
    unchecked: Cond = FALSE
    unspecified: Cond | None = FALSE
    value: Value | None = None
    held: Held | None = None

    @property
    def padding_mode(self) -> str:
        """The padding mode by name, where it is one that not every type has."""
        value = self.padding.value if isinstance(self.padding, Const) and self.mode == "read" else None
        if isinstance(value, float) and not math.isfinite(value):
            return "NAN" if math.isnan(value) else "POS_INF" if value > 0 else "NEG_INF"
        return value if isinstance(value, str) else "ZERO" if value == 0 and self.op != "gather" else ""

    @property
    def open(self) -> bool:
        """Whether it is a load of a tile that may leave its padding unspecified: only where bounds are checked."""
        return self.mode == "read" and self.unspecified is not FALSE and self.unchecked.op != "true"


class Place(Struct, frozen=True):
    """Where one option of an access goes: index in coordinates of the root, and the condition for being inside."""

    index: tuple[Term, ...]
    bounds: tuple[tuple[Term, Term, bool], ...]
    """(position, end, whether the position may be negative) for every axis that is checked."""
    tile: tuple[Term, ...] = ()
    tile_index: tuple[Term, ...] = ()
    reach: tuple[Reach, ...] = ()
    axes: tuple[int, ...] = ()
    """The array axis of each of the bounds."""

    @property
    def inside(self) -> Cond:
        return conj(*(c for at, end, below in self.bounds for c in ((ge(at, 0),) if below else ()) + (lt(at, end),)))


UNKNOWN_EXTENT: Final = "unknown_extent"
"""The prefix of names of extents that are not known."""


DRAWN: Final = "atomic_add("
"""The prefix of names of numbers that no two blocks draw from a counter."""


def _free(atom: Atom) -> bool:
    """Whether some data or some launch gives the atom any requested value.

    The possible values of a computed value that is not modelled are unknown.
    """
    if isinstance(atom, Opaque):
        # in some order of the blocks, a block draws any number
        return (atom.uniform and not atom.name.startswith(UNKNOWN_EXTENT)) or atom.name.startswith(DRAWN)
    if not isinstance(atom, App):
        return True
    # the wrapped value of a number is a known function of it
    return atom.fn in FUNCTIONS or atom.fn == "int" or isinstance(atom.fn, Extent | Stride | Item)


def _is_observed(atom: Atom) -> bool:
    """Decides the same for an atom of a condition. Comparisons of data may have either result."""
    if isinstance(atom, Opaque) and atom.source is Source.DATA:
        return True
    return _free(atom) or (isinstance(atom, App) and atom.fn in COMPARISONS)


COMPARISONS = frozenset({"f<", "f<=", "f==", "truth", "elem"})


def _is_exact(index: tuple[Term, ...], guard: Cond, loops: tuple[LoopMark, ...]) -> bool:
    places = atoms_in(*index)
    tests = atoms_of(guard)
    running = {mark.counter for mark in loops}
    return (
        all(_free(a) for a in places) and all(_is_observed(a) for a in tests)
        # counters of other things than enclosing loops do not take every value
        and all(a.name in running for a in places | tests if isinstance(a, Counter)))


def _with_member(view: View, place: Place) -> Place:
    reach = (*of_member(view), *place.reach)
    if view.member is None:
        return place if reach == place.reach else replace(place, reach=reach)
    tile = (ONE, *place.tile) if place.tile else ()
    tile_index = (view.member, *place.tile_index) if place.tile else ()
    return Place((view.member, *place.index), place.bounds, tile, tile_index, reach, place.axes)


def _emit(
    m: Machine, ref: ArrayRef, places: list[Place], mask: Cond, effect: Effect, elements: Shape | None,
    own_index: tuple[Term, ...],
) -> None:
    if effect.mode != "read":
        for _, view in ref.options:
            m.written.add(view.root)
            m.changes.setdefault(view.root, set()).add(effect.op)
    if not m.noting:
        return
    m.notes.reads += effect.mode == "read"
    m.notes.effects += effect.mode != "read" or effect.order != "weak"
    first = ref.options[0][1].root if ref.options else UNKNOWN_ARRAY
    m.notes.note_access(first, effect.mode == "read", m.path, effect.span)
    if effect.mode != "read" and (effect.op not in ("atomic_cas", "atomic_xchg") or len(ref.options) > 1):
        for _, view in ref.options:
            update(m, view.root, ("seize",))
    site = m.next_site()
    source = m.name("load", effect.span) if effect.open else ""
    lanes = elements if elements is not None else (m.fresh_int("unknown_extent", effect.span).term,)
    names = tuple(v.root for _, v in ref.options)
    for (cond, view), bare in zip(ref.options, places, strict=True):
        place = _with_member(view, bare)
        index, guard = simplify_access(place.index, conj(m.path, cond, mask, place.inside if effect.checked else TRUE))
        within = () if effect.held is not None else place.reach
        reach, under = _resolve_requirements(within, conj(m.path, cond, mask))
        m.records.append(Record(
            array=view.root, may=tuple(sorted({n for n in names if n != view.root})), mode=effect.mode, op=effect.op,
            index=index, guard=guard, exact=m.exact and _is_exact(index, guard, m.loops) and elements is not None,
            tile=place.tile, tile_index=place.tile_index, own_index=own_index, elements=lanes, site=site,
            order=effect.order, scope=effect.scope, loops=m.loops, held=m.held, span=effect.span, via=m.via,
            checked=effect.checked, reach=reach, under=under, unspecified=source, padding=effect.padding_mode,
            kept=effect.held))
        used = get_stored_poison(effect.value)
        if used:
            observe(m, used, conj(m.path, cond, mask, place.inside), _use(effect), view.root.text, effect.span)


def _use(effect: Effect) -> str:
    return "store" if effect.mode == "write" else "atomic"


def _resolve_requirements(reach: tuple[Reach, ...], under: Cond) -> tuple[tuple[Reach, ...], Cond]:
    """With the choices resolved that the condition of the access decides."""
    if not reach:
        return reach, under
    terms, guard = simplify_access(tuple(t for r in reach for t in (r.at, r.end)), under)
    return tuple(
        r if r.at is at and r.end is end else replace(r, at=at, end=end)
        for r, at, end in zip(reach, terms[::2], terms[1::2], strict=True)), guard


def tile_access(
    m: Machine, ref: ArrayRef, index: tuple[Int, ...], extents: Shape, axes: tuple[int, ...], effect: Effect,
) -> Value:
    """An access by tile index. Tile axis k runs along array axis `axes[k]`."""
    places = [_tile_place(m, view, index, extents, axes, effect.unchecked) for _, view in ref.options]
    _emit(m, ref, places, TRUE, effect, (), tuple(i.term for i in index))
    _observe_index(m, ref, index, TRUE, effect)
    if effect.mode != "read":
        return Const(None)
    whole = all(e == ONE for e in extents)
    return _build_loaded(m, ref, places, TRUE, extents, effect, whole)


def _tile_place(
    m: Machine, view: View, index: tuple[Int, ...], extents: Shape, axes: tuple[int, ...], unchecked: Cond,
) -> Place:
    rank = len(index)
    m.shows_rank(view.root, rank)
    where: list[Term] = [ZERO] * rank
    tile: list[Term] = [ONE] * rank
    tile_index: list[Term] = [ZERO] * rank
    bounds: list[tuple[Term, Term, bool]] = []
    reach: list[Reach] = []
    for k, axis in enumerate(axes):
        step = view.steps[k] if view.steps is not None and len(view.steps) == rank else extents[k]
        lanes = lane(rank - 1 - k, extents[k])
        here = index[k].term * step + lanes
        part = view.slice_of(axis)
        if part is None:
            bounds.append((here, extent(m, view, axis), False))
        else:
            # a tile before the slice is undefined (TC201), not a way into the neighbour's part
            bounds.append((here, part[1] - part[0], True))
            here = part[0] + here
        where[axis], tile[axis], tile_index[axis] = here, extents[k], index[k].term
        reach += of_tile(axis, index[k].term, step, extents[k], lanes, bounds[-1][1], unchecked)
    return Place(tuple(where), tuple(bounds), tuple(tile), tuple(tile_index), tuple(reach), axes)


def element_access(
    m: Machine, ref: ArrayRef, index: tuple[Int, ...], mask: Cond, shape: Shape | None, elements: Shape | None,
    effect: Effect, rows: tuple[int, ...] | None = None,
) -> Value:
    """An access by element indices, one per axis. `rows` for one that is undefined only where all of it is outside: the
    axes along which the elements are selected one by one, and not as a range."""
    places = [_element_place(m, view, index, effect.unchecked) for _, view in ref.options]
    if rows is not None:
        places = [replace(p, reach=tuple(
            require_overlap(k, index[k].term, p.bounds[k][1], k not in rows) for k in range(len(index))))
                  for p in places]
    _emit(m, ref, places, mask, effect, elements, ())
    _observe_index(m, ref, index, mask, effect)
    if effect.mode != "read":
        return Const(None)
    return _build_loaded(m, ref, places, mask, shape, effect, effect.op == "gather")


def _element_place(m: Machine, view: View, index: tuple[Int, ...], unchecked: Cond) -> Place:
    m.shows_rank(view.root, len(index))
    where: list[Term] = []
    bounds: list[tuple[Term, Term, bool]] = []
    reach: list[Reach] = []
    for axis, i in enumerate(index):
        part = view.slice_of(axis)
        bounds.append((i.term, extent(m, view, axis), True))
        where.append(i.term if part is None else part[0] + i.term)
        reach += of_unchecked(axis, i.term, bounds[-1][1], unchecked)
    return Place(tuple(where), tuple(bounds), reach=tuple(reach), axes=tuple(range(len(index))))


def _observe_index(m: Machine, ref: ArrayRef, index: tuple[Int, ...], mask: Cond, effect: Effect) -> None:
    for i in index:
        if i.shadow:
            observe(m, i.shadow, conj(m.path, mask), "index", "|".join(sorted({v.root.text for _, v in ref.options})),
                    effect.span)


def raw_access(
    m: Machine, ref: ArrayRef, offset: Int, mask: Cond, shape: Shape | None, elements: Shape | None, effect: Effect,
) -> Value:
    """An access by offset from the base of the array."""
    places: list[Place] = []
    for _, view in ref.options:
        base = ZERO
        for axis, start, _ in view.slices:
            base = base + start * extent(m, view, axis, "strides")
        at = base + offset.term
        places.append(Place((at,), (), reach=of_raw(view, at, m.knowledge.ranks.get(view.root))))
    _emit(m, ref, places, mask, effect, elements, ())
    _observe_index(m, ref, (offset,), mask, effect)
    if effect.mode == "write":
        return Const(None)
    return read(m, ref, m.fresh_int(effect.op, effect.span, shape), effect.span)


# --- what a read yields ----------------------------------------------------------------------------------------------

def _build_loaded(
    m: Machine, ref: ArrayRef, places: list[Place], mask: Cond, shape: Shape | None, effect: Effect, defined: bool,
) -> Value:
    """`defined` says that no element of the result lies outside with an unspecified value."""
    result: Value | None = None
    for (cond, view), bare in reversed(list(zip(ref.options, places, strict=True))):
        here = _one_loaded(m, view, _with_member(view, bare), mask, shape, effect, defined)
        if effect.open:
            m.unspecified = True
            if m.knowledge.unspecified:
                here = spread(m, here, find_padded_lanes(m, view.root, bare.bounds, bare.axes, effect))
        result = here if result is None else join(m, cond, here, result, effect.span)
    assert result is not None
    return read(m, ref, result, effect.span)


def _one_loaded(
    m: Machine, view: View, place: Place, mask: Cond, shape: Shape | None, effect: Effect, defined: bool,
) -> Value:
    known = m.knowledge
    if known.written is None:
        # the first run only asks which arrays are used as integers
        return Int(load(view.root, (build_opaque(m.name("place", effect.span)),)), shape)
    if effect.checked and not (defined and effect.op != "gather"):
        m.paddings.setdefault(view.root, set()).add(_padding_key(effect.padding))
    if view.root in known.written:
        if known.integers is not None and view.root not in known.integers:
            return Data(shape)
        return m.fresh_int(f"load({view.root})", effect.span, shape)
    term = load(view.root, place.index)
    if known.integers is not None and view.root not in known.integers:
        single = shape is not None and all(e == ONE for e in shape)
        return Data(shape, term if single and mask is TRUE and defined else None)
    inside = mask
    if not defined or view.root in known.paddings:
        inside = conj(inside, place.inside)
    if inside is not TRUE:
        term = ite(inside, term, _read_outside(m, effect, shape))
    return m.limit(Int(term, shape), effect.span)


def _padding_key(padding: Value | None) -> object:
    """Equal for equal padding values. Constants go by their text, by which one NaN equals another."""
    return repr(padding.value) if isinstance(padding, Const) else padding


def find_padded_lanes(
    m: Machine, array: Array, bounds: tuple[tuple[Term, Term, bool], ...], axes: tuple[int, ...], effect: Effect,
) -> Shadow:
    """The lanes of a loaded tile that lie outside the array. Along an axis where the tile has one element it lies
    wholly inside or wholly outside, and that is a matter of bounds."""
    source = m.name("load", effect.span)
    out: list[Undefined] = []
    for (at, end, _), axis in zip(bounds, axes, strict=True):
        along = [a for a in at.atoms() if isinstance(a, Lane)]
        if not along and effect.op != "load_advanced_indexing":
            continue
        plain = len(along) == 1 and at.monos.get((along[0],)) == 1 and not any(
            along[0] in atoms_of(Term({m: 1})) for m in at.monos if m != (along[0],))
        tile = along[0].size if plain else ZERO
        start = at - of(along[0]) if plain else at
        edge = Edge(source, array, axis, start, tile, end)
        over = conj(ge(at, end), lt(start, end)) if plain else ge(at, end)
        # a tile that begins before the array is undefined (TC201); of elements that are selected any may lie there
        sides = (over, lt(at, 0)) if effect.op == "load_advanced_indexing" or not plain else (over,)
        for outside in sides:
            here = edge if outside is over else Edge(source, array, axis, start, ZERO, end)
            if effect.unspecified is None:
                out.append(Undefined(here, TRUE, TRUE, True))
            elif outside.op != "false":
                out.append(Undefined(here, outside, conj(effect.unspecified, negate(effect.unchecked))))
    if m.recording and not m.host:
        m.edges.update(dict.fromkeys(u.edge for u in out))
    return tuple(out)


def _read_outside(m: Machine, effect: Effect, shape: Shape | None) -> Term:
    padding = effect.padding
    if isinstance(padding, Int) and padding.shape == ():
        return padding.term
    if isinstance(padding, Const) and isinstance(padding.value, (int, float)) and math.isfinite(padding.value):
        return const(int(padding.value))
    seed = build_opaque(m.name("padding", effect.span))
    m.note_made(seed)
    return element(seed, shape)


__all__ = ["UNKNOWN_EXTENT", "Effect", "element_access", "raw_access", "tile_access"]
