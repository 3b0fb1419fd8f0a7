"""Holds the checker's verdicts against the truth. The checker is reached through its public entry only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.oracle.aspects import CODES, Aspect, Kind, aspect, structural, witness_faults
from tests.oracle.aspects import contradictions as aspect_contradictions
from tests.oracle.data import contents
from tests.oracle.generate import Assignment, Generated
from tests.oracle.loading import load_text
from tests.oracle.replay import Parameter, replay
from tests.oracle.truth import Trial, Truth, brute_force, summary
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import ContractError, annotation_of, evaluate, parse
from tilecheck.contracts.checking import Scalars
from tilecheck.diagnostics import Diagnostic, KernelReport, Obligation, Report
from tilecheck.symbolic import evaluate as term_value

DECIDED = ("proved", "conditional", "atomic", "single-block")
KINDS: tuple[Kind, ...] = ("bounds", "padding")
RACE_KINDS = ("disjoint", "cross-read", "duplicate", "order")
WEAKEST_FIRST = ("refuted", "unproven", "conditional", "single-block", "atomic", "proved")
RACE_CODES = ("TC101", "TC103", "TC106", "TC107", "TC108")


@dataclass(frozen=True)
class Outcome:
    """The results for one kernel. `contradictions` are readable; `decided` is meant for a safe kernel.

    `truth`, `verdict` and `decided` are about races; `aspects` about the rest.
    """

    name: str
    truth: str
    ever_collides: bool
    verdict: str
    decided: bool
    contradictions: tuple[str, ...]
    rules: tuple[str, ...]
    features: tuple[str, ...] = ()
    slips: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    aspects: tuple[Aspect, ...] = ()

    def aspect(self, kind: Kind) -> Aspect | None:
        return next((a for a in self.aspects if a.kind == kind), None)


def _strides(name: str, shape: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    stride = 1
    for axis in reversed(range(len(shape))):
        yield f"{name}.strides[{axis}]", stride
        stride *= max(shape[axis], 1)


def launch_scalars(kernel: Generated, launch: Assignment) -> dict[str, int]:
    """Everything a contract may speak of."""
    values = dict(launch.scalars)
    for a in kernel.arrays:
        values.update(_strides(a.name, launch.shape(a.name, a.rank)))
    for name in {a.parameter for a in kernel.arrays if a.name != a.parameter}:
        values[f"len({name})"] = sum(a.parameter == name for a in kernel.arrays)
    return values


def _injective(values: list[int]) -> bool:
    return len(set(values)) == len(values)


def _injective_below(values: list[int], limit: int) -> bool:
    return _injective([v for v in values if 0 <= v < limit])


def _monotone(values: list[int]) -> bool:
    return values == sorted(values)


def _segments(offsets: list[int], lengths: list[int]) -> bool:
    covered = [o + k for o, n in zip(offsets, lengths, strict=False) for k in range(n)]
    return _injective(covered)


_FACTS: Mapping[str, Callable[..., bool]] = {
    "injective": _injective, "monotone": _monotone, "segments": _segments,
    "range": lambda values, low, high: all(low <= v < high for v in values),
    "multiple": lambda values, divisor: divisor > 0 and not any(v % divisor for v in values),
    "ticket": lambda *_: True, "lock": lambda *_: True, "disjoint": lambda *_: True,
}


def _data(kernel: Generated, launch: Assignment, name: str) -> list[int]:
    for a in kernel.arrays:
        if a.name == name:
            size = launch.shape(a.name, a.rank)[0]
            values = contents(a.fill, size, launch.key)
            return list(values) if isinstance(values, list) else [values] * size
    return []


def _add_starred_scalars(scalars: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Scalars with those of the list elements at each place under the name that stands for every one of them."""
    members: dict[int, dict[str, int]] = {}
    for key, value in scalars.items():
        base, bracket, rest = key.partition("[")
        place, _, attribute = rest.partition("]")
        if bracket and place.isdigit() and attribute.startswith("."):
            members.setdefault(int(place), {})[f"{base}[*]{attribute}"] = value
    for found in members.values() or ({},):
        yield {**scalars, **found}


