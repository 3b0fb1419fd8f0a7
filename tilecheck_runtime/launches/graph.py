"""Graphs: launches that are captured once and replayed together."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from tilecheck_runtime.backends.interface import Backend, Event, Job, Transfer
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import CaptureError, GraphLifetimeError, LaunchArgumentError
from tilecheck_runtime.launches.flight import in_chain
from tilecheck_runtime.launches.launch import Ready, hold_inputs, result_of
from tilecheck_runtime.launches.operation import Operation
from tilecheck_runtime.launches.reentrancy import refuse_nested
from tilecheck_runtime.launches.streams import stream_for, use_stream
from tilecheck_runtime.ownership.handles import Handle, as_strided, label
from tilecheck_runtime.ownership.state import Use, check, release
from tilecheck_runtime.ownership.storage import LOCK, Chain, Hold, Mode
from tilecheck_runtime.ownership.unique import Unique
from tilecheck_runtime.tensors.capturing import begin_capture
from tilecheck_runtime.tensors.partition import Partition
from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["Graph", "graph"]

R = TypeVar("R")


def graph(operation: Operation[R]) -> Graph[R]:
    """Captures an operation: a launch, a chain of them, or several. Nothing runs until the graph is replayed.

    Raises OwnershipError as running it would, CaptureError for an operation that a graph cannot contain (allocating or
    reading memory during the capture, a graph in a graph), and TypeError for an argument that is not an operation.
    """
    if not isinstance(operation, Operation):
        raise TypeError(f"`graph` takes an operation that has not run, such as `kernel(...)`, not {operation!r}")
    return Graph(operation)


class _Capture:
    """Collects the launches of operations."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.jobs: list[Job | Transfer] = []
        self.holds: list[Hold] = []
        self.kept: list[Handle] = []
        self.backend: Backend | None = None

    def launch(self, ready: Ready, what: str, place: Location) -> Any:
        self.backend = ready.backend
        self.jobs.append(ready.job)
        self.kept += ready.given
        whose = f"a graph of {what}"
        holds = hold_inputs(ready, Mode.CAPTURED, Mode.CAPTURED, place, whose)
        for hold in holds:
            hold.chain = self.chain  # it does not apply to later launches of the same graph
        self.holds += holds
        for own in ready.taken:
            release(own)
        results = result_of(ready.taken)
        for made in results if isinstance(results, tuple) else (results,) if results is not None else ():
            self._keep(made, place, whose)
        return results

    def _keep(self, made: Partition, place: Location, whose: str) -> None:
        """Gives a result of a launch to the graph. Later launches may use it, and the program may read it."""
        assert made._hold is not None
        made._hold.mode, made._hold.what, made._hold.place = Mode.CAPTURED_TO_WRITE, whose, place
        made._hold.chain = self.chain
        self.kept.append(made)


class Graph(Unique, Generic[R]):
    """Launches that run together, on memory that stays reserved while the graph exists.

    result  the result of the operation; it can be read after a replay, and holds the values of the last one
    """

    _instead = "capture another one: `graph(kernel(...))`"

    def __init__(self, operation: Operation[R]) -> None:
        self._place, self.what = current_location(), f"a graph of {operation.what}"
        refuse_nested(self.what)
        operation._end("captured in a graph")
        self._chain = Chain()
        capture = _Capture(self._chain)
        with begin_capture(self._place), in_chain(self._chain, self._place):
            self.result: R = operation._record(capture, self._place)
        if capture.backend is None:
            raise CaptureError(f"{self.what} launches nothing", use=current_location(),
                               fix="capture a launch: `graph(kernel(...))`")
        self._backend, self._holds, self._kept = capture.backend, capture.holds, tuple(capture.kept)
        results: Any = self.result
        self._results: tuple[Any, ...] = results if isinstance(results, tuple) else (results,)
        with LOCK:
            self._repeated = self._backend.prepare_jobs(capture.jobs, f"{self.what} captured at {self._place}")
        self._event: Event | None = None

    def _describe(self) -> str:
        return self.what

    def replay(self, stream: Any = None) -> R:
        """Runs all launches once, waits, and returns `result`. Raises GraphLifetimeError if a result was moved out of
        the graph."""
        self.start(stream)
        self.wait()
        return self.result

    def start(self, stream: Any = None) -> None:
        """Starts a replay without waiting for it; replays run in order. Raises as `replay` does."""
        refuse_nested(self.what)
        with LOCK:
            self._check_results()
            with use_stream(stream):
                chosen = stream_for(self._backend)
            self._event = self._repeated.launch(chosen)

    def wait(self) -> None:
        """Waits for all replays that were started. Raises the error of the last one."""
        event, self._event = self._event, None
        if event is not None:
            event.wait()
            error = event.error()
            if error is not None:
                raise error

    def done(self) -> bool:
        """Returns whether all replays that were started have ended."""
        return self._event is None or self._event.done()

    def update(self, tensor: Tensor, values: Any) -> None:
        """Copies new values into a tensor that the graph reads; the next replay uses them. `values` is a tensor or a
        NumPy array of the same shape and element type.

        Raises LaunchArgumentError for a tensor that the graph does not read and for values that do not fit, and
        OwnershipError while other work uses the tensor.
        """
        with LOCK:
            if not any(tensor is handle for handle in self._kept) or isinstance(tensor, Partition):
                name = label(tensor)
                raise LaunchArgumentError(f"{name} is not an input of "
                                          f"{self.what}", names=(name,),
                                          use=current_location(), before=self._place, what="captured",
                                          fix="update a tensor that was passed to it")
            with in_chain(self._chain,
                          current_location()):  # the graph itself does not conflict: replays and copies alternate
                check(tensor, Use.WRITE)
            self._copy_values(tensor, values)

    def _copy_values(self, tensor: Tensor, values: Any) -> None:
        shape, kind = tuple(values.shape), values.dtype
        if shape != tensor.shape or kind not in (tensor.dtype, tensor._layout.dtype.storage):
            raise LaunchArgumentError(f"{label(tensor)} has shape {tensor.shape} and elements of type "
                                      f"{tensor.dtype.__name__}, the values have {shape} and {kind}",
                                      use=current_location(),
                                      names=(label(tensor),), fix="pass values of that shape and type")
        if isinstance(values, np.ndarray):
            self.wait()
            self._backend.upload(values, as_strided(tensor))
            return
        check(values, Use.READ)
        self._backend.copy(as_strided(values), as_strided(tensor), self._backend.default).wait()

    def _check_results(self) -> None:
        for made in self._results:
            if isinstance(made, Handle) and made._moved is not None:
                raise GraphLifetimeError(f"{self.what} is replayed, but its result was moved into {made._moved.into}",
                                         use=current_location(), before=made._moved.place, what="moved",
                                         fix="read the result where it is (`graph.result.numpy()`), or capture anew")

    def __del__(self) -> None:
        event = getattr(self, "_event", None)
        for hold in getattr(self, "_holds", ()):
            hold.release()
        if event is not None:
            kept = (self._kept, self._repeated)
            event.call_later(lambda: _let_go(kept))


def _let_go(_: object) -> None:
    """Drops objects that were retained until a device was done."""
