"""Checks whether arguments satisfy the assumptions of compiled code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from tilecheck_runtime.compile.constraints import ArrayParameter, ConstantParameter, Parameter, Signature
from tilecheck_runtime.compile.facts import LIMITS, address, region
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.ownership.regions import has_distinct_elements, overlap

__all__ = ["are_met", "describe_assumptions", "find_broken"]


def are_met(signature: Signature, arguments: Sequence[Any]) -> bool:
    """Returns whether code compiled for a signature may run with these arguments, given in the order of
    `signature_of`."""
    return next(find_broken(signature, arguments), None) is None


def find_broken(signature: Signature, arguments: Sequence[Any]) -> Iterator[str]:
    """Yields a sentence for each assumption that these arguments break, with the value that breaks it."""
    if len(arguments) != len(signature.parameters):
        yield f"{len(signature.parameters)} arguments are expected, {len(arguments)} were given"
        return
    for name, parameter, value in zip(signature.names, signature.parameters, arguments, strict=True):
        yield from _check_parameter(name, parameter, value)
    yield from _check_sharing(signature, arguments)


def _check_parameter(name: str, parameter: Parameter, value: Any) -> Iterator[str]:
    if isinstance(parameter, ArrayParameter):
        yield from _check_array(name, parameter, value)
    elif isinstance(parameter, ConstantParameter):
        if type(value) is not type(parameter.value) or value != parameter.value:
            yield f"`{name}` is the constant {parameter.value!r}, not {value!r}"
    else:
        yield from _check_scalar(name, parameter.dtype, value)


def _check_scalar(name: str, dtype: str, value: Any) -> Iterator[str]:
    kinds = {"bool_": bool, "float32": float}
    if type(value) is not kinds.get(dtype, int):
        yield f"`{name}` is a number of type {dtype}, not {value!r}"
    elif dtype in LIMITS and not -LIMITS[dtype] <= value < LIMITS[dtype]:
        yield f"`{name}` = {value} does not fit in {dtype}"


def _check_array(name: str, p: ArrayParameter, a: Any) -> Iterator[str]:
    if not isinstance(a, Strided):
        yield f"`{name}` is an array, not {a!r}"
        return
    if a.dtype.name != p.dtype or len(a.shape) != p.rank:
        yield (f"`{name}` is an array of {p.dtype} with {p.rank} axes, not of {a.dtype.name} with {len(a.shape)}")
        return
    if address(a) % p.alignment:
        yield f"the address of `{name}`, {address(a):#x}, is not a multiple of {p.alignment} bytes"
    for what, values, constants, divisors in (("extent", a.shape, p.shape, p.shape_divisors),
                                              ("stride", a.strides, p.strides, p.stride_divisors)):
        for axis, (n, constant, divisor) in enumerate(zip(values, constants, divisors, strict=True)):
            where = f"the {what} of `{name}` along axis {axis}"
            if constant is not None and n != constant:
                yield f"{where} is {n}, not {constant}"
            if n % divisor:
                yield f"{where}, {n}, is not a multiple of {divisor}"
            if not 0 <= n < LIMITS[p.index]:
                yield f"{where}, {n}, is not from 0 to {LIMITS[p.index] - 1}"
    if not p.self_overlap and not has_distinct_elements(region(a)):
        yield f"elements of `{name}` share memory with each other"


def _check_sharing(signature: Signature, arguments: Sequence[Any]) -> Iterator[str]:
    arrays = [(n, p, region(a)) for n, p, a in zip(signature.names, signature.parameters, arguments, strict=True)
              if isinstance(p, ArrayParameter) and isinstance(a, Strided)]
    for (first, p, a), (second, q, b) in combinations(arrays, 2):
        if not set(p.groups) & set(q.groups) and overlap(a, b):
            yield f"`{first}` and `{second}` share memory"


def describe_assumptions(signature: Signature) -> tuple[str, ...]:
    """Returns the assumptions as sentences, by parameter, without those that hold for every argument."""
    return tuple(line for name, p in zip(signature.names, signature.parameters, strict=True)
                 for line in _describe_parameter(name, p))


def _describe_parameter(name: str, p: Parameter) -> Iterator[str]:
    if isinstance(p, ConstantParameter):
        yield f"`{name}` is {p.value!r}"
    elif isinstance(p, ArrayParameter):
        if p.alignment > 1:
            yield f"the address of `{name}` is a multiple of {p.alignment} bytes"
        for what, constants, divisors in (("extent", p.shape, p.shape_divisors),
                                          ("stride", p.strides, p.stride_divisors)):
            for axis, (constant, divisor) in enumerate(zip(constants, divisors, strict=True)):
                if constant is not None:
                    yield f"the {what} of `{name}` along axis {axis} is {constant}"
                elif divisor > 1:
                    yield f"the {what} of `{name}` along axis {axis} is a multiple of {divisor}"
        if not p.self_overlap:
            yield f"no two elements of `{name}` share memory"
        yield f"`{name}` may share memory with {' and '.join(p.groups)}" if p.groups else (
            f"`{name}` shares no memory with another array")
