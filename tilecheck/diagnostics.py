"""Findings and verdicts: plain data that rules produce and reports print."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.symbolic.footprint import Verdict, Witness
from tilecheck.syntax.tree import Span

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("note", "warning", "error")
"""The mildest first."""
ObligationKind: TypeAlias = Literal[
    "disjoint", "cross-read", "duplicate", "order", "bounds", "padding", "slice", "launch"]
ClauseState: TypeAlias = Literal["discharged", "broken", "open", "declared", "unseen"]


class Note(Struct, frozen=True):
    """A further sentence of a diagnostic; with a span when it points at source (the other access, a launch).

    origin    whether it says where a number of the finding comes from, and is no access of the pair
    restates  whether it says in words what the witness of the finding says in numbers
    """

    message: str
    span: Span | None = None
    origin: bool = False
    restates: bool = False


class Proposal(Struct, frozen=True):
    """What the help of a finding says, for the tools that do it.

    values    what fits, the best first: padding modes, expressions, codes
    requires  contract clauses that would settle it, if they hold
    span      the place to change, where it is not that of the finding
    axis      the axis of the array that it is about
    edits     alternatives, each a place and what to write there: every one of them was tried and settles the finding
    """

    values: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    span: Span | None = None
    axis: int | None = None
    edits: tuple[tuple[Span, str], ...] = ()


class Diagnostic(Struct, frozen=True):
    """One finding.

    span      its location
    help      the line that fixes it, if one is known
    proposal  the same for tools
    residual  whether a severity below `error` means that nothing was decided: `--strict` raises it to an error
    """

    code: str
    severity: Severity
    message: str
    span: Span
    kernel: str | None = None
    notes: tuple[Note, ...] = ()
    help: str | None = None
    witness: Witness | None = None
    proposal: Proposal | None = None
    residual: bool = False


class ContractClause(Struct, frozen=True):
    """A clause as it is reported. `state`: `unseen` when no launch of the kernel is visible."""

    clause: str
    kind: str
    state: ClauseState


class Obligation(Struct, frozen=True):
    """One thing that must hold, and its verdict. `line` is the line of the access it stands on.

    steps  why it has this verdict, in sentences without full stops: the chain of a proof, or what is missing
    """

    kind: ObligationKind
    line: int
    array: str
    verdict: Verdict
    steps: tuple[str, ...]
    span: Span
    rules: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    annotation: str | None = None

    @property
    def why(self) -> str:
        """The steps as one text."""
        return "; ".join(self.steps)


class KernelReport(Struct, frozen=True):
    """What is said of one kernel. `verdict` is the weakest of its obligations."""

    file: str
    name: str
    line: int
    verdict: Verdict
    contract: tuple[ContractClause, ...]
    obligations: tuple[Obligation, ...]


class Failure(Struct, frozen=True):
    """A file that could not be read, decoded or parsed, or on which the checker itself failed."""

    file: str
    message: str
    line: int | None = None


class Report(Struct, frozen=True):
    """The result of a run, sorted by file, line and column.

    files      how many were checked; `paths` are those that were read from disk
    baselined  findings that a baseline has, which are no longer among `diagnostics`
    unchanged  how many findings were left out because nothing that they depend on has changed
    """

    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[KernelReport, ...]
    failures: tuple[Failure, ...]
    files: int = 0
    paths: tuple[str, ...] = ()
    baselined: tuple[Diagnostic, ...] = ()
    unchanged: int = 0


def at_least(severity: Severity, level: Severity) -> bool:
    """Whether a severity is `level` or worse."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(level)
