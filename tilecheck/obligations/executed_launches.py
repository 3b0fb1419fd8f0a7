"""Obligations in numbers: the accesses of a kernel, executed at its seen launches.

An obligation that fails in some launch is an error where it fails in a launch that the program makes. Where a launch is
seen and its numbers are not known, nothing is certain. Where no launch is seen, the launch of the witness counts, if
its arrays hold every tile that its blocks access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.host.clause_substitution import bind, numbers_of
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launch_numbers import Numbers, numbers_at
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.lint_facts import SliceUse
from tilecheck.obligations.cross_read import is_synchronised
from tilecheck.obligations.duplicates import lanes_of
from tilecheck.obligations.may_alias import align_regions, meet
from tilecheck.obligations.obligation import DecidedObligation, DecidedSlice
from tilecheck.obligations.query import clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.obligations.structural_clauses import width_clauses
from tilecheck.obligations.witness_loops import with_loop_values
from tilecheck.solver.model_search import Escape, Executed, run_collision, run_escape, run_region
from tilecheck.symbolic import (
    FALSE,
    ONE,
    UNKNOWN_ARRAY,
    App,
    Array,
    ArrayElement,
    Atom,
    Cond,
    Extent,
    GridDim,
    Stride,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
    disj,
    eq,
    holds,
    of,
)
from tilecheck.symbolic.footprint import Clause, Region, Witness

__all__ = ["Execution", "decide_at_launches", "decide_slices_at_launches", "execute_at", "execute_slice_at", "has_room"]

_MOST: Final = 40
"""Launches with different numbers that are executed for one obligation."""
_NAMED: Final = 24
"""Launches that one clause names."""
_LEAST: Final = 3
"""Sets of values that must fail where the relations between the quantities of a launch are unknown."""


class Execution(Struct, frozen=True):
    """An obligation at one launch.

    failed  the obligation with the numbers of its failure; None if none was seen
    clean   whether it was executed whole without a failure, in all numbers that the launch can have
    held    likewise, in all numbers that were tried
    """

    failed: DecidedObligation | None = None
    clean: bool = False
    held: bool = False


_OPEN: Final = Execution()
_Run = Callable[[Mapping[Atom, int]], tuple[DecidedObligation | None, bool]]


def decide_at_launches(
    obligations: Iterable[DecidedObligation], model: KernelModel, launches: Sequence[Launch],
) -> tuple[DecidedObligation, ...]:
    """The obligations, with those that are refuted or unproven decided at the launches.

    One that fails at a seen launch has the numbers of that launch. One that was executed whole without a failure at
    all of them is conditional on a clause that they satisfy. A refuted one of which neither is known is uncertain.
    """
    if model.dialect:
        return tuple(obligations)
    return tuple(_decide(s, model, launches) if s.verdict in ("refuted", "unproven") else s for s in obligations)


def _decide(s: DecidedObligation, model: KernelModel, launches: Sequence[Launch]) -> DecidedObligation:
    plan = _plan(s, model)
    if plan is not None and all(isinstance(a, GridDim) for a in plan.symbols):
        # the first block of any launch
        failed, _ = plan.run({GridDim(k): 1 for k in range(3)})
        if failed is not None:
            return failed
    refuted = s.verdict == "refuted"
    if any(step.rule in (Cause.TOO_WIDE, Cause.WRAPS) for step in s.reason):
        return s
    if not launches:
        return replace(s, certain=s.certain and has_room(s, model)) if refuted else s
    if s.kind in _PAIRS and model.axes_read and all(g == ONE for x in launches for g in x.grid):
        # a launch of one block has no two blocks that could meet, regardless of its accesses
        alone = conj(*(eq(of(GridDim(k)), 1) for k in sorted(model.axes_read)))
        return replace(s, verdict="conditional", clauses=(clause_of(alone, True),), witness=None, certain=True,
                       reason=because(Cause.EXECUTED_AT_LAUNCHES))
    different = list({(numbers_of(x), x.certain): x for x in launches}.values())
    clean = plan is not None and len(different) <= _MOST
    for launch in different[:_MOST] if plan is not None else ():
        found = _execute(plan, model, launch) if plan is not None else _OPEN
        if found.failed is not None:
            return found.failed
        # numbers are executed without their widths
        clean = clean and found.clean and not _wraps(model, launch)
    if plan is not None and clean:
        clause = _clause_of_launches(plan, model, different)
        if clause is not None:
            return replace(s, verdict="conditional", clauses=(clause, *model.assumed), witness=None, reason=because(
                Cause.EXECUTED_AT_LAUNCHES), certain=True)
    return replace(s, certain=False) if refuted else s


def _wraps(model: KernelModel, launch: Launch) -> bool:
    """Whether a number of the kernel exceeds its type at a launch, as far as its constants show."""
    return any(c.cond is not None and bind(c.cond, model.params, launch, model.launched).goal.op == "false"
               for c in width_clauses(model))


def _clause_of_launches(plan: _Plan, model: KernelModel, launches: Sequence[Launch]) -> Clause | None:
    """The clause that a launch has the numbers of one of some launches."""
    cases: list[Cond] = []
    for launch in launches:
        samples = numbers_at(plan.symbols, model.params, launch, model.launched).samples
        cases += [conj(*(eq(of(a), v) for a, v in sorted(sample.items()) if isinstance(a, Symbol) and not (
            isinstance(a, GridDim) and a.axis not in model.axes_read))) for sample in samples]
    cond = disj(*dict.fromkeys(cases))
    return clause_of(cond, True) if len(cases) <= _NAMED and cond.op not in ("true", "false") else None


# --- at one launch ---------------------------------------------------------------------------------------------------

class _Plan(Struct, frozen=True):
    """How an obligation is executed, and the scalars that it takes."""

    symbols: frozenset[Symbol]
    run: _Run
    lists: frozenset[Extent | Stride] = frozenset()
    """Extents and strides of arrays at positions of a list that vary."""


def execute_at(s: DecidedObligation, model: KernelModel, launch: Launch, broken: Cond = FALSE) -> Execution:
    """Execute an obligation at a launch.

    broken  a clause; numbers that satisfy it do not count
    """
    plan = _plan(s, model)
    return _OPEN if plan is None else _execute(plan, model, launch, broken)


def _execute(plan: _Plan, model: KernelModel, launch: Launch, broken: Cond = FALSE) -> Execution:
    asked = plan.symbols | _list_at_positions(plan, model, launch) | {
        a for a in atoms_of(broken) if isinstance(a, Symbol)}
    numbers = numbers_at(asked, model.params, launch, model.launched)
    samples = [sample for sample in numbers.samples if not _is_excluded(sample, model) and not _is_met(broken, sample)]
    if not samples:
        return _OPEN
    results = [plan.run(sample) for sample in samples]
    failed = [f for f, _ in results if f is not None]
    if not failed:
        held = all(complete for _, complete in results)
        return Execution(None, numbers.constant and held, held)
    return Execution(failed[0]) if _is_certain(numbers, samples, results) else _OPEN


def _list_at_positions(plan: _Plan, model: KernelModel, launch: Launch) -> set[Symbol]:
    """The extents and strides that a plan takes of arrays of lists, at each position of the lists of a launch."""
    given = zip(model.params, launch.arguments or (), strict=False)
    lengths = {p.name: len(a.elements or ()) for p, a in given}
    return {type(a)(ArrayElement(a.array.root, n), a.axis)
            for a in plan.lists for n in range(lengths.get(a.array.root, 0))}


def _is_met(clause: Cond, sample: Mapping[Atom, int]) -> bool:
    try:
        return holds(clause, sample)
    except (KeyError, ArithmeticError):
        return False


def _is_excluded(sample: Mapping[Atom, int], model: KernelModel) -> bool:
    """Whether a condition that every execution satisfies is false in these numbers."""
    for c in conjuncts(model.guards):
        try:
            if not holds(c, sample):
                return True
        except (KeyError, ArithmeticError):
            continue
    return False


def _is_certain(
    numbers: Numbers, samples: Sequence[Mapping[Atom, int]], results: Sequence[tuple[DecidedObligation | None, bool]],
) -> bool:
    """Whether a failure in some of the numbers shows that the program has one: where the quantities of a launch may be
    related, it has to fail in all that have several blocks."""
    if numbers.constant or not numbers.related:
        return True
    several = [f for sample, (f, _) in zip(samples, results, strict=True)
               if any(sample[GridDim(k)] > 1 for k in range(3)) or f is not None]
    return len(several) >= _LEAST and all(f is not None for f in several)


def _plan(s: DecidedObligation, model: KernelModel) -> _Plan | None:
    """How to execute an obligation; None if its accesses are not fully understood."""
    if s.kind in _PAIRS and s.verdict == "refuted" and s.access not in model.accesses:
        return _plan_first_iterations(s, model)
    make = _PLANS.get(s.kind)
    accesses = [*_same_statement(s, model), *(() if s.other is None else (s.other,))]
    if make is None or model.dialect or s.fault is not None or any(_is_lost(a, model) for a in accesses):
        return None
    return make(s, model)


def _same_statement(s: DecidedObligation, model: KernelModel) -> list[Access]:
    """The accesses that an obligation is about: those of its statement on all paths, in every copy of a helper."""
    return [a for a in model.accesses if a.span == s.access.span and a.mode == s.access.mode] or [s.access]


def _is_lost(access: Access, model: KernelModel) -> bool:
    lost = {array for gap in model.gaps for array in gap.arrays}
    return not access.region.exact or access.array in lost or UNKNOWN_ARRAY in (
        access.array, *lost) or access.held is not None


def _plan_pair(s: DecidedObligation, model: KernelModel) -> _Plan | None:
    """Two accesses across blocks. All other pairs of the statement also have to be clean."""
    first, second = s.other or s.access, s.access
    if second.mode == "atomic" or (s.verdict != "refuted" and _may_be_ordered(s, first, second, model)):
        return None
    regions = align_regions(first, second)
    pairs = [align_regions(*pair) for pair in _list_pairs(s, model) if pair != (first, second)]
    if any(len(a.index) != len(b.index) or not (a.exact and b.exact) for a, b in (regions, *pairs)):
        return None

    def run(launch: Mapping[Atom, int]) -> tuple[DecidedObligation | None, bool]:
        got = run_collision(*regions, launch, same_site=first is second)
        if got.failure is not None or not got.complete:
            return _with_witness(s, model, got), False
        rest = (run_collision(a, b, launch, same_site=a is b) for a, b in pairs)
        return None, all(e.complete and e.failure is None for e in rest)

    used = (*regions, *(r for pair in pairs for r in pair))
    return _Plan(_symbols(*used), run, _list_properties(*used))


def _plan_first_iterations(s: DecidedObligation, model: KernelModel) -> _Plan:
    """Two accesses that the first iterations of loops make: they show a failure, and never that there is none."""
    first, second = s.other or s.access, s.access
    regions = align_regions(first, second)

    def run(launch: Mapping[Atom, int]) -> tuple[DecidedObligation | None, bool]:
        return _with_witness(s, model, run_collision(*regions, launch, same_site=first is second)), False

    return _Plan(_symbols(*regions), run, _list_properties(*regions))


def _may_be_ordered(s: DecidedObligation, first: Access, second: Access, model: KernelModel) -> bool:
    """Whether something orders accesses to one element, or its order was not looked at."""
    return (bool(first.locks) and bool(second.locks)) or (
        s.kind == "cross-read" and is_synchronised(model, first, second)) or (
        s.verdict == "unproven" and not _ARITHMETIC.issuperset(step.rule for step in s.reason))


_ARITHMETIC: Final = frozenset({Cause.NOTHING_FOUND, Cause.SIGNS_EXCLUDED, Cause.NO_ROOM, Cause.TOO_MANY_PAIRS})
"""The causes of an open verdict that say nothing of data, locks or constructs that are not modelled."""


def _list_pairs(s: DecidedObligation, model: KernelModel) -> Iterator[tuple[Access, Access]]:
    """The pairs of accesses that an obligation on disjoint accesses is about."""
    for access in _same_statement(s, model):
        for other in model.accesses:
            if other.mode == "write" and meet(other, access):
                yield other, access


def _with_witness(s: DecidedObligation, model: KernelModel, got: Executed) -> DecidedObligation | None:
    if not isinstance(got.failure, Witness):
        return None
    axes, w = model.axes_read, with_loop_values(got.failure, model.observed.loops)
    shown = None if s.witness is None else (s.witness.first.block, s.witness.second.block, s.witness.element)
    # notes are about the numbers of the witness that they were found for
    advice = s.advice if shown == (w.first.block, w.second.block, w.element) else replace(s.advice, notes=())
    return replace(s, verdict="refuted", witness=w, code=_RACES.get(s.code, s.code), clauses=(), advice=advice,
                   reason=because(Cause.COLLISION, s.access.array, w, axes) if s.other or axes else s.reason)


_RACES: Final[Mapping[str, str]] = {"TC102": "TC101"}


def _plan_lanes(s: DecidedObligation, model: KernelModel) -> _Plan | None:
    """Lanes of one operation."""
    parts = [(a.region, lanes_of(a)) for a in _same_statement(s, model)]

    def run(launch: Mapping[Atom, int]) -> tuple[DecidedObligation | None, bool]:
        complete = True
        for made, lanes in parts:
            got = run_collision(made, made, launch, same_site=True, want="same-block-lanes", lanes=lanes)
            if isinstance(got.failure, Witness):
                return replace(s, verdict="refuted", witness=got.failure, clauses=()), False
            complete = complete and got.complete
        return None, complete

    sizes = frozenset(a for _, lanes in parts for a in atoms_in(*(x.size for x in lanes)) if isinstance(a, Symbol))
    used = tuple(made for made, _ in parts)
    return _Plan(_symbols(*used) | sizes, run, _list_properties(*used))


def _plan_bounds(s: DecidedObligation, model: KernelModel) -> _Plan | None:
    """The ranges in which an access is defined."""
    asked = [(a, r) for a in _same_statement(s, model) for r in a.reach]
    parts = [(a, r, Region((r.at, r.end), conj(a.under, r.when))) for a, r in asked if r.needed]

    def run(launch: Mapping[Atom, int]) -> tuple[DecidedObligation | None, bool]:
        complete = len(parts) == len(asked)
        for access, reach, region in parts:
            got = run_escape(reach.at, reach.end, region, launch)
            if isinstance(got.failure, Escape):
                return replace(
                    s, access=access, verdict="refuted", advice=replace(s.advice, notes=()),
                    witness=with_loop_values(got.failure.witness, model.observed.loops), end=got.failure.end,
                    reach=reach, code="TC202" if reach.unchecked else "TC201", overrun=None, clauses=(),
                    reason=because(Cause.OUTSIDE_AT_LAUNCH)), False
            complete = complete and got.complete
        return None, complete

    return _Plan(_symbols(*(region for _, _, region in parts)), run)


def _plan_padding(s: DecidedObligation, model: KernelModel) -> _Plan | None:
    """The uses of lanes that a load leaves unspecified."""
    loads = {a.unspecified for a in _same_statement(s, model)}
    lost = dict(model.paddings.lost)
    uses = [o for o in dict.fromkeys(model.paddings.observations) if o.undefined.edge.source in loads]
    if any(o.undefined.blurred for o in uses) or "*" in lost or loads & lost.keys():
        return None
    parts = [Region((), conj(o.undefined.cond, o.guard), o.exact) for o in uses]

    def run(launch: Mapping[Atom, int]) -> tuple[DecidedObligation | None, bool]:
        complete = True
        for use, region in zip(uses, parts, strict=True):
            point, got = run_region(region, launch)
            if point is not None:
                numbers = tuple(eq(of(a), v) for a, v in sorted(launch.items()) if not isinstance(a, GridDim))
                failed = replace(s, verdict="refuted", uses=((use, ()),), clauses=(), reason=because(Cause.LANE_USED),
                                 assumed=(*s.assumed, *numbers))
                return (failed if use.exact else None), False
            complete = complete and got.complete
        return None, complete

    return _Plan(_symbols(*parts), run)


_PLANS: Final[Mapping[str, Callable[[DecidedObligation, KernelModel], _Plan | None]]] = {
    "disjoint": _plan_pair,
    "cross-read": _plan_pair,
    "duplicate": _plan_lanes,
    "bounds": _plan_bounds,
    "padding": _plan_padding,
}


_PAIRS: Final = frozenset({"disjoint", "cross-read"})


def _symbols(*regions: Region) -> frozenset[Symbol]:
    return frozenset(a for r in regions for a in atoms_in(*r.index, r.guard) if isinstance(a, Symbol))


def _list_properties(*regions: Region) -> frozenset[Extent | Stride]:
    """Extents and strides of arrays at positions of a list that vary."""
    return frozenset(a.fn for r in regions for a in atoms_in(*r.index, r.guard)
                     if isinstance(a, App) and isinstance(a.fn, Extent | Stride))


def execute_slice_at(s: DecidedSlice, model: KernelModel, launch: Launch) -> tuple[bool, bool]:
    """Whether a slice extends outside at a launch, and whether it was executed whole without that."""
    lost = {array for gap in model.gaps for array in gap.arrays}
    uses = [u for u in model.observed.slices if u.span == s.span]
    known = s.array is UNKNOWN_ARRAY or s.array not in lost
    if model.dialect or not known or not uses or not all(u.exact for u in uses):
        return False, False
    parts = [(value, Region((value, value + 1), u.guard)) for u in uses
             for value in (u.start, u.stop - u.start, u.extent - u.stop)]
    numbers = numbers_at(_symbols(*(r for _, r in parts)), model.params, launch, model.launched)
    results = [[run_escape(value, value + 1, region, sample) for value, region in parts] for sample in numbers.samples]
    fails = [any(e.failure is not None for e in row) for row in results]
    if any(fails) and (numbers.constant or not numbers.related or (len(fails) >= _LEAST and all(fails))):
        return True, False
    return False, numbers.constant and bool(results) and all(e.complete for row in results for e in row)


def decide_slices_at_launches(
    slices: Iterable[DecidedSlice], model: KernelModel, launches: Sequence[Launch],
) -> tuple[DecidedSlice, ...]:
    """The slices, with those that are wrong in every launch that takes them marked as uncertain, unless the first block
    of any launch takes them, or a seen launch does."""
    if model.dialect or not launches:
        return tuple(slices)
    return tuple(s if s.fault is None else replace(s, certain=_is_taken(s.fault.use, model, launches)) for s in slices)


def _is_taken(use: SliceUse, model: KernelModel, launches: Sequence[Launch]) -> bool:
    made = Region((), use.guard, use.exact)
    if all(isinstance(a, GridDim) for a in _symbols(made)) and run_region(
            made, {GridDim(k): 1 for k in range(3)})[0] is not None:
        return True
    for launch in launches[:_MOST]:
        numbers = numbers_at(_symbols(made), model.params, launch, model.launched)
        taken = [run_region(made, sample)[0] is not None for sample in numbers.samples]
        if any(taken) and (numbers.constant or not numbers.related or all(taken)):
            return True
    return False


# --- no launch -------------------------------------------------------------------------------------------------------

def has_room(s: DecidedObligation, model: KernelModel) -> bool:
    """Whether the arrays of a witness hold every tile that its blocks access, as far as its scalars decide that."""
    w = s.witness
    if w is None or s.kind == "bounds":
        return True
    launch = w.launch
    return not any(isinstance(run_escape(*part, launch).failure, Escape) for part in _reaches(model))


def _reaches(model: KernelModel) -> Iterator[tuple[Term, Term, Region]]:
    seen: set[tuple[Array, Term, Term, Cond]] = set()
    for a in model.accesses:
        for r in a.reach:
            key = (a.array, r.at, r.end, conj(a.under, r.when))
            if a.region.exact and r.needed and key not in seen:
                seen.add(key)
                yield r.at, r.end, Region((r.at, r.end), key[3])
