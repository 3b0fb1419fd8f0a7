"""Makes mutants that provably leave an array or observe undefined lanes, and asks the checker about each.

A mutant counts when it fails in a launch that satisfies the contract of the original, and the original runs without
errors in that launch. The verdict on the mutant is one of these:

* **flagged**: a finding of a fitting code is new, or is graver than on the original.
* **excluded**: nothing is reported for the kernel, but every launch in which the mutant fails breaks its contract.
  The checker would report such a launch if it saw it.
* **noted**: an obligation that is proved for the original is not proved for the mutant. `-v` reports it, and `--strict`
  counts it.
* **right**: every seen launch satisfies the clauses that the contract has beyond that of the original, or the mutant
  fails in none of many executed launches of the host code beside it. The edit is not an error there and does not
  count.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tests.mutation import visible
from tests.mutation.edits import edits
from tests.mutation.launches import Candidate, execute
from tests.mutation.mutate import Mutant
from tests.mutation.study import Study, Subject, Verdict, isolate_kernel, reload
from tests.oracle.aspects import COMBINED, SETTLED, structural
from tests.oracle.fake_tile import Kernel
from tests.oracle.log import Log, collisions
from tests.oracle.machine import Machine
from tilecheck.contracts import annotation_of, evaluate, parse
from tilecheck.diagnostics import Diagnostic, KernelReport, Report

FITTING: Final = ("TC101", "TC102", "TC103", "TC106", "TC107", "TC108", "TC201", "TC202", "TC203", "TC204", "TC205",
                  "TC206", "TC301", "TC302", "TC305", "TC405")
DRAWN: Final = 60
ENOUGH: Final = 20
"""Launches of each place in the host code that are drawn, and in how many the original must go right to judge by; in as
many of all of them the mutant must do something else."""
SEVERITIES: Final = ("note", "warning", "error")
Loaded = Callable[[str, Path], dict[str, Kernel]]


@dataclass(frozen=True)
class Wrong:
    """A mutant, and the launches in which it goes wrong and the original does not."""

    mutant: Mutant
    launches: tuple[Candidate, ...]


def faults(log: Log) -> set[tuple[str, str]]:
    """Counts the errors of a run by kind and array; lines do not count, because an edit moves them."""
    found = {("stray", o.array) for o in log.outside} | {("observed", o.array) for o in log.observed}
    return found | {(c.kind, c.array) for c in collisions(log, limit=500)}


def find_straying_mutants(
    subject: Subject, original: Kernel, said: Report, loader: Loaded, limit: int
) -> Iterator[Wrong]:
    """Mutants that go wrong, spread over the kinds of edit. `said` is the report on the original."""
    every = list(edits(subject.text, subject.name))
    random.Random(subject.name).shuffle(every)
    count: Counter[str] = Counter()
    right = [
        (launch, usual)
        for launch, usual in _find_clean_launches(subject, original)
        if _meets(_find_kernel(said, subject), launch)
    ]
    for mutant in every:
        if count[mutant.what] >= limit:
            continue
        kernel = reload(subject, mutant.text, loader)
        if kernel is None:
            continue
        bad = [launch for launch, usual in right if _is_worse(subject, kernel, launch, usual)]
        if bad:
            count[mutant.what] += 1
            yield Wrong(mutant, tuple(bad))


def _find_clean_launches(subject: Subject, original: Kernel) -> list[tuple[Candidate, set[tuple[str, str]]]]:
    logs = [(launch, execute(original, replace(subject.known, axes=set()), launch)) for launch in subject.launches]
    return [(launch, faults(log)) for launch, log in logs if log.error is None]


def _is_worse(subject: Subject, kernel: Kernel, launch: Candidate, usual: set[tuple[str, str]]) -> bool:
    known = replace(subject.known, axes=set())
    log = execute(kernel, known, launch)
    return log.error is None and known.axes == subject.known.axes and bool(faults(log) - usual)


def _find_kernel(report: Report, subject: Subject) -> KernelReport | None:
    return next((k for k in report.kernels if k.name == subject.name), None)


def _findings(report: Report, subject: Subject) -> Counter[tuple[str, str]]:
    mine: Sequence[Diagnostic] = [d for d in report.diagnostics if d.kernel == subject.name and d.code in FITTING]
    return Counter((d.code, d.severity) for d in mine)


def _list_graver(now: Counter[tuple[str, str]], before: Counter[tuple[str, str]]) -> list[str]:
    """Codes of which there are more findings of some severity or above."""
    out: set[str] = set()
    for code, severity in now:
        if severity == "note":
            continue
        above = SEVERITIES[SEVERITIES.index(severity):]
        if sum(now[code, s] for s in above) > sum(before[code, s] for s in above):
            out.add(code)
    return sorted(out)


def scalars(launch: Candidate) -> dict[str, int]:
    """Returns the values that a contract may mention."""
    values: dict[str, Any] = {f"grid[{axis}]": n for axis, n in enumerate(launch.grid)}
    values.update({n: int(v) for n, v in launch.numbers.items() if isinstance(v, (int, bool))})
    for name, shape in launch.shapes.items():
        step = 1
        for axis in reversed(range(len(shape))):
            for place in ("", "[0]", "[1]", "[*]"):
                values[f"{name}{place}.shape[{axis}]"] = shape[axis]
                values[f"{name}{place}.strides[{axis}]"] = step
            step *= max(shape[axis], 1)
        values[f"len({name})"] = 2
    return values


def _meets(report: KernelReport | None, launch: Candidate) -> bool:
    return _hold([c.clause for c in report.contract] if report is not None else [], launch)


def _hold(clauses: Sequence[str], launch: Candidate) -> bool:
    values: Mapping[str, int] = scalars(launch)
    try:
        return all(annotation_of(part) is not None or evaluate(part, values) for c in clauses for part in parse(c))
    except (KeyError, ArithmeticError):
        return False


def is_harmless(subject: Subject, original: Kernel, mutant: Kernel) -> bool:
    """Whether a mutant goes wrong in no launch that the host code in its file makes, of many for each that it makes and
    in which the original goes right, and of many in which it does something else than the original."""
    params, launches = visible.read_seen_launches(subject.path, subject.name)
    others = 0
    for launch in launches:
        count = 0
        for made in visible.draw_launches(subject.known, params, launch, f"{subject.name}:{launch.span.line}", DRAWN):
            before, usual = _trace_run(subject, original, made)
            if before.error is not None or faults(before):
                continue
            after, changed = _trace_run(subject, mutant, made)
            if after.error is not None or faults(after):
                return False
            count += 1
            others += changed != usual
        if count < ENOUGH:
            return False
    return others >= ENOUGH


def _trace_run(subject: Subject, kernel: Kernel, launch: Candidate) -> tuple[Log, tuple[object, ...]]:
    """A run, and what it touches and from how many loads it has lanes that are left open."""
    log = execute(kernel, replace(subject.known, axes=set()), launch)
    touched = Counter((r.array, r.mode, r.block, r.elements.tobytes()) for r in log.records)
    return log, (len(Machine.sources), touched)


def judge(subject: Subject, bad: Wrong, original: Report, original_kernel: Kernel, loader: Loaded,
          check: Callable[[str, Path], Report]) -> Verdict:
    report = check(isolate_kernel(bad.mutant.text, subject.name), subject.path)
    if report.failures:
        raise AssertionError(f"the checker fails on {subject.name}: {report.failures[0].message}\n{bad.mutant.text}")
    kernel = reload(subject, bad.mutant.text, loader)
    assert kernel is not None
    if found := contradictions(subject, kernel, report, bad.launches):
        raise AssertionError(f"{found[0]}\n{bad.mutant.what}: {bad.mutant.detail}")
    codes = tuple(_list_graver(_findings(report, subject), _findings(original, subject)))
    if codes:
        return Verdict(subject.name, bad.mutant, "flagged", codes)
    if is_harmless(subject, original_kernel, kernel):
        return Verdict(subject.name, bad.mutant, "right", codes)
    if not any(_meets(_find_kernel(report, subject), launch) for launch in bad.launches):
        said = "right" if _is_discharged(report, original, subject) else "excluded"
        return Verdict(subject.name, bad.mutant, said, codes)
    noted = _open(report, subject) > _open(original, subject)
    return Verdict(subject.name, bad.mutant, "noted" if noted else "missed", codes)


def _is_discharged(report: Report, original: Report, subject: Subject) -> bool:
    """Whether every seen launch satisfies the clauses that the contract has beyond that of the original."""
    now, before = _find_kernel(report, subject), _find_kernel(original, subject)
    asked = {c.clause for c in before.contract} if before is not None else set()
    new = [c for c in now.contract if c.clause not in asked] if now is not None else []
    return bool(new) and all(c.state == "discharged" for c in new)


def _open(report: Report, subject: Subject) -> int:
    """Obligations that are not proved."""
    mine = _find_kernel(report, subject)
    return sum(o.verdict == "unproven" for o in mine.obligations) if mine is not None else 0


def contradictions(subject: Subject, kernel: Kernel, report: Report, launches: Sequence[Candidate]) -> list[str]:
    """Returns the proved obligations of a kernel that fail in a launch which satisfies the clauses of the proof."""
    said = _find_kernel(report, subject)
    found: list[str] = []
    for launch in launches if said is not None else ():
        assert said is not None
        log = execute(kernel, replace(subject.known, axes=set()), launch)
        if log.error is not None:
            continue
        events = [("bounds", o.line, o.array) for o in log.outside if o.first]
        events += [("padding", o.load, o.array) for o in log.observed if log.valid and o.how not in COMBINED]
        for kind, line, array in dict.fromkeys(events):
            claims = [o for o in said.obligations if o.kind == kind and o.line == line]
            if claims and all(o.verdict in SETTLED for o in claims) and _hold(
                    [*structural(said, (kind,)), *(c for o in claims for c in o.clauses)], launch):
                found.append(f"{subject.name}: {kind} of {array} at line {line} for {launch}, against {claims}")
    return found


def summary(study: Study) -> str:
    kinds = Counter((v.mutant.what, v.said) for v in study.verdicts)
    lines = [f"{len(study.verdicts)} faulty mutants of {study.subjects} kernels: flagged {study.share('flagged'):.1%}, "
             f"flagged or excluded by the contract {study.share('flagged', 'excluded'):.1%}, or noted "
             f"{study.share('flagged', 'excluded', 'noted'):.1%}"]
    lines += [f"  {what:22} {said:8} {n}" for (what, said), n in sorted(kinds.items())]
    lines += [f"  {v.said} {v}" for v in study.verdicts if v.said != "flagged"]
    return "\n".join(lines)
