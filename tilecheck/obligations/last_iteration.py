"""Loops whose last iteration is wholly outside an array in every launch: they run one tile too far.

The analysis derives this also for an access whose other coordinates, or whose conditions, it does not model. It has no
witness for it, because the launches that reach the access are unknown. Those that reach it leave the array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.symbolic import (
    ONE,
    ZERO,
    Atom,
    Bid,
    Cond,
    Counter,
    FloorDiv,
    Ite,
    Load,
    Substitution,
    Term,
    atoms_in,
    conj,
    const,
    ge,
    grid,
    lt,
    mod,
    negate,
    of,
    split_multiples,
)

__all__ = ["find_overrunning_loop"]


def find_overrunning_loop(
    access: Access, reach: Reach, loops: Iterable[RangeLoop], known: tuple[Cond, ...]
) -> RangeLoop | None:
    """The loop whose last iteration leaves the array along one axis wherever it comes to the access.

    Conditions on data that say nothing of the iteration are taken to hold for some data. Other conditions that speak of
    it must hold in the last one. A loop that something may end early has no last iteration to speak of. Nothing is
    assumed of the sign of numbers that the launch passes: one that is added to the end, or to the index, may be 0.

    known   what holds in every launch that makes the access
    """
    guard = conj(access.under, reach.when)
    for loop in loops:
        if loop.counter not in access.loops or loop.early or Counter(loop.counter) not in atoms_in(reach.at):
            continue
        if any(_is_outside(reach, guard, loop, last, known) for last in _find_last_values(loop)):
            return loop
    return None


def _find_last_values(loop: RangeLoop) -> Iterator[dict[Atom, Term]]:
    """Yields substitutions under which the value of a loop is the last one before its end."""
    if loop.step == ONE:
        yield {Counter(loop.counter): loop.stop - 1 - loop.start}
    block = loop.start.single
    if isinstance(block, Bid) and loop.step == grid(block.axis):
        # the blocks together take every value, and one of them the last
        yield {block: loop.stop - 1 - loop.step * of(Counter(loop.counter))}


def _is_outside(
    reach: Reach, guard: Cond, loop: RangeLoop, last: dict[Atom, Term], known: tuple[Cond, ...],
) -> bool:
    here = Substitution(last)
    at = here.term(reach.at)
    at = _enumerate_choices(atoms_in(at), conjuncts(guard)).term(at)
    counter = Counter(loop.counter)
    moving = {counter, *last}
    if moving & atoms_in(at):
        return False
    own = conjuncts(conj(lt(loop.start + of(counter) * loop.step, loop.stop), ge(loop.step, 1)))
    others = [c for c in conjuncts(guard) if c not in own]
    data = [c for c in others if any(isinstance(a, Load) for a in atoms_in(c))]
    if any(moving & atoms_in(c) for c in data):
        # data may well leave out the last iteration
        return False
    plain = [c for c in others if c not in data]
    still = [c for c in plain if not moving & atoms_in(c)]
    some = ge(loop.stop - 1 - (loop.start if counter in last else 0), 0)
    facts = Facts((*known, *still, some), [at, reach.end], signs=False)
    return (facts.prove(const(-1)) is None and facts.prove(_expand_rounding(at - reach.end)) is not None
            and all(facts.holds(_enumerate_choices(atoms_in(c), plain).cond(c)) is not None
                    for c in (here.cond(c) for c in plain if c not in still)))


def _enumerate_choices(atoms: Iterable[Atom], known: Sequence[Cond]) -> Substitution:
    """Every choice that conditions make."""
    made: dict[Atom, Term] = {}
    for a in atoms:
        if isinstance(a, Ite) and (a.cond in known or negate(a.cond) in known):
            made[a] = a.then if a.cond in known else a.other
    return Substitution(made)


def _expand_rounding(t: Term) -> Term:
    """Rewrites `d * (n // d)` as `n - n % d`, which also has a known lower bound. Neither is defined for d = 0."""
    out = t
    for m, factor in t.monos.items():
        for a in m:
            if not isinstance(a, FloorDiv):
                continue
            quotient, rest = split_multiples(Term({m: factor}), a.den * of(a))
            if rest == ZERO:
                out += quotient * (a.num - mod(a.num, a.den)) - Term({m: factor})
                break
    return out
