"""The interface of a backend: memory, copies, launches, and the order between them.

Tensors, ownership and launches are written against this interface. A backend knows nothing of ownership: the caller
checks it, and keeps everything that it passes alive until the returned event is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Protocol

from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.ownership.memory import Memory, Strided

__all__ = ["Backend", "Event", "Job", "Memory", "PackedLaunch", "PreparedJobs", "Stream", "Transfer"]


class Event(Protocol):
    """Work that was submitted to a backend."""

    def done(self) -> bool:
        """Returns whether the work has ended, successfully or not."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the work has ended, for at most `timeout` seconds. Returns whether it has."""
        ...

    def error(self) -> BaseException | None:
        """Returns the error, after the work has ended."""
        ...

    def when_done(self, call: Callable[[], None]) -> None:
        """Calls a function, in any thread, when the work has ended; immediately if it has."""
        ...

    def call_later(self, call: Callable[[], None]) -> None:
        """Like `when_done`, but the call may be delayed until the next use of the backend."""
        ...


class Stream(Protocol):
    """Work on a stream runs in the order of its submission; streams run concurrently."""

    @property
    def name(self) -> str:
        """For messages."""
        ...


@dataclass(frozen=True)
class Job:
    """A launch.

    function   the entry: a plain function of raw arrays, scalars and constants
    grid       blocks along each axis
    arguments  of the entry, in order: Strided arrays, numbers
    hints      for the compiler
    kernel     its name in findings
    place      the location of the launch
    """

    function: Callable[..., Any]
    grid: tuple[int, int, int]
    arguments: tuple[Any, ...]
    kernel: str
    place: Location
    hints: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Transfer:
    """A copy between two arrays of the same shape and element type.

    place  the location of the copy
    """

    source: Strided
    target: Strided
    place: Location
    kernel: str = "copy"

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arrays."""
        return self.source, self.target


class PackedLaunch(Protocol):
    """A launch of arrays at fixed addresses. It keeps nothing alive and checks nothing: the caller ensures that
    everything except the floats is unchanged.

    symbol  of its code
    """

    grid: tuple[int, int, int]
    symbol: str

    def launch(self, stream: Any, floats: Sequence[float], what: tuple[str, Location]) -> object:
        """Runs the launch once and records the use of its memory, which is alive. `floats` are values of the parameters
        that it was packed for, `what` the kernel and the location of the launch. Returns the argument of `event`."""
        ...

    def event(self, launched: Any) -> Event:
        """Returns the event of a launch. Most are never requested."""
        ...


class PreparedJobs(Protocol):
    """Jobs that can run many times. They keep nothing alive: their owner does."""

    def launch(self, stream: Any) -> Event:
        """Runs the jobs once."""
        ...

    def release_memory(self) -> None:
        """Declares that the program waited for all runs."""
        ...


class Backend(Protocol):
    """A device that holds tensors and runs kernels."""

    @property
    def device(self) -> str:
        """The name of its device, as memory gives it."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether the device itself runs the work of one stream in order, so that the host need not wait in between."""
        ...

    @property
    def watches(self) -> bool:
        """Whether the backend detects errors of kernels itself, so that unproved kernels may run."""
        ...

    @property
    def arch(self) -> str | None:
        """The target architecture of the compiler, such as "sm_90"; None if kernels are not compiled."""
        ...

    def allocate(self, nbytes: int) -> Memory:
        """Allocates memory with arbitrary contents, aligned for every element type. Raises MemoryError."""
        ...

    def adopt(self, address: int, nbytes: int, owner: object, readonly: bool) -> Memory:
        """Wraps memory of another library on this device; `owner` keeps it alive."""
        ...

    def stream(self, name: str) -> Stream:
        """A new stream."""
        ...

    def stream_of(self, given: Any) -> Stream:
        """Returns a stream of this backend, or of another library on its device. Raises TypeError for other objects."""
        ...

    @property
    def default(self) -> Stream:
        """The stream of work that names none."""
        ...

    def order(self, stream: Stream, after: Event) -> None:
        """Orders later work of a stream after an event of any stream."""
        ...

    def upload(self, source: Any, target: Strided) -> None:
        """Copies a NumPy array of the same shape and element type to the device, and waits for it."""
        ...

    def fill(self, element: Any, target: Strided) -> None:
        """Fills a new contiguous array with one element, a NumPy array without axes. Later work sees the elements; the
        program need not wait."""
        ...

    def download(self, source: Strided) -> Any:
        """Returns a new NumPy array with the elements, after all earlier work on them is done."""
        ...

    def copy(self, source: Strided, target: Strided, stream: Stream) -> Event:
        """Copies between two arrays of the same shape, converting the elements where their types differ."""
        ...

    def view(self, array: Strided) -> Any:
        """Returns the array as NumPy or another library on this device sees it, without a copy."""
        ...

    def refine_plan(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        """Optimizes the plan of a launch that passed its guards for this backend. `numbers` are the values that
        contracts refer to."""
        ...

    def prepare(self, job: Job) -> object:
        """Does everything that can fail before a launch: limits of the device, compilation."""
        ...

    def prepare_jobs(self, jobs: Sequence[Job | Transfer], what: str) -> PreparedJobs:
        """Prepares launches and copies that run together many times, in order.

        what  describes them in messages
        """
        ...

    def pack_launch(self, job: Job, prepared: Any, floats: Sequence[int], once: bool = False) -> PackedLaunch | None:
        """Packs a job for launches that differ only in the floats at these positions of its arguments; None if that
        saves nothing. `prepared` is the result of `prepare`. With `once` the job is launched one time only."""
        ...

    def launch(self, job: Job, stream: Stream, prepared: Any = None) -> Event:
        """Runs a kernel once. A failure is the error of the event. `prepared` is the result of `prepare`."""
        ...
