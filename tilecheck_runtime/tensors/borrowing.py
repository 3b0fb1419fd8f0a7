"""Borrowing: memory of a tensor that another library uses without a copy, while an array exists there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.ownership.handles import Handle, as_strided
from tilecheck_runtime.ownership.state import Use, check
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode, Storage
from tilecheck_runtime.tensors.capsules import LABELS, relabel

__all__ = ["DeviceLoan", "borrow_array", "borrow_device_memory", "capsule", "dlpack_device"]

_CPU: Final = (1, 0)
_CUDA: Final = 2
_FLAGS_SINCE: Final = (1, 0)
"""The version of DLPack that can say that memory is read-only."""


class _Loan:
    """The owner of a borrowed array: it keeps the memory alive and holds it."""

    def __init__(self, storage: Storage, hold: Hold, array: Any, writable: bool) -> None:
        self.storage, self.hold = storage, hold
        self.__array_interface__ = {**array.__array_interface__, "typestr": f"|V{array.dtype.itemsize}",
                                    "data": (array.__array_interface__["data"][0], not writable)}
        self.__array_interface__.pop("descr", None)

    def __del__(self) -> None:
        self.hold.release()


def borrow_array(handle: Handle, borrower: str, writable: bool = False) -> Any:
    """Returns a NumPy array in the memory of a handle. While it exists no other code can write the memory, nor read it
    if the array is writable. The caller holds the lock and has checked the handle."""
    array = backend_of(handle._storage.memory.device).view(as_strided(handle))
    mode = Mode.BORROWED_TO_WRITE if writable else Mode.BORROWED
    hold = handle._storage.hold(mode, handle.region, current_location(), borrower)
    return np.asarray(_Loan(handle._storage, hold, array, writable)).view(array.dtype)


def capsule(handle: Handle, stream: Any = None, max_version: tuple[int, int] | None = None,
            dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
    """Implements `__dlpack__`. A library that supports read-only memory shares it with other readers. An older library
    could write, so the tensor cannot be used while its array exists.

    Raises OwnershipError if the tensor cannot be borrowed now, and BufferError for cases that DLPack cannot express:
    another device, a stream on the CPU, elements of 4 bits.
    """
    if handle._storage.memory.device != "cpu":
        raise BufferError(f"this tensor lies on {handle._storage.memory.device} and is not passed on by DLPack: write "
                          "`x.lend()`, which torch and CuPy take, or `x.numpy()`")
    if dl_device not in (None, _CPU) or stream is not None:
        raise BufferError("this tensor lies on the CPU, where there are no streams")
    dtype = handle._layout.dtype
    if dtype.storage.isbuiltin != 1 and dtype not in LABELS:
        raise BufferError(f"{handle.dtype.__name__} cannot be passed on by DLPack: write `.numpy()`, or convert it: "
                          "`.astype(f32)`")
    flags = max_version is not None and tuple(max_version) >= _FLAGS_SINCE
    wishes = {"max_version": max_version} if flags else {}
    with LOCK:
        check(handle, Use.READ if flags or copy else Use.WRITE)
        if copy:
            array = backend_of(handle._storage.memory.device).download(as_strided(handle))
        else:
            array = borrow_array(handle, "another library by DLPack", writable=not flags)
    if dtype not in LABELS:
        return array.__dlpack__(**wishes)
    return relabel(array.view(f"u{array.itemsize}").__dlpack__(**wishes), dtype)


def dlpack_device(handle: Handle) -> tuple[int, int]:
    """Implements `__dlpack_device__`."""
    kind, _, number = handle._storage.memory.device.partition(":")
    return (_CUDA, int(number)) if kind == "cuda" else _CPU


class DeviceLoan:
    """Memory on a GPU that another library borrows: `torch.as_tensor(loan)`, `cupy.asarray(loan)`. The tensor cannot be
    used while this object or an array of it exists."""

    def __init__(self, storage: Storage, hold: Hold, interface: Mapping[str, Any]) -> None:
        self._storage, self._hold = storage, hold
        self.__cuda_array_interface__ = dict(interface)

    def __del__(self) -> None:
        self._hold.release()


def borrow_device_memory(handle: Handle) -> DeviceLoan:
    """Returns a tensor on a GPU as an object with `__cuda_array_interface__`.

    Raises OwnershipError if it cannot be borrowed now, and BufferError for a tensor on the CPU and for elements that
    the interface does not name.
    """
    layout, memory = handle._layout, handle._storage.memory
    backend: Any = backend_of(memory.device)
    if memory.device == "cpu":
        raise BufferError("this tensor lies on the CPU: write `x.numpy(copy=False)`")
    if layout.dtype.storage.isbuiltin != 1:
        raise BufferError(f"{handle.dtype.__name__} has no name in `__cuda_array_interface__`: write `.astype(f32)`")
    with LOCK:
        check(handle, Use.WRITE)
        stream = backend.order_default_stream(as_strided(handle))
        hold = handle._storage.hold(Mode.BORROWED_TO_WRITE, handle.region, current_location(), "another library")
    return DeviceLoan(handle._storage, hold, {
        "version": 3, "shape": layout.shape, "strides": tuple(s * layout.itemsize for s in layout.strides),
        "typestr": layout.dtype.storage.str, "data": (memory.address + layout.offset, False), "stream": stream})
