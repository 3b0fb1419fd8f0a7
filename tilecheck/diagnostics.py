"""Findings and verdicts: plain data that rules create and reports print."""

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
    """A further sentence of a diagnostic, with a span if it refers to source (the other access, a launch).

    origin    whether it explains the origin of a number of the finding; otherwise it is about an access of the pair
    of_block  whether that number is the tile or the element that one block, or each of two blocks, accesses
    restates  whether it repeats the numbers of the witness in words
    """

    message: str
    span: Span | None = None
    origin: bool = False
    restates: bool = False
    of_block: bool = False


class Proposal(Struct, frozen=True):
    """The data of a finding's help, for tools that apply it.

    values    replacements, the best first: padding modes, expressions, codes
    requires  contract clauses that would prove the obligation, if they hold
    span      the location to change, if it differs from that of the finding
    axis      the axis of the array that the finding is about
    edits     alternatives, each a location and its new text: each one was tried and resolves the finding
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
    """A reported clause. Its state is `unseen` if there is no seen launch of the kernel."""

    clause: str
    kind: str
    state: ClauseState


class Obligation(Struct, frozen=True):
    """One statement that must hold, and its verdict. `line` is the line of its access.

    steps  the reason of the verdict, in sentences without full stops: the steps of a proof, or the missing facts
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


class LaunchCounts(Struct, frozen=True):
    """The number of seen launches of a kernel, by the state of its contract there.

    holds         the launch discharges each clause
    broken        it breaks a clause
    open          a clause is not decided
    not_followed  the grid or an argument list is unknown
    """

    holds: int = 0
    broken: int = 0
    open: int = 0
    not_followed: int = 0


class KernelReport(Struct, frozen=True):
    """The results for one kernel. `verdict` is the weakest verdict of its obligations."""

    file: str
    name: str
    line: int
    verdict: Verdict
    contract: tuple[ContractClause, ...]
    obligations: tuple[Obligation, ...]
    launches: LaunchCounts = LaunchCounts()


class Failure(Struct, frozen=True):
    """A file that could not be read, decoded or parsed, or on which the checker itself failed."""

    file: str
    message: str
    line: int | None = None


class CompiledLaunch(Struct, frozen=True):
    """A specialization that the compiler of cuda.tile was asked for.

    kernel   its name; empty if it is not known
    span     the seen launch, or the name of a dialect kernel that no seen launch launches
    state    `skipped` if it was not compiled, for the reason `why`
    verdict  on the launch, from its Tile IR; None if the source decides it
    why      the reason, where it is skipped or undecided
    """

    kernel: str
    span: Span
    state: Literal["compiled", "refused", "skipped"]
    verdict: Literal["proved", "refuted", "undecided"] | None = None
    why: str = ""


class Uncompiled(Struct, frozen=True):
    """A file whose kernels were not compiled, or not all."""

    file: str
    why: str


class Compilation(Struct, frozen=True):
    """The specializations that the compiler was asked for, in the order of the launches."""

    launches: tuple[CompiledLaunch, ...] = ()
    uncompiled: tuple[Uncompiled, ...] = ()


class Report(Struct, frozen=True):
    """The result of a run, sorted by file, line and column.

    files        the number of checked files
    paths        the files that were read from disk
    baselined    findings that a baseline lists, which are not among `diagnostics`
    unchanged    the number of findings that were excluded because none of their inputs changed
    compilation  None if the compiler was not asked
    """

    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[KernelReport, ...]
    failures: tuple[Failure, ...]
    files: int = 0
    paths: tuple[str, ...] = ()
    baselined: tuple[Diagnostic, ...] = ()
    unchanged: int = 0
    compilation: Compilation | None = None


def at_least(severity: Severity, level: Severity) -> bool:
    """Whether a severity is `level` or worse."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(level)
