"""Launch arguments as kernels see them: host arrays become arrays with shadow memory, numbers become typed scalars."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Final, get_args, get_origin

import ml_dtypes
import numpy as np

from tilecheck_runtime.cpu.arrays import Array, ArrayList, view_of
from tilecheck_runtime.cpu.dtypes import DTYPES, FLOAT32, INT32, DType, as_dtype, of_numpy
from tilecheck_runtime.cpu.tile import Tile, scalar
from tilecheck_runtime.errors.language import TileUnsupportedFeatureError
from tilecheck_runtime.sanitizer.shadow import Storage, View

__all__ = ["Parameter", "bind", "host_array", "host_arrays", "parameters", "read_only"]


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter, or an item of one that is a tuple.

    constant        its value is part of the compiled kernel
    index           type of the extents of its arrays
    scalar          type of an integer
    static_shape    axes whose extents are part of the compiled kernel
    static_strides  likewise, of strides
    items           the parameters of the items of a tuple; None unless the annotation has them
    each            the parameter of every item of a tuple of any length
    """

    name: str
    constant: bool = False
    index: DType = INT32
    scalar: DType = INT32
    static_shape: tuple[int, ...] = ()
    static_strides: tuple[int, ...] = ()
    items: tuple[Parameter, ...] | None = None
    each: Parameter | None = None

    def parts(self, count: int) -> tuple[Parameter, ...]:
        """The parameters of the items of a tuple. Raises TypeError if the annotation has another number of items."""
        if self.items is None:
            return (self.each or self,) * count
        if len(self.items) != count:
            raise TypeError(f"argument '{self.name}' is a tuple of {count} items, and its annotation has "
                            f"{len(self.items)}")
        return self.items


def parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a kernel function, by its annotations."""
    signature = inspect.signature(function)
    try:
        hints: Mapping[str, Any] = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError):
        hints = {}
    return tuple(_parameter(name, hints.get(name, p.annotation)) for name, p in signature.parameters.items())


def _parameter(name: str, annotation: Any, outer: bool = False) -> Parameter:
    """`outer`: whether it is an item of a constant."""
    found = {type(item).__name__: item for item in _metadata(annotation)}
    constant = outer or "ConstantAnnotation" in found
    inner = annotation
    while get_origin(inner) is Annotated:
        inner = get_args(inner)[0]
    if get_origin(inner) is tuple:
        kinds = get_args(inner)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return Parameter(name, constant, each=_parameter(name, kinds[0], constant))
        return Parameter(name, constant, items=tuple(_parameter(name, kind, constant) for kind in kinds))
    listed, number = found.get("ListAnnotation"), found.get("ScalarAnnotation")
    array = found.get("ArrayAnnotation", getattr(listed, "element", None))
    return Parameter(
        name, constant, INT32 if array is None else as_dtype(array.index_dtype),
        INT32 if number is None else as_dtype(number.dtype),
        tuple(getattr(array, "static_shape_dims", ())), tuple(getattr(array, "static_stride_dims", ())))


def _metadata(annotation: Any) -> Iterable[Any]:
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        yield from metadata
        yield from _metadata(inner)


@dataclass(frozen=True, slots=True)
class _Pending:
    """A host array without shadow memory so far."""

    data: Any
    dtype: DType
    name: str
    index: DType
    static: tuple[frozenset[int], frozenset[int]]


def bind(known: Sequence[Parameter], values: Sequence[Any]) -> tuple[list[Any], list[Storage]]:
    """Returns the values for a call of a kernel function, and the storages of its arrays.

    Raises TypeError for a wrong number or kind of arguments.
    """
    if len(known) != len(values):
        raise TypeError(f"the kernel has {len(known)} parameters, {len(values)} arguments were given")
    pending: list[_Pending] = []
    drafts = [_draft(p, v, p.name, pending) for p, v in zip(known, values, strict=True)]
    made, storages = _with_shadows(pending)
    return [_resolve_draft(d, made) for d in drafts], storages


def _arrays(arguments: Iterable[Any]) -> Iterator[Array]:
    for argument in arguments:
        if isinstance(argument, Array):
            yield argument
        elif isinstance(argument, ArrayList):
            yield from argument.items
        elif isinstance(argument, tuple):
            yield from _arrays(argument)


def host_arrays(arguments: Iterable[Any]) -> Iterator[Any]:
    """The memory of the arrays among bound arguments."""
    return (array.data for array in _arrays(arguments))


def read_only(arguments: Iterable[Any]) -> Iterator[str]:
    """The names of the arrays among bound arguments that the host does not allow to be written."""
    return (array.name for array in _arrays(arguments) if not array.data.flags.writeable)


def _draft(parameter: Parameter, value: Any, name: str, pending: list[_Pending]) -> Any:
    if parameter.constant and isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bool):
        return Tile(np.bool_(value), DTYPES["bool_"])
    if type(value) is int:
        dtype = parameter.scalar
        limit = 1 << (dtype.bits - 1)
        if not -limit <= value < limit:
            raise OverflowError(f"argument '{name}' = {value} does not fit in {dtype}")
        return scalar(value, dtype)
    if isinstance(value, float):
        return scalar(value, FLOAT32)
    if isinstance(value, tuple) and type(value) is not tuple:
        raise TypeError(f"argument '{name}' is a {type(value).__name__}: kernels take plain tuples")
    if isinstance(value, tuple):
        return tuple(_draft(part, item, f"{name}[{n}]", pending)
                     for n, (part, item) in enumerate(zip(parameter.parts(len(value)), value, strict=True)))
    if isinstance(value, list):
        if not value:
            raise TypeError(f"argument '{name}' is an empty list")
        return [_draft(parameter, item, f"{name}[{n}]", pending) for n, item in enumerate(value)]
    data, dtype = host_array(value, name)
    _check_extents(parameter, data, name)
    static = tuple(_static_axes(axes, data.ndim, what, name) for what, axes in (
        ("shape", parameter.static_shape), ("stride", parameter.static_strides)))
    pending.append(_Pending(data, dtype, name, parameter.index, (static[0], static[1])))
    return pending[-1]


def _check_extents(parameter: Parameter, data: Any, name: str) -> None:
    """Raises OverflowError for an array that is too large for the type of its indices."""
    limit = 1 << (parameter.index.bits - 1)
    numbers = (*data.shape, *(s // data.itemsize for s in data.strides))
    if any(n >= limit for n in numbers):
        raise OverflowError(f"an extent or stride of argument '{name}' does not fit in {parameter.index}")


def _static_axes(axes: tuple[int, ...], rank: int, what: str, name: str) -> frozenset[int]:
    """The axes that an annotation names. Raises ValueError for one that does not exist or occurs twice."""
    field = f"static_{what}_dims"
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f"{field} contains axis {axis}, and argument '{name}' has rank {rank}")
    found = frozenset(axis % rank for axis in axes)
    if len(found) < len(axes):
        raise ValueError(f"{field} of argument '{name}' contains a duplicate axis: {axes}")
    return found


def _check_alike(arrays: Sequence[Array], name: str) -> None:
    """Raises ValueError for a list of arrays that differ in a property that is a constant of the compiled kernel."""
    first = arrays[0]
    for what, axes, values in (("shape", first.static[0], [a.data.shape for a in arrays]),
                               ("stride", first.static[1], [a.shadow.strides for a in arrays])):
        for axis in axes:
            if len({v[axis] for v in values}) > 1:
                raise ValueError(f"the arrays of argument '{name}' vary in static {what} at axis {axis}")


def _resolve_draft(draft: Any, made: Mapping[int, Array]) -> Any:
    if isinstance(draft, _Pending):
        return made[id(draft)]
    if isinstance(draft, tuple):
        return tuple(_resolve_draft(item, made) for item in draft)
    if isinstance(draft, list):
        arrays = [_resolve_draft(item, made) for item in draft]
        _check_alike(arrays, arrays[0].name.partition("[")[0])
        return ArrayList(arrays)
    return draft


def _with_shadows(pending: Sequence[_Pending]) -> tuple[dict[int, Array], list[Storage]]:
    """Creates arrays. Arrays that overlap share shadow memory if their elements have one size."""
    made: dict[int, Array] = {}
    storages: list[Storage] = []
    spans = sorted(((*view_of(p.data), p) for p in pending), key=lambda s: (s[2].data.itemsize, s[0], s[1]))
    group: list[tuple[int, int, _Pending]] = []
    for span in spans:
        if group and not _joins(group, span):
            storages.append(_storage(group, made))
            group = []
        group.append(span)
    if group:
        storages.append(_storage(group, made))
    return made, storages


def _joins(group: Sequence[tuple[int, int, _Pending]], span: tuple[int, int, _Pending]) -> bool:
    size = span[2].data.itemsize
    return (group[0][2].data.itemsize == size and span[0] < max(high for _, high, _ in group)
            and (span[0] - group[0][0]) % size == 0)


def _storage(group: Sequence[tuple[int, int, _Pending]], made: dict[int, Array]) -> Storage:
    low, high = group[0][0], max(high for _, high, _ in group)
    size = group[0][2].data.itemsize
    storage = Storage(low, size, max((high - low) // size, 1))
    for _, _, item in group:
        data = item.data
        address = data.__array_interface__["data"][0]
        offset = (address - low) // size if data.size else 0
        view = View(storage, offset, data.shape, tuple(s // size for s in data.strides))
        storage.views.append((item.name, view))
        made[id(item)] = Array(data, item.dtype, view, item.name, item.index, static=item.static)
    storage.overlaps += [(a.name, b.name) for (_, _, a),
                         (_, _, b) in combinations(group, 2) if _overlap(a.data, b.data)]
    return storage


def _overlap(a: Any, b: Any) -> bool:
    """Whether two arrays have an element in common. False if the exact test takes too long."""
    try:
        return bool(np.shares_memory(a, b, max_work=_MUCH))
    except (np.exceptions.TooHardError, OverflowError):
        return False


_MUCH: Final[Any] = 100_000
_TORCH_VIEWS: Final = {"bfloat16": ("int16", ml_dtypes.bfloat16), "float8_e4m3fn": ("uint8", ml_dtypes.float8_e4m3fn),
                       "float8_e5m2": ("uint8", ml_dtypes.float8_e5m2),
                       "float8_e8m0fnu": ("uint8", ml_dtypes.float8_e8m0fnu)}


def host_array(value: Any, name: str) -> tuple[Any, DType]:
    """The memory of a host array as a NumPy array that shares it. Raises TypeError for anything else, and
    TileUnsupportedFeatureError for elements that kernels do not have.
    """
    data = _memory(value, name)
    try:
        return data, of_numpy(data.dtype)
    except TileUnsupportedFeatureError as error:
        raise TileUnsupportedFeatureError(f"argument '{name}': {error}") from None


def _memory(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
        return _of_torch(value, name)
    if isinstance(value, np.generic):
        raise TypeError(f"argument '{name}' is a NumPy scalar: pass `{name}.item()`")
    if getattr(value, "__array_interface__", None) is not None:
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    raise TypeError(f"argument '{name}' is of type {type(value).__name__}; kernels take arrays, numbers, tuples and "
                    "lists of arrays")


def _of_torch(tensor: Any, name: str) -> Any:
    if str(tensor.device) != "cpu":
        raise TypeError(f"argument '{name}' is a tensor on {tensor.device}; the sanitizer runs on the CPU")
    plain = tensor.detach()
    kind = str(tensor.dtype).rpartition(".")[2]
    if kind not in _TORCH_VIEWS:
        return plain.numpy()
    import torch

    integer, target = _TORCH_VIEWS[kind]
    return plain.view(getattr(torch, integer)).numpy().view(target)


