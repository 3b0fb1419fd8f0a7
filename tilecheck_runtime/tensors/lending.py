"""Memory of ours in the hands of another library, without a copy, for as long as an array lives there."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilecheck_runtime.backends.select import backend_of
from tilecheck_runtime.ownership.handles import Handle
from tilecheck_runtime.ownership.places import here
from tilecheck_runtime.ownership.state import Use, check
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode, Storage
from tilecheck_runtime.tensors.capsules import LABELS, labelled
from tilecheck_runtime.tensors.reading import strided

__all__ = ["capsule", "device", "lent"]

_CPU: Final = (1, 0)
_FLAGS_SINCE: Final = (1, 0)
"""The version of DLPack that can say that memory is read-only."""


class _Loan:
    """What a lent array keeps alive: the memory, and the hold that tells others of it."""

    def __init__(self, storage: Storage, hold: Hold, array: Any, writable: bool) -> None:
        self.storage, self.hold = storage, hold
        self.__array_interface__ = {**array.__array_interface__, "typestr": f"|V{array.dtype.itemsize}",
                                    "data": (array.__array_interface__["data"][0], not writable)}
        self.__array_interface__.pop("descr", None)

    def __del__(self) -> None:
        self.hold.release()


def lent(handle: Handle, borrower: str, writable: bool = False) -> Any:
    """A NumPy array in the memory of a handle. Until it is gone nobody else can write there, nor read when it is
    writable. The caller holds the lock and has checked the handle."""
    array = backend_of(handle._storage.memory.device).view(strided(handle))
    mode = Mode.LENT_TO_WRITE if writable else Mode.LENT
    hold = handle._storage.hold(mode, handle.region, here(), borrower)
    return np.asarray(_Loan(handle._storage, hold, array, writable)).view(array.dtype)


def capsule(handle: Handle, stream: Any = None, max_version: tuple[int, int] | None = None,
            dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
    """What `__dlpack__` returns. A library that knows read-only memory reads ours while we read it too; an older one
    could write, so it gets memory that is nobody else's: the tensor cannot be used until the array there is gone.

    Raises OwnershipError when the tensor cannot be lent now, and BufferError for what DLPack cannot say: another
    device, a stream on the CPU, elements of 4 bits.
    """
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
            array = backend_of(handle._storage.memory.device).download(strided(handle))
        else:
            array = lent(handle, "another library by DLPack", writable=not flags)
    if dtype not in LABELS:
        return array.__dlpack__(**wishes)
    return labelled(array.view(f"u{array.itemsize}").__dlpack__(**wishes), dtype)


def device(handle: Handle) -> tuple[int, int]:
    """What `__dlpack_device__` returns."""
    return _CPU
