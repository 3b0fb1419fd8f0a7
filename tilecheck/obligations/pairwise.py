"""Decides one pair of accesses (or one access with itself) across blocks."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.construction import by_construction
from tilecheck.obligations.drawn_tickets import find_ticket_collision
from tilecheck.obligations.may_alias import align_regions
from tilecheck.obligations.overlapping_rows import find_overlapping_rows
from tilecheck.obligations.proposals import data_of, proposal
from tilecheck.obligations.query import Context, clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.obligations.unbounded import find_unbounded
from tilecheck.solver.disjointness import Derivation, caps_the_grid
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.solver.queries import across_blocks, mentions_opaque, same_lock
from tilecheck.symbolic import (
    UNKNOWN_ARRAY,
    Array,
    Extent,
    Opaque,
    Term,
    atoms_of,
    disj,
    enforceable,
    ge,
    lt,
    negate,
    of,
)
from tilecheck.symbolic.footprint import Clause, Region, Verdict, Witness
from tilecheck.symbolic.steps import Reason

__all__ = ["Outcome", "decide_pair"]


class Outcome(Struct, frozen=True):
    """The result for one pair: whether two different blocks can touch one element through it.

    locked_weakly   whether a lock would protect the pair, were its order and scope strong enough
    """

    verdict: Verdict
    reason: Reason
    rules: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    witness: Witness | None = None
    missing: str | None = None
    needed: bool = False
    locked_weakly: bool = False


def decide_pair(context: Context, first: Access, second: Access) -> Outcome:
    """Whether a block through `first` and another through `second` touch one element of the array they share."""
    same = first is second
    if first.array != second.array:
        left, right = align_regions(first, second)
        first, second = replace(first, region=left), replace(second, region=right)
    lost = context.lost.get(first.array) or context.lost.get(second.array) or context.lost.get(UNKNOWN_ARRAY)
    if lost is not None:
        return Outcome("unproven", because(Cause.MAY_TOUCH_ALL, lost, first.array))
    if UNKNOWN_ARRAY in (first.array, second.array):
        return Outcome("unproven", because(Cause.UNKNOWN_ARRAY))
    constructed = by_construction(first, second)
    if constructed is not None:
        return Outcome(constructed.verdict, constructed.reason, constructed.rules)
    if len(first.region.index) != len(second.region.index):
        return _by_conditions(context, first, second) or Outcome(
            "unproven",
            because(Cause.RANKS_DIFFER, first.array, len(first.region.index), len(second.region.index)))
    if context.effort.over:
        return Outcome("unproven", because(Cause.TOO_MANY_PAIRS))
    protected = _prove_by_lock(context, first, second)
    if protected is not None and not protected.locked_weakly:
        return protected
    if context.is_excluded(first.region, second.region):
        return Outcome("proved", because(Cause.NEVER_BOTH), ("exclusive",))
    axes = context.axes_of(first.region, second.region)
    if not axes:
        return Outcome("single-block", because(Cause.NO_COORDINATE_HERE),
                       clauses=context.idle_axes(axes, first.region, second.region))
    derivation = context.derive_disjointness(first.region, second.region)
    if derivation.proved:
        if any(caps_the_grid(a.cond) for a in derivation.clauses):
            # a number of blocks is much to ask: better a proof without it, or a small launch that goes wrong
            decided = _prove_by_solver(context, first, second) or _refute(context, first, second, same)
            if decided is not None:
                return decided
        context.remember(derivation)
        return _build_proved(context, derivation, first, second, same)
    if protected is not None:
        return protected
    apart = _by_conditions(context, first, second)
    if apart is not None:
        return apart
    refuted = _refute(context, first, second, same)
    if refuted is not None:
        return refuted
    solved = _prove_by_solver(context, first, second) or _declared_lock(context)
    return solved or _open(context, derivation, first, second, same)


def _refute(context: Context, first: Access, second: Access, same: bool) -> Outcome | None:
    """The outcome of a collision in a small launch; None if none was found, or a lock is declared."""
    witness = None if _declared_lock(context) else context.collision(first.region, second.region, same)
    return None if witness is None else Outcome("refuted", _collides(context, first, witness), witness=witness)


def _declared_lock(context: Context) -> Outcome | None:
    """A declared lock, in a kernel that does take it with an atomic."""
    taken = {a.array for a in context.model.accesses if a.mode == "atomic"}
    locks = sorted(context.annotations.locks & taken)
    return Outcome("proved", because(Cause.DECLARED_LOCK, locks[0]), ("lock",)) if locks else None


def _prove_by_solver(context: Context, first: Access, second: Access) -> Outcome | None:
    """Returns the outcome that the solver proves, if it is installed; None without a proof."""
    if not context.prove_by_solver(first.region, second.region):
        return None
    axes = context.axes_of(first.region, second.region)
    return Outcome("proved", because(Cause.BY_SOLVER), ("solver",),
                   context.idle_axes(axes, first.region, second.region))


def _build_proved(context: Context, d: Derivation, first: Access, second: Access, same: bool) -> Outcome:
    axes = context.axes_of(first.region, second.region)
    clauses = (*context.clauses(d), *context.idle_axes(axes, first.region, second.region),
               *(_bound_tickets(context) if "ticket" in d.rules else ()))
    reason = d.steps or because(Cause.INDEX_DETERMINES_BLOCK)
    if any(context.denies(conjuncts(access.region.guard), d.assumed) for access in (first, second)):
        # the proof is for signs with which the access is never made
        witness = context.collision(first.region, second.region, same)
        if witness is not None:
            return Outcome("refuted", _collides(context, first, witness), witness=witness)
        return Outcome(
            "unproven", because(Cause.SIGNS_EXCLUDED))
    if not any(c.kind == "semantic" for c in clauses):
        return Outcome("proved", reason, d.rules, clauses)
    if not context.room(first.region, second.region)(tuple(c.cond for c in clauses if c.cond is not None)):
        witness = context.collision(first.region, second.region, same)
        if witness is not None:
            return Outcome("refuted", _collides(context, first, witness), witness=witness)
        return Outcome("unproven", because(Cause.NO_ROOM))
    found = context.find_collision_without(clauses, first.region, second.region, same)
    return Outcome("conditional", reason, d.rules, clauses, witness=found, needed=found is not None)


def _bound_tickets(context: Context) -> tuple[Clause, ...]:
    """Counters that give tickets lie inside their arrays: an atomic outside does nothing, and may return anything."""
    conds = (c for a in context.model.accesses if a.mode == "atomic" and a.array in context.annotations.tickets
             for k, i in enumerate(a.region.index) for c in (ge(i, 0), lt(i, of(Extent(a.array, k)))))
    return tuple(dict.fromkeys(clause_of(c, False) for c in conds if c.op != "true" and enforceable(c)))


def _by_conditions(context: Context, first: Access, second: Access) -> Outcome | None:
    """Two accesses that one launch never makes both, by the launch scalars they stand under: because the conditions
    exclude each other, or because the launch must choose one of them."""
    made = Region((), first.region.guard), Region((), second.region.guard)
    d = across_blocks(*made, context.axes_of(*made), context.assume, context.annotations)
    if d.proved:
        return _build_proved(context, d, first, second, False)
    mine, theirs = (frozenset(c for c in conjuncts(r.guard) if not c.varying and c.op in ("eq", "ne", "bool"))
                    for r in made)
    if first is second or not (mine - theirs and theirs - mine):
        return None
    choice = disj(*(negate(c) for c in sorted(mine ^ theirs, key=lambda c: c.key)))
    clause = clause_of(choice, True)
    if any(isinstance(a, Opaque) for a in atoms_of(choice)) or not context.room(*made)((choice,)):
        return None
    found = context.find_collision_without((clause,), first.region, second.region, False)
    return Outcome("conditional", because(Cause.ONE_OF_TWO), ("exclusive",), (clause,), found,
                   needed=found is not None)


def _collides(context: Context, access: Access, w: Witness) -> Reason:
    return because(Cause.COLLISION, access.array, w, context.model.axes_read)


def _open(context: Context, d: Derivation, first: Access, second: Access, same: bool) -> Outcome:
    missing = proposal(context, d, first, second)
    if missing is not None:
        return Outcome("unproven", (*because(Cause.FROM_DATA), *because(Cause.WOULD_PROVE, missing)), missing=missing)
    array = data_of(first, second)
    drawn = find_ticket_collision(context, first, second, same)
    if drawn is not None:
        return Outcome("refuted", because(Cause.DRAWN_IN_TURN, *drawn, context.model.axes_read), witness=drawn[1])
    rows = find_overlapping_rows(context, first, second, same)
    if rows is not None:
        return Outcome("refuted", because(Cause.ROWS_OVERLAP, *rows, context.model.axes_read), witness=rows[1])
    wrapped = find_unbounded(first.region, second.region)
    if wrapped is not None and (array is None or context.says_of(array)):
        return Outcome("unproven", wrapped)
    if array is not None:
        return Outcome("unproven", because(Cause.FROM_ARRAY, array))
    if not first.region.exact or not second.region.exact or mentions_opaque(first.region) or mentions_opaque(
            second.region):
        return Outcome("unproven", because(Cause.NOT_UNDERSTOOD))
    return Outcome("unproven", because(Cause.NOTHING_FOUND))


def _bound_locks(
    context: Context, first: Access, second: Access, array: Array, *places: tuple[Term, ...],
) -> tuple[Clause, ...] | None:
    """The clauses under which locks lie inside their array: an atomic outside it does nothing, and holds nothing."""
    out: list[Clause] = []
    for access, place in zip((first, second), places, strict=True):
        facts = Facts((access.region.guard, *context.assume), place)
        for axis, i in enumerate(place):
            for t in (i, of(Extent(array, axis)) - 1 - i):
                got = facts.prove(t)
                if got is not None:
                    out += [clause_of(c, False) for c in sorted(got, key=lambda c: c.key)]
                    continue
                bounds = [(ts, signs) for ts, signs in facts.residuals(t, 2) if all(enforceable(ge(x, 0)) for x in ts)]
                if not bounds:
                    return None
                terms, signs = bounds[0]
                out += [clause_of(c, False) for c in (*sorted(signs, key=lambda c: c.key), *(ge(x, 0) for x in terms))]
    return tuple(dict.fromkeys(out))


def _prove_by_lock(context: Context, first: Access, second: Access) -> Outcome | None:
    """The pair under a lock that both hold on one element: protected, or weakly so; None without such a lock."""
    for array, mine, how in first.locks:
        for other, theirs, their_how in second.locks:
            if array != other or len(mine) != len(theirs):
                continue
            context.effort.derivation()
            d = same_lock(first.region, second.region, mine, theirs, context.assume, context.annotations,
                          context.room(first.region, second.region))
            if not d.proved:
                continue
            if how == their_how == "ordered":
                held = _bound_locks(context, first, second, array, mine, theirs)
                if held is None:
                    continue
                clauses = (*context.clauses(d), *held)
                semantic = any(c.kind == "semantic" for c in clauses)
                return Outcome("conditional" if semantic else "proved",
                               because(Cause.LOCKED, array),
                               ("lock", *d.rules), clauses)
            witness = context.collision(first.region, second.region, first is second)
            met = witness is not None
            return Outcome("refuted" if met else "unproven",
                           because(Cause.UNORDERED_LOCK, array),
                           witness=witness if met else None, locked_weakly=True)
    return None


