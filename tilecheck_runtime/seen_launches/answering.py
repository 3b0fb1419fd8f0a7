"""The answer on one specialization: whether it compiles, and whether its launch is proved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final

from tilecheck.pipeline.compile_messages import Answer, Asked, FaultFound, Refused, SiteOf, Where
from tilecheck_runtime.cpu.execution.arguments import Parameter as Declared
from tilecheck_runtime.cpu.execution.arguments import parameters
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import PlanError
from tilecheck_runtime.dialect.signature import SignatureError
from tilecheck_runtime.seen_launches.arguments import (
    Sample,
    UnknownArgumentError,
    bind_numbers,
    dialect_samples,
    raw_samples,
)
from tilecheck_runtime.seen_launches.reaching import NotReachedError, find_kernel
from tilecheck_runtime.tile_ir.front_end import Constant, Given, Place, Refusal, Scalar, compile_kernel
from tilecheck_runtime.tile_ir.prove import Fault, LaunchVerdict, prove_launch
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["answer"]

_ENOUGH: Final = 8
"""Samples that are refused for different reasons, after which no more are compiled."""
_STATIC: Final = frozenset({"StaticEvalError", "StaticException", "StaticAssertionError", "InvalidValueError"})
"""Errors that depend on values. Samples do not show that all values have them."""


def answer(asked: Asked, module: ModuleType) -> Answer:
    name = ""
    try:
        kernel = find_kernel(asked, module)
        name = function_of(kernel).__name__
        if isinstance(kernel, DialectKernel):
            return _compile(asked, name, (), dialect_samples(kernel, dict(asked.variables)))
        known = parameters(function_of(kernel))
        return _compile(asked, name, known, raw_samples(kernel, known, asked.arguments))
    except (NotReachedError, UnknownArgumentError, PlanError) as reason:
        return Answer(asked.number, "skipped", str(reason), name)
    except SignatureError as error:
        return Answer(asked.number, "refused", "", name, Refused(type(error).__name__, str(error), ()))
    except OSError as error:
        # the front end reads the source of a kernel and of its helpers
        return Answer(asked.number, "refused", "", name, Refused(type(error).__name__, str(error), ()))
    except Exception as error:
        # the front end fails on some programs with errors of Python
        return Answer(asked.number, "skipped", f"the front end fails: {type(error).__name__}: {error}"[:300], name)


def _compile(asked: Asked, name: str, known: Sequence[Declared], samples: Iterable[Sample]) -> Answer:
    refusals: list[Refusal] = []
    sampled = False
    for sample in samples:
        sampled = sample.sampled
        body = _compile_once(sample)
        if not isinstance(body, Refusal):
            found = Answer(asked.number, "compiled", "", name)
            return _prove(asked, found, known, sample, body) if asked.prove and known else found
        if body.certain:
            refusals.append(body)
        elif not sampled:
            return Answer(asked.number, "skipped", f"the front end fails: {body.words}", name)
        if len(refusals) >= _ENOUGH and _differ(refusals):
            break
    first = refusals[0] if refusals else Refusal("", "", (), False)
    if sampled and (not refusals or _differ(refusals) or first.kind in _STATIC):
        return Answer(asked.number, "skipped", "it does not compile with samples of the unknown arguments", name)
    return Answer(asked.number, "refused", "", name,
                  Refused(first.kind, first.words, tuple(map(_where, first.places)), sampled))


_COMPILED: Final[dict[tuple[Any, ...], Any]] = {}
"""The results for kernels, which live as long as the process."""


def _compile_once(sample: Sample) -> Any | Refusal:
    """The result of the front end for a sample. Launches mostly differ in nothing that it depends on."""
    key = (sample.kernel, *map(_signature_of, sample.given))
    if key not in _COMPILED:
        try:
            _COMPILED[key] = compile_kernel(sample.kernel, sample.given)
        except (TypeError, ValueError) as error:
            if not sample.sampled:
                raise
            # no array has elements of this type
            _COMPILED[key] = Refusal(type(error).__name__, str(error), (), False)
    return _COMPILED[key]


def _signature_of(given: Given) -> tuple[Any, ...]:
    if isinstance(given, Constant):
        return ("constant", type(given.value), repr(given.value))
    if isinstance(given, Scalar):
        return ("scalar", given.dtype)
    if isinstance(given, tuple):
        return ("list", _signature_of(given[0]))
    return ("array", given.dtype, len(given.shape), given.index, given.static)


def _differ(refusals: Sequence[Refusal]) -> bool:
    return len({(r.kind, r.words, r.places[:1]) for r in refusals}) > 1


def _where(place: Place) -> Where:
    return Where(os.path.abspath(place.file), place.line, place.column, place.end_line, place.end_column)


# --- the proof of a launch -------------------------------------------------------------------------------------------

def _prove(asked: Asked, found: Answer, known: Sequence[Declared], sample: Sample, body: Any) -> Answer:
    """The answer with a verdict on the launch, if its numbers are known."""
    grid = tuple(n for n in asked.grid if n is not None and n > 0)
    if sample.sampled or len(grid) != 3:
        return found
    numbers = bind_numbers(known, asked.arguments, sample.given)
    if numbers is None:
        return found
    verdict = LaunchVerdict("undecided", why=numbers) if isinstance(numbers, str) else prove_launch(
        body, numbers, (grid[0], grid[1], grid[2]))
    fault = verdict.fault_for_all
    return Answer(found.number, found.state, verdict.why, found.name, None, verdict.verdict,
                  None if fault is None else _describe(fault))


def _describe(fault: Fault) -> FaultFound:
    sites = tuple(SiteOf(os.path.abspath(s.file), s.line, s.mode) for s in fault.sites)
    return FaultFound(fault.kind, fault.array, fault.element, fault.blocks, sites)
