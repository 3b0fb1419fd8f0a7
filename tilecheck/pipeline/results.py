"""The results of the units of an analysis, and of the analysis as a whole: plain data that can be cached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct, field

from tilecheck.diagnostics import Compilation, Diagnostic, Failure, KernelReport
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.event import Event

INTERNAL: Final = "internal error"

KernelKey: TypeAlias = tuple[str, str]
"""The file of the definition of a kernel, and its qualified name."""


class OptOut(Struct, frozen=True):
    """A place where the author takes responsibility.

    what     as the author wrote it, for messages
    codes    selectors of the rules it is for; empty for all of them
    lines    first and last line it covers, or None
    kernel   the kernel it covers, wherever in it a finding stands, or None
    """

    what: str
    span: Span
    codes: tuple[str, ...]
    reason: str
    lines: tuple[int, int] | None = None
    kernel: str | None = None


class KernelFindings(Struct, frozen=True):
    """The report on one kernel, and how its author wants it reported.

    guarded  whether every launch of it is through the runtime, which enforces its contract
    """

    report: KernelReport
    diagnostics: tuple[Diagnostic, ...]
    deny_residual: bool = False
    guarded: bool = False


class FoundKernel(Struct, frozen=True):
    """A kernel that a file defines, or makes by a call.

    home     the file of its definition
    how      whether a decorator or a call makes it a kernel
    dialect  whether it is a kernel of the ownership dialect
    """

    home: str
    qualname: str
    how: Literal["decorator", "call"]
    dialect: bool

    @property
    def key(self) -> KernelKey:
        return self.home, self.qualname


class SitesFound(Struct, frozen=True):
    """The kernels and the suppression comments of a file."""

    kernels: tuple[FoundKernel, ...] = ()
    opt_outs: tuple[OptOut, ...] = ()
    failures: tuple[Failure, ...] = ()


class LaunchesFound(Struct, frozen=True):
    """The launches and ownership errors of the host code of a file.

    events    ownership errors
    launched  the kernels that it launches, each with the version of these launches: two values of one version are equal
    owned     the kernels that it launches through the runtime
    """

    events: tuple[Event, ...] = ()
    launched: Mapping[KernelKey, str] = field(default_factory=dict)
    owned: tuple[KernelKey, ...] = ()
    failures: tuple[Failure, ...] = ()


class ProofFound(Struct, frozen=True):
    """The results of a proof of a kernel beside the proof itself, and whether there is one."""

    opt_outs: tuple[OptOut, ...] = ()
    failures: tuple[Failure, ...] = ()
    is_proved: bool = False


class Concluded(Struct, frozen=True):
    """The report on a kernel with its seen launches.

    written    of each parameter, whether the kernel writes it
    findings   None where the checker failed; `failures` say so
    """

    key: KernelKey
    written: tuple[bool, ...]
    findings: KernelFindings | None
    failures: tuple[Failure, ...]


class Dependencies(Struct, frozen=True):
    """The files that an analysis depends on besides its inputs.

    read     absolute path and content digest of files that were found by import
    missing  absolute paths at which a module was looked for in vain
    """

    read: frozenset[tuple[str, str]] = frozenset()
    missing: frozenset[str] = frozenset()


class Analysis(Struct, frozen=True):
    """All that a run found out. An internal error may not come again, so an analysis with one is not cached.

    host         findings of host code that are of no kernel
    paths        the files, where they were read from disk
    compilation  what the compiler of cuda.tile says, if it was asked
    """

    kernels: tuple[KernelFindings, ...]
    opt_outs: tuple[OptOut, ...]
    failures: tuple[Failure, ...]
    files: int
    dependencies: Dependencies
    can_be_kept: bool = True
    host: tuple[Diagnostic, ...] = ()
    paths: tuple[str, ...] = ()
    compilation: Compilation | None = None


def failure_of(path: str, error: Exception, line: int | None = None) -> Failure:
    """The failure to report for an error: what the user can correct, or an internal error of the checker."""
    if isinstance(error, SourceError):
        return Failure(error.file, error.message, error.line)
    return internal_failure(path, f"{type(error).__name__}: {error}", line)


def internal_failure(path: str, error: str, line: int | None = None) -> Failure:
    """The failure to report for an internal error of the checker."""
    what = " ".join(error.split())
    return Failure(path, f"{INTERNAL}: {what[:200]}; please report it", line)


def is_internal(failure: Failure) -> bool:
    """Whether a failure is a fault of the checker."""
    return failure.message.startswith(INTERNAL)
