"""Refines a plan for a GPU with facts about one launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import FunctionType
from typing import Final

from tilecheck_runtime.compile.prebuilt import has_loaded
from tilecheck_runtime.compile.sources import is_as_written
from tilecheck_runtime.compile.toolchain import find_toolchain
from tilecheck_runtime.contracts.checking import ACCEPTED_VERDICTS, checked_name, hold_checker, last_line, version_of
from tilecheck_runtime.contracts.contract import contract_of
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.dialect.signature import signature
from tilecheck_runtime.errors.compilation import MissingToolError
from tilecheck_runtime.kernel_cache.checker_results import load_result, runtime_signature, store_result

__all__ = ["refine_plan"]


def refine_plan(function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
    """Returns the plan with loops in hand-written form, and without bounds checks for arrays whose tiles all lie inside
    for these numbers, named as in contracts.

    The launch must satisfy the contract of the kernel. Scalars are ignored, so that their values do not multiply
    kernels. Raises MissingToolError and ToolVersionError.
    """
    scalars = {p.name for p in signature(function).parameters if p.kind == "scalar"}
    known = tuple(sorted(item for item in numbers.items() if item[0] not in scalars))
    return _refine(function, plan, known, _can_skip_checks())


def _can_skip_checks() -> bool:
    """Returns whether code may omit bounds checks, according to the installed tools or to those that built the loaded
    folders."""
    try:
        return find_toolchain().unchecked
    except MissingToolError:
        if not has_loaded():
            raise
        return True


@lru_cache(maxsize=4096)
def _refine(function: FunctionType, plan: Plan, numbers: tuple[tuple[str, int], ...], unchecked: bool) -> Plan:
    return replace(plan, compact=True, inside=_find_inside(function, dict(numbers)) if unchecked else frozenset())


def _find_inside(function: FunctionType, numbers: Mapping[str, int]) -> frozenset[str]:
    """Returns the arrays whose tiles all lie inside. Empty for a kernel that was not proved or whose source has
    changed."""
    if contract_of(function).verdict not in ACCEPTED_VERDICTS or not is_as_written(function):
        return frozenset()
    file, name, line = function.__code__.co_filename, checked_name(function), last_line(function)
    with hold_checker():
        version = version_of(file)
        parts = runtime_signature(), file, version, name, str(line), repr(sorted(numbers.items()))
        known = load_result(_KIND, *parts)
        if isinstance(known, frozenset):
            return known
        from tilecheck.pipeline.bounds_elision import tiles_inside

        found = tiles_inside(file, name, line, numbers, version)
        if version_of(file) == version:
            store_result(found, _KIND, *parts)
        return found


_KIND: Final = "inside"
