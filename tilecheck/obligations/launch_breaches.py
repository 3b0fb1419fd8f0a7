"""Seen launches that break a clause of their kernel's contract."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import annotation_of
from tilecheck.interp.host.argument_aliasing import UnreadAxis, unread_axis
from tilecheck.interp.host.clause_substitution import find_distinct
from tilecheck.interp.host.discharge import Discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.violations import Failing, failing
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.executed_launches import execute_at, execute_slice_at
from tilecheck.obligations.grid_coverage import depends_on_data, find_dependent
from tilecheck.obligations.launches import Discharged, is_width
from tilecheck.obligations.obligation import DecidedObligation, Proof
from tilecheck.symbolic import FALSE, TRUE, GridDim, atoms_in, atoms_of
from tilecheck.symbolic.footprint import Clause

_MOST: Final = 200
"""Launches and clauses of one kernel that are executed."""

__all__ = ["Breach", "IdleAxis", "find_breaches", "find_unread_axes"]


class Breach(Struct, frozen=True):
    """A launch that breaks a clause.

    result    what the clause says at the launch
    needing   an obligation on bounds that fails without the clause; None if the clause is not only about bounds
    doubtful  whether the access, or the path of the host to the launch, depends on data and may not come about
    sampled   whether the breach was seen for all sizes that were tried, and is not proved for others
    executed  whether the kernel was executed with the numbers of the launch, and went wrong
    also      the texts of further clauses that the launch breaks, probably for the same cause
    """

    clause: Clause
    launch: Launch
    result: Discharge
    needing: DecidedObligation | None = None
    doubtful: bool = False
    sampled: bool = False
    executed: bool = False
    also: tuple[str, ...] = ()

    @property
    def exceeds_tiles(self) -> bool:
        """Whether the launch has more blocks than the array has tiles."""
        return self.needing is not None and self.clause.cond is not None and any(
            isinstance(a, GridDim) for a in atoms_of(self.clause.cond))


class IdleAxis(Struct, frozen=True):
    """A launch with several blocks on an axis that the kernel never reads, so that they all do the same work.

    certain  whether they write the same elements for certain: a write was executed at the launch, or depends on nothing
    """

    launch: Launch
    axis: UnreadAxis
    certain: bool


def find_unread_axes(
    model: KernelModel, obligations: Sequence[DecidedObligation], launches: Sequence[Launch],
) -> Iterator[IdleAxis]:
    """Launches with several blocks on an axis that a kernel which writes never reads, or with as many blocks as an
    array has elements or tiles along some axis."""
    writes = [s for s in obligations if s.kind == "disjoint" and s.access.mode == "write" and not s.access.locks]
    for launch in launches:
        found = unread_axis(launch, model.axes_read)
        if found is None or not (found.sure or found.sized) or not (writes or model.gaps):
            continue
        results = [execute_at(s, model, launch) for s in writes]
        if writes and all(e.clean for e in results):
            continue
        yield IdleAxis(launch, found, found.sure and (any(e.failed is not None for e in results) or any(
            s.access.region.exact and s.access.under is TRUE for s in writes)))


def find_breaches(
    model: KernelModel, clauses: Sequence[Clause], states: Mapping[str, Discharged], launches: Sequence[Launch],
    proof: Proof,
) -> tuple[Breach, ...]:
    """The clauses that launches break.

    A clause that the author declared counts as it is. Any other is executed at the launch: it may be more than the
    kernel needs. Of the clauses on bounds that no launch is seen to discharge, one for each launch: they mostly have
    one cause. A clause on a grid axis is left out where the launch has several blocks on it and the kernel never reads
    it.
    """
    obligations = proof.obligations
    unread = {idle.launch.span: GridDim(idle.axis.axis) for idle in find_unread_axes(model, obligations, launches)}
    in_bounds = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses}
    only_bounds = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses if c.kind == "structural"} - {
        c.text for s in obligations if s.kind != "bounds" for c in s.clauses}
    declared = {c.text for c in proof.declared}
    alike = dict(zip(launches, find_distinct(launches), strict=True))
    depending = _Depending(model, proof, {}, {})
    out: list[Breach] = []
    for clause in clauses:
        if clause.cond is None and (note := annotation_of(clause)) is not None and note.name == "disjoint":
            continue  # reported as aliased arguments
        for launch, result in states[clause.text].at:
            if clause.cond is not None and unread.get(launch.span) in atoms_in(clause.cond):
                continue  # reported as the axis that is not read
            if result.state == "broken":
                if model.dialect and clause.text in only_bounds:
                    # the pieces of a partition ask for it
                    out += (replace(b, executed=not b.doubtful)
                            for b in depending.find(clause, launch, alike[launch], result))
                elif clause.text in declared or model.dialect or clause.cond is None:
                    out.append(Breach(clause, launch, result, executed=True))
                else:
                    out += depending.execute(clause, launch, alike[launch], result, clause.text in only_bounds)
            elif result.state == "violated" and clause.kind == "semantic":
                out.append(Breach(clause, launch, result))
    reported = unread.keys() | {b.launch.span for b in out}
    asked = [(clause, launch) for clause in clauses if clause.text in in_bounds
             for launch, result in states[clause.text].at if result.state == "open" and launch.span not in reported]
    failures = _find_failures(model, ((alike[launch], clause) for clause, launch in asked))
    for clause, launch in asked:
        found = failures.get((clause.text, alike[launch]))
        if found is not None and launch.span not in reported:
            more = depending.execute(clause, launch, alike[launch], found.result, True) if found.always else (
                depending.find(clause, launch, alike[launch], found.result, False))
            reported |= {b.launch.span for b in more}
            out += more
    return tuple(_one_for_each_cause(out, declared))


def _one_for_each_cause(breaches: Sequence[Breach], declared: Collection[str]) -> Iterator[Breach]:
    """The breaches, with one for all clauses on an axis of the grid that a launch exceeds, and one for all clauses of a
    launch of which it is not known that they are necessary."""
    first: dict[object, Breach] = {}
    for k, b in enumerate(breaches):
        axes = tuple(sorted(a.axis for a in atoms_of(b.clause.cond) if isinstance(a, GridDim))) if b.clause.cond else ()
        alone = b.clause.text in declared or (b.executed and not b.exceeds_tiles)
        key = k if alone else (b.launch.span, b.launch.wrapper, b.executed, axes if b.executed else None)
        known = first.get(key)
        first[key] = b if known is None else replace(known, also=(*known.also, b.clause.text))
    yield from first.values()


_SAMPLED: Final = 3_000
"""Clauses at launches for which values are tried. The others stay open."""


def _find_failures(
    model: KernelModel, asked: Iterable[tuple[Launch, Clause]],
) -> Mapping[tuple[str, Launch], Failing]:
    """The clauses that fail at launches. Launch by launch: what binds clauses to a launch is cached for the last
    ones."""
    questions: dict[Launch, dict[str, Clause]] = {}
    for launch, clause in asked:
        questions.setdefault(launch, {})[clause.text] = clause
    ranks = model.launched
    pairs = islice(((launch, clause) for launch, own in questions.items() for clause in own.values()), _SAMPLED)
    found = (((clause.text, launch), failing(clause, model.params, launch, ranks)) for launch, clause in pairs)
    return {key: result for key, result in found if result is not None}


class _Depending(Struct, frozen=True):
    """The obligations of a kernel that depend on clauses at launches. Launches that pass the same data have the same
    ones.

    found     the obligation on bounds that fails without a clause, by clause and launch
    executed  the breaches that execution leaves of a clause, by clause and launch
    """

    model: KernelModel
    proof: Proof
    found: dict[tuple[str, Launch, bool], DecidedObligation | None]
    executed: dict[tuple[str, Launch, bool], tuple[Breach, ...]]

    def find(
        self, clause: Clause, launch: Launch, alike: Launch, result: Discharge, proved: bool = True,
    ) -> list[Breach]:
        """The breach of a clause that keeps accesses inside their arrays, if one leaves its array without it.

        alike  the first launch that passes the same data
        """
        key = (clause.text, alike, proved)
        if key not in self.found:
            self.found[key] = find_dependent(clause, self.proof.obligations, self.model, alike, proved)
        s = self.found[key]
        if s is None:
            return []
        breach = Breach(clause, launch, result, s, result.state == "violated", not proved, s.access.held is not None)
        if not breach.exceeds_tiles and depends_on_data(s):
            return [Breach(clause, launch, result, s, True, not proved)]
        return [breach]

    def execute(
        self, clause: Clause, launch: Launch, alike: Launch, result: Discharge, bounds: bool,
    ) -> list[Breach]:
        """The breach of a clause, if the kernel goes wrong at the launch, or may do so."""
        key = (clause.text, alike, launch.certain)
        if key not in self.executed:
            self.executed[key] = tuple(self._execute(clause, launch, result, bounds))
        return [replace(b, launch=launch, result=result) for b in self.executed[key]]

    def _execute(self, clause: Clause, launch: Launch, result: Discharge, bounds: bool) -> Iterator[Breach]:
        """Executes what depends on a clause. A clause that is only sufficient is not reported."""
        model, proof = self.model, self.proof
        if len(self.executed) >= _MOST:
            yield from self.find(clause, launch, launch, result) if bounds else ()
            return
        needing = [s for s in proof.obligations
                   if s.verdict != "refuted" and any(c.text == clause.text for c in s.clauses)]
        sliced = [s for s in proof.slices if any(c.text == clause.text for c in s.clauses)]
        clean = held = bool(needing or sliced)
        for s in needing:
            done = execute_at(s, model, launch, clause.cond or FALSE)
            if done.failed is not None:
                yield Breach(clause, launch, result, s if s.kind == "bounds" else None, executed=True)
                return
            clean, held = clean and done.clean, held and done.held
        for part in sliced:
            fails, whole = execute_slice_at(part, model, launch)
            if fails:
                yield Breach(clause, launch, result, executed=True)
                return
            clean, held = clean and whole, held and whole
        if clean or (held and clause.kind == "structural"):
            return
        if bounds:
            yield from self.find(clause, launch, launch, result)
        elif is_width(clause):
            # of a semantic clause the obligations that depend on it are reported
            yield Breach(clause, launch, result)
