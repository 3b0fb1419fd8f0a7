"""Seen launches that break a clause of their kernel's contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from tilecheck.interp.host.argument_aliasing import UnreadAxis, aliases, unread_axis
from tilecheck.interp.host.clause_substitution import find_distinct
from tilecheck.interp.host.discharge import Discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import find_accessed
from tilecheck.interp.host.violations import Failing, failing
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.grid_coverage import depends_on_data, find_dependent
from tilecheck.obligations.launches import Discharged
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.symbolic import GridDim, atoms_in, atoms_of
from tilecheck.symbolic.footprint import Clause
from tilecheck.syntax.tree import Span

__all__ = ["AliasedArguments", "Breach", "find_aliased_arguments", "find_breaches", "find_unread_axes"]


class Breach(Struct, frozen=True):
    """A launch that breaks a clause.

    result    what the clause says at the launch
    needing   an obligation on bounds that fails without the clause; None if the clause is not only about bounds
    doubtful  whether the access, or the path of the host to the launch, depends on data and may not come about
    sampled   whether the breach was seen for all sizes that were tried, and is not proved for others
    """

    clause: Clause
    launch: Launch
    result: Discharge
    needing: DecidedObligation | None = None
    doubtful: bool = False
    sampled: bool = False

    @property
    def exceeds_tiles(self) -> bool:
        """Whether the launch has more blocks than the array has tiles."""
        return self.needing is not None and self.clause.cond is not None and any(
            isinstance(a, GridDim) for a in atoms_of(self.clause.cond))


def find_unread_axes(model: KernelModel, launches: Sequence[Launch]) -> Iterator[tuple[Launch, UnreadAxis]]:
    """Launches with several blocks on an axis that a kernel which writes never reads, each with that axis."""
    if model.written:
        for launch in launches:
            found = unread_axis(launch, model.axes_read)
            if found is not None and found.sure:
                yield launch, found


def find_breaches(
    model: KernelModel, clauses: Sequence[Clause], states: Mapping[str, Discharged], launches: Sequence[Launch],
    obligations: Sequence[DecidedObligation],
) -> tuple[Breach, ...]:
    """The clauses that launches break.

    Of the clauses on bounds that no launch is seen to discharge, one for each launch: they mostly have one cause. A
    clause on a grid axis is left out where the launch has several blocks on it and the kernel never reads it.
    """
    unread = {launch.span: GridDim(found.axis) for launch, found in find_unread_axes(model, launches)}
    in_bounds = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses}
    only_bounds = {c.text for s in obligations if s.kind == "bounds" for c in s.clauses if c.kind == "structural"} - {
        c.text for s in obligations if s.kind != "bounds" for c in s.clauses}
    alike = dict(zip(launches, find_distinct(launches), strict=True))
    depending = _Depending(model, obligations, {})
    out: list[Breach] = []
    for clause in clauses:
        for launch, result in states[clause.text].at:
            if clause.text in only_bounds:
                if result.state == "broken" and launch.span not in unread:
                    out += depending.find(clause, launch, alike[launch], result)
            elif clause.text.startswith("disjoint(") or (
                    clause.cond is not None and unread.get(launch.span) in atoms_in(clause.cond)):
                continue  # reported as aliased arguments, or as the axis that is not read
            elif result.state == "broken" or (result.state == "violated" and clause.kind == "semantic"):
                out.append(Breach(clause, launch, result))
    reported = unread.keys() | {b.launch.span for b in out}
    asked = [(clause, launch) for clause in clauses if clause.text in in_bounds
             for launch, result in states[clause.text].at if result.state == "open" and launch.span not in reported]
    failures = _find_failures(model, ((alike[launch], clause) for clause, launch in asked))
    for clause, launch in asked:
        found = failures.get((clause.text, alike[launch]))
        if found is not None and launch.span not in reported:
            more = depending.find(clause, launch, alike[launch], found.result, found.always)
            reported |= {b.launch.span for b in more}
            out += more
    return tuple(out)


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
    """The obligations on bounds of a kernel that depend on clauses at launches. Launches that pass the same data have
    the same ones."""

    model: KernelModel
    obligations: Sequence[DecidedObligation]
    known: dict[tuple[str, Launch, bool], DecidedObligation | None]

    def find(
        self, clause: Clause, launch: Launch, alike: Launch, result: Discharge, proved: bool = True,
    ) -> list[Breach]:
        """The breach of a clause that keeps accesses inside their arrays, if one leaves its array without it.

        alike  the first launch that passes the same data
        """
        key = (clause.text, alike, proved)
        if key not in self.known:
            self.known[key] = find_dependent(clause, self.obligations, self.model, alike, proved)
        s = self.known[key]
        if s is None:
            return []
        breach = Breach(clause, launch, result, s, result.state == "violated", not proved)
        if not breach.exceeds_tiles and depends_on_data(s):
            return [Breach(clause, launch, result, s, True, not proved)]
        return [breach]


# --- aliases ---------------------------------------------------------------------------------------------------------

class AliasedArguments(Struct, frozen=True):
    """A launch that passes overlapping storage for two parameters. The kernel writes the parameter `written`.

    names  the two parameters, in order
    text   the second argument, as the author wrote it
    span   the location of the second argument
    """

    names: tuple[str, str]
    written: str
    text: str
    span: Span


def find_aliased_arguments(model: KernelModel, launches: Sequence[Launch]) -> Iterator[AliasedArguments]:
    """Pairs of arguments that certainly overlap, one of which the kernel writes and the other it uses."""
    for launch in launches:
        if launch.arguments is None:
            continue
        pairs = aliases(launch, model.params)
        arrays = find_accessed(model, launch) if pairs else None
        for i, j in pairs:
            names = (model.params[i].name, model.params[j].name)
            if arrays is not None and arrays.conflict(*names):
                written = names[0] if names[0] in arrays.written else names[1]
                yield AliasedArguments(names, written, launch.arguments[j].text, launch.arguments[j].span)
