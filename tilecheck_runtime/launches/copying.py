"""A copy as an operation: it can be a step of a chain and part of a graph."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.backends.interface import Transfer
from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import AliasedError, LaunchArgumentError
from tilecheck_runtime.launches.arguments import show_argument
from tilecheck_runtime.launches.flight import Flight, KernelFlight, Passage
from tilecheck_runtime.launches.launch import Ready, check_uses, hold_inputs, hold_outputs, result_of
from tilecheck_runtime.launches.operation import Listed, Operation, Recorder
from tilecheck_runtime.launches.streams import stream_for
from tilecheck_runtime.ownership.handles import Handle, as_strided
from tilecheck_runtime.ownership.regions import overlap
from tilecheck_runtime.ownership.state import Use, check, end_handle
from tilecheck_runtime.ownership.storage import LOCK, Mode
from tilecheck_runtime.tensors.partition import Partition, transfer_partition
from tilecheck_runtime.tensors.reading import Readable

__all__ = ["copy"]


def copy(into: Partition, source: Readable) -> Operation[Partition]:
    """Copies a tensor into a partition of the same shape and element type when it is run. The result is the partition.

    Raises LaunchArgumentError for different shapes or element types, AliasedError for shared memory, and the
    OwnershipError that forbids the use of an argument; then nothing was moved.
    """
    if not isinstance(into, Partition) or not isinstance(source, Readable):
        raise LaunchArgumentError(f"`copy` takes a partition and a tensor, not a {type(into).__name__} and a "
                                  f"{type(source).__name__}", use=current_location(),
                                  fix="write `copy(z.partition(128), x)`")
    if into.shape != source.shape or into.dtype is not source.dtype:
        raise LaunchArgumentError(
            f"{show_argument('into', into)} of `copy` has shape {into.shape} and elements of type "
            f"{into.dtype.__name__}, "
            f"{show_argument('source', source)} has {source.shape} and {source.dtype.__name__}", use=current_location(),
            names=("into", "source"), fix="reshape or convert the tensor first: `.reshape(...)`, `.astype(...)`")
    with LOCK:
        if overlap(into.region, source.region):
            raise AliasedError(f"{show_argument('into', into)} and {show_argument('source', source)} of `copy` share "
                               "memory", use=current_location(), names=("into", "source"), fix="copy a copy: `.copy()`")
        check(into, Use.WRITE, lambda: show_argument("into", into))
        check(source, Use.READ, lambda: show_argument("source", source))
        return _Copy(into, source)


class _Copy(Listed[Partition]):
    what = "the copy"

    def __init__(self, into: Partition, source: Handle) -> None:
        place = current_location()
        end_handle(into, self.what, "use what the copy returned: `z = copy(z, x).sync()`", place)
        self._taken, self._source = transfer_partition(into, "the copy, which has not run", place), source
        super().__init__(place)

    def _reopen(self) -> None:
        self._ended = None

    def _check_and_prepare(self, place: Location) -> Ready:
        uses = (("source", self._source, Use.READ),)
        check_uses(uses)
        backend = backend_of(self._taken._storage.memory.device)
        job = Transfer(as_strided(self._source), as_strided(self._taken), place)
        return Ready(job, backend, None, uses, (self._taken,), (self._source,), None)

    def _begin(self, place: Location) -> Flight[Partition]:
        with LOCK:
            ready = self._check_and_prepare(place)
            event = ready.backend.copy(as_strided(self._source), as_strided(self._taken), stream_for(ready.backend))
            holds = [*hold_inputs(ready, Mode.READING, Mode.WRITING, place, self.what),
                     *hold_outputs(ready, Mode.WRITING, place, self.what)]
            passage = Passage("copy", place, event, holds, (*ready.given, *ready.taken), lambda: result_of(ready.taken))
            return KernelFlight(passage, ready.backend.ordered)

    def _record(self, recorder: Recorder, place: Location) -> Any:
        with LOCK:
            return recorder.launch(self._check_and_prepare(place), self.what, place)
