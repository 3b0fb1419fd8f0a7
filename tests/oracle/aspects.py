"""Bounds and padding: the verdicts of one kind of obligation against what brute force saw.

An obligation that is decided says: in every launch that meets its clauses, and the structural clauses of the contract,
no access of its line strays outside its array (`bounds`), or no undefined lane of its load is observed (`padding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from tests.oracle.generate import Assignment, Generated
from tests.oracle.replay import Parameter, Replay, replay_observation, replay_stray
from tests.oracle.truth import Run, Truth, summary
from tilecheck.diagnostics import Diagnostic, KernelReport, Obligation

Kind: TypeAlias = Literal["bounds", "padding"]
Holds: TypeAlias = Callable[[Sequence[str], Assignment], bool]
"""Whether clauses of a contract hold for a launch."""

COMPLETE: Final[frozenset[Kind]] = frozenset(("bounds", "padding"))
"""Kinds of which the checker gives an obligation for every access: for these, one that is missing is a fault, refuted
ones need a witness, and the shares that tests ask for are asked."""
COMBINED: Final = ("reduction", "scan", "mma")
SETTLED: Final = ("proved", "conditional", "atomic", "single-block")
CODES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "bounds": ("TC201", "TC202", "TC203", "TC204", "TC205"), "padding": ("TC301",),
}
_MANY: Final[Mapping[Kind, float]] = {"bounds": 0.5, "padding": 0.25}
"""From which share of meant launches on a kernel counts as faulty. Extents of which tiles divide hide much padding."""
_WEAKEST_FIRST: Final = ("refuted", "unproven", "conditional", "single-block", "atomic", "proved")


@dataclass(frozen=True)
class Aspect:
    """The results for one kind of obligation in one kernel.

    truth     safe: no meant launch goes wrong; faulty: many do; mixed: few do; idle: hardly any was found
    verdict   the weakest of the obligations; "none" where there are none
    decided   all are decided, under clauses that some meant launch meets
    flagged   a finding of the kind is printed at the default level
    named     decided under a clause that some failing launch breaks: a seen launch would be reported
    """

    kind: Kind
    truth: str
    obligations: int
    verdict: str
    decided: bool
    flagged: bool
    named: bool


@dataclass(frozen=True)
class Event:
    """Something that went wrong in a run: the array and line of the obligation that must foresee it."""

    array: str
    line: int
    what: str


def _strays(run: Run, declared: bool) -> Iterator[Event]:
    """Only the first fault counts in a kernel with declarations about data: later faults follow from missing data."""
    for stray in run.outside:
        if stray.first or not declared:
            yield Event(stray.array, stray.line, f"{stray.array} is left at line {stray.line}")


def _observations(run: Run, declared: bool) -> Iterator[Event]:
    """Where an undefined lane leaves the block or steers it: one that was combined is followed until it does."""
    for seen in run.observed:
        if seen.how not in COMBINED:
            yield Event(seen.array, seen.load,
                        f"padding of {seen.array} from line {seen.load} is observed at line {seen.line}")


EVENTS: Final[Mapping[Kind, Callable[[Run, bool], Iterator[Event]]]] = {"bounds": _strays, "padding": _observations}


def events(kind: Kind, run: Run, kernel: Generated) -> list[Event]:
    """Returns the faults of a run in a fixed order."""
    return sorted(EVENTS[kind](run, "@requires" in kernel.text), key=lambda e: (e.line, e.array, e.what))


def truth_of(kind: Kind, kernel: Generated, truth: Truth) -> str:
    meant = [r for r in truth.runs if r.meant and (r.valid or kind == "bounds")]
    if len(meant) < 4:
        return "idle"
    bad = sum(bool(events(kind, r, kernel)) for r in meant)
    return "safe" if bad == 0 else "faulty" if bad >= _MANY[kind] * len(meant) else "mixed"


def structural(report: KernelReport, kinds: Iterable[str]) -> list[str]:
    """Clauses of the contract that are not findings, except those that only obligations of other kinds depend on."""
    mine = {c for o in report.obligations if o.kind in kinds for c in o.clauses}
    others = {c for o in report.obligations if o.kind not in kinds for c in o.clauses} - mine
    return [c.clause for c in report.contract if c.kind != "semantic" and c.clause not in others]


def _find_obligations(kind: Kind, report: KernelReport, event: Event) -> list[Obligation]:
    """The obligations of an event: those of its line and array; of its line, where the array goes by another name."""
    at = [o for o in report.obligations if o.kind == kind and o.line == event.line]
    base = event.array.partition("[")[0]
    return [o for o in at if o.array.partition("[")[0] == base] or at


def contradictions(kind: Kind, kernel: Generated, report: KernelReport, truth: Truth, holds: Holds,
                   limit: int = 3) -> list[str]:
    """Decided obligations that a run goes against, and events that no obligation foresees."""
    found: list[str] = []
    given = structural(report, (kind,))
    everything = [c.clause for c in report.contract]
    for run in truth.runs:
        for event in events(kind, run, kernel):
            claims = _find_obligations(kind, report, event)
            if not claims:
                if kind in COMPLETE and holds(everything, run.launch):
                    found.append(f"no obligation of kind {kind} for {event.what} for {dict(summary(run.launch))}")
            elif all(o.verdict in SETTLED for o in claims) and all(
                    holds([*o.clauses, *given], run.launch) for o in claims):
                said = [(o.line, o.array, o.verdict, o.clauses) for o in claims]
                found.append(f"{event.what} for {dict(summary(run.launch))}, against {said} and {given}")
            if len(found) >= limit:
                return found
    return found


def witness_faults(kind: Kind, report: KernelReport, diagnostics: Sequence[Diagnostic], function: Any,
                   parameters: Sequence[Parameter]) -> list[str]:
    """Refutations whose witness is missing or does not reproduce."""
    found: list[str] = []
    mine = [d for d in diagnostics if d.code in CODES[kind]]
    for d in mine:
        if d.witness is None:
            if d.severity == "error":
                found.append(f"{d.code} at line {d.span.line} has no witness")
            continue
        outcome = _REPLAY[kind](function, parameters, d, report)
        if outcome.fault:
            found.append(f"{d.code} at line {d.span.line}: {outcome.fault}; {d.witness}")
    if kind in COMPLETE:
        lines = {line for d in mine if d.witness is not None for line in _lines_of(d)}
        found += [f"refuted at line {o.line} on {o.array}, and no finding with a witness says so"
                  for o in report.obligations if o.kind == kind and o.verdict == "refuted" and o.line not in lines]
    return found


def _lines_of(d: Diagnostic) -> set[int]:
    spans = [d.span, *(n.span for n in d.notes if n.span is not None)]
    return {line for s in spans for line in range(s.line, s.end_line + 1)}


def _replay_stray(function: Any, parameters: Sequence[Parameter], d: Diagnostic, report: KernelReport) -> Replay:
    assert d.witness is not None
    arrays = [o.array for o in report.obligations if o.kind == "bounds" and o.line == d.span.line]
    return replay_stray(function, parameters, d.witness, arrays, d.span.line)


def _observation(function: Any, parameters: Sequence[Parameter], d: Diagnostic, report: KernelReport) -> Replay:
    assert d.witness is not None
    return replay_observation(function, parameters, d.witness, _lines_of(d))


_REPLAY: Final[Mapping[Kind, Callable[[Any, Sequence[Parameter], Diagnostic, KernelReport], Replay]]] = {
    "bounds": _replay_stray, "padding": _observation,
}


def aspect(kind: Kind, kernel: Generated, report: KernelReport, diagnostics: Sequence[Diagnostic], truth: Truth,
           holds: Holds) -> Aspect:
    mine = [o for o in report.obligations if o.kind == kind]
    verdict = min((o.verdict for o in mine), key=_WEAKEST_FIRST.index, default="none")
    clauses = [*structural(report, (kind,)), *(c for o in mine for c in o.clauses)]
    met = any(holds(clauses, r.launch) for r in truth.runs if r.meant)
    flagged = any(d.code in CODES[kind] and d.severity != "note" for d in diagnostics)
    broken = any(events(kind, r, kernel) and not holds(clauses, r.launch) for r in truth.runs if r.meant)
    return Aspect(kind, truth_of(kind, kernel, truth), len(mine), verdict, verdict in SETTLED and met, flagged,
                  bool(mine) and verdict in SETTLED and broken)
