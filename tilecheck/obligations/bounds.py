"""Obligation `bounds`: what an access addresses lies inside the array. One for each statement that can be undefined.

A tile access is undefined where a tile is wholly outside, an access without bounds check where any of its elements is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilecheck.contracts import ContractError, parse, render
from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.obligations.last_iteration import find_overrunning_loop
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation, find_weakest
from tilecheck.obligations.query import Context, clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.obligations.suspicious_clauses import goes_past, is_degenerate, select_usual, shares
from tilecheck.obligations.unbounded import find_unbounded
from tilecheck.solver.bounds import Inside, prove_inside
from tilecheck.solver.inequalities import Assumed, Facts, conjuncts
from tilecheck.solver.model_search import Escape, find_escape
from tilecheck.solver.queries import mentions_opaque
from tilecheck.symbolic import (
    EXTENTS,
    ONE,
    UNKNOWN_ARRAY,
    App,
    ArrayParam,
    Atom,
    Cond,
    Extent,
    FloorDiv,
    GridDim,
    Load,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    cdiv,
    conj,
    disj,
    enforceable,
    ge,
    key_of,
    le,
    negate,
    of,
)
from tilecheck.symbolic.footprint import Clause, Region, Verdict
from tilecheck.symbolic.steps import Reason

__all__ = ["decide_bounds", "restrict_to_access"]

_PROPOSED: Final = 2
_LONG: Final = 120
"""Letters of a condition that is worth repeating in a clause."""


class _Outcome(Struct, frozen=True):
    """The result for one access along one axis."""

    access: Access
    reach: Reach
    verdict: Verdict
    reason: Reason
    clauses: tuple[Clause, ...] = ()
    rules: tuple[str, ...] = ()
    escape: Escape | None = None
    missing: str | None = None
    overrun: RangeLoop | None = None


class _Known(Struct, frozen=True):
    """Facts derived about a kernel. Later steps add to them."""

    found: dict[object, Inside | None] = field(default_factory=dict)
    proofs: dict[object, Inside | None] = field(default_factory=dict)
    facts: dict[object, Facts] = field(default_factory=dict)


def decide_bounds(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each statement that can be undefined out of range."""
    sites = context.by_site(a for a in context.model.accesses if a.reach)
    known = _Known()
    for site in sorted(sites):
        outcomes = [_decide(context, access, reach, known) for access in sites[site] for reach in access.reach]
        yield _merge_outcomes(outcomes)


def _merge_outcomes(outcomes: list[_Outcome]) -> DecidedObligation:
    verdict = find_weakest(tuple(o.verdict for o in outcomes))
    worst = min(outcomes, key=lambda o: (WEAKEST_FIRST.index(o.verdict), o.overrun is None))
    code = "TC202" if worst.reach.unchecked else "TC201"
    return DecidedObligation(
        "bounds", worst.access, verdict, worst.reason, code,
        rules=tuple(dict.fromkeys(r for o in outcomes for r in o.rules)),
        clauses=tuple(dict.fromkeys(c for o in outcomes for c in o.clauses)),
        witness=None if worst.escape is None else worst.escape.witness, missing=worst.missing, reach=worst.reach,
        overrun=worst.overrun,
        end=None if worst.escape is None else worst.escape.end)


def _decide(context: Context, access: Access, reach: Reach, known: _Known) -> _Outcome:
    lost = context.lost.get(access.array) or context.lost.get(UNKNOWN_ARRAY)
    if lost is not None:
        return _Outcome(access, reach, "unproven", because(Cause.MAY_TOUCH_ALL, lost, access.array))
    if access.array == UNKNOWN_ARRAY:
        return _Outcome(access, reach, "unproven", because(Cause.UNKNOWN_ARRAY))
    under = conj(access.under, reach.when)
    made = Region((reach.at, reach.end), under, access.region.exact)
    if under.op == "false" or context.is_excluded(made):
        return _Outcome(access, reach, "proved", because(Cause.NEVER_MADE), rules=("exclusive",))
    found = _prove_inside(context, access, reach, made, known)
    if found is not None and not _is_denied(context, made, found):
        return _build_proved(context, access, reach, made, found)
    escape = _escape(context, access, made) if reach.needed else None
    if escape is not None:
        return _Outcome(access, reach, "refuted", because(Cause.NEVER_INSIDE), escape=escape)
    past = find_overrunning_loop(
        access, reach, context.model.observed.loops, tuple(_list_standing_facts(context, access, reach, made))
    )
    if past is not None and reach.needed:
        return _Outcome(access, reach, "unproven", because(Cause.LAST_ITERATION_OUTSIDE), overrun=past)
    return _open(context, access, reach, made)


