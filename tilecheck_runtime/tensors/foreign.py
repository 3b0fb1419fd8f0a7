"""Tensors in memory of other libraries: requirements on the memory, and its lifetime."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilecheck_runtime.backends.cuda.driver import driver as cuda_driver
from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.cpu.dtypes import DType, of_numpy
from tilecheck_runtime.cpu.execution.arguments import host_array
from tilecheck_runtime.errors.language import TileError
from tilecheck_runtime.errors.locations import caller_frame, current_location, variable_name
from tilecheck_runtime.errors.ownership import ForeignMemoryError
from tilecheck_runtime.ownership.handles import Layout, row_major
from tilecheck_runtime.ownership.storage import Storage
from tilecheck_runtime.tensors.capsules import Relabelled
from tilecheck_runtime.tensors.create import upload_tensor
from tilecheck_runtime.tensors.device_arrays import DeviceArray, device_array
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["from_dlpack", "from_numpy"]

_DEVICES: Final = {1: "cpu", 2: "cuda", 3: "pinned memory of cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm",
                   13: "managed memory of cuda", 14: "oneapi"}
_OF_HOST: Final = frozenset({1})


def from_numpy(array: Any, *, copy: bool = True) -> Tensor:
    """Creates a tensor with the elements of a NumPy array; with `copy=False` in its memory, which the tensor keeps
    alive.

    Raises TypeError for other objects and ForeignMemoryError for memory that cannot be adopted.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy takes a NumPy array, not a {type(array).__name__}: write `from_dlpack(...)` for "
                        "tensors of other libraries, `from_numpy(np.array(...))` for numbers")
    return _adopt_array(array, array, copy)


def from_dlpack(source: Any, *, copy: bool = False) -> Tensor:
    """Creates a tensor in the memory of an object that has `__dlpack__`, which it keeps alive; with `copy=True` a copy.
    An array on a GPU (of torch, CuPy, JAX) gives a tensor there.

    Raises TypeError for an object without `__dlpack__` and ForeignMemoryError for memory that cannot be adopted.
    """
    described = _describe_device_array(source)
    if described is not None:
        return _adopt_device_array(described, source, copy)
    if _is_torch(source):
        return _adopt_array(_torch_memory(source), source, copy)
    if not hasattr(source, "__dlpack__") or not hasattr(source, "__dlpack_device__"):
        raise TypeError(f"from_dlpack takes an object with `__dlpack__`, not a {type(source).__name__}: write "
                        "`from_numpy(np.asarray(...))`")
    kind, number = (int(n) for n in source.__dlpack_device__())
    if kind not in _OF_HOST:
        raise _foreign_error(source, f"lies on {_DEVICES.get(kind, f'device type {kind}')}:{number}, not on the CPU",
                             "move it first: `.cpu()`")
    reader = Relabelled(source)
    try:
        array = np.from_dlpack(reader)
    except (BufferError, RuntimeError) as error:
        raise _foreign_error(source, f"cannot be taken over ({error})",
                             "pass a NumPy array: `from_numpy(...)`") from error
    return _adopt_array(array if reader.dtype is None else array.view(reader.dtype.storage), source, copy)


def _describe_device_array(source: Any) -> DeviceArray | None:
    """Describes an array on a GPU; None for other objects. The driver is loaded only for such an array."""
    try:
        return device_array(source, lambda address: cuda_driver().device_of(address), whole=True)
    except TileError as error:
        raise _foreign_error(source, f"has elements that kernels do not have ({error})",
                             "convert it to float32") from None


def _adopt_device_array(found: DeviceArray, owner: Any, copy: bool) -> Tensor:
    if getattr(owner, "requires_grad", False):
        raise _foreign_error(owner, "requires a gradient, which its library would not know of", "write `.detach()`")
    size = int(found.dtype.storage.itemsize)
    for fault, fix in _find_device_faults(found, size):
        raise _foreign_error(owner, fault, fix)
    backend: Any = backend_of(f"cuda:{found.ordinal}")
    low, high = found.region.bounds if 0 not in found.shape else (found.address, found.address + size)
    low, high = found.memory or (low, high)
    memory = backend.adopt(low, high - low, owner, found.readonly)
    if found.stream is not None:  # work of its library runs before work of the runtime
        theirs = backend.stream_of(found.stream)
        backend.order(backend.default, theirs.mark())
    strides = tuple(s // size if n > 1 else default
                    for n, s, default in zip(found.shape, found.strides, row_major(found.shape), strict=True))
    made = Tensor.of(Storage(memory, found.readonly, owner),
                  Layout(found.dtype, found.shape, strides, found.address - low))
    return made.copy() if copy else made


