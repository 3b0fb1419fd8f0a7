"""The substitution of the arguments of a launch into a clause about the parameters of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from msgspec import Struct

from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.state import build_choice
from tilecheck.interp.kernel.access import Param
from tilecheck.symbolic import (
    ANY,
    EXTENTS,
    ONE,
    Array,
    ArrayElement,
    ArrayParam,
    Atom,
    Cond,
    Extent,
    FloorDiv,
    GridDim,
    Ite,
    LeadingSize,
    Length,
    Max,
    Min,
    Mod,
    Opaque,
    Rank,
    Scalar,
    Size,
    Source,
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
    holds,
    negate,
    of,
)

T = TypeVar("T")

_COMPUTED: Final = (FloorDiv, Mod, Min, Max, Ite)


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
    return (launch.grid, arguments, launch.facts, launch.cases, launch.free, launch.every, launch.variables,
            launch.complete, launch.computed)


def _numbers(a: Argument) -> tuple[object, ...]:
    elements = None if a.elements is None else tuple(map(_numbers, a.elements))
    options = tuple((cond, _numbers(option)) for cond, option in a.options)
    return (a.term, a.shape, a.strides, a.name, a.strided, a.dense, elements, options)


def find_distinct(launches: Iterable[Launch]) -> tuple[Launch, ...]:
    """For each launch the first one that passes the same data: clauses on numbers say the same of both."""
    first: dict[object, Launch] = {}
    return tuple(first.setdefault(numbers_of(launch), launch) for launch in launches)


def bind(cond: Cond, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int]) -> Bound:
    return find_scene(tuple(params), launch, tuple(sorted(ranks.items()))).bind(cond)


class Scene:
    """The data that clauses about one launch of one kernel share.

    known    the symbols that the facts of the launch mention
    facts    the facts about these symbols
    values   values of the scalars of the kernel, cached: clauses mention few scalars, and mention them often
    """

    __slots__ = ("_bound", "_extents", "_more", "_numbers", "_open", "_put", "_ranked", "_recalled", "arguments",
                 "facts", "known", "launch", "params", "ranks", "values")

    def __init__(self, params: tuple[Param, ...], launch: Launch, ranks: Mapping[Array, int]) -> None:
        self.params, self.launch, self.ranks = params, launch, ranks
        self.arguments = _by_name(params, launch)
        self.known = frozenset(a for a in atoms_of(launch.facts) if isinstance(a, Symbol))
        self._extents = _find_filled(self.arguments)
        self._open = tuple(array_from_text(a.name) for a in self.arguments.values()
                           if a.name is not None and a.shape is None)
        self._ranked = _find_ranked(self.arguments, ranks)
        self.facts = conj(*self._collect_facts(self.known))
        self.values: dict[Atom, Term] = {}
        self._recalled: dict[object, Any] = {}
        self._numbers: dict[Atom, int] = {}
        self._bound: dict[Cond, Bound] = {}
        self._put = Substitution({})
        self._more: dict[frozenset[Symbol], tuple[Cond, ...]] = {}

    def bind(self, cond: Cond) -> Bound:
        """The clause over the symbols of the launch."""
        found = self._bound.get(cond)
        if found is None:
            found = self._bound[cond] = self._bind(cond)
        return found

    def recall(self, question: object, answer: Callable[[], T]) -> T:
        """The answer to a question about the launch, worked out once."""
        found: T
        if question in self._recalled:
            found = self._recalled[question]
        else:
            found = self._recalled[question] = answer()
        return found

    def holds_in_numbers(self, cond: Cond) -> bool:
        """Whether the launch gives numbers to all scalars of a condition, and it holds with them."""
        symbols = _find_symbols(cond)
        if symbols is None:
            return False
        self._look_up(symbols)
        try:
            return all(a in self._numbers for a in symbols) and holds(cond, self._numbers)
        except (KeyError, ArithmeticError):
            return False

    def _look_up(self, symbols: Iterable[Symbol]) -> None:
        """Find the values of symbols."""
        new = [a for a in symbols if a not in self.values]
        for a in new:
            value = self.values[a] = value_of(a, self.arguments, self.launch, self.ranks)
            number = value.constant
            if number is not None:
                self._numbers[a] = number
        if new:
            # what it put in before has no scalar in it but those that it knew
            self._put = Substitution(self.values)

    def _bind(self, cond: Cond) -> Bound:
        own = [a for a in atoms_of(cond) if isinstance(a, Symbol)]
        self._look_up(own)
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
            found = self._more[mentioned] = tuple(self._collect_facts(mentioned))
        return found

    def _collect_facts(self, mentioned: Collection[Symbol]) -> list[Cond]:
        """The facts about mentioned symbols: no extent is negative, and none of the arrays passed is empty, because in
        an empty array no two blocks can meet."""
        facts = [ge(of(a), 0) for a in sorted(mentioned) if isinstance(a, (*EXTENTS, Length))]
        shown = {a for a in mentioned if isinstance(a, EXTENTS) and a.array in self._open} if self._open else set()
        facts += map(_filled_extent, sorted(self._extents | shown))
        return facts + _relate_ranks(self._ranked, mentioned)


@lru_cache(maxsize=256)
def find_scene(params: tuple[Param, ...], launch: Launch, ranks: tuple[tuple[Array, int], ...]) -> Scene:
    """The data that clauses about a launch share."""
    return Scene(params, launch, dict(ranks))


@lru_cache(maxsize=1024)
def _find_symbols(cond: Cond) -> tuple[Symbol, ...] | None:
    """The symbols of a condition; None where it has something in it that has no value, or not for all arguments."""
    atoms = atoms_of(cond)
    symbols = tuple(a for a in atoms if isinstance(a, Symbol))
    return symbols if len(symbols) + sum(isinstance(a, _COMPUTED) for a in atoms) == len(atoms) else None


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


def _find_filled(arguments: Mapping[str, Argument]) -> frozenset[Symbol]:
    """The extents that shapes of the arrays passed mention."""
    # a product that is not 0 has no factor that is
    return frozenset(a for argument in arguments.values() for term in argument.shape or ()
                     if term is not None and len(term.monos) == 1 for a in term.atoms() if isinstance(a, EXTENTS))


def value_of(symbol: Symbol, arguments: Mapping[str, Argument], launch: Launch, ranks: Mapping[Array, int]) -> Term:
    """The value of a scalar of the kernel at a launch; an opaque value where it is not known."""
    found: Term | None = None
    if isinstance(symbol, GridDim):
        found = launch.grid[symbol.axis]
    elif isinstance(symbol, Extent | Stride):
        found = _along_axis(symbol, arguments, ranks)
    elif isinstance(symbol, Size):
        sizes = {_count_elements(a) for a in _list_arguments(symbol.array, arguments)}
        found = sizes.pop() if len(sizes) == 1 else None
    elif isinstance(symbol, Length):
        argument = arguments.get(symbol.array.text)
        found = None if argument is None or argument.elements is None else const(len(argument.elements))
    elif isinstance(symbol, Scalar):
        argument = arguments.get(symbol.name)
        found = dict(launch.variables).get(symbol.name) if argument is None else argument.term
    return of(Opaque(f"{symbol.key} at the launch", uniform=True, source=Source.LAUNCH)) if found is None else found


def _count_elements(argument: Argument) -> Term | None:
    """The number of elements of an array that is laid out row by row."""
    if not argument.dense or argument.shape is None:
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
    axis, rank = symbol.axis, ranks.get(symbol.array)
    parts = _list_arguments(symbol.array, arguments)
    found = {extent(a, axis) if isinstance(symbol, Extent) else stride(a, axis, rank) for a in parts}
    return found.pop() if len(found) == 1 else None


def _list_arguments(array: Array, arguments: Mapping[str, Argument]) -> tuple[Argument, ...]:
    """The arguments that an array of a kernel is, or may be if it is at any position of a list."""
    argument = arguments.get(array.root)
    if argument is None:
        return ()
    parts = (argument,) if isinstance(array, ArrayParam) else argument.elements or ()
    return parts[array.position:array.position + 1] if (
        isinstance(array, ArrayElement) and array.position is not ANY) else parts


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


def _find_ranked(arguments: Mapping[str, Argument], ranks: Mapping[Array, int]) -> tuple[tuple[Array, int], ...]:
    """The arrays passed of which the kernel shows the rank, and the host does not."""
    found = ((argument, ranks.get(ArrayParam(param))) for param, argument in arguments.items()
             if argument.name is not None and argument.shape is None)
    return tuple((array_from_text(argument.name), rank) for argument, rank in found
                 if rank is not None and argument.name is not None)


def _relate_ranks(ranked: Sequence[tuple[Array, int]], mentioned: Collection[Symbol]) -> list[Cond]:
    """A rank that the kernel shows says what extents counted from the right are."""
    out: list[Cond] = []
    for array, rank in ranked:
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
