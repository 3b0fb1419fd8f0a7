"""The substitution of the arguments of a launch into a clause about the parameters of a kernel."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.state import build_choice
from tilecheck.interp.kernel.access import Param
from tilecheck.symbolic import (
    EXTENTS,
    ONE,
    Array,
    ArrayParam,
    Atom,
    Cond,
    Extent,
    GridDim,
    Ite,
    LeadingSize,
    Length,
    Opaque,
    Rank,
    Scalar,
    Size,
    Stride,
    Substitution,
    Symbol,
    Term,
    array_from_text,
    atoms_of,
    conj,
    const,
    disj,
    eq,
    ge,
    negate,
    of,
)

AT_LAUNCH: Final = " at the launch"


class Bound(Struct, frozen=True):
    """The clause over the symbols of the launch, the facts about symbols that only the clause mentions, and the values
    of the symbols of the kernel at the launch."""

    goal: Cond
    facts: Cond
    values: Mapping[Symbol, Term]


def numbers_of(launch: Launch) -> tuple[object, ...]:
    """All data of a launch that the decision of a clause depends on. Launches with equal data satisfy the same clauses,
    at any location. Any further data that a decision reads from a launch or an argument must be added here."""
    arguments = None if launch.arguments is None else tuple(map(_numbers, launch.arguments))
    return (launch.grid, arguments, launch.facts, launch.cases, launch.free, launch.every, launch.variables)


def _numbers(a: Argument) -> tuple[object, ...]:
    elements = None if a.elements is None else tuple(map(_numbers, a.elements))
    options = tuple((cond, _numbers(option)) for cond, option in a.options)
    return (a.term, a.shape, a.strides, a.name, a.strided, a.dense, elements, options)


def bind(cond: Cond, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int]) -> Bound:
    scene = _scene(tuple(params), launch, tuple(sorted(ranks.items())))
    found = scene.bound.get(cond)
    if found is None:
        found = scene.bound[cond] = scene.bind(cond)
    return found


class _Scene:
    """The data that clauses about one launch of one kernel share.

    known    the symbols that the facts of the launch mention
    facts    the facts about these symbols
    values   values of the scalars of the kernel, cached: clauses mention few scalars, and mention them often
    bound    the clauses over the symbols of the launch, cached
    """

    __slots__ = ("_more", "_put", "arguments", "bound", "facts", "known", "launch", "ranks", "values")

    def __init__(self, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int]) -> None:
        self.launch, self.ranks = launch, ranks
        self.arguments = _by_name(params, launch)
        self.known = frozenset(a for a in atoms_of(launch.facts) if isinstance(a, Symbol))
        self.facts = conj(*_collect_facts(self.arguments, ranks, self.known))
        self.values: dict[Atom, Term] = {}
        self.bound: dict[Cond, Bound] = {}
        self._put = Substitution({})
        self._more: dict[frozenset[Symbol], tuple[Cond, ...]] = {}

    def bind(self, cond: Cond) -> Bound:
        own = [a for a in atoms_of(cond) if isinstance(a, Symbol)]
        new = [a for a in own if a not in self.values]
        if new:
            for a in new:
                self.values[a] = value_of(a, self.arguments, self.launch, self.ranks)
            # what it put in before has no scalar in it but those that it knew
            self._put = Substitution(self.values)
        goal = self._put.cond(cond)
        more: list[Cond] = []
        mentioned = frozenset(a for a in atoms_of(goal) if isinstance(a, Symbol)) - self.known
        if mentioned:
            more += self._collect_more(mentioned)
        for a in own:
            if isinstance(a, EXTENTS):
                more += _require_nonempty(self.values[a])
        return Bound(goal, conj(self.facts, *more) if more else self.facts, {a: self.values[a] for a in own})

    def _collect_more(self, mentioned: frozenset[Symbol]) -> tuple[Cond, ...]:
        found = self._more.get(mentioned)
        if found is None:
            found = self._more[mentioned] = tuple(_collect_facts(self.arguments, self.ranks, mentioned))
        return found


@lru_cache(maxsize=256)
def _scene(params: tuple[Param, ...], launch: Launch, ranks: tuple[tuple[Array, int], ...]) -> _Scene:
    return _Scene(params, launch, dict(ranks))


def _collect_facts(
    arguments: Mapping[str, Argument], ranks: Mapping[Array, int], mentioned: Collection[Symbol]
) -> list[Cond]:
    facts = [ge(of(a), 0) for a in sorted(mentioned) if isinstance(a, (*EXTENTS, Length))]
    facts += map(_filled_extent, sorted(_extents(arguments, mentioned)))
    return facts + _relate_ranks(arguments, ranks, mentioned)


@lru_cache(maxsize=1024)
def _filled_extent(extent: Symbol) -> Cond:
    return ge(of(extent), 1)


def _by_name(params: Sequence[Param], launch: Launch) -> dict[str, Argument]:
    return {param.name: argument for param, argument in zip(params, launch.arguments or (), strict=False)}


@lru_cache(maxsize=1024)
def _require_nonempty(extent: Term) -> tuple[Cond, ...]:
    """The fact that a passed array is not empty, for any term of its extent. There is no fact for an option that is
    certainly empty: if the array is one of several, it may be that one."""
    choice = extent.single
    if not isinstance(choice, Ite):
        return (ge(extent, 1),) if extent.constant is None else ()
    if all(value.constant is None or value.constant > 0 for value in _options(extent)):
        return (ge(extent, 1),)
    ways = ((negate(choice.cond), choice.then), (choice.cond, choice.other))
    return tuple(disj(another, c) for another, value in ways for c in _require_nonempty(value))


def _options(t: Term) -> Iterator[Term]:
    """The options of a choice."""
    choice = t.single
    if not isinstance(choice, Ite):
        yield t
        return
    yield from _options(choice.then)
    yield from _options(choice.other)


def _extents(arguments: Mapping[str, Argument], mentioned: Collection[Symbol]) -> set[Symbol]:
    """Extents of the arrays passed. None of them is empty: in an empty array no two blocks can meet."""
    out: set[Symbol] = set()
    for argument in arguments.values():
        for term in argument.shape or ():
            if term is not None and len(term.monos) == 1:
                # a product that is not 0 has no factor that is
                out |= {a for a in term.atoms() if isinstance(a, EXTENTS)}
        if argument.name is not None and argument.shape is None:
            array = array_from_text(argument.name)
            out |= {a for a in mentioned if isinstance(a, EXTENTS) and a.array is array}
    return out


def value_of(symbol: Symbol, arguments: Mapping[str, Argument], launch: Launch, ranks: Mapping[Array, int]) -> Term:
    """The value of a scalar of the kernel at a launch; an opaque value where it is not known."""
    found: Term | None = None
    if isinstance(symbol, GridDim):
        found = launch.grid[symbol.axis]
    elif isinstance(symbol, Extent | Stride):
        found = _along_axis(symbol, arguments, ranks)
    elif isinstance(symbol, Size):
        found = _count_elements(arguments.get(symbol.array.text))
    elif isinstance(symbol, Length):
        argument = arguments.get(symbol.array.text)
        found = None if argument is None or argument.elements is None else const(len(argument.elements))
    elif isinstance(symbol, Scalar):
        argument = arguments.get(symbol.name)
        found = dict(launch.variables).get(symbol.name) if argument is None else argument.term
    return of(Opaque(f"{symbol.key}{AT_LAUNCH}", uniform=True)) if found is None else found


def _count_elements(argument: Argument | None) -> Term | None:
    """The number of elements of an array that is laid out row by row."""
    if argument is None or not argument.dense or argument.shape is None:
        return None
    out = ONE
    for extent_ in argument.shape:
        if extent_ is None:
            return None
        out = out * extent_
    return out


def _along_axis(
    symbol: Extent | Stride, arguments: Mapping[str, Argument], ranks: Mapping[Array, int],
) -> Term | None:
    """An extent or a stride; of any array of a list, what it is in all of them if they agree."""
    array, axis, rank = symbol.array, symbol.axis, ranks.get(symbol.array)
    one = isinstance(array, ArrayParam)
    argument = arguments.get(array.root) if one or array.at_any_position else None
    if argument is None:
        return None
    parts = (argument,) if one else argument.elements or ()
    found = {extent(a, axis) if isinstance(symbol, Extent) else stride(a, axis, rank) for a in parts}
    return found.pop() if len(found) == 1 else None


def extent(argument: Argument, axis: int) -> Term | None:
    if argument.shape is not None:
        return argument.shape[axis] if axis < len(argument.shape) else None
    if argument.options and argument.name is None:
        return _join_terms([(cond, extent(option, axis)) for cond, option in argument.options])
    return None if argument.name is None else of(Extent(array_from_text(argument.name), axis))


def stride(argument: Argument, axis: int, rank: int | None) -> Term | None:
    if argument.strides is not None:
        return argument.strides[axis] if axis < len(argument.strides) else None
    if argument.options and argument.strided is None:
        return _join_terms([(cond, stride(option, axis, rank)) for cond, option in argument.options])
    if argument.dense and rank is not None and axis < rank:
        out = ONE
        for inner in range(axis + 1, rank):
            known = extent(argument, inner)
            if known is None:
                return None
            out = out * known
        return out
    if argument.strided is None or argument.dense:
        return None
    return of(Stride(array_from_text(argument.strided), axis))


def _join_terms(parts: Sequence[tuple[Cond, Term | None]]) -> Term | None:
    known = [(cond, term) for cond, term in parts if term is not None]
    return build_choice(known) if len(known) == len(parts) else None


def _relate_ranks(
    arguments: Mapping[str, Argument], ranks: Mapping[Array, int], mentioned: Collection[Symbol]
) -> list[Cond]:
    """A rank that the kernel shows says what extents counted from the right are."""
    out: list[Cond] = []
    for param, argument in arguments.items():
        rank = ranks.get(ArrayParam(param))
        if rank is None or argument.name is None or argument.shape is not None:
            continue
        array = array_from_text(argument.name)
        for i in range(1, rank + 1):
            if Extent(array, -i) in mentioned:
                out.append(eq(of(Extent(array, -i)), of(Extent(array, rank - i))))
        if Rank(array) in mentioned:
            out.append(eq(of(Rank(array)), rank))
        if LeadingSize(array) in mentioned:
            lead = ONE
            for i in range(rank - 1):
                lead = lead * of(Extent(array, i))
            out.append(eq(of(LeadingSize(array)), lead))
    return out


def is_derived(cond: Cond, params: Sequence[Param], launch: Launch) -> bool:
    """Whether the host computes something that the clause is about.

    A clause about variables that a function only passes on is a matter of its callers.
    """
    arguments = _by_name(params, launch)
    for a in atoms_of(cond):
        if isinstance(a, Symbol):
            value = value_of(a, arguments, launch, {})
            single = value.single
            if (value.constant is None and single is None) or not isinstance(single, Symbol | Opaque | None):
                return True
    return False
