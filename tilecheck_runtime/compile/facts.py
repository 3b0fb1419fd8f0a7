"""Facts about the arguments of a launch that compiled code may assume.

The facts are those that `cuda.tile` specializes for, so that the code is equal to its own, and one more: which
arguments share memory. `cuda.tile` assumes that none do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import FunctionType
from typing import Any, Final, TypeAlias

from tilecheck.dtypes import DTYPES as ELEMENTS
from tilecheck.dtypes import F4E2M1, F8E5M3, I32, I64, U32
from tilecheck_runtime.compile.constraints import (
    ArrayParameter,
    ConstantParameter,
    Parameter,
    ScalarParameter,
    Signature,
)
from tilecheck_runtime.compile.parameters import Declared, declared_parameters
from tilecheck_runtime.errors.compilation import UnsupportedArgumentError
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.ownership.regions import Region, has_distinct_elements, overlap

__all__ = ["ALIGNMENT", "DIVISOR", "DTYPES", "LIMITS", "address", "region", "signature_of"]

ALIGNMENT: Final = 16
"""Alignment in bytes that vectorized accesses and TMA require of addresses and strides."""
DIVISOR: Final = 16
"""Of extents."""
LIMITS: Final = {t.name: t.limits[1] + 1 for t in (I32, U32, I64) if t.limits is not None}
"""Exclusive upper bounds of extents, strides and numbers, by type."""
DTYPES: Final = frozenset(t.name for t in ELEMENTS.values() if t not in (F8E5M3, F4E2M1))
"""Element types of arrays that `cuda.tile` accepts, by its names."""

_Seen: TypeAlias = tuple[str, bool, tuple[int, ...], tuple[int, ...]]
"""The inputs of all facts about one array: element type, whether it is aligned, shape, strides."""
_Key: TypeAlias = _Seen | tuple[type, Any]


def address(array: Strided) -> int:
    """The address of element 0 of an array, in bytes."""
    return array.memory.address + array.offset


def region(array: Strided) -> Region:
    """The memory of an array."""
    size = array.dtype.storage.itemsize
    return Region(array.memory.device, address(array), array.shape, tuple(s * size for s in array.strides), size)


def signature_of(function: FunctionType, arguments: Sequence[Any]) -> Signature:
    """Returns the strongest signature that holds for these arguments: `Strided` arrays and numbers, in order.

    Raises UnsupportedArgumentError, naming the parameter, for an argument that no compiled kernel accepts.
    """
    known = declared_parameters(function)
    if len(known) != len(arguments):
        raise UnsupportedArgumentError(
            f"`{function.__name__}` has {len(known)} parameters, {len(arguments)} arguments were given",
            fix="pass an argument for each parameter")
    keys = tuple(_key(d, a) for d, a in zip(known, arguments, strict=True))
    if any(len(key) == 4 and not key[1] for key in keys):
        _naturally_aligned(function, arguments)
    return _signature(function, keys, _sharing_pairs(arguments))


def _key(known: Declared, value: Any) -> _Key:
    if isinstance(value, Strided):
        return value.dtype.name, address(value) % ALIGNMENT == 0, value.shape, value.strides
    if known.constant or type(value) not in _ALIKE:
        return type(value), value
    limit = LIMITS[known.scalar]
    return type(value), value if type(value) is int and not -limit <= value < limit else type(value)()


_ALIKE: Final = frozenset({bool, int, float})
"""Types of scalars whose value does not matter if it fits."""


def _naturally_aligned(function: FunctionType, arguments: Sequence[Any]) -> None:
    """Raises UnsupportedArgumentError for elements at addresses that are not multiples of their size: a GPU faults on
    them."""
    for known, value in zip(declared_parameters(function), arguments, strict=False):
        if isinstance(value, Strided) and address(value) % value.dtype.storage.itemsize:
            raise UnsupportedArgumentError(
                f"the address of `{known.name}`, {address(value):#x}, is not a multiple of the "
                f"{value.dtype.storage.itemsize} bytes of an element", fix=f"pass a copy as `{known.name}`")


def _sharing_pairs(arguments: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """Returns pairs of arguments that share memory, by position."""
    spans = sorted((*_span(a), n) for n, a in enumerate(arguments) if isinstance(a, Strided))
    close = [(min(n, k), max(n, k)) for (place, (_, end, n)) in enumerate(spans)
             for start, _, k in spans[place + 1:] if start < end]
    return tuple(sorted((n, k) for n, k in close if overlap(region(arguments[n]), region(arguments[k]))))


def _span(a: Strided) -> tuple[int, int]:
    """Address of the first byte, and one past the last one."""
    start = end = address(a)
    for n, stride in zip(a.shape, a.strides, strict=True):
        reach = (n - 1) * stride * a.dtype.storage.itemsize
        start, end = (start + reach, end) if reach < 0 else (start, end + reach)
    return start, end + a.dtype.storage.itemsize


@lru_cache(maxsize=4096)
def _signature(function: FunctionType, keys: tuple[_Key, ...], sharing: tuple[tuple[int, int], ...]) -> Signature:
    known, groups = declared_parameters(function), _groups(len(keys), sharing)
    return Signature(tuple(d.name for d in known),
                     tuple(_parameter(d, key, groups[n]) for n, (d, key) in enumerate(zip(known, keys, strict=True))))


def _groups(count: int, sharing: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
    """Returns one group for all arguments that are connected by shared memory, numbered by first occurrence."""
    of = list(range(count))
    for a, b in sharing:
        joined, old = of[a], of[b]
        of = [joined if n == old else n for n in of]
    several = [n for n in dict.fromkeys(of) if of.count(n) > 1]
    return [(f"group{several.index(n)}",) if n in several else () for n in of]


def _parameter(known: Declared, key: _Key, groups: tuple[str, ...]) -> Parameter:
    if len(key) == 4:
        dtype, aligned, shape, strides = key
        return _array(known, dtype, aligned, shape, strides, groups)
    return _number(known, key[1])


def _array(known: Declared, dtype: str, aligned: bool, shape: tuple[int, ...], strides: tuple[int, ...],
           groups: tuple[str, ...]) -> ArrayParameter:
    from tilecheck_runtime.cpu.dtypes import DTYPES as types

    name = known.name
    if known.constant:
        raise UnsupportedArgumentError(f"`{name}` is a constant, and an array was given", fix="pass a number")
    if dtype not in DTYPES:
        raise UnsupportedArgumentError(f"`{name}` has elements of type {dtype}, which kernels on a GPU do not take",
                                       fix="pack them into an array of uint8, and unpack them in the kernel")
    _representable(known, shape, strides)
    size = types[dtype].storage.itemsize
    fixed = {k % len(strides) for k in known.static_strides}
    # like `cuda.tile`: a list of constant strides is complete
    constant = tuple((s if k in fixed else None) if fixed else (1 if s == 1 else None) for k, s in enumerate(strides))
    whole = {k % len(shape) for k in known.static_shape}
    return ArrayParameter(
        dtype=dtype,
        alignment=ALIGNMENT if aligned else 1,
        strides=constant,
        stride_divisors=tuple(_divisor(s, size) if c is None else 1
                              for s, c in zip(strides, constant, strict=True)),
        shape=tuple(n if n == 1 or k in whole else None for k, n in enumerate(shape)),
        shape_divisors=tuple(DIVISOR if n % DIVISOR == 0 and k not in whole else 1 for k, n in enumerate(shape)),
        groups=groups,
        self_overlap=not has_distinct_elements(Region("", 0, shape, tuple(s * size for s in strides), size)),
        index=known.index)


def _divisor(stride: int, size: int) -> int:
    """A divisor of a stride in elements, from one in bytes."""
    return ALIGNMENT // size if stride * size % ALIGNMENT == 0 else 1


def _representable(known: Declared, shape: Sequence[int], strides: Sequence[int]) -> None:
    limit = LIMITS[known.index]
    for what, values in (("extent", shape), ("stride", strides)):
        for axis, n in enumerate(values):
            if n < 0:
                raise UnsupportedArgumentError(
                    f"`{known.name}` has a negative {what}, {n} along axis {axis}: compiled kernels take none",
                    fix=f"pass a copy in C order as `{known.name}`")
            if n >= limit:
                raise UnsupportedArgumentError(
                    f"`{known.name}` has {what} {n} along axis {axis}, and compiled kernels count in {known.index}: "
                    f"it must be less than {limit}",
                    fix=f"launch on parts of `{known.name}`" + (
                        "" if known.index == "int64" else ", or annotate it with ct.IndexedWithInt64 in a kernel that "
                        "is written in cuTile"))


def _number(known: Declared, value: Any) -> ScalarParameter | ConstantParameter:
    if isinstance(value, (bool, int, float)) and known.constant:
        return ConstantParameter(value)
    if isinstance(value, bool):
        return ScalarParameter("bool_")
    if isinstance(value, int):
        limit = LIMITS[known.scalar]
        if not -limit <= value < limit:
            raise UnsupportedArgumentError(f"`{known.name}` = {value} does not fit in {known.scalar}",
                                           fix="pass a smaller number")
        return ScalarParameter(known.scalar)
    if isinstance(value, float):
        return ScalarParameter("float32")
    raise UnsupportedArgumentError(f"`{known.name}` is a {type(value).__name__}, which compiled kernels do not take",
                                   fix="pass an array, an int, a float or a bool")
