"""Tensors: memory with one owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilecheck_runtime.backends.selection.select import current
from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.ownership.handles import Layout, row_major
from tilecheck_runtime.ownership.state import Use, check, end_handle
from tilecheck_runtime.ownership.storage import LOCK, Mode, Storage
from tilecheck_runtime.tensors.capturing import refuse_in_capture
from tilecheck_runtime.tensors.reading import Readable

if TYPE_CHECKING:
    from tilecheck_runtime.tensors.partition import Partition
    from tilecheck_runtime.tensors.shared import SharedTensor

__all__ = ["Tensor", "allocate_tensor"]


class Tensor(Readable):
    """An owned tensor, or a view of one. `partition` moves it, so that a launch can write it piece by piece."""

    __slots__ = ()

    def partition(self, *tile: int) -> Partition:
        """Moves it into pieces of `tile` elements along each axis; pieces at the far edges are clipped.

        Raises OwnershipError if it is not exclusively owned now, and LaunchArgumentError for a tile of another rank.
        """
        from tilecheck_runtime.tensors.partition import move_into_partition

        return move_into_partition(self, tile, prefix=False)

    def partition_prefix(self, *tile: int) -> Partition:
        """Like `partition`, for a launch that writes only the first pieces: its grid is given with `.grid(...)` and is
        not larger than the partition. The other pieces keep their contents."""
        from tilecheck_runtime.tensors.partition import move_into_partition

        return move_into_partition(self, tile, prefix=True)

    def share(self) -> SharedTensor:
        """Moves it into a handle that can be duplicated and read by many. Raises OwnershipError."""
        from tilecheck_runtime.tensors.shared import SharedTensor

        with LOCK:
            check(self, Use.READ)
            end_handle(self, "a shared handle", "use the handle that `.share()` returned")
            hold = self._storage.hold(Mode.SHARED, self.region, current_location(), "a shared handle")
            return SharedTensor.of(self._storage, self._layout, self._parent, hold, self.readonly)


def allocate_tensor(shape: tuple[int, ...], dtype: DType) -> Tensor:
    """Allocates a contiguous tensor with arbitrary contents. Raises CaptureError during a capture."""
    refuse_in_capture("memory is allocated", "allocate it before, so that every replay finds it where it was")
    layout = Layout(dtype, shape, row_major(shape))
    memory = current().allocate(max(layout.size, 1) * layout.itemsize)
    return Tensor.of(Storage(memory), layout)
