"""Clauses that are decided by no proof, and that no values of a launch's variables were seen to satisfy.

A clause mostly has exceptions (`TRANSPOSE == 0 or ...`): variants of the kernel that do not need it. It fails when what
is left of it fails wherever none of them applies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final
from zlib import crc32

from tilecheck.host.binding import AT_LAUNCH, bind
from tilecheck.host.discharge import Discharge, cone, said
from tilecheck.host.launch import Launch
from tilecheck.host.lemmas import alike, limits, outcomes, plain, unreachable
from tilecheck.kernel.access import Param
from tilecheck.proof.facts import conjuncts
from tilecheck.proof.region import Clause
from tilecheck.proof.search import find_model
from tilecheck.proof.terms import (
    Atom,
    Cond,
    Ite,
    Opaque,
    Substitution,
    Sym,
    atoms_of,
    conj,
    const,
    disj,
    ge,
    holds,
    negate,
    of,
)
from tilecheck.proof.terms.evaluate import evaluate
from tilecheck.records import record

__all__ = ["Failing", "failing", "numbers"]

_LONGEST: Final = 900
"""Letters of a fact, and of what is left of a clause, that are worth a search."""
_TRIALS: Final = 60
_ENOUGH: Final = 4
"""Sets of values that must fail: what fails in fewer may be chance."""
_EXTENTS: Final = (12, 128, 33, 96, 7, 64, 256, 1024, 1, 4)
_COUNTS: Final = (1, 0, 2, 4, 64, 16, 3, 128, 132)
_EQUAL: Final = 3
"""Of so many sets of values, one has equal extents."""
_NO_LIMIT: Final = 1 << 62
_SIZES: Final = (".shape[", "grid[", "len(", "numel(")


@record(frozen=True)
class Failing:
    """A clause that fails at a launch; whether that is so for all values, or was seen for some."""

    result: Discharge
    always: bool


def failing(clause: Clause, params: Sequence[Param], launch: Launch, ranks: Mapping[str, int]) -> Failing | None:
    """Where a clause fails in every variant that needs it; None where that was not seen."""
    if clause.cond is None:
        return None
    parts = clause.cond.args if clause.cond.op == "or" else (clause.cond,)
    needed = [c for c in parts if any(map(_is_size, atoms_of(c)))]
    found = bind(disj(*needed), params, launch, dict(ranks))
    goal = plain(found.goal)
    if not needed or goal.op == "true" or _unknown(goal):
        return None
    others = [plain(bind(negate(c), params, launch, dict(ranks)).goal) for c in parts if c not in needed]
    applies = conj(*(c for c in others if not _unknown(c)))
    if applies.op == "false" or any(_unknown(c) and not _is_count(c) for c in others):
        return None
    flags = _flags(applies)
    chosen = Substitution({a: const(v) for a, v in flags.items()})
    goal = plain(chosen.cond(goal))
    facts = conj(*(plain(chosen.cond(f)) for f in (
        *conjuncts(launch.facts), *conjuncts(found.facts), *conjuncts(applies)) if len(f.key) <= _LONGEST))
    facts = conj(facts, *(ge(of(a), 1) for a in _amounts(goal)))
    if goal.op == "true" or facts.op == "false" or len(goal.key) > _LONGEST or unreachable(facts):
        return None
    values = {a.key: v for a, v in flags.items()}
    if goal.op != "false":
        near = cone(goal, facts)
        shown = None if True in outcomes(facts, goal) else _fails(goal, near)
        if shown is None or find_model(conj(*near, goal)) is not None:
            return None
        values |= {a.key: shown[a] for a in atoms_of(goal) if isinstance(a, Sym)}
    result = Discharge("broken", tuple(sorted(values.items())), said(clause.text, found.values))
    return Failing(result, goal.op == "false")


def numbers(
    cond: Cond, asked: Cond, params: Sequence[Param], launch: Launch, ranks: Mapping[str, int],
) -> Iterator[dict[str, int]]:
    """What the scalars of a condition are at a launch in which another one fails: all of them, for some values of what
    the launch is computed from, arrays of equal extents. What is asked of extents of several arrays is seldom written
    down, and among these it mostly holds."""
    bound, goal = bind(cond, params, launch, dict(ranks)), bind(asked, params, launch, dict(ranks))
    if any(map(_unknown, (bound.goal, goal.goal))):
        return
    facts = conj(launch.facts, bound.facts, goal.facts)
    subject = conj(bound.goal, goal.goal)
    near = [c for c in cone(subject, facts) if len(c.key) <= _LONGEST]
    for env in islice(_drawn(subject, near), 0, None, _EQUAL):
        try:
            if all(holds(c, env) for c in near) and not holds(goal.goal, env):
                yield {name: evaluate(t, env) for name, t in {**bound.values, **goal.values}.items()}
        except (KeyError, ArithmeticError):
            continue


def _fails(goal: Cond, facts: Sequence[Cond]) -> dict[Atom, int] | None:
    """Values under which the facts hold and the goal does not; None where it holds under some, or these are few."""
    found: list[dict[Atom, int]] = []
    for env in _drawn(goal, facts):
        try:
            if all(holds(c, env) for c in facts):
                if holds(goal, env):
                    return None
                found.append(env)
        except (KeyError, ArithmeticError):
            continue
    return found[0] if len(found) >= _ENOUGH else None


def _drawn(subject: Cond, facts: Sequence[Cond]) -> Iterator[dict[Atom, int]]:
    """Values of what conditions mention, sizes as they occur; in one of three all extents are equal. What the facts
    say to be equal is, and what has a range of its own is in it."""
    leaves = sorted({a for c in (subject, *facts) for a in atoms_of(c) if isinstance(a, Sym | Opaque)})
    same = alike(facts)
    names: dict[Atom, str] = {a: same.get(a, a).key for a in leaves}
    low, high = limits(facts, names)
    spread = [(a, crc32(names[a].encode()) >> 7, _EXTENTS if _is_size(a) else _COUNTS,
               low.get(names[a], -_NO_LIMIT), high.get(names[a], _NO_LIMIT)) for a in leaves]
    for k in range(_TRIALS):
        env: dict[Atom, int] = {}
        for a, number, pool, least, most in spread:
            start = 1 if k % _EQUAL == 0 and pool is _EXTENTS else number
            env[a] = min(max(pool[start * (k // _EQUAL + 1) % len(pool)], least), most)
        yield env


def _amounts(goal: Cond) -> list[Sym]:
    """Extents and counts that are compared: where one is 0, there is nothing to do. What only chooses may be 0."""
    chosen = {b for a in atoms_of(goal) if isinstance(a, Ite) for b in atoms_of(a.cond)}
    return sorted(a for a in atoms_of(goal) if isinstance(a, Sym) and (a not in chosen or _is_size(a)))


def _is_size(a: Atom) -> bool:
    return isinstance(a, Sym) and any(part in a.name for part in _SIZES)


def _unknown(cond: Cond) -> bool:
    return any(isinstance(a, Opaque) and a.name.endswith(AT_LAUNCH) for a in atoms_of(cond))


def _is_count(cond: Cond) -> bool:
    """`T >= 1`, of tiles and counts: with none of them there is nothing to launch."""
    return cond.op == "ge" and cond.term.offset == -1 and (cond.term + 1).single is not None


def _flags(applies: Cond) -> dict[Atom, int]:
    """What has one value where a variant applies."""
    out: dict[Atom, int] = {}
    for c in conjuncts(applies):
        atom = (c.term - c.term.offset).single if c.op in ("eq", "ne") else None
        if isinstance(atom, Sym) and (c.op == "eq" or c.term.offset == 0):
            # of what is only not 0, 1 is a value
            out[atom] = -c.term.offset if c.op == "eq" else 1
    return out