def clause_holds(text: str, kernel: Generated, launch: Assignment) -> bool:
    """Whether a clause of a contract holds for a launch. A clause about data is decided on the data."""
    scalars = launch_scalars(kernel, launch)
    for clause in parse(text):
        note = annotation_of(clause)
        if note is not None:
            fact = _injective_below if note.name == "injective" and note.terms else _FACTS[note.name]
            bounds = () if note.name == "lock" else (term_value(t, Scalars(scalars)) for t in note.terms)
            if not fact(*(_data(kernel, launch, array.text) for array in note.arrays), *bounds):
                return False
        elif not all(evaluate(clause, s) for s in _add_starred_scalars(scalars)):
            return False
    return True


def _is_violated(texts: Iterable[str], kernel: Generated, launch: Assignment) -> bool:
    return not all(clause_holds(text, kernel, launch) for text in texts)


def parameters_of(kernel: Generated) -> list[Parameter]:
    """Returns the parameters, with defaults for values that a witness does not mention."""
    made = [Parameter(a.name, a.rank, a.element, fill=contents(a.fill, 64, 7)) for a in kernel.arrays]
    made += [Parameter(s.name, boolean="bool" in s.annotation, default=s.values[-1]) for s in kernel.scalars]
    return made


@dataclass
class _Examiner:
    kernel: Generated
    report: KernelReport
    diagnostics: tuple[Diagnostic, ...]
    truth: Truth
    found: list[str] = field(default_factory=list)
    reproduced: bool = False

    def claims(self) -> tuple[str, ...]:
        """Yields the decided obligations that an executed launch contradicts."""
        self.structural = structural(self.report, RACE_KINDS)
        self.contract = race_contract(self.report)
        self.verdict = race_verdict(self.report)
        for trial in self.truth.trials:
            if trial.collides and len(self.found) < 3:
                self._collision(trial)
        for kind in KINDS:
            self.found += aspect_contradictions(kind, self.kernel, self.report, self.truth, self._holds)
        return tuple(self.found)

    def witnesses(self) -> tuple[str, ...]:
        """Yields the refutations without a witness, or with one that the interpreter does not confirm."""
        self.found = []
        for diagnostic in self.diagnostics:
            others = any(diagnostic.code in codes for codes in CODES.values())
            if (diagnostic.code in RACE_CODES and diagnostic.severity == "error") or (
                    diagnostic.witness is not None and not others):
                self._witness(diagnostic)
        function = load_text(self.kernel.text)["kernel"]
        for kind in KINDS:
            self.found += witness_faults(kind, self.report, self.diagnostics, function, parameters_of(self.kernel))
        return tuple(self.found)

    def _holds(self, clauses: Iterable[str], launch: Assignment) -> bool:
        return not _is_violated(clauses, self.kernel, launch)

    def aspects(self) -> tuple[Aspect, ...]:
        return tuple(aspect(kind, self.kernel, self.report, self.diagnostics, self.truth, self._holds)
                     for kind in KINDS)

    def _collision(self, trial: Trial) -> None:
        where = summary(trial.launch)
        if self.verdict in DECIDED and not _is_violated(self.contract, self.kernel, trial.launch):
            self.found.append(f"{self.verdict}, but {sorted(trial.pairs)} collide for {where}; "
                              f"contract {self.contract}")
            return
        for kind, a, b in trial.pairs:
            claims = [o for o in self.report.obligations if o.kind in RACE_KINDS and o.line in (a, b)]
            if all(self._is_claimed_disjoint(o, trial.launch) for o in claims):
                verdicts = [(o.kind, o.line, o.verdict, o.clauses) for o in claims]
                self.found.append(f"{kind} at lines {a} and {b} for {where}, against {verdicts}")
                return

    def _is_claimed_disjoint(self, obligation: Obligation, launch: Assignment) -> bool:
        """Whether the obligation says that there is no collision in this launch."""
        if obligation.verdict not in DECIDED:
            return False
        return not _is_violated([*obligation.clauses, *self.structural], self.kernel, launch)

    def _witness(self, diagnostic: Diagnostic) -> None:
        witness = diagnostic.witness
        if witness is None:
            self.found.append(f"{diagnostic.code} at line {diagnostic.span.line} has no witness")
            return
        arrays = list(dict.fromkeys(
            o.array for o in self.report.obligations if o.kind in RACE_KINDS and o.line == diagnostic.span.line))
        function = load_text(self.kernel.text)["kernel"]
        outcome = replay(function, parameters_of(self.kernel), witness, arrays, [diagnostic.span.line])
        self.reproduced |= diagnostic.severity == "error" and not outcome.fault
        if outcome.fault:
            self.found.append(f"{diagnostic.code} at line {diagnostic.span.line}: {outcome.fault}; {witness}")


