"""Inequalities over launch scalars that would let a stuck derivation go on."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from tilecheck.proof.closure.data import within_array
from tilecheck.proof.closure.digits import divisors, splits_of
from tilecheck.proof.closure.problem import Assumption
from tilecheck.proof.closure.state import State
from tilecheck.proof.facts import conjuncts
from tilecheck.proof.terms import (
    FUNCTIONS,
    ONE,
    App,
    Atom,
    Cond,
    FloorDiv,
    Load,
    Mod,
    Opaque,
    Sym,
    atoms_of,
    ge,
    holds,
    negate,
)

_SAMPLES = 32


Candidate = tuple[int, tuple[Assumption, ...]]


def candidates(states: tuple[State, ...]) -> list[tuple[Assumption, ...]]:
    """Sets of inequalities over launch scalars that would let the closure go on, most promising first."""
    found = [c for state in states for c in (
        *_positive_divisors(state), *_inside_arrays(state), *_digits(state), *_untouched(state))]
    found.sort(key=lambda item: (item[0], *_strength(item[1])))
    seen: dict[frozenset[Cond], tuple[Assumption, ...]] = {}
    for _, extra in found:
        if extra and all(a.cond.op == "ge" for a in extra):
            seen.setdefault(frozenset(a.cond for a in extra), extra)
    return list(seen.values())[:16]


def _positive_divisors(state: State) -> Iterator[Candidate]:
    atoms: set[Atom] = set()
    for e in state.equations:
        atoms_of(e, atoms)
    for a in sorted(atoms):
        if isinstance(a, (FloorDiv, Mod)) and state.facts.positive(a.den) is None:
            for terms, _ in state.facts.residuals(a.den - 1):
                yield 0, tuple(Assumption(ge(t, 0), False) for t in terms)


def _inside_arrays(state: State) -> Iterator[Candidate]:
    """The reads of an injective array stay inside it."""
    for load, _ in state.loads:
        if load.array in state.annotations.injective:
            for t in within_array(load):
                for terms, _ in state.facts.residuals(t, 2):
                    yield 0, tuple(Assumption(ge(r, 0), False) for r in terms)


def _digits(state: State) -> Iterator[Candidate]:
    """The low part of an equation stays below one of its divisors."""
    for e in state.equations:
        for d in divisors(e):
            for _, r in splits_of(e, d):
                if d == ONE or not r.monos:
                    continue
                for terms, _ in state.facts.residuals(d - 1 - r):
                    upper = tuple(Assumption(ge(t, 0), True) for t in terms)
                    if state.facts.prove(d - 1 + r) is not None:
                        yield 1 + len(upper), upper
                        continue
                    for others, _ in state.facts.residuals(d - 1 + r, 2):
                        both = tuple(dict.fromkeys((*upper, *(Assumption(ge(t, 0), True) for t in others))))
                        yield 1 + len(both), both


def _untouched(state: State) -> Iterator[Candidate]:
    """A condition over launch scalars without which the element of this case does not exist: a sentinel index that
    lies outside the array."""
    for c in state.conds:
        for part in conjuncts(c):
            if part.op == "ge" and not part.varying and part not in state.given:
                yield 1, (Assumption(negate(part), True),)


def _strength(clauses: tuple[Assumption, ...]) -> tuple[int, int]:
    """How much a set of clauses asks: the sampled launches that break it, and the terms that a reader must follow."""
    broken = sum(not _satisfied(clauses, launch) for launch in range(_SAMPLES))
    bounded = sum(_bounds_an_extent(a.cond) for a in clauses)
    return broken + 20 * bounded + 3 * sum(len(a.cond.term.monos) for a in clauses), sum(len(a.cond.key) for a in clauses)


def _satisfied(clauses: tuple[Assumption, ...], launch: int) -> bool:
    class Sample(dict[Atom, int]):
        def __missing__(self, a: Atom) -> int:
            self[a] = _draw(a, launch)
            return self[a]

        def __contains__(self, a: object) -> bool:
            return isinstance(a, (Sym, Load, Opaque)) or (isinstance(a, App) and a.fn not in FUNCTIONS)

    env = Sample()
    try:
        return all(holds(a.cond, env) for a in clauses)
    except (ArithmeticError, KeyError):
        return False


def _draw(a: Atom, launch: int) -> int:
    """A size between 1 and 128, a grid between 2 and 16, evenly over their powers of two."""
    seed = crc32(f"{launch} {a.key}".encode())
    if a.key.startswith("grid["):
        return 2 + seed % (1, 3, 7, 15)[seed // 64 % 4]
    return 1 + seed // 8 % (1 << seed % 8)


def _bounds_an_extent(cond: Cond) -> bool:
    """Whether a clause asks that an array be small; launches bound grids and constants, arrays are as they come."""
    return any(c < 0 and any(isinstance(a, Sym) and ".shape[" in a.name for a in m) for m, c in cond.term.monos.items())
