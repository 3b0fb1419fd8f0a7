"""The specializations of kernels that seen launches need, for a compiler to answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.host.entailment import unreachable
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.launches import find_launches_of_unknown
from tilecheck.interp.kernel.access import KernelModel, Param
from tilecheck.pipeline.compile_messages import Asked, KernelName, NumberType, Passed, PassedKind, Request, Where
from tilecheck.pipeline.results import FoundKernel, KernelKey
from tilecheck.pipeline.workspace import Workspace
from tilecheck.symbolic import Array, ArrayParam, Substitution, Term, const, symbol_from_text
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span

__all__ = ["Specialization", "build_requests", "list_specializations"]

_CASES: Final = 64
"""Configurations of one run of a tuner that are compiled."""


class Specialization(Struct, frozen=True):
    """A specialization that a seen launch needs.

    kernel   file and qualified name; None if the analysis does not know the kernel
    home     the file to import
    span     the launch, or the name of a dialect kernel without a seen launch
    values   the numbers and element types of the launch, for messages
    asked    None if the launch was not followed, for the reason `why`
    """

    kernel: KernelKey | None
    home: str
    span: Span
    launched: bool
    values: tuple[str, ...] = ()
    asked: Asked | None = None
    why: str = ""


def list_specializations(
    workspace: Workspace, left_open: frozenset[KernelKey],
) -> tuple[Specialization, ...]:
    """The specializations of the seen launches of all files, in the order of the launches. `left_open` are the kernels
    whose launches are to be proved, besides those that the analysis does not know."""
    found: list[Specialization] = []
    for path, kernel in _kernels(workspace):
        try:
            model = workspace.prove(path, kernel).model
        except SourceError:
            continue  # the report names it
        launches = workspace.launches_of_kernel(kernel.key)
        if not launches and kernel.dialect:
            found.append(_specialize_unlaunched(model, kernel))
        for launch in launches:
            found += _specialize(launch, model, kernel, kernel.key in left_open)
    known = {kernel.key for _, kernel in _kernels(workspace)}
    for key in workspace.launch_versions().keys() - known:
        # a kernel of a file that is not checked
        for launch in workspace.launches_of_kernel(key):
            found += _specialize(launch, None, None, launch.how != "operation")
    for path in workspace.files:
        try:
            module = workspace.module(path)
            launches_of_unknown = find_launches_of_unknown(workspace.project, module)
        except SourceError:
            continue
        for launch in launches_of_unknown:
            found += _specialize(launch, None, None, True)
    found.sort(key=lambda s: (s.span, s.kernel or ("", "")))
    return tuple(replace(s, asked=None if s.asked is None else replace(s.asked, number=number))
                 for number, s in enumerate(found))


def _kernels(workspace: Workspace) -> Iterator[tuple[str, FoundKernel]]:
    """The kernels of a workspace, each once, with a file that defines or makes it."""
    seen: set[KernelKey] = set()
    for path, sites in workspace.sites():
        for kernel in sites.kernels:
            if kernel.key not in seen:
                seen.add(kernel.key)
                yield path, kernel


def _specialize_unlaunched(model: KernelModel, kernel: FoundKernel) -> Specialization:
    """The specialization of a dialect kernel without a seen launch: its annotations have ranks and element types."""
    asked = Asked(0, _name_of(kernel, model), None)
    return Specialization(kernel.key, kernel.home, model.name_span, False, asked=asked)


def _name_of(kernel: FoundKernel, model: KernelModel) -> KernelName:
    return KernelName(os.path.abspath(kernel.home), kernel.qualname, model.name_span.line)


def _specialize(
    launch: Launch, model: KernelModel | None, kernel: FoundKernel | None, prove: bool,
) -> Iterator[Specialization]:
    """The specializations of one launch: one for each configuration of a tuner."""
    if unreachable(launch.facts):
        return
    nested = kernel is None or "." in kernel.qualname
    home = launch.span.file if nested or kernel is None else kernel.home
    plain = Specialization(None if kernel is None else kernel.key, home, launch.span, True)
    params = None if model is None else model.params
    if not launch.certain:
        yield replace(plain, why="it may launch another kernel")
    elif launch.arguments is None:
        yield replace(plain, why="its arguments are not known")
    elif params is not None and len(params) != len(launch.arguments):
        yield replace(plain, why="it passes another number of arguments than the kernel takes")
    else:
        cases = launch.cases[:_CASES] if launch.every and launch.cases else ((),)
        for case in cases:
            put = Substitution({symbol_from_text(name): const(n) for name, n in case})
            passed = _pass(launch, model, put)
            unknown = None if params is None or kernel is None or kernel.dialect else _find_unknown(params, passed)
            if unknown is not None:
                # no need to import the file
                yield replace(plain, why=f"the constant `{unknown}` is not known")
                continue
            asked = Asked(
                0, None if kernel is None or model is None else _name_of(kernel, model), _where(launch.span), passed,
                tuple((name, n) for name, t in launch.variables if (n := _value(t, put)) is not None),
                tuple(_value(t, put) for t in launch.grid), prove)
            yield replace(plain, values=_describe(params, passed), asked=asked)


def _find_unknown(params: Sequence[Param], passed: Sequence[Passed]) -> str | None:
    """The name of a constant without a value."""
    return next((p.name for p, a in zip(params, passed, strict=True)
                 if p.kind == "constant" and a.kind == "number" and a.number is None), None)


def _pass(launch: Launch, model: KernelModel | None, put: Substitution) -> tuple[Passed, ...]:
    arguments = launch.arguments or ()
    shared = _shared_storage(arguments)
    if model is None:
        return tuple(_pass_argument(a, None, None, put, shared) for a in arguments)
    ranks = model.launched
    return tuple(_pass_argument(a, p, _rank(p, ranks), put, shared)
                 for a, p in zip(arguments, model.params, strict=True))


def _rank(p: Param, ranks: Mapping[Array, int]) -> int | None:
    return ranks.get(ArrayParam(p.name))


def _shared_storage(arguments: Sequence[Argument]) -> Mapping[str, str]:
    """A name for the storage of each allocation: allocations that one argument may live in have one name."""
    names: dict[str, str] = {}
    for argument in _flatten(arguments):
        roots = sorted(argument.roots or (() if argument.identity is None else (argument.identity,)))
        known = {names[r] for r in roots if r in names}
        name = min(known | set(roots[:1]), default=None)
        if name is None:
            continue
        names = {r: name if n in known else n for r, n in names.items()} | dict.fromkeys(roots, name)
    return names


def _flatten(arguments: Iterable[Argument]) -> Iterator[Argument]:
    for argument in arguments:
        yield argument
        yield from argument.elements or ()


_KINDS: Final[Mapping[str, PassedKind]] = {
    "array": "array", "list": "array", "constant": "number", "scalar": "number"}
"""The kind of an argument that may be a number or an array, by the kind of its parameter."""
_TYPES: Final[Mapping[str, NumberType]] = {"bool": "bool", "int": "int", "float": "float"}


def _pass_argument(
    a: Argument, p: Param | None, rank: int | None, put: Substitution, shared: Mapping[str, str],
) -> Passed:
    if a.kind == "list":
        if a.elements is None:
            return Passed("unknown")
        items = tuple(_pass_argument(e, p, rank, put, shared) for e in a.elements)
        return Passed("list" if a.literal == "list" else "tuple", items=items)
    kind: PassedKind = "array" if a.kind == "array" else "number" if a.kind == "scalar" else (
        "unknown" if p is None else _KINDS.get(p.kind, "unknown"))
    if kind == "array":
        return _pass_array(a, rank, put, shared)
    if kind == "unknown" or a.literal not in (None, *_TYPES):
        return Passed("unknown")
    number = a.fraction if a.fraction is not None else _value(a.term, put)
    # of integers, only 0 and 1 may be truth values
    return Passed("number", number=number, type=_TYPES.get(a.literal or "") or (
        None if number in (None, 0, 1) else "int"))


def _pass_array(a: Argument, rank: int | None, put: Substitution, shared: Mapping[str, str]) -> Passed:
    shape = () if a.shape is None else tuple(_value(t, put) for t in a.shape)
    strides: tuple[int | None, ...] = () if a.strides is None else tuple(_value(t, put) for t in a.strides)
    if a.dense and shape:
        strides = _dense(shape)
    roots = sorted(a.roots or (() if a.identity is None else (a.identity,)))
    return Passed("array", a.dtype, rank if a.shape is None else len(a.shape), shape, strides,
                  storage=shared.get(roots[0]) if roots else None)


def _dense(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    strides: list[int | None] = []
    stride: int | None = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride = None if stride is None or extent is None else stride * extent
    return tuple(reversed(strides))


def _value(term: Term | None, put: Substitution) -> int | None:
    return None if term is None else put.term(term).constant


def _describe(params: Sequence[Param] | None, passed: Sequence[Passed]) -> tuple[str, ...]:
    """The numbers and element types of a launch, such as `T = 16` and `x: float32`."""
    if params is None:
        return ()
    return tuple(f"{p.name} = {a.number}" if a.kind == "number" else f"{p.name}: {a.dtype}"
                 for p, a in zip(params, passed, strict=True)
                 if (a.number if a.kind == "number" else a.dtype) is not None)


def _where(span: Span) -> Where:
    return Where(os.path.abspath(span.file), span.line, span.column, span.end_line, span.end_column)


def build_requests(
    specializations: Iterable[Specialization], roots: Sequence[str],
) -> tuple[tuple[str, Request], ...]:
    """The requests, by the file that is imported as the report names it."""
    by_home: dict[str, list[Asked]] = {}
    for s in specializations:
        if s.asked is not None:
            by_home.setdefault(s.home, []).append(s.asked)
    folders = tuple(map(os.path.abspath, roots))
    return tuple((home, Request(os.path.abspath(home), folders, tuple(asked))) for home, asked in by_home.items())
