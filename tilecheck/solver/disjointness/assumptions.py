"""Inequalities over launch scalars that would let a stuck derivation go on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

from msgspec.structs import replace

from tilecheck.solver.disjointness.data import bounded_reads, within_array
from tilecheck.solver.disjointness.digits import divisors, splits_of
from tilecheck.solver.disjointness.division import factors
from tilecheck.solver.disjointness.guards import is_mirrored
from tilecheck.solver.disjointness.problem import Assumption
from tilecheck.solver.disjointness.state import State
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.symbolic import (
    EXTENTS,
    FUNCTIONS,
    ONE,
    App,
    Atom,
    Bid,
    Cond,
    FloorDiv,
    GridDim,
    Lane,
    Load,
    Mod,
    Opaque,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    disj,
    enforceable,
    eq,
    ge,
    grid,
    holds,
    mod,
    negate,
    of,
    split_multiples,
)

_SAMPLES = 32
SECTION = 9
_ROUNDED = 12
"""Launches that a clause is taken to break because the tile that it bounds is rounded up."""


Candidate = tuple[int, tuple[Assumption, ...]]


def candidates(whole: State, case: State | None) -> list[tuple[Assumption, ...]]:
    """Sets of inequalities over launch scalars that would let the closure go on, most promising first: from the state
    before any case split, and from the case that failed."""
    last = case or whole
    found = [c for state in dict.fromkeys((whole, last)) for c in (
        *_positive_divisors(state), *_inside_arrays(state), *_digits(state, whole), *_assume_exact_divisors(state))]
    found += [*_assume_untouched(last), *_sections(last), *_variants(last)]
    found = [(kind, tuple(_divide_common_factor(whole, a) for a in extra)) for kind, extra in found]
    kept = {item: None for item in found if item[1] and _fit(*item)}
    sizes = _sizes(whole)
    seen: dict[frozenset[Cond], tuple[Assumption, ...]] = {}
    for _, extra in sorted(kept, key=lambda item: (
            any(caps_the_grid(a.cond) for a in item[1]), item[0], *_strength(item[1], sizes))):
        seen.setdefault(frozenset(a.cond for a in extra), extra)
    return list(seen.values())[:16]


def _fit(kind: int, extra: tuple[Assumption, ...]) -> bool:
    """Whether a set of inequalities, or some of such a set, may be assumed at all."""
    return all(a.cond.op != "false" and enforceable(a.cond) for a in extra) and not (
        kind > 0 and kind != SECTION and any(
            _capped_by_a_number(a.cond) and not caps_the_grid(a.cond) for a in extra))


def _divide_common_factor(state: State, a: Assumption) -> Assumption:
    """A clause without a factor that all its terms share and that is positive: `T <= H` instead of `N*T <= N*H`."""
    if a.cond.op != "ge":
        return a
    first, *others = a.cond.term.monos
    shared = [x for x in dict.fromkeys(first) if all(x in m for m in others)]
    left = a.cond.term
    for x in shared if others else ():
        if state.facts.at_least(x, 1) is not None:
            left = split_multiples(left, of(x))[0]
    return a if left is a.cond.term else replace(a, cond=ge(left, 0))


def _positive_divisors(state: State) -> Iterator[Candidate]:
    atoms = atoms_in(*state.equations, *(i for load in bounded_reads(state) for i in load.index))
    for a in sorted(atoms):
        if isinstance(a, (FloorDiv, Mod)) and state.facts.prove_positive(a.den) is None:
            for terms, _ in state.facts.residuals(a.den - 1):
                yield 0, tuple(Assumption(ge(t, 0), False) for t in terms)


def _inside_arrays(state: State) -> Iterator[Candidate]:
    """The reads of arrays of which something is declared stay inside them. For a read that each block makes once that
    is a matter of the grid; for one that lanes make it decides which lanes the declaration covers."""
    for load in bounded_reads(state):
        lanes = any(isinstance(a, Lane) for i in load.index for a in atoms_of(i))
        for t in within_array(load):
            if state.facts.prove(t, 0) is None:
                for terms, _ in state.facts.residuals(t, 2):
                    yield 0, tuple(Assumption(ge(r, 0), lanes) for r in terms)


def _digits(state: State, whole: State) -> Iterator[Candidate]:
    """The low part of an equation stays below one of its divisors."""
    seen: set[tuple[Term, Term]] = set()
    known: dict[tuple[Assumption, ...], Facts] = {}
    for e in state.equations:
        for d in divisors(e):
            for _, r in splits_of(e, d):
                if d == ONE or not r.monos or (d, r) in seen:
                    continue
                seen.add((d, r))
                for terms, _ in state.facts.residuals(d - 1 - r):
                    yield from _both_sides(state, whole, known, terms, d - 1 + r)
                if not is_mirrored(r):
                    for terms, _ in state.facts.residuals(d - 1 + r):
                        yield from _both_sides(state, whole, known, terms, d - 1 - r)


def _both_sides(
    state: State, whole: State, under: dict[tuple[Assumption, ...], Facts], upper: tuple[Term, ...], lower: Term,
) -> Iterator[Candidate]:
    """Assumptions that bound a low part from both sides: the two copies are alike, so one bound suggests the other.

    under   facts known under each set of inequalities; it grows
    """
    first = tuple(Assumption(ge(t, 0), True) for t in upper)
    if not _fit(1, tuple(_divide_common_factor(whole, a) for a in first)):
        return
    known = under.get(first)
    if known is None:
        known = under[first] = Facts(
            (*state.conds, *(a.cond for a in first)), state.equations, budget=state.budget)
    if known.prove(lower, 1) is not None:
        yield 1 + len(first), first
        return
    for others, _ in known.residuals(lower, 2):
        both = tuple(dict.fromkeys((*first, *(Assumption(ge(t, 0), True) for t in others))))
        yield 1 + len(both), both


def _assume_untouched(state: State) -> Iterator[Candidate]:
    """A condition over launch scalars without which the element of this case does not exist: a sentinel index that
    lies outside the array."""
    for c in state.conds:
        for part in conjuncts(c):
            if part.op == "ge" and not part.varying and part not in state.given:
                yield 1, (Assumption(negate(part), True),)


def _sections(state: State) -> Iterator[Candidate]:
    """A section L <= bid(k) <= U of the grid, with L a launch scalar, has one block."""
    for g in state.facts.inequalities:
        for a in g.atoms():
            if isinstance(a, Bid) and g.monos.get((a,)) == 1 and of(a) - of(Bid(a.axis, 1)) in state.goals:
                low = g - of(a)
                for h in state.facts.inequalities:
                    high = h + of(a)
                    if h.monos.get((a,)) == -1 and not low.varying and not high.varying and low.constant is None:
                        yield SECTION, (Assumption(ge(-(g + h), 0), True),)


def _variants(state: State) -> Iterator[Candidate]:
    """A variant of the kernel, chosen by launch scalars, that makes no use of a block coordinate is for one block on
    that axis."""
    flags = [f for f in dict.fromkeys(state.flags) if f not in state.given and enforceable(f)
             and not (f.op == "ne" and f.term.offset)]  # `T != 1` is the general case, not a variant
    used = atoms_in(*state.elements, *state.conds)
    for g in state.goals:
        axes = {a.axis for a in g.atoms() if isinstance(a, Bid)}
        if flags and len(axes) == 1 and not any(isinstance(a, Bid) and a.axis in axes for a in used):
            yield 3, (Assumption(disj(*(negate(f) for f in flags), eq(grid(axes.pop()), 1)), True),)


def _assume_exact_divisors(state: State) -> Iterator[Candidate]:
    """A divisor of a product divides the launch scalar in it."""
    atoms = atoms_in(*state.equations)
    for a in sorted(atoms):
        if isinstance(a, FloorDiv):
            for u, *_ in factors(a.num):
                yield 2, (Assumption(eq(mod(u, a.den), 0), True),)


def _sizes(state: State) -> frozenset[Atom]:
    """The scalars that tiles are as large as."""
    return frozenset(a for lane in atoms_in(*state.equations, *state.conds) if isinstance(lane, Lane)
                     for a in lane.size.atoms() if lane.size.single == a)


def _strength(clauses: tuple[Assumption, ...], sizes: frozenset[Atom]) -> tuple[int, int]:
    """The strength of a set of clauses: the sampled launches that break it, and the number of its terms. A bound on a
    tile is stronger than a bound on the masked part of it, because tiles are rounded up."""
    broken = len(frozenset().union(*(_find_excluded(a.cond) for a in clauses)))
    bounded = sum(_bounds_an_extent(a.cond) for a in clauses)
    inside = sum(_puts_blocks_inside(a.cond) for a in clauses)
    size = sum(len(a.cond.term.monos) for a in clauses)
    rounded = sum(any(c < 0 and len(m) == 1 and m[0] in sizes for m, c in a.cond.term.monos.items()) for a in clauses)
    return broken + 40 * bounded + 8 * inside + 3 * size + _ROUNDED * rounded, sum(len(a.cond.key) for a in clauses)


class _Sample(dict[Atom, int]):
    """The values of one sampled launch, as they are asked for."""

    def __init__(self, launch: int) -> None:
        self.launch = launch

    def __missing__(self, a: Atom) -> int:
        self[a] = _draw(a, self.launch)
        return self[a]

    def __contains__(self, a: object) -> bool:
        return isinstance(a, (Symbol, Load, Opaque)) or (isinstance(a, App) and a.fn not in FUNCTIONS)


_LAUNCHES = tuple(_Sample(launch) for launch in range(_SAMPLES))


@lru_cache(maxsize=4096)
def _find_excluded(cond: Cond) -> frozenset[int]:
    """The sampled launches that a condition excludes."""
    return frozenset(env.launch for env in _LAUNCHES if not _satisfies(env, cond))


def _satisfies(env: _Sample, cond: Cond) -> bool:
    try:
        return holds(cond, env)
    except (ArithmeticError, KeyError):
        return False


def _draw(a: Atom, launch: int) -> int:
    """A size between 1 and 128, a grid between 2 and 16, evenly over their powers of two."""
    seed = crc32(f"{launch} {a.key}".encode())
    if isinstance(a, GridDim):
        return 2 + seed % (1, 3, 7, 15)[seed // 64 % 4]
    return 1 + seed // 8 % (1 << seed % 8)


def _bounds_an_extent(cond: Cond) -> bool:
    """Whether a clause asks that an array be small; launches bound grids and constants, arrays are as they come."""
    return any(c < 0 and any(isinstance(a, EXTENTS) for a in m) for m, c in cond.term.monos.items())


def _puts_blocks_inside(cond: Cond) -> bool:
    """Whether a clause asks that the rows of all blocks, and what a block has in one, fit into a stride of something
    else: blocks are mostly the outermost digit of a layout."""
    spans = [(m, c) for m, c in cond.term.monos.items() if c < 0 and len(m) > 1]
    return len(spans) > 1 and any(
        len(m) == 2 and any(isinstance(a, GridDim) for a in m)
        and any(cond.term.monos.get((a,), 0) > 0 for a in m) for m, _ in spans)


def _capped_by_a_number(cond: Cond) -> bool:
    """Whether a clause asks that launch scalars be small numbers (`H <= 1`): the kernel is meant for larger ones."""
    return cond.op == "ge" and all(c < 0 for m, c in cond.term.monos.items() if m)


def caps_the_grid(cond: Cond) -> bool:
    """Whether a clause limits one axis of the grid to a number of blocks, and to more than one."""
    terms = [(m, c) for m, c in cond.term.monos.items() if m]
    return _capped_by_a_number(cond) and len(terms) == 1 and isinstance(
        Term({terms[0][0]: 1}).single, GridDim) and cond.term.offset >= -2 * terms[0][1]
