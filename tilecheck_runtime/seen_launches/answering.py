"""The answer on one specialization: whether it compiles, and whether its launch is proved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final

from tilecheck.pipeline.compile_messages import Answer, Asked, FaultFound, Passed, Refused, SiteOf, Where
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
from tilecheck_runtime.tile_ir.front_end import Place, Refusal, compile_kernel
from tilecheck_runtime.tile_ir.prove import Fault, LaunchVerdict, prove_launch
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["answer"]

_STATIC: Final = frozenset({"StaticEvalError", "StaticException", "StaticAssertionError", "InvalidValueError"})
"""Errors that depend on values. Samples do not show that all values have them."""


def answer(asked: Asked, module: ModuleType) -> Answer:
    try:
        kernel = find_kernel(asked, module)
    except NotReachedError as reason:
        return Answer(asked.number, "skipped", str(reason))
    name = function_of(kernel).__name__
    try:
        if isinstance(kernel, DialectKernel):
            return _compile(asked, name, (), list(dialect_samples(kernel, dict(asked.variables))))
        known = parameters(function_of(kernel))
        return _compile(asked, name, known, list(raw_samples(kernel, known, asked.arguments)))
    except (UnknownArgumentError, PlanError) as reason:
        return Answer(asked.number, "skipped", str(reason), name)
    except SignatureError as error:
        return Answer(asked.number, "refused", "", name, Refused(type(error).__name__, str(error), ()))
    except Exception as error:
        # the front end fails on some programs with errors of Python
        return Answer(asked.number, "skipped", f"the front end fails: {type(error).__name__}: {error}"[:300], name)


def _compile(asked: Asked, name: str, known: Sequence[Declared], samples: Sequence[Sample]) -> Answer:
    refusals: list[Refusal] = []
    for sample in samples:
        body = compile_kernel(sample.kernel, sample.given)
        if not isinstance(body, Refusal):
            found = Answer(asked.number, "compiled", "", name)
            return _prove(asked, found, known, sample, body) if asked.prove else found
        refusals.append(body)
        if not body.certain:
            return Answer(asked.number, "skipped", f"the front end fails: {body.words}", name)
        if sample.sampled and len({(r.kind, r.words, r.places[:1]) for r in refusals}) > 1:
            break
    first = refusals[0]
    sampled = samples[0].sampled
    if sampled and (len({(r.kind, r.words, r.places[:1]) for r in refusals}) > 1 or first.kind in _STATIC):
        return Answer(asked.number, "skipped", "it does not compile for samples of what is not known", name)
    return Answer(asked.number, "refused", "", name,
                  Refused(first.kind, first.words, tuple(map(_where, first.places)), sampled))


def _where(place: Place) -> Where:
    return Where(os.path.abspath(place.file), place.line, place.column, place.end_line, place.end_column)


# --- the proof of a launch -------------------------------------------------------------------------------------------

def _prove(asked: Asked, found: Answer, known: Sequence[Declared], sample: Sample, body: Any) -> Answer:
    verdict = _verdict(asked, known, sample, body)
    fault = verdict.fault_for_all
    return Answer(found.number, found.state, verdict.why, found.name, None, verdict.verdict,
                  None if fault is None else _describe(fault))


def _verdict(asked: Asked, known: Sequence[Declared], sample: Sample, body: Any) -> LaunchVerdict:
    if sample.sampled:
        return LaunchVerdict("undecided", why=_unknown(known, asked.arguments))
    numbers = bind_numbers(known, asked.arguments, sample.given)
    if isinstance(numbers, str):
        return LaunchVerdict("undecided", why=numbers)
    x, y, z = (*asked.grid, *(1, 1, 1)[len(asked.grid):])[:3]
    if x is None or y is None or z is None:
        return LaunchVerdict("undecided", why="the grid is not known")
    if min(x, y, z) < 1:
        return LaunchVerdict("undecided", why="the grid has no blocks")
    return prove_launch(body, numbers, (x, y, z))


def _unknown(known: Sequence[Declared], passed: Iterable[Passed]) -> str:
    """Which argument has a type that is not known."""
    name = next((d.name for d, p in zip(known, passed, strict=True)
                 if (p.type if p.kind == "number" else p.dtype) is None), "an argument")
    return f"the type of `{name}` is not known"


def _describe(fault: Fault) -> FaultFound:
    sites = tuple(SiteOf(os.path.abspath(s.file), s.line, s.mode) for s in fault.sites)
    return FaultFound(fault.kind, fault.array, fault.element, fault.blocks, sites)
