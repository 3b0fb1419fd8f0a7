"""Inequalities over launch scalars that would let a stuck derivation go on."""

from __future__ import annotations

from zlib import crc32

from tilecheck.proof.closure.data import within_array
from tilecheck.proof.closure.digits import divisors, splits_of
from tilecheck.proof.closure.problem import Assumption
from tilecheck.proof.closure.state import State
from tilecheck.proof.terms import FUNCTIONS, ONE, App, Atom, Cond, FloorDiv, Load, Mod, Opaque, Sym, atoms_of, ge, holds

_SAMPLES = 32


def candidates(state: State) -> list[tuple[Assumption, ...]]:
    """Sets of inequalities over launch scalars that would let the closure go on, most promising first."""
    out: list[tuple[int, tuple[Assumption, ...]]] = []
    atoms: set[Atom] = set()
    for e in state.equations:
        atoms_of(e, atoms)
    for a in sorted(atoms):
        if isinstance(a, (FloorDiv, Mod)) and state.facts.positive(a.den) is None:
            for terms, _ in state.facts.residuals(a.den - 1):
                out.append((0, tuple(Assumption(ge(t, 0), False) for t in terms)))
    for load, _ in state.loads:
        if load.array in state.annotations.injective:
            for t in within_array(load):
                for terms, _ in state.facts.residuals(t, 2):
                    out.append((0, tuple(Assumption(ge(r, 0), False) for r in terms)))
    for e in state.equations:
        for d in divisors(e):
            for _, r in splits_of(e, d):
                if d == ONE or not r.monos:
                    continue
                for terms, _ in state.facts.residuals(d - 1 - r):
                    upper = tuple(Assumption(ge(t, 0), True) for t in terms)
                    if state.facts.prove(d - 1 + r) is not None:
                        out.append((1 + len(upper), upper))
                        continue
                    for others, _ in state.facts.residuals(d - 1 + r, 2):
                        both = tuple(dict.fromkeys((*upper, *(Assumption(ge(t, 0), True) for t in others))))
                        out.append((1 + len(both), both))
    out.sort(key=lambda item: (item[0], *_strength(item[1])))
    seen: dict[frozenset[Cond], tuple[Assumption, ...]] = {}
    for _, extra in out:
        if extra and all(a.cond.op == "ge" for a in extra):
            seen.setdefault(frozenset(a.cond for a in extra), extra)
    return list(seen.values())[:16]


def _strength(clauses: tuple[Assumption, ...]) -> tuple[int, int]:
    """How much a set of clauses asks: the sampled launches that break it, and the terms that a reader must follow."""
    broken = sum(not _satisfied(clauses, launch) for launch in range(_SAMPLES))
    return broken + 3 * sum(len(a.cond.term.monos) for a in clauses), sum(len(a.cond.key) for a in clauses)


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
