"""Whether an index stays inside an extent, and what a launch must satisfy for it to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Final
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.solver.inequalities import NOTHING, Assumed, Budget, Facts, conjuncts
from tilecheck.symbolic import (
    ONE,
    Atom,
    Bid,
    Cond,
    Counter,
    FloorDiv,
    GridDim,
    Ite,
    Lane,
    Load,
    Max,
    Min,
    Mod,
    Opaque,
    Substitution,
    Symbol,
    Term,
    atoms_at,
    atoms_in,
    atoms_of,
    conj,
    enforceable,
    floordiv,
    ge,
    holds,
    key_of,
    le,
    negate,
    of,
    split_multiples,
    substitute,
)

__all__ = ["Inside", "prove_inside"]

Memory = dict[object, "Inside | None"]
Acceptable = Callable[[tuple[Cond, ...]], bool]

_WORK: Final = 1600
"""Nodes of certificate search for one index."""
_LITTLE: Final = 300
"""Likewise where data takes part: what a proof then needs is seldom written down."""
_TRIED: Final = 4
"""Sets of inequalities to try for one goal."""
_COUNTS: Final = 3
"""Numbers of tiles to try to go by."""
_LAUNCHES: Final = 48
_SAMPLE: Final = (1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 64, 100)


class Inside(Struct, frozen=True):
    """A proof that an index stays inside.

    assumed   signs of launch scalars
    clauses   inequalities over launch scalars that it rests on besides
    rules     what it took
    """

    assumed: Assumed = frozenset()
    clauses: tuple[Cond, ...] = ()
    rules: tuple[str, ...] = ()

    def __or__(self, other: Inside) -> Inside:
        return Inside(self.assumed | other.assumed, tuple(dict.fromkeys((*self.clauses, *other.clauses))),
                      tuple(dict.fromkeys((*self.rules, *other.rules))))


class _Question(Struct, frozen=True):
    """The part of a question that is the same for all of its goals.

    conds        the known conditions
    unit         elements in a tile; clauses about numbers of tiles are preferred
    acceptable   whether inequalities over launch scalars are a contract, together; None if no clause may be added
    open         whether they may be taken up
    """

    conds: tuple[Cond, ...]
    unit: Term
    acceptable: Acceptable | None
    budget: Budget
    memory: Memory
    known: dict[object, Facts]
    open: bool = True


def prove_inside(
    at: Term, end: Term, conds: Iterable[Cond], acceptable: Acceptable | None, unit: Term = ONE,
    memory: Memory | None = None, known: dict[object, Facts] | None = None,
) -> Inside | None:
    """The clauses and assumptions under which the conditions imply `0 <= at < end`; None if no proof was found.

    Inequalities over launch scalars that would complete a proof become clauses if they are acceptable together; none
    does if `acceptable` is None.

    memory, known   facts found for the kernel before; they grow
    """
    bearing = _select_relevant(conj(*conds), at, end)
    data = any(isinstance(a, Load) for a in atoms_in(at, end, *bearing))
    q = _Question(bearing, unit, acceptable, Budget(_LITTLE if data else _WORK), {} if memory is None else memory,
                  {} if known is None else known)
    lower = _prove(replace(q, open=not at.varying), at, ()) or _prove(q, at, ())
    if lower is None:
        return None
    upper = _prove(q, end - 1 - at, lower.clauses)
    return None if upper is None else lower | upper


def _select_relevant(known: Cond, *terms: Term) -> tuple[Cond, ...]:
    """The conditions about the launch, and those about what some terms vary with."""
    reached = {a for t in terms for a in atoms_of(t) if _varies(a)}
    pending = [(c, _varying(c)) for c in conjuncts(known)]
    kept = [c for c, leaves in pending if not leaves]
    pending = [(c, leaves) for c, leaves in pending if leaves]
    grown = True
    while grown:
        near = [(c, leaves) for c, leaves in pending if leaves & reached]
        pending = [(c, leaves) for c, leaves in pending if not leaves & reached]
        kept += [c for c, _ in near]
        grown = any(not leaves <= reached for _, leaves in near)
        reached |= {a for _, leaves in near for a in leaves}
    return tuple(sorted(kept, key=lambda c: c.key))


@lru_cache(maxsize=1 << 13)
def _varying(cond: Cond) -> frozenset[Atom]:
    return frozenset(filter(_varies, atoms_of(cond)))


def _varies(a: Atom) -> bool:
    return a.varying and isinstance(a, (Bid, Counter, Lane, Load, Opaque))


def _prove(q: _Question, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    value = goal.constant
    if value is not None and value >= 0:
        return Inside()
    if q.open:
        return _search(q, goal, given)
    key = (goal, given, q.conds, q.unit)
    if key not in q.memory:
        found = _search(q, goal, given)
        if found is None and q.budget.left <= 0:
            return None
        q.memory[key] = found
    return q.memory[key]


def _search(q: _Question, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    facts = _facts(q, goal, given)
    plain = _extent_alone(q, goal, given)
    if plain is not None:
        return plain
    nested = _find_nested(goal) is not None
    # a goal with a choice inside a quotient is seldom proved without a case split
    got = facts.prove(goal, 0 if nested else 1)
    if got is not None:
        return Inside(got, (), ("range",))
    for attempt in (_divisors, _in_tiles, _prove_by_tiles, _by_cases, _unfold_remainder, _residual) if q.open else (
            _divisors, _in_tiles, _by_cases, _unfold_remainder):
        found = attempt(q, facts, goal, given)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=1 << 8)
def _known_atoms(conds: tuple[Cond, ...]) -> frozenset[Atom]:
    return frozenset(atoms_in(*conds))


def _facts(q: _Question, goal: Term, given: tuple[Cond, ...]) -> Facts:
    """The known conditions as facts, with the results that are cached for them."""
    key = (q.conds, given, frozenset(a for a in atoms_of(goal) if isinstance(a, (Bid, Lane))))
    facts = q.known.get(key)
    if facts is None:
        facts = q.known[key] = Facts((*q.conds, *given), [goal], budget=q.budget)
    facts.budget = q.budget
    return facts


def _extent_alone(q: _Question, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """`x.shape[0] >= 5`: a clause by itself, unless it is known."""
    monos = [m for m in goal.monos if m]
    if len(monos) != 1 or len(monos[0]) != 1 or goal.monos[monos[0]] != 1 or not isinstance(monos[0][0], Symbol):
        return None
    key = (q.conds, given)  # there is no coordinate in such a goal of which something would be known besides
    facts = q.known.get(key)
    if facts is None:
        facts = q.known[key] = Facts((*q.conds, *given), signs=False, budget=q.budget)
    facts.budget = q.budget
    known = facts.prove(goal, 0)
    if known is not None:
        return Inside(known)
    clause = ge(goal, 0)
    return Inside(NOTHING, (clause,), ("launch",)) if _is_acceptable(q, (*given, clause)) else None


def _is_acceptable(q: _Question, clauses: tuple[Cond, ...]) -> bool:
    return q.acceptable is not None and q.acceptable(clauses)


# --- residual clauses -----------------------------------------------------------------------------------------------

def _residual(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """The weakest of the sets of inequalities over launch scalars that would complete the proof."""
    got = facts.prove(goal, 1)
    if got is not None:
        return Inside(got, (), ("range",))
    if q.acceptable is None:
        return None
    options: list[Inside] = []
    for terms, assumed in facts.residuals(goal, _TRIED):
        clauses: dict[Cond, None] = {}
        for t in terms:
            clause, signs = at_most(t, facts, q.unit)
            clauses[clause] = None
            assumed |= signs
        needed = tuple(c for c in clauses if c.op != "true")
        if all(enforceable(c) and c.op != "false" for c in needed):
            options.append(Inside(assumed, needed, ("launch",)))
    if len(options) > 1:
        options.sort(key=lambda o: -_room(o.clauses))
    return next((o for o in options if _is_acceptable(q, (*given, *o.clauses))), None)


def at_most(t: Term, facts: Facts, unit: Term) -> tuple[Cond, Assumed]:
    """`t >= 0` as a limit on a number of blocks, iterations or tiles, if it is one, and the assumptions for that:
    `r - d*x >= 0` is `x <= r // d` for d >= 1."""
    for common in _find_common_factors(t):
        signs = facts.prove_positive(common)
        if signs is not None:
            t, _ = split_multiples(t, common)
            again, more = at_most(t, facts, unit)
            return again, signs | more
    for divisor in (unit, *_divisors_of_counts(t)):
        if divisor.constant == 1 or divisor.varying:
            continue
        count, rest = split_multiples(t, divisor)
        count = -count
        if not any(c > 0 for m, c in count.monos.items() if m) or not rest.monos:
            continue
        signs = facts.prove_positive(divisor)
        if signs is not None:
            return le(count, floordiv(rest, divisor)), signs
    return ge(t, 0), NOTHING


def _find_common_factors(t: Term) -> tuple[Term, ...]:
    """Factors of every monomial."""
    monos = list(t.monos)
    if not monos or () in monos:
        return ()
    return tuple(of(a) for a in dict.fromkeys(monos[0]) if all(a in m for m in monos))


def _divisors_of_counts(t: Term) -> Iterator[Term]:
    """The factors of numbers of blocks or tiles."""
    for m, c in sorted(t.monos.items(), key=lambda item: tuple(a.key for a in item[0])):
        counted = [a for a in m if _is_grid(a) or isinstance(a, FloorDiv)] if c < 0 else []
        if len(counted) == 1 and m.count(counted[0]) == 1:
            divisor = Term({tuple(a for a in m if a is not counted[0]): -c})
            if divisor.constant is not None or isinstance(divisor.single, Symbol):
                yield divisor


def _is_grid(a: Atom) -> bool:
    return isinstance(a, GridDim)


@cache
def _sample_values(a: Symbol) -> tuple[int, ...]:
    """The values of a launch scalar in some launches."""
    return tuple(_SAMPLE[crc32(f"{a.key} {k}".encode()) % len(_SAMPLE)] for k in range(_LAUNCHES))


@lru_cache(maxsize=1 << 10)
def _room(clauses: tuple[Cond, ...]) -> int:
    """How many of some launches satisfy conditions: the weaker they are, the more."""
    atoms = [a for a in atoms_in(*clauses) if isinstance(a, Symbol)]
    count = 0
    for values in zip(*map(_sample_values, atoms), strict=True) if atoms else [()] * _LAUNCHES:
        env: dict[Atom, int] = dict(zip(atoms, values, strict=True))
        try:
            count += all(holds(c, env) for c in clauses)
        except (ArithmeticError, KeyError):
            continue
    return count


# --- quotients and remainders ----------------------------------------------------------------------------------------

def _divisors(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """Divisors that are positive only in some launches: `first + p % min(M - first, G)`."""
    if q.acceptable is None:
        return None
    for a in sorted((a for a in atoms_of(goal) if isinstance(a, (FloorDiv, Mod))), key=key_of):
        if facts.prove_positive(a.den) is not None:
            continue
        options = [_find_needed(q, facts, part - 1, given) for part in _parts(a.den)]
        found = [o for o in options if o is not None]
        if len(found) < len(options):
            continue
        total = Inside()
        for o in found:
            total |= o
        clauses = (*given, *(c for c in total.clauses if c not in given))
        if total.clauses and set(clauses) != set(given) and _is_acceptable(q, clauses):
            rest = _prove(q, goal, clauses)
            if rest is not None:
                return total | rest
    return None


def _parts(t: Term) -> tuple[Term, ...]:
    single = t.single
    return single.args if isinstance(single, Min) else (t,)


def _find_needed(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    got = facts.prove(goal, 1)
    return Inside(got) if got is not None else _residual(q, facts, goal, given)


def _in_tiles(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """`d*x + r >= 0` is `x + r // d >= 0` for d >= 1: the comparison may be about a number of tiles already."""
    if q.unit == ONE or q.unit.varying or not any(isinstance(a, (FloorDiv, Mod)) for a in atoms_of(goal)):
        return None
    count, rest = split_multiples(goal, q.unit)
    limit = floordiv(rest, q.unit)
    known = _known_atoms(q.conds) | atoms_in(count, *given)
    signs = facts.prove_positive(q.unit) if count.varying and limit.atoms() <= known else None
    if signs is None:
        return None
    found = _prove(replace(q, unit=ONE, open=False), count + limit, given)
    return None if found is None else replace(found, assumed=found.assumed | signs)


def _prove_by_tiles(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """By way of a number of tiles that the index is computed from: it stays below that, and that below the limit."""
    if q.acceptable is None or not (
            any(isinstance(a, Mod) or (isinstance(a, FloorDiv) and a.varying) for a in atoms_of(goal))
            or any(isinstance(a, Min) and a.varying for a in _known_atoms(q.conds))):
        return None
    rest = Term({m: c for m, c in goal.monos.items() if not any(a.varying for a in m)})
    count, left = split_multiples(goal - rest, q.unit)
    signs = facts.prove_positive(q.unit)
    if signs is None or left.monos:
        return None
    limit = floordiv(rest, q.unit)
    counts = {a for a in (_known_atoms(q.conds) | atoms_of(count)) - atoms_of(limit)
              if isinstance(a, FloorDiv) and not a.varying}
    for a in sorted(counts, key=lambda a: (a.den != q.unit, a.key))[:_COUNTS]:
        closed = replace(q, unit=ONE, open=False)
        found = _prove(closed, count + of(a), given) if enforceable(ge(limit, of(a))) else None
        if found is None:
            continue
        # the last tile, or the number of tiles
        sharper = _prove(closed, count + of(a) - 1, given)
        found, clause = (found, ge(limit, of(a))) if sharper is None else (sharper, ge(limit, of(a) - 1))
        if _is_acceptable(q, (*given, clause)):
            return Inside(found.assumed | signs, (*found.clauses, clause), ("launch", *found.rules))
    return None


def _unfold_remainder(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """`n % d` as `n - d*(n // d)`, where the quotient occurs too: not for d = 0, where neither is defined."""
    remainders = [a for a in atoms_of(goal) if isinstance(a, Mod)]
    quotients = [
        a for a in _known_atoms(q.conds) | atoms_of(goal) if isinstance(a, FloorDiv)] if remainders else []
    new: dict[Atom, Term] = {
        a: a.num - a.den * of(b) for a in remainders for b in quotients if b.num == a.num and b.den == a.den}
    return None if not new else _prove(replace(q, open=False), substitute(goal, new), given)


def _by_cases(q: _Question, facts: Facts, goal: Term, given: tuple[Cond, ...]) -> Inside | None:
    """A choice inside a quotient, remainder or choice: one proof for each of its values, under the
    condition that selects it."""
    nested = _find_nested(goal)
    if nested is None or q.budget.left < 0:
        return None
    total = Inside(rules=("cases",))
    for value, when in _values(nested):
        here = Substitution({nested: value})
        known = conj(*(here.cond(c) for c in q.conds), when)
        if known.op == "false":
            continue
        case = replace(q, conds=conjuncts(known))
        found = _prove(case, here.term(goal), (*given, *(c for c in total.clauses if c not in given)))
        if found is None:
            return None
        total |= found
    return total


@lru_cache(maxsize=1 << 12)
def _find_nested(goal: Term) -> Atom | None:
    top = goal.atoms()
    inner = sorted((a for a in atoms_of(goal) if isinstance(a, (Min, Max, Ite))), key=key_of)
    for a in inner:
        if isinstance(a, Ite) or a not in top or any(a in atoms_at(b) for b in top if b is not a):
            return a
    return None


def _values(a: Atom) -> Iterator[tuple[Term, Cond]]:
    if isinstance(a, Ite):
        yield a.then, a.cond
        yield a.other, negate(a.cond)
    elif isinstance(a, (Min, Max)):
        for part in a.args:
            others = (b for b in a.args if b is not part)
            yield part, conj(*(ge(b, part) if isinstance(a, Min) else ge(part, b) for b in others))
