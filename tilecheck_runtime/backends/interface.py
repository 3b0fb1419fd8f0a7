"""What a backend does: memory, copies, launches, and the order between them.

Tensors, ownership and launches are written against this. A backend knows nothing of ownership: whoever calls it has
asked before, and keeps everything that it passes alive until the event it got is done.
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
    """Work that was handed to a backend."""

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, for at most `timeout` seconds, and says whether it has."""
        ...

    def error(self) -> BaseException | None:
        """What went wrong, once it has ended."""
        ...

    def when_done(self, call: Callable[[], None]) -> None:
        """Calls something, in any thread, once the work has ended; at once when it has."""
        ...

    def call_later(self, call: Callable[[], None]) -> None:
        """As `when_done`, for what nobody waits for: it may be as late as the next use of the backend."""
        ...


class Stream(Protocol):
    """Work on a stream is done in the order in which it was handed over; streams run side by side."""

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
    kernel     what findings call it
    place      where the program asked for it
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

    place  where the program asked for it
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
    """A launch of arrays that lie where they lay when it was first made. It keeps nothing alive, and asks nothing:
    whoever launches it has seen to it that all is as it was, but for floats.

    symbol  of its code
    """

    grid: tuple[int, int, int]
    symbol: str

    def launch(self, stream: Any, floats: Sequence[float], what: tuple[str, Location]) -> object:
        """Runs it once, and counts it as a use of its memories, which are alive. `floats` are the values of the
        parameters that it was made with, `what` the kernel and where it is launched. Returns what `event` takes."""
        ...

    def event(self, launched: Any) -> Event:
        """The event of a launch. Most of them are never asked for."""
        ...


class PreparedJobs(Protocol):
    """Jobs that were made ready. They keep nothing alive: whoever has them does."""

    def launch(self, stream: Any) -> Event:
        """Runs them once."""
        ...

    def release_memory(self) -> None:
        """Says that all of it was waited for."""
        ...


class Backend(Protocol):
    """Where tensors lie and kernels run."""

    @property
    def device(self) -> str:
        """The name of its device, as memory gives it."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether the device itself keeps work of one stream in order, so that the host need not wait between."""
        ...

    @property
    def watches(self) -> bool:
        """Whether it finds out by itself what kernels do wrong, so that one that is not proved can be launched."""
        ...

    @property
    def arch(self) -> str | None:
        """What kernels are compiled for: "sm_90". None where they are not."""
        ...

    def allocate(self, nbytes: int) -> Memory:
        """Memory with any contents, aligned for every element type. Raises MemoryError."""
        ...

    def adopt(self, address: int, nbytes: int, owner: object, readonly: bool) -> Memory:
        """Memory of another library on this device; `owner` keeps it alive."""
        ...

    def stream(self, name: str) -> Stream:
        """A new stream."""
        ...

    def stream_of(self, given: Any) -> Stream:
        """A stream of this backend, or of another library on its device. Raises TypeError for what is none."""
        ...

    @property
    def default(self) -> Stream:
        """The stream of work that names none."""
        ...

    def order(self, stream: Stream, after: Event) -> None:
        """Work handed to a stream from now on begins after an event of any stream."""
        ...

    def upload(self, source: Any, target: Strided) -> None:
        """Copies a NumPy array of the same shape and element type to the device, and waits for it."""
        ...

    def fill(self, element: Any, target: Strided) -> None:
        """Puts one element, a NumPy array of no axes, everywhere in a new array without gaps. What is handed over later
        finds it there; the program need not wait."""
        ...

    def download(self, source: Strided) -> Any:
        """A new NumPy array with the elements, when all work that was handed over before is done with them."""
        ...

    def copy(self, source: Strided, target: Strided, stream: Stream) -> Event:
        """Copies between two arrays of the same shape, converting the elements where their types differ."""
        ...

    def view(self, array: Strided) -> Any:
        """The array as NumPy, or whatever else on this device, sees it, without a copy."""
        ...

    def refine_plan(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        """The plan of a launch that its guards let through, as it is best for this backend. `numbers` are those that
        contracts speak of."""
        ...

    def prepare(self, job: Job) -> object:
        """Whatever can be refused before something is launched: limits of the device, compilation."""
        ...

    def prepare_jobs(self, jobs: Sequence[Job | Transfer], what: str) -> PreparedJobs:
        """Launches and copies that are run together many times, in order: whatever can be done once is done now.

        what  how messages call them
        """
        ...

    def pack_launch(self, job: Job, prepared: Any, floats: Sequence[int], once: bool = False) -> PackedLaunch | None:
        """The job, for launches that differ from it in nothing but the floats at these positions of its arguments; None
        where that is not worth it. `prepared` is what `prepare` returned; with `once` it is launched one time only."""
        ...

    def launch(self, job: Job, stream: Stream, prepared: Any = None) -> Event:
        """Runs a kernel once. What it does wrong is the error of the event. `prepared` is what `prepare` returned."""
        ...
