"""The operations of handles that can be read: views, copies, conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.ownership.handles import Handle, Layout, as_strided
from tilecheck_runtime.ownership.state import Use, check
from tilecheck_runtime.ownership.storage import LOCK
from tilecheck_runtime.tensors.capturing import refuse_in_capture
from tilecheck_runtime.tensors.dtypes import element_type
from tilecheck_runtime.tensors.layouts import reshape_layout, slice_layout, transpose_layout

if TYPE_CHECKING:
    from tilecheck_runtime.tensors.borrowing import DeviceLoan

__all__ = ["Readable"]

T = TypeVar("T")


class _Views(Generic[T]):
    """Makes views by subscript."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __getitem__(self, index: Any) -> T:
        return self._make(index)


class Readable(Handle):
    """A handle whose elements can be read."""

    __slots__ = ()
    _to_view: ClassVar[Use] = Use.VIEW

    def numpy(self, *, copy: bool = True) -> Any:
        """The elements as a new NumPy array; with `copy=False` as a read-only array in the same memory, which cannot be
        written while that array exists. Raises OwnershipError if they cannot be read now."""
        from tilecheck_runtime.tensors.borrowing import borrow_array

        refuse_in_capture("the elements of a tensor are read", "read them after a replay: `graph.result.numpy()`")
        with LOCK:
            check(self, Use.READ)
            return backend_of(self._storage.memory.device).download(as_strided(self)) if copy else borrow_array(self,
                                                                                                                "NumPy")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Implements `np.asarray(x)` with a copy. Raises ValueError if no copy is allowed."""
        if copy is False:
            raise ValueError("NumPy gets a copy of a tensor; without one, write `x.numpy(copy=False)`")
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    def item(self) -> Any:
        """The only element, as a Python number. Raises ValueError when there are more."""
        if self.size != 1:
            raise ValueError(f"a tensor of shape {self.shape} has {self.size} elements, not one")
        return self.numpy().item()

    @property
    def view(self) -> _Views[Self]:
        """A part of it, in the same memory: `x.view[:1024]`, `x.view[::2, 3]`. Raises IndexError or ValueError."""
        return _Views(lambda index: self._make_view(lambda layout: slice_layout(layout, index)))

    def reshape(self, *shape: Any) -> Self:
        """The same memory in another shape. Raises ValueError when that needs a copy."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return self._make_view(lambda layout: reshape_layout(layout, wanted))

    def transposed(self, *axes: int) -> Self:
        """A read-only view with the axes in another order, reversed by default. Raises ValueError."""
        return self._make_view(lambda layout: transpose_layout(layout, axes), readonly=True)

    def _make_view(self, change: Callable[[Layout], Layout], readonly: bool = False) -> Self:
        with LOCK:
            check(self, self._to_view)
            return self._view_of(change(self._layout), readonly or self.readonly)

    def _view_of(self, layout: Layout, readonly: bool) -> Self:
        return type(self).of(self._storage, layout, self, None, readonly)

    def copy(self) -> Any:
        """A new contiguous tensor with the same elements."""
        return self.astype(self.dtype)

    def astype(self, dtype: Any) -> Any:
        """A new tensor with the elements converted, rounded to nearest. Floating point numbers are truncated to
        integers. Raises TypeError for an invalid element type."""
        from tilecheck_runtime.tensors.tensor import allocate_tensor

        with LOCK:
            check(self, Use.READ)
            made = allocate_tensor(self.shape, element_type(dtype))
            backend = backend_of(self._storage.memory.device)
            event = backend.copy(as_strided(self), as_strided(made), backend.default)
        event.wait()
        return made

    def lend(self) -> DeviceLoan:
        """The memory of a tensor on a GPU for `torch.as_tensor(...)` or CuPy; see `tensors/borrowing.py`."""
        from tilecheck_runtime.tensors.borrowing import borrow_device_memory

        return borrow_device_memory(self)

    def __dlpack__(self, **wishes: Any) -> Any:
        """Lets another library borrow the memory; see `tensors/borrowing.py`."""
        from tilecheck_runtime.tensors.borrowing import capsule

        return capsule(self, **wishes)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and number of the device."""
        from tilecheck_runtime.tensors.borrowing import dlpack_device

        return dlpack_device(self)

