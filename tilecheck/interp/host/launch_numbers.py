"""The scalars of a kernel in numbers, as a seen launch can pass them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, cast

from msgspec import Struct

from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import cone
from tilecheck.interp.host.entailment import unreachable
from tilecheck.interp.host.launch import Launch, is_free
from tilecheck.interp.host.violations import draw_equal
from tilecheck.interp.kernel.access import Param
from tilecheck.symbolic import (
    EXTENTS,
    Array,
    Atom,
    Cond,
    GridDim,
    Opaque,
    Substitution,
    Symbol,
    Term,
    atoms_of,
    conj,
    const,
    evaluate,
    ge,
    grid,
    holds,
    of,
    symbol_from_text,
)

__all__ = ["Numbers", "numbers_at"]

_CASES: Final = 12
_SAMPLES: Final = 8
_LONGEST: Final = 900
"""The largest length, as text, of a fact that samples have to satisfy."""


class Numbers(Struct, frozen=True):
    """Scalars of a kernel in numbers at a launch.

    samples   values of the scalars, one mapping for each set of values; empty if a value is not known
    constant  whether the launch has no other values
    related   whether the values depend on several quantities whose relation need not be written in the code, such as
              the extents of two arrays
    """

    samples: tuple[Mapping[Atom, int], ...] = ()
    constant: bool = False
    related: bool = False


_UNKNOWN: Final = Numbers()


def numbers_at(
    symbols: Collection[Symbol], params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int],
) -> Numbers:
    """The values of scalars of a kernel, and of its grid, at a launch. A value that comes from code which is not
    followed is unknown, and then there are none."""
    if not launch.certain:
        return _UNKNOWN
    asked = conj(*(ge(of(a), 0) for a in sorted(symbols)), *(ge(grid(k), 1) for k in range(3)))
    bound = bind(asked, params, launch, ranks)
    values: dict[Symbol, Term] = {a: t for a, t in bound.values.items() if a in symbols or isinstance(a, GridDim)}
    for k in range(3):
        extent = launch.grid[k]
        if extent is None:
            return _UNKNOWN
        values.setdefault(GridDim(k), extent)
    if set(symbols) - values.keys() or any(isinstance(a, Opaque) for t in values.values() for a in _leaves_of(t)):
        return _UNKNOWN
    facts = conj(launch.facts, bound.facts)
    if all(t.constant is not None for t in values.values()):
        found = _as_numbers({a: t.constant or 0 for a, t in values.items()})
        return _UNKNOWN if found is None or unreachable(launch.facts) else Numbers((found,), True)
    return _draw(values, bound.goal, facts, launch)


def _draw(values: Mapping[Symbol, Term], subject: Cond, facts: Cond, launch: Launch) -> Numbers:
    """Values of a launch with quantities that callers or a tuner choose."""
    near = cone(subject, facts)
    chosen = {n for case in launch.cases for n, _ in case}
    leaves = {a for t in values.values() for a in _leaves_of(t)}
    others = {a for c in near for a in atoms_of(c) if isinstance(a, Symbol | Opaque)}
    free = launch.free | chosen
    if not all(is_free(a, free) for a in leaves | others) or any(len(c.key) > _LONGEST for c in near):
        return _UNKNOWN
    arrays = {a.array for a in leaves if isinstance(a, EXTENTS)}
    counts = {a.key for a in leaves if not isinstance(a, EXTENTS) and a.key not in chosen}
    found: dict[tuple[tuple[Atom, int], ...], Mapping[Atom, int]] = {}
    for case in launch.cases[:_CASES] or ((),):
        put = Substitution({symbol_from_text(n): const(v) for n, v in case})
        at = {a: put.term(t) for a, t in values.items()}
        for sample in islice(_sample(at, put.cond(subject), [put.cond(c) for c in near]), _SAMPLES):
            found.setdefault(tuple(sorted(sample.items())), sample)
    return Numbers(tuple(found.values()), False, len(arrays) > 1 or bool(arrays and counts) or len(counts) > 1)


def _sample(values: Mapping[Symbol, Term], subject: Cond, facts: Sequence[Cond]) -> Iterator[Mapping[Atom, int]]:
    for env in draw_equal(conj(subject, *(ge(t, 0) for t in values.values())), facts):
        try:
            if all(holds(c, env) for c in facts):
                found = _as_numbers({a: evaluate(t, env) for a, t in values.items()})
                if found is not None:
                    yield found
        except (KeyError, ArithmeticError):
            continue


def _as_numbers(values: Mapping[Symbol, int]) -> Mapping[Atom, int] | None:
    """The values, unless a launch cannot have them: a grid without blocks, an array without elements."""
    if any(v < 1 for a, v in values.items() if isinstance(a, (GridDim, *EXTENTS))):
        return None
    return cast(Mapping[Atom, int], values)


def _leaves_of(t: Term) -> set[Atom]:
    return {a for a in atoms_of(t) if isinstance(a, Symbol | Opaque)}
