"""Findings and verdicts: plain data that rules produce and reports print."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tilecheck.kernel.tree import Span
from tilecheck.proof.region import Verdict, Witness
from tilecheck.records import record

Severity: TypeAlias = Literal["error", "warning", "note"]
ObligationKind: TypeAlias = Literal[
    "disjoint", "cross-read", "duplicate", "order", "bounds", "padding", "slice", "launch"]
ClauseState: TypeAlias = Literal["discharged", "broken", "open", "declared", "unseen"]


@record(frozen=True)
class Note:
    """A further sentence of a diagnostic; with a span when it points at source (the other access, a launch)."""

    message: str
    span: Span | None = None


@record(frozen=True)
class Proposal:
    """What the help of a finding says, for the tools that do it.

    values    what fits, the best first: padding modes, expressions, codes
    requires  contract clauses that would settle it, if they hold
    span      the place to change, where it is not that of the finding
    axis      the axis of the array that it is about
    """

    values: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    span: Span | None = None
    axis: int | None = None


@record(frozen=True)
class Diagnostic:
    """One finding. `span` is where it stands; `help` is the one line that fixes it, when one is known, and `proposal`
    the same for tools."""

    code: str
    severity: Severity
    message: str
    span: Span
    kernel: str | None = None
    notes: tuple[Note, ...] = ()
    help: str | None = None
    witness: Witness | None = None
    proposal: Proposal | None = None


@record(frozen=True)
class ContractClause:
    """A clause as it is reported. `state`: `unseen` when no launch of the kernel is visible."""

    clause: str
    kind: str
    state: ClauseState


@record(frozen=True)
class Obligation:
    """One thing that must hold, and its verdict. `line` is the line of the access it stands on."""

    kind: ObligationKind
    line: int
    array: str
    verdict: Verdict
    why: str
    span: Span
    rules: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    annotation: str | None = None


@record(frozen=True)
class KernelReport:
    """What is said of one kernel. `verdict` is the weakest of its obligations."""

    file: str
    name: str
    line: int
    verdict: Verdict
    contract: tuple[ContractClause, ...]
    obligations: tuple[Obligation, ...]


@record(frozen=True)
class Failure:
    """A file that could not be read, decoded or parsed, or on which the checker itself failed."""

    file: str
    message: str
    line: int | None = None


@record(frozen=True)
class Report:
    """The result of a run, sorted by file, line and column."""

    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[KernelReport, ...]
    failures: tuple[Failure, ...]
    files: int = 0
