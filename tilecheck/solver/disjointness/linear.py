"""Rules on single equations: constants, common factors, equal atoms, solved atoms."""

from __future__ import annotations

from math import gcd

from tilecheck.solver.disjointness.copies import mark, show_term, ticket_of
from tilecheck.solver.disjointness.state import State
from tilecheck.solver.inequalities import Assumed
from tilecheck.symbolic import (
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
    Symbol,
    Term,
    atoms_of,
    conj,
    ge,
    grid,
    keys_of,
    of,
    split_multiples,
)
from tilecheck.symbolic.steps import Lemma, ProofStep


def drop_trivial(state: State) -> bool:
    """Equations 0 == 0 go; c == 0 for another constant is absurd."""
    kept: list[Term] = []
    for e in state.equations:
        value = e.constant
        if value == 0 or e in kept or -e in kept:
            continue
        if value is not None:
            state.absurd = True
            state.use("range", ProofStep(Lemma.NEVER_ZERO, (value,)))
            return True
        g = 0
        for m, c in e.monos.items():
            if m:
                g = gcd(g, abs(c))
        if e.offset % g:
            # every term but the constant is a multiple of g
            state.absurd = True
            state.use("range", ProofStep(Lemma.INCONGRUENT, (abs(e.offset), g)))
            return True
        kept.append(Term({m: c // g for m, c in e.monos.items()}) if g > 1 else e)
    changed = kept != state.equations
    state.equations = kept
    return changed


def factor(state: State) -> bool:
    """s*p == 0 and s >= 1 give p == 0, for a common monomial s."""
    for i, e in enumerate(state.equations):
        common: list[Atom] | None = None
        for m in e.monos:
            if common is None:
                common = list(m)
                continue
            left = list(m)
            kept: list[Atom] = []
            for a in common:
                if a in left:
                    left.remove(a)
                    kept.append(a)
            common = kept
            if not common:
                break
        if not common or len(e.monos) < 2:
            continue
        assumed: Assumed = frozenset()
        removable: list[Atom] = []
        for a in common:
            got = state.facts.at_least(a, 1)
            if got is not None:
                assumed |= got
                removable.append(a)
        if not removable:
            continue
        quotient, rest = split_multiples(e, Term({tuple(sorted(removable)): 1}))
        if rest.monos:
            continue
        state.equations[i] = quotient
        state.use("factor", None, assumed)
        return True
    return False


def _counterpart(a: Atom, b: Atom) -> bool:
    # what is chosen by a condition keeps its equation until the choice is made
    return type(a) is type(b) and not isinstance(a, (Symbol, Ite, Min, Max))


def merge(state: State) -> bool:
    """a - a' == 0 for two atoms of one kind: the second copy's becomes the first's."""
    for e in state.equations:
        if len(e.monos) != 2:
            continue
        (m, c), (n, d) = sorted(e.monos.items(), key=lambda item: keys_of(item[0]))
        if len(m) != 1 or len(n) != 1 or c + d != 0 or not _counterpart(m[0], n[0]):
            continue
        first, second = (m[0], n[0]) if 1 in mark(n[0]) else (n[0], m[0])
        if 1 not in mark(second) and not isinstance(second, (FloorDiv, Mod, Load)):
            continue
        if isinstance(first, Opaque) and isinstance(second, Opaque) and first.name == second.name:
            counter = ticket_of(first)
            if counter in state.annotations.tickets:
                state.absurd = True
                state.use("ticket", ProofStep(Lemma.TICKET, (counter,)))
                return True
        _identify(state, first, second)
        return True
    return False


def _identify(state: State, first: Atom, second: Atom) -> None:
    conds: list[Cond] = []
    if isinstance(first, FloorDiv) and isinstance(second, FloorDiv):
        state.quotients.append((first.num, second.num, first.den, second.den))
    elif isinstance(first, Mod) and isinstance(second, Mod):
        state.remainders.append((first.num, second.num, first.den, second.den))
    elif isinstance(first, Load) and isinstance(second, Load) and first.array == second.array:
        state.loads.append((first, second))
    elif isinstance(first, (Lane, Bid)) and isinstance(second, (Lane, Bid)):
        conds = range_of(second, of(first))
    state.use("merge", ProofStep(Lemma.SAME, (show_term(of(first)),)))
    state.substitute({second: of(first)})
    for c in conds:
        if c.op != "true":
            state.add_cond(c)


def range_of(a: Atom, value: Term) -> list[Cond]:
    """The range of a coordinate as a condition on the value that replaces it."""
    if isinstance(a, Bid):
        return [ge(value, 0), ge(grid(a.axis) - 1, value)] if value.single != Bid(a.axis) else []
    if isinstance(a, Lane):
        same = value.single
        return [] if isinstance(same, Lane) and same.size == a.size else [ge(value, 0), ge(a.size - 1, value)]
    return [ge(value, 0)] if isinstance(a, Counter) and not isinstance(value.single, Counter) else []


def solve(state: State) -> bool:
    """a == t, where t has only constants and launch scalars, or (for the second copy's a) only first-copy atoms."""
    for e in state.equations:
        for m, c in sorted(e.monos.items(), key=lambda item: keys_of(item[0])):
            if len(m) != 1 or abs(c) != 1 or not isinstance(m[0], (Bid, Counter, Lane, Opaque, Symbol)):
                continue
            a = m[0]
            rest = (e - Term({m: c})) * (-c)
            inner = atoms_of(rest)
            if a in inner:
                continue
            if isinstance(a, Symbol):
                # the range of a coordinate mentions the extent of the grid, so the extent stays
                if isinstance(a, GridDim) or any(x.varying for x in inner):
                    continue
            elif any(x.varying for x in inner) and not (
                    mark(a) == {1} and all(mark(x) <= {0} for x in rest.atoms())):
                continue
            conds = range_of(a, rest)
            if any(isinstance(x, Lane) and a in atoms_of(x.size) for x in atoms_of(conj(*state.conds))):
                continue
            state.use("solve", ProofStep(Lemma.VALUE, (of(a), show_term(rest))) if 1 not in mark(a) else None)
            state.substitute({a: rest})
            for cond in conds:
                if cond.op != "true":
                    state.add_cond(cond)
            return True
    return False
