"""Arguments of a seen launch as the front end takes them, with samples in place of unknown types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np

from tilecheck.pipeline.compile_messages import NumberType, Passed
from tilecheck_runtime.cpu.execution.arguments import Parameter as Declared
from tilecheck_runtime.dialect.entry import Entry
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.dialect.plan import Output, Plan
from tilecheck_runtime.dialect.signature import Signature
from tilecheck_runtime.tile_ir.accesses import Argument
from tilecheck_runtime.tile_ir.evaluate import Parameter
from tilecheck_runtime.tile_ir.front_end import Constant, Given, Scalar
from tilecheck_runtime.tile_ir.values import Tile, make_unknown

__all__ = ["Sample", "UnknownArgumentError", "bind_numbers", "dialect_samples", "raw_samples"]

DTYPES: Final = (
    "float32", "float16", "int32", "bfloat16", "int64", "uint8", "bool_", "float8_e4m3fn", "float64", "uint32", "int8",
    "int16", "uint16", "uint64", "float8_e5m2", "float8_e8m0fnu", "float8_e5m3fnu", "float4_e2m1fn", "tfloat32")
"""Element types that stand for one that is not known, the likely ones first."""
EXTENTS: Final = (16, 128, 32, 64)
"""Values that stand for a type variable of a dialect kernel."""
_MOST: Final = 40
"""Samples of one specialization."""
_TYPES: Final[Mapping[str, str]] = {"bool": "bool_", "float": "float32"}
_UNKNOWN_TYPES: Final[tuple[NumberType, ...]] = ("int", "float", "bool")


class UnknownArgumentError(LookupError):
    """An argument of which too little is known. The message says which."""


@dataclass(frozen=True)
class Sample:
    """Arguments of the front end.

    kernel   what to compile: the kernel, or the function that is generated for a dialect kernel
    sampled  whether a value stands for one that is not known
    """

    kernel: Any
    given: tuple[Given, ...]
    sampled: bool


# --- kernels of cuTile -----------------------------------------------------------------------------------------------

def raw_samples(kernel: Any, known: Sequence[Declared], passed: Sequence[Passed]) -> Iterator[Sample]:
    """The samples of a specialization: one if all is known. Raises UnknownArgumentError."""
    if len(known) != len(passed):
        raise UnknownArgumentError(f"the kernel takes {len(known)} arguments")
    arrays = [k for k, p in enumerate(passed) if _has_unknown_type(p)]
    numbers = [k for k, (d, p) in enumerate(zip(known, passed, strict=True)) if p.kind == "number" and _is_open(d, p)]
    sampled = bool(arrays or numbers)
    for choice in islice(_choices(arrays, numbers), _MOST):
        given = tuple(_give(d, p, choice.get(k)) for k, (d, p) in enumerate(zip(known, passed, strict=True)))
        yield Sample(kernel, given, sampled)


def _has_unknown_type(p: Passed) -> bool:
    return (p.kind == "array" and p.dtype is None) or (p.kind == "list" and any(i.dtype is None for i in p.items))


def _is_open(d: Declared, p: Passed) -> bool:
    return p.type is None and not (d.constant and p.number is None)


def _choices(arrays: Sequence[int], numbers: Sequence[int]) -> Iterator[dict[int, str]]:
    """Types of unknown arguments: the same for all arrays, then one that differs from the others."""
    if not arrays and not numbers:
        yield {}
        return
    types = DTYPES if arrays else DTYPES[:1]
    kinds = _UNKNOWN_TYPES if numbers else _UNKNOWN_TYPES[:1]
    yield dict.fromkeys(arrays, types[0]) | dict.fromkeys(numbers, kinds[0])
    for dtype in types[1:]:
        yield dict.fromkeys(arrays, dtype) | dict.fromkeys(numbers, kinds[0])
    for kind in kinds[1:]:
        yield dict.fromkeys(arrays, types[0]) | dict.fromkeys(numbers, kind)
    for place in arrays if len(arrays) > 1 else ():
        yield dict.fromkeys(arrays, types[0]) | dict.fromkeys(numbers, kinds[0]) | {place: "int32"}


def _give(d: Declared, p: Passed, choice: str | None) -> Given:
    if p.kind == "array":
        return _array(d, p, choice)
    if p.kind == "list" and p.items:
        return tuple(_array(d, item, choice) for item in p.items)
    if p.kind != "number":
        raise UnknownArgumentError(f"`{d.name}` is not known")
    kind = p.type or choice or "int"
    if d.constant:
        if p.number is None:
            raise UnknownArgumentError(f"the constant `{d.name}` is not known")
        return Constant(_PYTHON[kind](p.number))
    return Scalar(p.number or 0, _scalar_type(d, kind))


_PYTHON: Final[Mapping[str, type]] = {"bool": bool, "int": int, "float": float}


def _scalar_type(d: Declared, kind: str) -> str:
    return {**_TYPES, "int": d.scalar.name}[kind]


def _array(d: Declared, p: Passed, choice: str | None, storage: int = 0) -> Argument:
    rank = p.rank
    if p.kind != "array" or rank is None:
        raise UnknownArgumentError(f"the rank of `{d.name}` is not known")
    static: tuple[int | None, ...] = ()
    if d.static_shape or d.static_strides:
        axes = {axis % rank for axis in d.static_shape} if rank else set()
        if d.static_strides or any(k >= len(p.shape) or p.shape[k] is None for k in axes):
            raise UnknownArgumentError(f"an extent of `{d.name}` that is a constant of the kernel is not known")
        static = tuple(p.shape[k] if k in axes else None for k in range(rank))
    shape = tuple(1 if n is None else n for n in p.shape) if len(p.shape) == rank else (1,) * rank
    strides = tuple(n or 0 for n in p.strides) if len(p.strides) == rank else (1,) * rank
    dtype = {"bool": "bool_"}.get(p.dtype or "", p.dtype) or choice or DTYPES[0]
    return Argument(d.name, dtype, shape, strides, storage, index=d.index.name, static=static)


def bind_numbers(
    known: Sequence[Declared], passed: Sequence[Passed], given: Sequence[Given],
) -> tuple[Parameter, ...] | str | None:
    """The arguments of a launch in numbers; None if they are not known, or why they do not suffice."""
    shared: set[str] = set()
    found: list[Parameter] = []
    numbers = count()
    for d, p, g in zip(known, passed, given, strict=True):
        for item in (p, *p.items):
            if item.kind == "array":
                if item.rank is None or None in item.shape or None in item.strides or not (
                        len(item.shape) == len(item.strides) == item.rank):
                    return None
                if any(stride is not None and stride < 0 for stride in item.strides):
                    return f"`{d.name}` has a negative stride"
                if item.storage is not None and item.storage in shared:
                    return f"`{d.name}` shares memory with another argument"
                shared.update(() if item.storage is None else (item.storage,))
        if isinstance(g, Argument):
            found.append(_number(g, next(numbers)))
        elif isinstance(g, tuple):
            found.append(tuple(_number(item, next(numbers)) for item in g))
        elif isinstance(g, Scalar):
            dtype = np.dtype("bool" if g.dtype == "bool_" else g.dtype)
            found.append(make_unknown((), dtype) if p.number is None else Tile(np.asarray(p.number, dtype)))
    return tuple(found)


def _number(array: Argument, storage: int) -> Argument:
    return Argument(array.name, array.dtype, array.shape, array.strides, storage, array.offset, array.index,
                    array.static)


# --- kernels of the dialect ------------------------------------------------------------------------------------------

def dialect_samples(kernel: DialectKernel, variables: Mapping[str, int]) -> Iterator[Sample]:
    """The samples of a dialect kernel: one if each type variable has a value. Raises SignatureError and PlanError."""
    known = kernel.signature
    names = [name for name in known.variables if name not in variables]
    for values in _values(names):
        plan = _plan(known, {**values, **variables})
        entry = kernel.entry(plan)
        yield Sample(entry.function, tuple(_give_dialect(known, entry, dict(plan.values))), bool(names))


def _values(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Values of type variables: equal ones, then values that differ."""
    if not names:
        yield {}
        return
    yield from (dict.fromkeys(names, n) for n in EXTENTS)
    if len(names) > 1:
        for shift in range(len(EXTENTS)):
            yield {name: EXTENTS[(k + shift) % len(EXTENTS)] for k, name in enumerate(names)}


def _plan(known: Signature, values: Mapping[str, int]) -> Plan:
    outputs = tuple(Output(tuple(values[e] if isinstance(e, str) else e for e in p.extents if not isinstance(e, type)))
                    for p in known.outputs)
    return Plan(tuple((name, values[name]) for name in known.variables), outputs)


def _give_dialect(known: Signature, entry: Entry, values: Mapping[str, int]) -> Iterator[Given]:
    by_name = {p.name: p for p in known.parameters}
    for name in entry.parameters:
        p = by_name[name]
        if p.kind == "scalar":
            yield Scalar(0, {bool: "bool_", int: "int32"}.get(p.dtype or float, "float32"))
        else:
            rank = len(p.extents)
            yield Argument(name, str(getattr(p.dtype, "name", "")), (1,) * rank, (1,) * rank, 0)
    yield from (Constant(value) for _, value in entry.constants)
