"""What the checker says of a kernel that is launched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Final

from tilecheck.diagnostics import Diagnostic, Report

__all__ = ["SETTLED", "Findings", "findings_on"]


SETTLED: Final = frozenset({"proved", "conditional", "atomic", "single-block"})
"""Verdicts of kernels of which nothing is open but their contract."""


@dataclass(frozen=True)
class Findings:
    """What the checker says of one kernel.

    verdict  of its weakest obligation
    clauses  of its contract, as they are printed
    errors   for which it does not pass the checker
    """

    verdict: str
    clauses: tuple[str, ...]
    errors: tuple[Diagnostic, ...]


def findings_on(function: FunctionType) -> Findings | None:
    """The findings on a kernel; None when the checker does not see it, because its source is in no file, or not any
    more as it was imported."""
    file = function.__code__.co_filename
    stamp = _stamp(file)
    if stamp is None or function.__code__ not in _codes(file, stamp):
        return None
    report, name, last = _report(file, stamp), function.__qualname__.replace(".<locals>", ""), _last_line(function)
    found = [k for k in report.kernels if k.name == name and k.line <= last]
    if not found:
        return None
    first = found[-1].line
    errors = tuple(d for d in report.diagnostics if d.kernel == name and d.severity == "error"
                   and (d.span.file != found[-1].file or first <= d.span.line <= last))
    return Findings(found[-1].verdict, tuple(c.clause for c in found[-1].contract), errors)


def _stamp(file: str) -> tuple[int, int] | None:
    """What changes when a file does; None when there is none, as for what is typed in or generated."""
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
    return frozenset(_inside(top))


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


@lru_cache(maxsize=256)
def _report(file: str, stamp: tuple[int, int]) -> Report:
    """On a whole file, with the contracts that the project declares for its kernels. Results are kept on disk where the
    project keeps them already."""
    from tilecheck.api import check_paths
    from tilecheck.config import load_config

    config = load_config([file])
    settings = replace(config, exclude=(), respect_gitignore=False, jobs=1, use_cache=config.cache_folder.exists())
    return check_paths([file], settings)


def _last_line(function: FunctionType) -> int:
    return max((line for *_, line in function.__code__.co_lines() if line is not None),
               default=function.__code__.co_firstlineno)