def _find_device_faults(found: DeviceArray, size: int) -> list[tuple[str, str]]:
    """Returns the reasons why GPU memory cannot be adopted, each with a fix."""
    steps = [(axis, s) for axis, (n, s) in enumerate(zip(found.shape, found.strides, strict=True)) if n > 1]
    copied = "take a copy there: `.contiguous()`, or `.copy()`"
    faults = [(f"has stride {s} bytes on axis {axis}, which is negative", copied) for axis, s in steps if s < 0]
    faults += [(f"has stride {s} bytes on axis {axis}, which is not a multiple of its {size}-byte elements", copied)
               for axis, s in steps if s % size]
    if found.address % size:
        faults.append((f"begins at address {found.address:#x}, which is not aligned to its {size}-byte elements",
                       copied))
    if found.memory is not None and 0 not in found.shape and not faults:
        (low, high), (start, stop) = found.region.bounds, found.memory
        if low < start or high > stop:
            faults.append((f"reaches {max(start - low, 0)} bytes in front of the memory it belongs to and "
                           f"{max(high - stop, 0)} bytes past its end",
                           "make it with a shape and strides that lie inside"))
    return faults


def _is_torch(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] == "torch" and hasattr(source, "detach")


def _torch_memory(tensor: Any) -> Any:
    """The memory of a torch tensor as a writable array, which older versions of torch do not export."""
    if getattr(tensor, "requires_grad", False):
        raise _foreign_error(tensor, "requires a gradient, which torch would not know of", "write `.detach()`")
    if str(tensor.device) != "cpu":
        raise _foreign_error(tensor, f"lies on {tensor.device}, not on the CPU", "move it first: `.cpu()`")
    return host_array(tensor, "tensor")[0]


def _adopt_array(array: Any, owner: Any, copy: bool) -> Tensor:
    dtype = _element_type(array, owner)
    if copy or array.size == 0:
        return upload_tensor(array, dtype)
    address = int(array.__array_interface__["data"][0])
    for fault, fix in _find_faults(array, address, dtype):
        raise _foreign_error(owner, fault, fix)
    strides = tuple(s // array.itemsize if n > 1 else default
                    for n, s, default in zip(array.shape, array.strides, row_major(array.shape), strict=True))
    low, high = np.lib.array_utils.byte_bounds(array)
    readonly = not array.flags.writeable
    memory = backend_of("cpu").adopt(int(low), int(high - low), array, readonly)
    return Tensor.of(Storage(memory, readonly, (array, owner)), Layout(dtype, array.shape, strides, address - int(low)))


def _element_type(array: Any, owner: Any) -> DType:
    try:
        return of_numpy(array.dtype)
    except TileError:
        raise _foreign_error(owner, f"has elements of type {array.dtype}, which kernels do not have",
                             "convert it: `.astype(np.float32)`") from None


def _find_faults(array: Any, address: int, dtype: DType) -> list[tuple[str, str]]:
    """Returns the reasons why memory cannot be adopted, each with a fix."""
    size = array.itemsize
    steps = [(axis, s) for axis, (n, s) in enumerate(zip(array.shape, array.strides, strict=True)) if n > 1]
    copied = "take a copy: `from_numpy(...)`, or `np.ascontiguousarray(...)` before"
    found = [(f"has stride {s} bytes on axis {axis}, which is negative", copied) for axis, s in steps if s < 0]
    found += [(f"has stride {s} bytes on axis {axis}, which is not a multiple of its {size}-byte elements", copied)
              for axis, s in steps if s % size]
    if address % size:
        found.append((f"begins at address {address:#x}, which is not aligned to its {size}-byte elements", copied))
    low, high = np.lib.array_utils.byte_bounds(array)
    start, stop = _extent(array)
    if low < start or high > stop:
        found.append((f"reaches {max(start - low, 0)} bytes in front of the memory it belongs to and "
                      f"{max(high - stop, 0)} bytes past its end", "make it with a shape and strides that lie inside"))
    return found


def _extent(array: Any) -> tuple[int, int]:
    """First address, and one past the last, of the root array that this is a view of. NumPy has validated the root
    itself."""
    root, found = array, array
    while root is not None:
        found = root if isinstance(root, np.ndarray) else found
        root = getattr(root, "base", None)
    low, high = np.lib.array_utils.byte_bounds(found)
    return int(low), int(high)


def _foreign_error(owner: Any, fault: str, fix: str) -> ForeignMemoryError:
    found = variable_name(caller_frame(), owner)
    name = f"`{found}`" if found else f"this {type(owner).__name__}"
    return ForeignMemoryError(f"{name} {fault}", names=(name,), use=current_location(), fix=fix)
