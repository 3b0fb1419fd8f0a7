"""Rules on declared facts about data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tilecheck.solver.disjointness.copies import mark, own
from tilecheck.solver.disjointness.state import State
from tilecheck.solver.inequalities import Assumed, prove_factored
from tilecheck.symbolic import Array, Extent, Load, Term, atoms_in, atoms_of, ge, of, split_multiples
from tilecheck.symbolic.steps import Lemma, ProofStep

_EFFORT = 1
"""A segment is sought before cases are split, when most of its bounds are out of reach, and again in each case."""


def within_array(a: Load) -> list[Term]:
    """Terms that are >= 0 where a load reads an element of its array, and not what stands for one outside it."""
    out: list[Term] = []
    for d, i in enumerate(a.index):
        out += [i, of(Extent(a.array, d)) - 1 - i]
    return out


def data(state: State) -> bool:
    """Equal elements of an array declared injective stand in one place; both must be elements of it, and where it is
    declared for some values only, one of those."""
    for a, b in state.loads:
        pairs = zip(a.index, b.index, strict=True)
        news = [x - y for x, y in pairs if (x - y).monos and (x - y) not in state.equations]
        if not news:
            continue
        for values in _declared_once(state, a):
            assumed = _all(state, (*within_array(a), *within_array(b), *values))
            if assumed is not None:
                state.equations += news
                state.use("data", ProofStep(Lemma.INJECTIVE, (a.array,)), assumed)
                return True
    return False


def _declared_once(state: State, a: Load) -> Iterator[tuple[Term, ...]]:
    """Terms that are >= 0 where the value of a load is one that its array is declared to hold only once."""
    if a.array in state.annotations.injective:
        yield ()
    for array, limit in state.annotations.below:
        if array == a.array:
            yield of(a), limit - 1 - of(a)


def _all(state: State, terms: Iterable[Term]) -> Assumed | None:
    total: Assumed = frozenset()
    for t in terms:
        got = state.facts.prove(t)
        if got is None:
            return None
        total |= got
    return total


def declare_ranges(state: State) -> None:
    """The declared range of an element, for reads that lie inside their array: what stands for others is padding."""
    for array, low, high in state.annotations.ranges:
        for a in _reads(state, array):
            assumed = _all(state, within_array(a))
            if assumed is not None:
                state.assumed |= assumed
                state.add_cond(ge(of(a), low))
                state.add_cond(ge(high - 1, of(a)))


def declare_multiples(state: State) -> None:
    """A sum of multiples of d that is above a number >= 0 is at least d, for d >= 1: `p*d < x` gives `p*d + d <= x`.

    An element counts as a multiple where its read lies inside its array: what stands for others is padding.
    """
    for array, divisor in state.annotations.multiples:
        loads = frozenset(_reads(state, array))
        for p in state.facts.inequalities if loads else ():
            least = p - p.offset
            if p.offset >= 0 or (least - divisor).constant is not None:
                continue
            rest = split_multiples(least, divisor)[1]
            used = [next((a for a in m if a in loads), None) for m in rest.monos]
            if not used or None in used:
                continue
            assumed = _all(state, (divisor - 1, *(t for a in used if a is not None for t in within_array(a))))
            if assumed is not None:
                state.assumed |= assumed
                state.add_cond(ge(least, divisor))


def _reads(state: State, array: Array) -> list[Load]:
    atoms = atoms_in(*state.equations, *state.goals, *state.elements, *state.conds)
    return sorted(a for a in atoms if isinstance(a, Load) and a.array == array)


def segment(state: State) -> bool:
    """An element that lies in segment i and in segment j of disjoint segments: i == j."""
    if not (state.annotations.monotone or state.annotations.segments):
        return False
    loads = sorted({a for c in state.conds for a in atoms_of(c) if isinstance(a, Load)}
                   | {a for e in (*state.equations, *state.goals, *state.elements) for a in atoms_of(e)
                      if isinstance(a, Load)})
    for first in loads:
        for second in loads:
            if first.array != second.array or 1 in mark(first) or mark(second) != {1}:
                continue
            news = [x - y for x, y in zip(first.index, second.index, strict=True)]
            if not any(n.monos for n in news) or all(n in state.equations for n in news):
                continue
            assumed = _both_inside(state, first, second)
            if assumed is not None:
                state.equations += [n for n in news if n.monos]
                state.use("segment", ProofStep(Lemma.SEGMENTS, (first.array,)), assumed)
                return True
    return False


def _both_inside(state: State, first: Load, second: Load) -> Assumed | None:
    """The assumptions under which a number, as each copy computes it, lies in the segment of that copy."""
    for mine, theirs in _equal_numbers(state):
        left = _prove_in_segment(state, first, mine)
        right = None if left is None else _prove_in_segment(state, second, theirs)
        if left is not None and right is not None:
            return left | right
    return None


def _equal_numbers(state: State) -> Iterator[tuple[Term, Term]]:
    """(mine, theirs), equal numbers of the two copies: indices, and the two sides of equations derived from them."""
    half = len(state.elements) // 2
    yield from zip(state.elements[:half], state.elements[half:], strict=True)
    for e in state.equations:
        mine = own(e)
        theirs = mine - e
        for left, right in ((mine, theirs), (-mine, -theirs)):
            if any(isinstance(a, Load) and c > 0 for m, c in left.monos.items() for a in m):
                yield left, right


def _prove_in_segment(state: State, start: Load, element: Term) -> Assumed | None:
    """start <= element < stop, where all that is read of the offsets and lengths lies inside their arrays."""
    for stop, read in _stops(state, start):
        facts = state.facts_with(element, stop)
        total: Assumed = frozenset()
        needed = [*within_array(start), *within_array(read), element - of(start), stop - 1 - element]
        for t in needed:
            got = prove_factored(facts, t, _EFFORT)
            if got is None:
                break
            total |= got
        else:
            return total
    return None


def _stops(state: State, start: Load) -> Iterator[tuple[Term, Load]]:
    """Where the segment that starts at a load ends, and the element that says so."""
    if start.array in state.annotations.monotone and len(start.index) == 1:
        following = Load(start.array, (start.index[0] + 1,))
        yield of(following), following
    for offsets, lengths in state.annotations.segments:
        if offsets == start.array:
            length = Load(lengths, start.index)
            yield of(start) + of(length), length


def bounded_reads(state: State) -> list[Load]:
    """Reads to which declarations about data apply, provided that they lie inside their arrays."""
    known = state.annotations
    named = known.injective | known.monotone | {a for pair in known.segments for a in pair} | {
        array for array, *_ in (*known.ranges, *known.below, *known.multiples)}
    atoms = atoms_in(*state.equations, *state.elements, *state.conds)
    return sorted(a for a in atoms if isinstance(a, Load) and a.array in named and 1 not in mark(a))
