"""Makes mutants that provably leave an array or observe undefined lanes, and asks the checker about each.

A mutant counts when it goes wrong in a launch in which the original goes right. It is **flagged** when a finding of a
fitting code is new or graver than on the original; **excluded** when nothing is said of the kernel, but the launch in
which it goes wrong breaks the contract and did not break that of the original: a visible launch would be reported.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tests.mutation.edits import edits
from tests.mutation.launches import Candidate, execute
from tests.mutation.mutate import Mutant
from tests.mutation.study import Study, Subject, Verdict, reload
from tests.oracle.fake_tile import Kernel
from tests.oracle.log import Log, collisions
from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.proof.contract import annotation_of, evaluate, parse

FITTING: Final = ("TC101", "TC102", "TC103", "TC106", "TC107", "TC108", "TC201", "TC202", "TC203", "TC204", "TC205",
                  "TC206", "TC301", "TC302", "TC305", "TC405")
SEVERITIES: Final = ("note", "warning", "error")
Loaded = Callable[[str, Path], dict[str, Kernel]]


@dataclass(frozen=True)
class Wrong:
    """A mutant, and the launches in which it goes wrong and the original does not."""

    mutant: Mutant
    launches: tuple[Candidate, ...]


def faults(log: Log) -> set[tuple[str, str]]:
    """What goes wrong in a run, by kind and array; the lines of an edited text are others."""
    found = {("stray", o.array) for o in log.outside} | {("observed", o.array) for o in log.observed}
    return found | {(c.kind, c.array) for c in collisions(log, limit=500)}


def wrong(subject: Subject, original: Kernel, loader: Loaded, limit: int) -> Iterator[Wrong]:
    """Mutants that go wrong, spread over the kinds of edit."""
    every = list(edits(subject.text, subject.name))
    random.Random(subject.name).shuffle(every)
    count: Counter[str] = Counter()
    right = _right(subject, original)
    for mutant in every:
        if count[mutant.what] >= limit:
            continue
        kernel = reload(subject, mutant.text, loader)
        if kernel is None:
            continue
        bad = [launch for launch, usual in right if _worse(subject, kernel, launch, usual)]
        if bad:
            count[mutant.what] += 1
            yield Wrong(mutant, tuple(bad))


def _right(subject: Subject, original: Kernel) -> list[tuple[Candidate, set[tuple[str, str]]]]:
    logs = [(launch, execute(original, replace(subject.known, axes=set()), launch)) for launch in subject.launches]
    return [(launch, faults(log)) for launch, log in logs if log.error is None]


def _worse(subject: Subject, kernel: Kernel, launch: Candidate, usual: set[tuple[str, str]]) -> bool:
    known = replace(subject.known, axes=set())
    log = execute(kernel, known, launch)
    return log.error is None and known.axes == subject.known.axes and bool(faults(log) - usual)


def _named(report: Report, subject: Subject) -> KernelReport | None:
    return next((k for k in report.kernels if k.name == subject.name), None)


def _findings(report: Report, subject: Subject) -> Counter[tuple[str, str]]:
    mine: Sequence[Diagnostic] = [d for d in report.diagnostics if d.kernel == subject.name and d.code in FITTING]
    return Counter((d.code, d.severity) for d in mine if d.severity != "note")


def _graver(now: Counter[tuple[str, str]], before: Counter[tuple[str, str]]) -> list[str]:
    """Codes of which there are more findings of some severity or above."""
    out: set[str] = set()
    for code, severity in now:
        above = SEVERITIES[SEVERITIES.index(severity):]
        if sum(now[code, s] for s in above) > sum(before[code, s] for s in above):
            out.add(code)
    return sorted(out)


def scalars(launch: Candidate) -> dict[str, int]:
    """What a contract may speak of."""
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
    values: Mapping[str, int] = scalars(launch)
    try:
        return all(annotation_of(part) is not None or evaluate(part, values)
                   for c in (report.contract if report is not None else ()) for part in parse(c.clause))
    except (KeyError, ArithmeticError):
        return False


def judge(subject: Subject, bad: Wrong, original: Report, check: Callable[[str, Path], Report]) -> Verdict:
    report = check(bad.mutant.text, subject.path)
    if report.failures:
        raise AssertionError(f"the checker fails on {subject.name}: {report.failures[0].message}\n{bad.mutant.text}")
    codes = tuple(_graver(_findings(report, subject), _findings(original, subject)))
    if codes:
        return Verdict(subject.name, bad.mutant, "flagged", codes)
    fair = [launch for launch in bad.launches if _meets(_named(original, subject), launch)]
    excluded = bool(fair) and not any(_meets(_named(report, subject), launch) for launch in fair)
    return Verdict(subject.name, bad.mutant, "excluded" if excluded else "missed", codes)


def summary(study: Study) -> str:
    kinds = Counter((v.mutant.what, v.said) for v in study.verdicts)
    lines = [f"{len(study.verdicts)} faulty mutants of {study.subjects} kernels: flagged {study.share('flagged'):.1%}, "
             f"flagged or excluded by the contract {study.share('flagged', 'excluded'):.1%}"]
    lines += [f"  {what:22} {said:8} {n}" for (what, said), n in sorted(kinds.items())]
    lines += [f"  {v.said} {v}" for v in study.verdicts if v.said != "flagged"]
    return "\n".join(lines)
