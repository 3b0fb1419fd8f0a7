"""Clauses that no proof decides and that no tried values of the variables of a launch satisfy.

A clause mostly has exceptions (`TRANSPOSE == 0 or ...`): variants of the kernel that do not need it. It fails if the
other alternatives fail in all cases without an exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Final, Literal
from zlib import crc32

from msgspec import Struct

from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import Discharge, cone, substitute_text
from tilecheck.interp.host.entailment import is_entailed, simplify_truth_tests, unreachable
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.sampling import find_equal_atoms, follow, limits, outcomes, witnesses
from tilecheck.interp.kernel.access import Param
from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.model_search import find_model
from tilecheck.symbolic import (
    EXTENTS,
    SIZES,
    Array,
    Atom,
    Cond,
    Ite,
    Opaque,
    Point,
    Source,
    Substitution,
    Symbol,
    Term,
    atoms_of,
    conj,
    const,
    disj,
    ge,
    holds,
    negate,
    of,
    substitute_cond,
)
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import Clause

__all__ = ["Failing", "draw_equal", "failing", "numbers"]

_LONGEST: Final = 900
"""The largest length, as text, of a fact or of the rest of a clause for a search."""
_TRIALS: Final = 60
_ENOUGH: Final = 4
"""Sets of values that must fail: what fails in fewer may be chance."""
_EXTENTS: Final = (12, 128, 33, 96, 7, 64, 256, 1024, 1, 4)
_COUNTS: Final = (1, 0, 2, 4, 64, 16, 3, 128, 132)
_EVEN: Final = (256, 1024, 512, 4096, 2048)
_EVEN_COUNTS: Final = (64, 4, 128, 2, 16, 32)
"""Extents that tiles divide, and what may divide them."""
_EQUAL: Final = 3
"""Of so many sets of values, one has equal extents."""
_LARGE: Final = (1, 1 << 12, 1 << 20)
"""Factors of extents: what asks for large arrays holds for those."""
_SPLITS: Final = 3
_NODES: Final = 24
"""Work for showing that no values satisfy a clause."""
_NO_LIMIT: Final = 1 << 62


class Failing(Struct, frozen=True):
    """A clause that fails at a launch.

    result  broken: no values satisfy it. violated: it fails on one of the ways that lead there, or where tiles divide
            the extents
    always  whether that is proved; else it was seen for some values, and for no others
    """

    result: Discharge
    always: bool


def failing(clause: Clause, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int]) -> Failing | None:
    """Where a clause fails in every variant that needs it; None where that was not seen."""
    if clause.cond is None or not launch.complete:
        return None
    parts = clause.cond.args if clause.cond.op == "or" else (clause.cond,)
    needed = [c for c in parts if any(map(_is_size, atoms_of(c)))]
    found = bind(disj(*needed), params, launch, dict(ranks))
    goal = simplify_truth_tests(found.goal)
    if not needed or goal.op == "true" or _unknown(goal):
        return None
    others = [simplify_truth_tests(bind(negate(c), params, launch, dict(ranks)).goal) for c in parts if c not in needed]
    applies = conj(*(c for c in others if not _unknown(c)))
    if applies.op == "false" or any(_unknown(c) and not _is_count(c) for c in others):
        return None
    flags = _flags(applies)
    chosen = tuple(sorted(flags.items()))
    goal = simplify_truth_tests(substitute_cond(goal, {a: const(v) for a, v in chosen}))
    if goal.op == "true" or len(goal.key) > _LONGEST:
        return None
    facts = conj(*(_select_variant(known, chosen) for known in (launch.facts, found.facts, applies)),
                 *(ge(of(a), 1) for a in _amounts(goal)))
    if facts.op == "false":
        return None
    values = {a.key: v for a, v in flags.items()}
    always = everywhere = goal.op == "false"
    if not always:
        near = cone(goal, facts)
        known = conj(*near)
        shown, possible = (None, True) if True in outcomes(facts, goal) else _try_values(goal, tuple(near))
        everywhere = always = not possible and is_entailed(known, negate(goal), _SPLITS, _NODES)
        if not always:
            everywhere = shown is not None and find_model(conj(known, goal)) is None
            always = not everywhere and _fails_somewhere(goal, known)
        if not everywhere and not always:
            # How the extents of several arrays are related is seldom written down.
            shown = _fails_evenly(goal, tuple(near)) if len(_arrays(goal)) == 1 else None
            if shown is None:
                return None
        values |= {a.key: shown[a] for a in atoms_of(goal) if isinstance(a, Symbol)} if shown is not None else {}
    if unreachable(facts):  # last, as most clauses hold under some values, which is seen sooner
        return None
    state: Literal["broken", "violated"] = "broken" if everywhere else "violated"
    return Failing(Discharge(state, tuple(sorted(values.items())), substitute_text(clause.text, found.values)), always)


@lru_cache(maxsize=1024)
def _select_variant(facts: Cond, flags: tuple[tuple[Atom, int], ...]) -> Cond:
    """The facts in a variant, but for the long ones. Clauses of one launch have most of theirs in common."""
    put = Substitution({a: const(v) for a, v in flags})
    return conj(*(simplify_truth_tests(put.cond(f)) for f in conjuncts(facts) if len(f.key) <= _LONGEST))


def _fails_somewhere(goal: Cond, facts: Cond) -> bool:
    """Whether a clause fails on one of the paths to a launch, for all values. If the host computes a value on two
    paths, the code intends to use both. A number as an option is skipped: it mostly selects the variant of the
    kernel, and the clause may be about another variant."""
    choices = sorted(a for a in atoms_of(goal) if isinstance(a, Ite))
    held = list(witnesses(facts, goal)) if choices else []
    for a in choices:
        if any(isinstance(b, Ite) for b in atoms_of(a.cond)):
            continue
        for cond, value in ((a.cond, a.then), (negate(a.cond), a.other)):
            # it does not fail on a path on which tried values satisfy it
            if value.constant is not None or any(point.satisfies(cond) for point in held):
                continue
            here = Substitution({a: value})
            known, left = conj(here.cond(facts), cond), simplify_truth_tests(here.cond(goal))
            if known.op != "false" and is_entailed(known, negate(left), 0, _NODES) and not unreachable(known):
                return True
    return False


def numbers(
    cond: Cond, asked: Cond, params: Sequence[Param], launch: Launch, ranks: Mapping[Array, int],
) -> Iterator[dict[Atom, int]]:
    """Values of all scalars of a condition at a launch in which another condition fails. They come from values of the
    variables of the launch with arrays of equal extents: code seldom states the required relations between the extents
    of several arrays, and equal extents mostly satisfy them."""
    bound, goal = bind(cond, params, launch, dict(ranks)), bind(asked, params, launch, dict(ranks))
    if any(map(_unknown, (bound.goal, goal.goal))):
        return
    facts = conj(launch.facts, bound.facts, goal.facts)
    subject = conj(bound.goal, goal.goal)
    near = [c for c in cone(subject, facts) if len(c.key) <= _LONGEST]
    for env in draw_equal(subject, near):
        try:
            if all(holds(c, env) for c in near) and not holds(goal.goal, env):
                yield {name: evaluate(t, env) for name, t in {**bound.values, **goal.values}.items()}
        except (KeyError, ArithmeticError):
            continue


def draw_equal(subject: Cond, facts: Sequence[Cond]) -> Iterator[dict[Atom, int]]:
    """Values of the atoms of conditions, with typical sizes, in which all extents are equal. The caller has to check
    the facts."""
    return islice(_draw_values(subject, facts), 0, None, _EQUAL)


@lru_cache(maxsize=1024)
def _try_values(
    goal: Cond, facts: tuple[Cond, ...], extents: Sequence[int] = _EXTENTS, counts: Sequence[int] = _COUNTS,
) -> tuple[Mapping[Atom, int] | None, bool]:
    """Values under which the facts hold and the goal does not; None where it holds under some, or these are few. And
    whether it was seen to hold."""
    found: list[dict[Atom, int]] = []
    before: dict[Atom, int] | None = None
    order = list(facts)
    for env in chain.from_iterable(_draw_values(goal, facts, [e * by for e in extents], counts) for by in _LARGE):
        if env is before:  # and fails again, if it did
            found += [env] if found and found[-1] is env else []
            continue
        before = env
        point = Point(env)
        try:
            if (failed := next((i for i, c in enumerate(order) if not point.holds(c)), None)) is not None:
                # what fails once fails often, and one that fails is enough
                order.insert(0, order.pop(failed))
            elif point.holds(goal):
                return None, True
            else:
                found.append(env)
        except (KeyError, ArithmeticError):
            continue
    return (found[0] if len(found) >= _ENOUGH else None), False


def _fails_evenly(goal: Cond, facts: tuple[Cond, ...]) -> Mapping[Atom, int] | None:
    """Likewise, where tiles divide the extents: a clause that then fails, and holds with an element less, holds only
    where a tile reaches past the end of its array, as it does in few launches."""
    shown, _ = _try_values(goal, facts, _EVEN, _EVEN_COUNTS)
    if shown is None:
        return None
    for env in _draw_values(goal, facts, _EVEN, _EVEN_COUNTS):
        less = {a: v - 1 if _is_size(a) else v for a, v in env.items()}
        try:
            if all(holds(c, env) for c in facts) and not holds(goal, less):
                return None
        except (KeyError, ArithmeticError):
            return None
    return shown


def _draw_values(
    subject: Cond, facts: Sequence[Cond], extents: Sequence[int] = _EXTENTS, counts: Sequence[int] = _COUNTS,
) -> Iterator[dict[Atom, int]]:
    """Values of the atoms of conditions, with typical sizes. In one of three samples all extents are equal, and the
    other two samples are the same. Atoms that the facts make equal are equal, and each atom is in its range."""
    leaves = sorted({a for c in (subject, *facts) for a in atoms_of(c) if isinstance(a, Symbol | Opaque)})
    same = find_equal_atoms(facts)
    names: dict[Atom, str] = {a: same.get(a, a).key for a in leaves}
    low, high = limits(facts, names)
    made = _solve_extents(subject, facts)
    spread = [(a, _is_size(a), crc32(names[a].encode()) >> 7, [
        min(max(v, low.get(names[a], -_NO_LIMIT)), high.get(names[a], _NO_LIMIT))
        for v in (extents if _is_size(a) else counts)]) for a in leaves]
    for k in range(1, _TRIALS // _EQUAL + 1):
        equal: dict[Atom, int] = {a: pool[(k if sized else step * k) % len(pool)] for a, sized, step, pool in spread}
        apart: dict[Atom, int] = {a: pool[step * k % len(pool)] for a, _, step, pool in spread}
        for env, times in ((equal, 1), (apart, _EQUAL - 1)):
            if follow(env, made):
                yield from (env,) * times


def _solve_extents(subject: Cond, facts: Sequence[Cond]) -> list[tuple[tuple[Symbol, ...], Term, Term]]:
    """Extents that an equation alone determines: `x.shape[:-1]*x.shape[-1] == n*m`, of a view. Each entry has the
    extents that only this equation mentions, their cofactor, and the value of the product. The caller has to check the
    equation: the division may have a remainder."""
    found: list[tuple[tuple[Symbol, ...], Term, Term]] = []
    counted = Counter(a for c in (subject, *facts) if not _is_range(c) for a in atoms_of(c))
    for c in facts:
        for m, factor in c.term.monos.items() if c.op == "eq" else ():
            own = tuple(dict.fromkeys(a for a in m if isinstance(a, Symbol) and _is_size(a) and counted[a] == 1
                                      and m.count(a) == 1 and _occurs_once(a, c.term)))
            if abs(factor) == 1 and own:
                others = Term({tuple(a for a in m if a not in own): 1})
                found.append((own, others, (Term({m: factor}) - c.term) * factor))
                break
    return found


def _is_range(c: Cond) -> bool:
    """Whether a condition bounds one value by a number."""
    return c.op == "ge" and (c.term - c.term.offset).single is not None


def _occurs_once(a: Atom, t: Term) -> bool:
    return sum(a in atoms_of(Term({m: 1})) for m in t.monos) == 1


def _amounts(goal: Cond) -> list[Symbol]:
    """Extents that are compared: where one is 0, there is nothing to do. A number may be 0: `n + pad`."""
    return sorted(a for a in atoms_of(goal) if isinstance(a, Symbol) and _is_size(a))


def _arrays(goal: Cond) -> set[Array]:
    """The arrays whose extents a clause is about."""
    return {a.array for a in atoms_of(goal) if isinstance(a, EXTENTS)}


def _is_size(a: Atom) -> bool:
    return isinstance(a, SIZES)


def _unknown(cond: Cond) -> bool:
    return any(isinstance(a, Opaque) and a.source is Source.LAUNCH for a in atoms_of(cond))


def _is_count(cond: Cond) -> bool:
    """`T >= 1`, of tiles and counts: with none of them there is nothing to launch."""
    return cond.op == "ge" and cond.term.offset == -1 and (cond.term + 1).single is not None


def _flags(applies: Cond) -> dict[Atom, int]:
    """The quantities with a single value in a variant, and these values."""
    out: dict[Atom, int] = {}
    for c in conjuncts(applies):
        atom = (c.term - c.term.offset).single if c.op in ("eq", "ne") else None
        if isinstance(atom, Symbol) and (c.op == "eq" or c.term.offset == 0):
            # if the only condition is that it is not 0, 1 is a value
            out[atom] = -c.term.offset if c.op == "eq" else 1
    return out
