"""A copy as an operation: it can be a step of a chain, and part of a graph."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.backends.interface import Transfer
from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.errors.locations import Place, here
from tilecheck_runtime.errors.ownership import AliasedError, LaunchArgumentError
from tilecheck_runtime.launches.arguments import shown
from tilecheck_runtime.launches.flight import Flight, KernelFlight, Passage
from tilecheck_runtime.launches.launch import Ready, allowed, borrowed, owned, result_of
from tilecheck_runtime.launches.operation import Listed, Operation, Recorder
from tilecheck_runtime.launches.streams import stream_for
from tilecheck_runtime.ownership.handles import Handle, strided
from tilecheck_runtime.ownership.regions import meet
from tilecheck_runtime.ownership.state import Use, check, moved
from tilecheck_runtime.ownership.storage import LOCK, Mode
from tilecheck_runtime.tensors.partition import Partition, returned
from tilecheck_runtime.tensors.reading import Readable

__all__ = ["copy"]


def copy(into: Partition, source: Readable) -> Operation[Partition]:
    """Copies a tensor into a partition of the same shape and element type, when it is run; the result is the partition.

    Raises LaunchArgumentError for what does not fit, AliasedError for memory that both have, and the OwnershipError
    that forbids the use of one of them; then nothing was moved.
    """
    if not isinstance(into, Partition) or not isinstance(source, Readable):
        raise LaunchArgumentError(f"`copy` takes a partition and a tensor, not a {type(into).__name__} and a "
                                  f"{type(source).__name__}", use=here(), fix="write `copy(z.partition(128), x)`")
    if into.shape != source.shape or into.dtype is not source.dtype:
        raise LaunchArgumentError(
            f"{shown('into', into)} of `copy` has shape {into.shape} and elements of type {into.dtype.__name__}, "
            f"{shown('source', source)} has {source.shape} and {source.dtype.__name__}", use=here(),
            names=("into", "source"), fix="reshape or convert the tensor first: `.reshape(...)`, `.astype(...)`")
    with LOCK:
        if meet(into.region, source.region):
            raise AliasedError(f"{shown('into', into)} and {shown('source', source)} of `copy` share memory",
                               use=here(), names=("into", "source"), fix="copy a copy: `.copy()`")
        check(into, Use.WRITE, lambda: shown("into", into))
        check(source, Use.READ, lambda: shown("source", source))
        return _Copy(into, source)


class _Copy(Listed[Partition]):
    what = "the copy"

    def __init__(self, into: Partition, source: Handle) -> None:
        place = here()
        moved(into, self.what, "use what the copy returned: `z = copy(z, x).sync()`", place)
        self._taken, self._source = returned(into, "the copy, which has not run", place), source
        super().__init__(place)

    def _reopen(self) -> None:
        self._ended = None

    def _ready(self, place: Place) -> Ready:
        uses = (("source", self._source, Use.READ),)
        allowed(uses)
        backend = backend_of(self._taken._storage.memory.device)
        job = Transfer(strided(self._source), strided(self._taken), place)
        return Ready(job, backend, None, uses, (self._taken,), (self._source,), None)

    def _begin(self, place: Place) -> Flight[Partition]:
        with LOCK:
            ready = self._ready(place)
            event = ready.backend.copy(strided(self._source), strided(self._taken), stream_for(ready.backend))
            holds = [*borrowed(ready, Mode.READING, Mode.WRITING, place, self.what),
                     *owned(ready, Mode.WRITING, place, self.what)]
            passage = Passage("copy", place, event, holds, (*ready.given, *ready.taken), lambda: result_of(ready.taken))
            return KernelFlight(passage, ready.backend.ordered)

    def _record(self, recorder: Recorder, place: Place) -> Any:
        with LOCK:
            return recorder.launch(self._ready(place), self.what, place)
