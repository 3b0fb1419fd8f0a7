"""Arrays of other libraries on a GPU, described without importing those libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tilecheck_runtime.cpu.dtypes import DType, as_dtype, of_numpy
from tilecheck_runtime.ownership.handles import row_major
from tilecheck_runtime.ownership.regions import Region

__all__ = ["DeviceArray", "device_array"]


@dataclass(frozen=True)
class DeviceArray:
    """An array on a GPU.

    strides   in bytes, not validated
    readonly  whether its library declares it read-only
    stream    handle of the current stream of its library; None if unknown
    memory    first address, and one past the last, of the memory that it is a view of; None if unknown
    """

    ordinal: int
    address: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool = False
    stream: int | None = None
    memory: tuple[int, int] | None = None

    @property
    def region(self) -> Region:
        """The memory of the elements."""
        size = int(self.dtype.storage.itemsize)
        return Region(f"cuda:{self.ordinal}", self.address, self.shape, self.strides, size)


def device_array(value: Any, ordinal_of: Callable[[int], int | None], whole: bool = False) -> DeviceArray | None:
    """Describes an array on a GPU; None for other objects. `ordinal_of` returns the device of an address, which
    `__cuda_array_interface__` does not contain. `whole` also reads stream and memory where that takes longer.

    Raises TileError for elements that kernels do not support.
    """
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr"):
        return _of_torch(value, whole) if value.is_cuda else None
    interface = getattr(value, "__cuda_array_interface__", None)
    return None if interface is None else _of_interface(interface, ordinal_of)


def _of_torch(tensor: Any, whole: bool) -> DeviceArray:
    dtype, size = as_dtype(tensor.dtype), tensor.element_size()
    made = DeviceArray(tensor.get_device(), int(tensor.data_ptr()), dtype, tuple(tensor.shape),
                       tuple(s * size for s in tensor.stride()))
    if not whole:
        return made
    import torch

    storage = tensor.untyped_storage()
    start = int(storage.data_ptr())
    return replace(made, stream=int(torch.cuda.current_stream(tensor.device).cuda_stream),
                   memory=(start, start + int(storage.nbytes())))


def _of_interface(interface: Any, ordinal_of: Callable[[int], int | None]) -> DeviceArray:
    address, readonly = interface["data"]
    kind = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    steps = tuple(s * kind.itemsize for s in row_major(shape)) if strides is None else tuple(strides)
    stream = interface.get("stream")
    return DeviceArray(ordinal_of(int(address)) or 0, int(address), of_numpy(kind), shape, steps, bool(readonly),
                       None if stream is None else int(stream))
