"""Shared tensors: many handles on memory that is not written. Ownership counts memory, so views count as handles."""

from __future__ import annotations

from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.ownership.handles import Layout
from tilecheck_runtime.ownership.state import Use, check, end_handle
from tilecheck_runtime.ownership.storage import LOCK, Mode
from tilecheck_runtime.tensors.partition import Partition, move_into_partition
from tilecheck_runtime.tensors.reading import Readable
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["SharedTensor"]


class SharedTensor(Readable):
    """A handle that many owners and flights can hold. Each one counts until it is dropped."""

    __slots__ = ()
    kind = "shared tensor"
    _to_view = Use.READ  # a view is one more owner

    def share(self) -> SharedTensor:
        """Another handle on the same memory."""
        return self._make_view(lambda layout: layout)

    def unshare(self) -> Tensor:
        """Moves the sole handle back into a tensor. Raises SharedError while another one exists."""
        with LOCK:
            check(self, Use.OWN)
            end_handle(self, "a tensor", "use what `.unshare()` returned")
            return Tensor.of(self._storage, self._layout, self._parent, None, self.readonly)

    def partition(self, *tile: int) -> Partition:
        """Moves the sole handle into pieces. Raises SharedError while another one exists."""
        return move_into_partition(self, tile, prefix=False)

    def partition_prefix(self, *tile: int) -> Partition:
        """Like `Tensor.partition_prefix`. Raises SharedError while another handle exists."""
        return move_into_partition(self, tile, prefix=True)

    def _view_of(self, layout: Layout, readonly: bool) -> SharedTensor:
        made = SharedTensor.of(self._storage, layout, self._parent, None, readonly)
        made._hold = self._storage.hold(Mode.SHARED, made.region, current_location(), "a shared handle")
        return made
