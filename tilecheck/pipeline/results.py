"""What an analysis yields before rules are selected and opt-outs applied: plain data that can be kept."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.diagnostics import Diagnostic, Failure, KernelReport
from tilecheck.syntax.tree import Span


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
    """What is said of one kernel, and how its author wants it said.

    guarded  whether every launch of it is through the runtime, which enforces its contract
    """

    report: KernelReport
    diagnostics: tuple[Diagnostic, ...]
    deny_residual: bool = False
    guarded: bool = False


class Dependencies(Struct, frozen=True):
    """What an analysis depends on besides the files it was asked about.

    read     absolute path and content digest of files that were found by import
    missing  absolute paths at which a module was looked for in vain
    """

    read: frozenset[tuple[str, str]] = frozenset()
    missing: frozenset[str] = frozenset()


class Analysis(Struct, frozen=True):
    """All that a run found out. An internal error may not come again, so with one it is not kept.

    host   findings of host code that are of no kernel
    paths  the files, where they were read from disk
    """

    kernels: tuple[KernelFindings, ...]
    opt_outs: tuple[OptOut, ...]
    failures: tuple[Failure, ...]
    files: int
    dependencies: Dependencies
    can_be_kept: bool = True
    host: tuple[Diagnostic, ...] = ()
    paths: tuple[str, ...] = ()
