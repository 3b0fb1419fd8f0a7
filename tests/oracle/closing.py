"""Compares the checker's verdicts with the sanitizer: proved obligations are silent, refuted ones fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from tests.oracle.aspects import structural
from tests.oracle.generate import Assignment, Generated, Subject, from_seed
from tests.oracle.judging import check, claims_against, clause_holds, parameters_of
from tests.oracle.loading import load_text
from tests.oracle.replay import arguments_of
from tests.oracle.reproducing import CODES, reproduce
from tests.oracle.run import run
from tests.oracle.sanitized import load_functions, observe_launches
from tests.oracle.truth import Seen, Truth
from tilecheck.contracts import ContractError
from tilecheck.diagnostics import Diagnostic, Report
from tilecheck_runtime.errors.language import TileTypeError


@dataclass
class Closing:
    """The results of many kernels.

    refused    kernels that cuTile would refuse for their types
    launches   launches that ran
    loud       launches in which the sanitizer found something of the subject
    decided    kernels with a decided or refuted obligation
    witnesses  witnesses tried, by code
    faults     seed, kind (`claim` or `witness`) and what is wrong
    """

    subject: Subject
    kernels: int = 0
    refused: int = 0
    launches: int = 0
    loud: int = 0
    decided: int = 0
    witnesses: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str, str]] = field(default_factory=list)

    def summary(self) -> str:
        witnesses = dict(sorted(self.witnesses.items()))
        return (f"{self.subject}: {self.kernels} kernels ({self.refused} refused), {self.decided} settled, "
                f"{self.launches} launches, of which {self.loud} with a finding; witnesses {witnesses}; "
                f"{len(self.faults)} disagreements")

    def explain_faults(self, limit: int = 5) -> str:
        parts = [f"seed {seed} ({kind}): {what}\n{from_seed(seed, self.subject).text}"
                 for seed, kind, what in self.faults[:limit]]
        return "\n".join([self.summary(), *parts])


def select_distinguishable_runs(kernel: Generated, said: Report, truth: Truth) -> Truth:
    """Runs without observations that another load may have to answer for: where lanes of several loads meet in a tile,
    the sanitizer names them all.
    """
    (report,) = said.kernels
    structure = structural(report, ("padding",))

    def answers(s: Seen, launch: Assignment) -> bool:
        mine = [o for o in report.obligations if o.kind == "padding" and o.line == s.load]
        return any(o.verdict not in SETTLED or not all(
            clause_holds(c, kernel, launch) for c in (*o.clauses, *structure)) for o in mine)

    runs = [replace(r, observed=frozenset()) if any(answers(s, r.launch) for s in r.observed) else r
            for r in truth.runs]
    return replace(truth, runs=tuple(runs))


_LOUD: dict[Subject, Callable[[Truth], int]] = {
    "races": lambda truth: sum(t.collides for t in truth.trials),
    "bounds": lambda truth: sum(bool(r.outside) for r in truth.runs),
    "padding": lambda truth: sum(bool(r.observed) for r in truth.runs),
}
SETTLED = ("proved", "conditional", "atomic", "single-block")


def list_witnessed(said: Report) -> list[Diagnostic]:
    """Findings with a witness that shows when it is run."""
    return [d for d in said.diagnostics if d.witness is not None and d.code in CODES]


def fails_to_end(kernel: Generated, d: Diagnostic) -> bool:
    """Whether the launch of a witness does not end, or is one that is refused."""
    assert d.witness is not None
    fake = load_text(kernel.text)["kernel"]
    return run(fake, d.witness.grid, arguments_of(parameters_of(kernel), d.witness, 256)).error is not None


def close(seeds: Iterable[int], subject: Subject, count: int = 12) -> Closing:
    """Checks the kernels of all seeds, and runs `count` launches of each."""
    made = Closing(subject)
    for seed in seeds:
        kernel = from_seed(seed, subject)
        said = check(kernel)
        made.kernels += 1
        try:
            truth = observe_launches(kernel, count)
        except TileTypeError:
            made.refused += 1
            continue
        made.launches += len(truth.runs)
        made.loud += _LOUD[subject](truth)
        made.decided += any(o.verdict in SETTLED for o in said.kernels[0].obligations)
        try:
            made.faults += [(seed, "claim", fault) for fault in claims_against(
                kernel, said, select_distinguishable_runs(kernel, said, truth))]
        except (ContractError, KeyError) as error:
            made.faults.append((seed, "claim", f"the contract cannot be evaluated: {error!r}"))
        real = load_functions(kernel.text)["kernel"]
        for d in list_witnessed(said):
            made.witnesses[d.code] += 1
            fault = "does not end" if fails_to_end(kernel, d) else reproduce(real, parameters_of(kernel), d)
            if fault:
                made.faults.append((seed, "witness", f"{d.code} at line {d.span.line}: {fault}; {d.witness}"))
    return made