def race_verdict(report: KernelReport) -> str:
    """The verdict of a kernel as far as races go."""
    if report.verdict == "unproven" and all(o.verdict != "unproven" for o in report.obligations):
        return "unproven"  # an unknown call took every verdict with it
    verdicts = [o.verdict for o in report.obligations if o.kind in RACE_KINDS]
    return min(verdicts, key=WEAKEST_FIRST.index, default="proved")


def race_contract(report: KernelReport) -> list[str]:
    """The clauses that no launch may break lest blocks collide."""
    mine = {c for o in report.obligations if o.kind in RACE_KINDS for c in o.clauses}
    others = {c for o in report.obligations if o.kind not in RACE_KINDS for c in o.clauses} - mine
    return [c.clause for c in report.contract if c.clause not in others]


def check(kernel: Generated) -> Report:
    return check_source(kernel.text, "generated.py", Config(use_cache=False, jobs=1))


def _satisfiable(kernel: Generated, report: KernelReport, truth: Truth) -> bool:
    """Whether a launch of several blocks meets the contract: a clause that forbids them all decides nothing."""
    clauses = race_contract(report)
    return any(not _is_violated(clauses, kernel, t.launch) for t in truth.telling)


def examine(kernel: Generated, name: str, truth: Truth | None = None, count: int = 36) -> Outcome:
    """Checks a kernel and compares. A kernel that brute force finds safe, but of which a witness reproduces, is not."""
    truth = truth or brute_force(kernel, count)
    report = check(kernel)
    if report.failures or len(report.kernels) != 1:
        faults = tuple(f"failure: {f.message}" for f in report.failures) or ("kernel not found",)
        return Outcome(name, truth.kind, truth.ever_collides, "failure", False, faults, ())
    (said,) = report.kernels
    try:
        examiner = _Examiner(kernel, said, report.diagnostics, truth)
        found = (*examiner.claims(), *examiner.witnesses())
        kind = "colliding" if examiner.reproduced and truth.kind in ("safe", "idle") else truth.kind
        verdict, aspects = race_verdict(said), examiner.aspects()
        decided = verdict in DECIDED and _satisfiable(kernel, said, truth)
    except (ContractError, KeyError) as error:
        kind, verdict, aspects = truth.kind, said.verdict, ()
        found, decided = (f"contract cannot be evaluated: {error!r} {[c.clause for c in said.contract]}",), False
    rules = tuple(r for o in said.obligations for r in o.rules)
    return Outcome(name, kind, truth.ever_collides, verdict, decided, found, rules, kernel.features,
                   kernel.slips, tuple(o.why for o in said.obligations), aspects)


def claims_against(kernel: Generated, said: Report, truth: Truth) -> tuple[str, ...]:
    """Returns the decisions of the checker for a kernel that executed launches contradict."""
    (report,) = said.kernels
    return _Examiner(kernel, report, said.diagnostics, truth).claims()


def explain(kernel: Generated, outcome: Outcome) -> str:
    """A contradiction with everything needed to look into it."""
    faults = "\n".join(f"  * {c}" for c in outcome.contradictions)
    reasons = "\n".join(f"  - {w}" for w in outcome.why)
    return f"{outcome.name}: {outcome.verdict}\n{faults}\n{reasons}\n{kernel.text}"

