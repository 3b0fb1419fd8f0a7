"""The questions that rules ask of regions, put to the closure as problems over two copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec.structs import replace

from tilecheck.solver.disjointness import Annotations, Assumption, Derivation, Problem, derive, prime_atoms, ticket_of
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import Array, Atom, Bid, Cond, Counter, Lane, Opaque, Substitution, Term, atoms_in, of
from tilecheck.symbolic.footprint import Region
from tilecheck.symbolic.steps import Lemma, ProofStep

__all__ = ["across_blocks", "across_iterations", "same_lock", "within_operation"]

UNDECLARED: Final = Annotations()
Acceptable = Callable[[tuple[Cond, ...]], bool]


def _problem(
    first: Region, second: Region, goals: Iterable[Atom], assume: Iterable[Cond], annotations: Annotations,
    keep: Callable[[Atom], bool] = lambda a: False,
) -> Problem:
    wanted = tuple(goals)
    atoms = atoms_in(*second.index, second.guard) | set(wanted)
    again = Substitution(prime_atoms(atoms, keep))
    other = tuple(again.term(t) for t in second.index)
    return Problem(
        tuple(a - b for a, b in zip(first.index, other, strict=True)), (*assume, first.guard, again.cond(second.guard)),
        tuple(of(a) - again.atom(a) for a in wanted), annotations, tuple(assume), (*first.index, *other))


def _one_winner(first: Region, second: Region, annotations: Annotations) -> Array | None:
    """A counter whose ticket both copies must hold with one and the same value."""
    theirs = set(conjuncts(second.guard))
    for c in conjuncts(first.guard):
        if c.op == "eq" and c in theirs:
            for a in sorted(c.term.atoms()):
                counter = ticket_of(a)
                # `n*ticket == 0` holds for every ticket where n is 0
                if counter in annotations.tickets and [m for m in c.term.monos if a in m] == [(a,)] and not any(
                        b.varying for b in c.term.atoms() - {a}):
                    return counter
    return None


def across_blocks(
    first: Region, second: Region, axes: frozenset[int], assume: Iterable[Cond] = (),
    annotations: Annotations = UNDECLARED, acceptable: Acceptable | None = None,
    hints: Iterable[tuple[Assumption, ...]] = (),
) -> Derivation:
    """Show that two blocks that differ on one of the axes never touch one element, the first by `first` and the
    second by `second`. Both index vectors must have the same length."""
    winner = _one_winner(first, second, annotations)
    if winner is not None:
        return Derivation(True, (ProofStep(Lemma.WINNER, (winner,)),), ("ticket",))
    return derive(_problem(first, second, [Bid(k) for k in sorted(axes)], assume, annotations), acceptable, hints)


def within_operation(
    region: Region, lanes: Iterable[Lane], assume: Iterable[Cond] = (), annotations: Annotations = UNDECLARED,
    acceptable: Acceptable | None = None,
) -> Derivation:
    """Show that one operation touches no element twice: equal elements have equal lanes."""
    # one block may hold one ticket for all its lanes
    problem = _problem(
        region, region, sorted(lanes), assume, replace(annotations, tickets=frozenset()),
        lambda a: isinstance(a, (Bid, Counter)))
    return derive(problem, acceptable)


def across_iterations(
    region: Region, counter: str, outer: tuple[str, ...], assume: Iterable[Cond] = (),
    annotations: Annotations = UNDECLARED, acceptable: Acceptable | None = None,
) -> Derivation:
    """Show that two iterations of the loop `counter` of one block never touch one element; `outer` loops stand."""
    problem = _problem(
        region, region, [Counter(counter)], assume, replace(annotations, tickets=frozenset()),
        lambda a: isinstance(a, Bid) or (isinstance(a, Counter) and a.name in outer))
    return derive(problem, acceptable)


def same_lock(
    first: Region, second: Region, mine: tuple[Term, ...], theirs: tuple[Term, ...], assume: Iterable[Cond] = (),
    annotations: Annotations = UNDECLARED, acceptable: Acceptable | None = None,
) -> Derivation:
    """Show that two blocks that touch one element hold one lock: equal elements have equal lock elements."""
    atoms = atoms_in(*second.index, second.guard, *theirs)
    again = Substitution(prime_atoms(atoms))
    other = tuple(again.term(t) for t in second.index)
    goals = tuple(a - again.term(b) for a, b in zip(mine, theirs, strict=True))
    return derive(
        Problem(tuple(a - b for a, b in zip(first.index, other, strict=True)),
                (*assume, first.guard, again.cond(second.guard)), goals,
                replace(annotations, tickets=frozenset()), tuple(assume), (*first.index, *other)), acceptable)


def mentions_opaque(region: Region) -> bool:
    """Whether something not understood, or data of an array that the kernel writes, takes part."""
    return any(isinstance(a, Opaque) and a.varying for a in atoms_in(*region.index, region.guard))
