"""The checker's results for a kernel that is launched or compiled."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Final

from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.pipeline.results import Analysis, OptOut

__all__ = [
    "ACCEPTED_VERDICTS",
    "Findings",
    "checked_name",
    "findings_of",
    "findings_on",
    "hold_checker",
    "last_line",
    "version_of",
]


ACCEPTED_VERDICTS: Final = frozenset({"proved", "conditional", "atomic", "single-block"})
"""Verdicts of kernels of which nothing is open but their contract."""

_LOCK = threading.Lock()


def _after_fork() -> None:
    """Replaces the lock in a child process, where no thread runs the checker."""
    global _LOCK
    _LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def hold_checker() -> Iterator[None]:
    """The checker looks at one file at a time."""
    with _LOCK:
        yield


@dataclass(frozen=True)
class Findings:
    """The checker's results for one kernel.

    diagnostics  of its analysis, before suppressions
    opt_outs     suppressions of its file
    errors       that remain after suppressions, with the project's configuration: with any of these the kernel does not
                 pass
    """

    report: KernelReport
    diagnostics: tuple[Diagnostic, ...]
    opt_outs: tuple[OptOut, ...]
    errors: tuple[Diagnostic, ...]

    @property
    def verdict(self) -> str:
        """Of its weakest obligation."""
        return self.report.verdict

    @property
    def clauses(self) -> tuple[str, ...]:
        """Of its contract, as they are printed."""
        return tuple(c.clause for c in self.report.contract)


def findings_of(function: FunctionType) -> Findings | None:
    """Like `findings_on`; waits until no other thread runs the checker."""
    with hold_checker():
        return findings_on(function)


def findings_on(function: FunctionType) -> Findings | None:
    """The findings on a kernel; None when the checker does not see it, because its source is in no file, or not any
    more as it was imported."""
    file = function.__code__.co_filename
    stamp = _stamp(file)
    if stamp is None or function.__code__ not in _codes(file, stamp):
        return None
    name, last, (analysis, report) = checked_name(function), last_line(function), _analyze_file(file)
    found = [k for k in analysis.kernels if k.report.name == name and k.report.line <= last]
    if not found:
        return None
    kernel = max(found, key=lambda k: k.report.line)
    first = kernel.report.line
    shown = {k.file for k in report.kernels if (k.name, k.line) == (name, first)}
    errors = tuple(d for d in report.diagnostics if d.kernel == name and d.severity == "error"
                   and (d.span.file not in shown or first <= d.span.line <= last))
    return Findings(kernel.report, kernel.diagnostics, analysis.opt_outs, errors)


def _stamp(file: str) -> tuple[int, int] | None:
    """A value that changes with a file; None if the file does not exist, as for interactive or generated code."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=256)
def _codes(file: str, stamp: tuple[int, int]) -> frozenset[CodeType]:
    """All that a file compiles to now."""
    try:
        with open(file, "rb") as source:
            top = compile(source.read(), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    return frozenset(_nested_code(top))


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_code(constant)


_KEPT: Final[dict[str, tuple[str, Analysis, Report]]] = {}
"""Results by file, with the version of the file."""


def _analyze_file(file: str) -> tuple[Analysis, Report]:
    """Returns the results for the current version of a file, with the contracts that the project declares for its
    kernels, before and after suppressions. Results are cached on disk if the project has a cache."""
    kept = _KEPT.get(file)
    if kept is None or kept[0] != version_of(file):
        found = _load_or_analyze(file)
        _KEPT[file] = ("", *found)
        _KEPT[file] = (version_of(file), *found)
    _, analysis, report = _KEPT[file]
    return analysis, report


def version_of(file: str) -> str:
    """A digest of a file that was looked at and of the files that were looked at with it."""
    from tilecheck.pipeline.cache import digest

    kept = _KEPT.get(file)
    others = sorted(path for path, _ in kept[1].dependencies.read) if kept is not None else []
    return digest(*(part for path in (file, *others) for part in (path, _contents(path))))


def _contents(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


_KIND: Final = "findings"


def _load_or_analyze(file: str) -> tuple[Analysis, Report]:
    """Returns stored results of an earlier program if nothing that they depend on has changed."""
    from tilecheck.config import load_config
    from tilecheck.pipeline.run import holds, inputs_of
    from tilecheck_runtime.kernel_cache.checker_results import load_result, store_result

    config = load_config([file])
    settings = replace(config, exclude=(), respect_gitignore=False, jobs=1, use_cache=config.cache_folder.exists())
    parts = inputs_of([file], settings).key(), repr(settings)
    known = load_result(_KIND, *parts)
    if isinstance(known, tuple) and holds(known[0].dependencies):
        return known
    from tilecheck.pipeline.policy import finish
    from tilecheck.pipeline.progress import no_progress
    from tilecheck.pipeline.run import analyse_paths

    analysis = analyse_paths([file], settings, no_progress)
    found = analysis, finish(analysis, settings)
    if analysis.can_be_kept and inputs_of([file], settings).key() == parts[0]:  # nothing was edited meanwhile
        store_result(found, _KIND, *parts)
    return found


def checked_name(function: FunctionType) -> str:
    """The name of a kernel in the checker's reports."""
    return function.__qualname__.replace(".<locals>", "")


def last_line(function: FunctionType) -> int:
    """The last line with code of a function, which tells it from others of its name."""
    return max((line for *_, line in function.__code__.co_lines() if line is not None),
               default=function.__code__.co_firstlineno)