def _prove_inside(
    context: Context, access: Access, reach: Reach, made: Region, known: _Known,
) -> Inside | None:
    key = (reach.at, reach.end, made.guard)
    if key not in known.found:
        general = _generalise_position(reach)
        asked = [(reach.at, reach.end, made)] if general is None else [(reach.at, reach.end, made), (
            general.term(reach.at), general.term(reach.end), replace(made, guard=general.cond(made.guard)))]
        attempts = (prove_inside(
            at, end, (region.guard, *_list_standing_facts(context, access, reach, region)),
            partial(_acceptable, context, region), reach.step or ONE, known.proofs, known.facts)
            for at, end, region in asked)
        known.found[key] = next((found for found in attempts if found is not None), None)
    return known.found[key]


def _generalise_position(reach: Reach) -> Substitution | None:
    """Replaces the extents of the array at one position of a list by the symbols of contracts for all arrays of the
    list; None if none occurs in the range. A clause on all arrays holds at the position. Extents at another position
    stay as they are: the two arrays may differ."""
    found = sorted((a for a in atoms_in(reach.end) if _is_extent_at(a)), key=key_of)
    if len({a.args for a in found if isinstance(a, App)}) != 1:
        return None
    return Substitution({a: of(a.fn) for a in found if isinstance(a, App) and isinstance(a.fn, Extent)})


def _is_extent_at(a: Atom) -> bool:
    return isinstance(a, App) and isinstance(a.fn, Extent)


def _list_standing_facts(context: Context, access: Access, reach: Reach, made: Region) -> Iterator[Cond]:
    """Yields the conditions that hold wherever the access executes: declarations, and that tiles have elements."""
    yield from context.assume
    yield from context.tiled
    for extent in (*access.tile, *(() if reach.step is None else (reach.step,))):
        if extent.constant is None and not extent.varying and ge(extent, 1) not in context.tiled:
            yield ge(extent, 1)
    loads = {a for a in atoms_in(reach.at, made.guard) if isinstance(a, Load)}
    for array, low, high in context.annotations.ranges:
        for a in sorted(a for a in loads if a.array == array):
            yield ge(of(a), low)
            yield le(of(a), high - 1)


def _acceptable(context: Context, made: Region, conds: tuple[Cond, ...]) -> bool:
    """Whether conditions are a contract: a launch with several blocks on every axis satisfies them, and
    makes the access."""
    given = (*context.uniform, *(c for c in conjuncts(made.guard) if not c.varying))
    if _by_large_arrays(conds, given):
        return True
    whole = Region((), made.guard, made.exact)
    return context.room(whole, whole)(conds)


def _by_large_arrays(conds: tuple[Cond, ...], given: tuple[Cond, ...]) -> bool:
    """Whether large enough arrays satisfy all conditions.

    Each condition has an extent that it grows with. All other conditions grow with that extent or do not mention it.
    """
    if any(c.op != "ge" for c in conds):
        return False
    mentioned = atoms_in(*(d for d in given if d not in conds))
    sides = [(atoms_in(c), set(_find_unbounded_extents(c.term))) for c in conds]
    return all(any(a not in mentioned and all(a in grown or a not in atoms for atoms, grown in sides) for a in own)
               for _, own in sides)


def _find_unbounded_extents(t: Term) -> Iterator[Atom]:
    """Extents of arrays that make a term as large as one likes: they occur once, with a positive factor, by
    themselves, times other scalars, or in what a tile divides."""
    for m, c in t.monos.items():
        inner = m[0] if len(m) == 1 else None
        divided = inner if isinstance(inner, FloorDiv) else None
        parts = divided.num.monos if divided is not None else {m: c}
        fixed = set[Atom]() if divided is None else atoms_in(divided.den)
        for n, factor in parts.items() if c > 0 else ():
            plain = all(isinstance(a, Symbol) and not isinstance(a, GridDim) for a in n)
            for a in n if factor > 0 and plain else ():
                alone = n.count(a) == 1 and isinstance(a, EXTENTS) and _occurs_once(a, t)
                if alone and a not in fixed and (divided is None or _raises(a, divided.num)):
                    yield a


def _raises(extent: Atom, t: Term) -> bool:
    """Whether a term never falls where an extent grows: it multiplies counts and numbers of tiles."""
    return extent not in atoms_in(*(of(b) for b in t.atoms() if b is not extent)) and all(
        c > 0 and all(b is extent or _counts(b) for b in m) for m, c in t.monos.items() if extent in m)


def _counts(a: Atom) -> bool:
    """Whether an atom is a launch scalar or `(n - 1) // d`, which no launch with something to do makes negative."""
    if not isinstance(a, FloorDiv):
        return isinstance(a, Symbol)
    return a.num.offset >= -1 and all(
        c > 0 and all(isinstance(b, Symbol) for b in m) for m, c in a.num.monos.items() if m) and isinstance(
            a.den.single, Symbol)


def _occurs_once(extent: Symbol, t: Term) -> bool:
    return sum(extent in atoms_in(Term({m: 1})) for m in t.monos) == 1


