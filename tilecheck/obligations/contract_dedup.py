"""Removes repeated clauses on bounds: a kernel reports each once, and not once for each access.

Accesses of the same array need the same clauses. So do the accesses of two variants of a kernel (`FLAG == 0 or ...`
and `FLAG != 0 or ...`), whose clauses are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import clause_of
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import Cond, Lane, Term, atoms_in, disj, enforceable, ge, grid, negate
from tilecheck.symbolic.footprint import Clause

__all__ = ["drop_repeated_clauses", "standing_facts"]

_FLAGS: Final = 4
"""Conditions of a variant that are worth repeating in a fact."""
_BLOCKS: Final = frozenset(ge(grid(axis), 1) for axis in range(3))
_MANY: Final = 120
"""Clauses of a kernel beyond which variants are not joined."""

_Alternatives: TypeAlias = frozenset[Cond]
"""A condition as the set of its alternatives, each of which satisfies it alone."""


def drop_repeated_clauses(
    model: KernelModel, obligations: Sequence[DecidedObligation]
) -> tuple[DecidedObligation, ...]:
    """Returns the obligations with the structural clauses on bounds that the whole kernel needs.

    No remaining clause follows from another one, from several together, or from the standing facts.
    """
    asked = {c for s in obligations if s.kind == "bounds" for c in s.clauses if _structural(c)}
    if not asked:
        return tuple(obligations)
    standing = [_alternatives(c) for c in standing_facts(model)]
    made = _join_alternatives({_alternatives(c.cond) for c in asked if c.cond is not None})
    made = {m for m in made if not any(_gives(s, m) for s in standing)}
    strongest: list[_Alternatives] = []
    for m in sorted(made, key=_key):
        if not any(_gives(n, m) for n in strongest):
            strongest = [n for n in strongest if not _gives(m, n)] + [m]
    # what says most comes first: the fewest alternatives
    by = {c: tuple(_find_stronger(c, standing, strongest)) for c in asked}
    return tuple(
        replace(s, clauses=tuple(dict.fromkeys(d for c in s.clauses for d in by.get(c, (c,)))))
        if s.kind == "bounds" else s for s in obligations)


def standing_facts(model: KernelModel) -> tuple[Cond, ...]:
    """Returns the conditions on parameters that hold wherever a kernel runs.

    Tiles have elements in the variants that have these tiles. Otherwise the kernel would not compile.
    """
    found: set[_Alternatives] = set()
    for a in model.accesses:
        flags = [c for c in conjuncts(a.under) if not c.varying and c not in _BLOCKS]
        if all(enforceable(c) for c in flags) and len(flags) <= _FLAGS:
            found |= {_alternatives(disj(*(negate(c) for c in flags), ge(e, 1))) for e in (*a.tile, *_lanes(a))
                      if e.constant is None and not e.varying and enforceable(ge(e, 1))}
    whole = _join_alternatives(found)
    least = (disj(*m) for m in whole if not any(n < m for n in whole))
    return tuple(c for c in sorted(least, key=lambda c: c.key) if c.op != "true")


def _lanes(a: Access) -> set[Term]:
    """Extents of the tiles that an access by element computes its index from."""
    return {lane.size for lane in atoms_in(*a.region.index) if isinstance(lane, Lane)}


def _structural(c: Clause) -> bool:
    return c.kind == "structural" and c.cond is not None and c.cond.op in ("ge", "eq", "ne", "or")


def _alternatives(cond: Cond) -> _Alternatives:
    return frozenset(cond.args if cond.op == "or" else (cond,))


def _key(m: _Alternatives) -> tuple[int, str]:
    return len(m), disj(*m).key


def _join_alternatives(given: Iterable[_Alternatives]) -> set[_Alternatives]:
    """Those given, and what follows from two that differ in a condition and its opposite alone."""
    made = set(given)
    # the variants that are joined before the limit is reached must not depend on the order of a set
    new = sorted(made, key=_key, reverse=True)
    while new and len(made) < _MANY:
        m = new.pop()
        for c in sorted(m, key=lambda c: c.key):
            rest = m - {c}
            if rest and rest not in made and rest | {negate(c)} in made:
                made.add(rest)
                new.append(rest)
    return made


@lru_cache(maxsize=4096)
def _bound(c: Cond) -> tuple[Term, int]:
    """A term without its constant part, and that."""
    return c.term - c.term.offset, c.term.offset


@lru_cache(maxsize=1024)
def _bounds(m: _Alternatives) -> dict[Term, int]:
    """Returns the weakest constant of the inequalities on each term: for `t >= 2` and `t >= 3`, that of `t` is -2.

    The result is cached, because one set is compared with many others.
    """
    out: dict[Term, int] = {}
    for c in m:
        if c.op == "ge":
            shape, offset = _bound(c)
            out[shape] = max(out.get(shape, offset), offset)
    return out


def _gives(strong: _Alternatives, weak: _Alternatives) -> bool:
    """Whether the first set implies the second by a direct comparison: `t >= 3` gives `t >= 2`."""
    rest = strong - weak
    if not rest:
        return True
    most = _bounds(weak)
    for c in rest:
        shape, offset = _bound(c)
        if c.op != "ge" or most.get(shape, offset) <= offset:
            return False
    return True


def _find_stronger(
    clause: Clause, standing: Sequence[_Alternatives], strongest: Sequence[_Alternatives],
) -> Iterator[Clause]:
    own = _alternatives(clause.cond) if clause.cond is not None else frozenset[Cond]()
    if any(_gives(s, own) for s in standing):
        return
    found = next((m for m in strongest if _gives(m, own)), own)
    yield clause if found == own else clause_of(disj(*found), False)