def _is_denied(context: Context, made: Region, found: Inside) -> bool:
    """Whether a sign that a proof assumed contradicts the path condition of the access. Such a proof is not valid."""
    uniform = tuple(c for c in conjuncts(made.guard) if not c.varying)
    return bool(uniform) and context.denies(uniform, found.assumed)


def _build_proved(context: Context, access: Access, reach: Reach, made: Region, found: Inside) -> _Outcome:
    tiles = {e for e in (*access.tile, reach.step) if e is not None}
    signs = [c for c in sorted(_drop_implied_signs(found.assumed), key=lambda c: c.key) if not _of_tile(c, tiles)]
    taken = {p for c in context.assume for p in conjuncts(c)}
    unless = restrict_to_access(conj(access.under, reach.when), taken, context.tiled)
    telling = {c for c in found.clauses if shares(c) or goes_past(c)}
    escape = None
    if any(map(is_degenerate, found.clauses)):
        # a proof may rest on more than it needs
        escape = _escape(context, access, made, select_usual(found.clauses))
        telling |= {c for c in found.clauses if escape is not None and is_degenerate(c)}
    clauses = (*(clause_of(disj(*unless, c), False) for c in signs if c not in taken),
               *(clause_of(disj(*unless, c), reach.unchecked or c in telling)
                 for c in found.clauses if c not in taken))
    conditional = any(c.kind == "semantic" for c in clauses)
    reason = because(Cause.STAYS_INSIDE_UNDER_CONTRACT if found.clauses else Cause.STAYS_INSIDE, reach.index)
    return _Outcome(access, reach, "conditional" if conditional else "proved", reason, tuple(dict.fromkeys(clauses)),
                    found.rules, escape)


def restrict_to_access(under: Cond, taken: set[Cond], tiled: tuple[Cond, ...]) -> tuple[Cond, ...]:
    """The launches that do not make an access: nothing is asked of them."""
    flags = (c for c in conjuncts(under) if not c.varying and enforceable(c) and c not in taken
             and c not in tiled
             and not all(isinstance(a, GridDim) for a in c.term.atoms()))
    return tuple(negate(c) for c in sorted(flags, key=lambda c: c.key) if len(c.key) <= _LONG)


def _drop_implied_signs(signs: Assumed) -> list[Cond]:
    """Signs less those that others imply: `H >= 1` beside `H >= 2`."""
    return [c for c in signs if not any(
        d is not c and (d.term - c.term).constant is not None and (c.term - d.term).offset > 0 for d in signs)]


def _of_tile(c: Cond, tiles: set[Term]) -> bool:
    """Whether a condition only says that tiles have elements."""
    return any(c in (ge(t, 1), ge(t, 0)) for t in tiles)


def _escape(context: Context, access: Access, made: Region, usual: Iterable[Cond] = ()) -> Escape | None:
    if not made.exact:
        return None
    return find_escape(
        made.index[0], made.index[1], made.guard, axes=context.axes_of(made), assume=conj(*context.uniform, *usual),
        tiles=context.tiles | {a.name for e in access.tile for a in e.atoms() if isinstance(a, Symbol)})


def _open(context: Context, access: Access, reach: Reach, made: Region) -> _Outcome:
    wrapped = find_unbounded(made)
    loads = sorted(a for a in atoms_in(reach.at) if isinstance(a, Load))
    if wrapped is not None and not any(not context.says_of(a.array) for a in loads):
        return _Outcome(access, reach, "unproven", wrapped)
    if loads:
        missing = _proposal(context, access, reach, made, [a for a in loads if isinstance(a.array, ArrayParam)])
        help_ = because(Cause.WOULD_PROVE, missing) if missing else ()
        return _Outcome(access, reach, "unproven",
                        (*because(Cause.INDEX_FROM_ARRAY, loads[0].array), *help_), missing=missing)
    # coordinates of cells are followed, and no block can be named that has them
    followed = made.exact or bool(context.model.ownership.mutable)
    if not followed or mentions_opaque(made):
        return _Outcome(access, reach, "unproven", because(Cause.NOT_UNDERSTOOD))
    return _Outcome(access, reach, "unproven", because(Cause.INSIDE_OPEN))


def _proposal(context: Context, access: Access, reach: Reach, made: Region, loads: list[Load]) -> str | None:
    """Returns `range(ids, 0, n)` for the array that the index is read from, if that declaration completes the proof."""
    for load in loads[:_PROPOSED]:
        limit = reach.end if reach.step is None else cdiv(reach.end, reach.step)
        if not enforceable(ge(limit, 0)):
            continue
        text = f"range({load.array}, 0, {render(limit)})"
        try:
            declared = dataclasses.replace(context, declared=(*context.declared, *parse(text)))
        except ContractError:
            continue
        conds = (made.guard, *_list_standing_facts(declared, access, reach, made))
        if prove_inside(reach.at, reach.end, conds, None, reach.step or ONE) is not None:
            return text
    return None
