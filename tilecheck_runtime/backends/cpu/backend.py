"""The CPU: memory belongs to NumPy, and kernels run block by block under the sanitizer, in a thread of each stream."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from types import FunctionType
from typing import Any, Final

import numpy as np

from tilecheck_runtime.backends.cpu.events import HostEvent
from tilecheck_runtime.backends.interface import Event, Job, Transfer
from tilecheck_runtime.cpu.execution.execute import execute
from tilecheck_runtime.cpu.tile import cast
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.sanitizer.errors import KernelFaultError
from tilecheck_runtime.sanitizer.session import Session

__all__ = ["CPU", "HostJobs", "HostMemory", "HostStream"]

ALIGNMENT: Final = 128
"""Alignment of allocations, in bytes: that of the strictest loads of a GPU, so that kernels see the same on both."""

LINGER: Final = 0.05
"""Seconds that the thread of a stream waits for more work before it ends."""


class HostMemory:
    """Bytes in main memory."""

    device: Final = "cpu"

    def __init__(self, buffer: Any, address: int, nbytes: int, owner: object = None, readonly: bool = False) -> None:
        self.buffer, self.address, self.nbytes, self.owner, self.readonly = buffer, address, nbytes, owner, readonly


class HostStream:
    """Runs work in order, in a thread that exists as long as there is work. The interpreter waits for this thread
    before it exits, also for work that other threads submit then."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._begin()
        _STREAMS.add(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._work: deque[tuple[Callable[[], None], Future[None]]] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], None]) -> HostEvent:
        """Submits work. From the thread of the stream itself it runs immediately, because no other work can come
        first."""
        future: Future[None] = Future()
        if self._thread is threading.current_thread():
            _run_work(work, future)
            return HostEvent(future)
        with self._changed:
            self._work.append((work, future))
            if self._thread is None:
                thread = threading.Thread(target=self._drain, name=f"tilecheck-{self.name}")
                try:
                    thread.start()
                except BaseException:
                    self._work.pop()  # a thread may start again later
                    raise
                self._thread = thread
            else:
                self._changed.notify()
        return HostEvent(future)

    def _drain(self) -> None:
        while True:
            with self._changed:
                if not self._work:
                    self._changed.wait(LINGER)
                if not self._work:
                    self._thread = None
                    return
                work, future = self._work.popleft()
            _run_work(work, future)
            del work, future  # these keep memory alive


def _run_work(work: Callable[[], None], future: Future[None]) -> None:
    try:
        work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(None)


_STREAMS: Final[weakref.WeakSet[HostStream]] = weakref.WeakSet()


def _after_fork() -> None:
    """A child process has no threads but the one that forked."""
    for stream in list(_STREAMS):
        stream._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class CPU:
    """The backend where there is no GPU."""

    device: Final = "cpu"
    ordered: Final = False
    watches: Final = True
    arch: Final = None

    def __init__(self, seed: int | None = 0) -> None:
        self.seed = seed
        self.default = HostStream("default")

    def allocate(self, nbytes: int) -> HostMemory:
        whole = np.zeros(nbytes + ALIGNMENT, np.uint8)
        skip = -whole.ctypes.data % ALIGNMENT
        return HostMemory(whole[skip:skip + nbytes], whole.ctypes.data + skip, nbytes)

    def adopt(self, address: int, nbytes: int, owner: object, readonly: bool) -> HostMemory:
        raw: Any = (ctypes.c_ubyte * nbytes).from_address(address)
        return HostMemory(np.frombuffer(raw, np.uint8), address, nbytes, owner, readonly)

    def stream(self, name: str) -> HostStream:
        return HostStream(name)

    def stream_of(self, given: Any) -> HostStream:
        if isinstance(given, HostStream):
            return given
        raise TypeError(f"{given!r} is not a stream of the CPU: write `tilecheck_runtime.stream()`, or leave it out")

    def order(self, stream: Any, after: Event) -> None:
        stream.submit(lambda: _discard(after.wait()))

    def upload(self, source: Any, target: Strided) -> None:
        self._array(target)[...] = source

    def fill(self, element: Any, target: Strided) -> None:
        self._array(target)[...] = element

    def download(self, source: Strided) -> Any:
        return self._array(source).copy()

    def copy(self, source: Strided, target: Strided, stream: Any) -> HostEvent:
        def work() -> None:
            with np.errstate(all="ignore"):
                self._array(target)[...] = cast(self._array(source), target.dtype)

        event: HostEvent = stream.submit(work)
        return event

    def view(self, array: Strided) -> Any:
        return self._array(array)

    def _array(self, array: Strided) -> Any:
        memory: Any = array.memory
        size = array.dtype.storage.itemsize
        made: Any = np.ndarray(array.shape, array.dtype.storage, memory.buffer, array.offset,
                               tuple(s * size for s in array.strides))
        made.flags.writeable = not memory.readonly
        return made

    def refine_plan(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        return plan

    def prepare(self, job: Job) -> None:
        """Does nothing: kernels are translated when they run."""

    def pack_launch(self, job: Job, prepared: Any, floats: Sequence[int], once: bool = False) -> None:
        """Returns None: the sanitizer takes far longer than everything that packing would save."""

    def launch(self, job: Job, stream: Any, prepared: Any = None) -> HostEvent:
        return HostJobs([self._work(job)]).launch(stream)

    def prepare_jobs(self, jobs: Sequence[Job | Transfer], what: str) -> HostJobs:
        return HostJobs([self._copy_work(job) if isinstance(job, Transfer) else self._work(job) for job in jobs])

    def _copy_work(self, job: Transfer) -> Callable[[Session | None], None]:
        source, target = self._array(job.source), self._array(job.target)

        def work(_: Session | None) -> None:
            target[...] = source

        return work

    def _work(self, job: Job) -> Callable[[Session | None], None]:
        """Returns a function that runs a job. Findings go to the session that was open when the job was started."""
        arguments = [self._array(a) if isinstance(a, Strided) else a for a in job.arguments]

        def work(into: Session | None) -> None:
            found = into if into is not None else Session(self.seed)
            try:
                execute(job.function, job.grid, arguments, found)
            except Exception as error:
                error.add_note(f"in the launch of `{job.kernel}` at {job.place}")
                raise
            events = () if into is not None else found.report().events
            if events:
                raise KernelFaultError(job.kernel, events, job.place)

        return work


class HostJobs:
    """Jobs that run one after another. The first failure ends the sequence."""

    def __init__(self, work: Sequence[Callable[[Session | None], None]]) -> None:
        self._work = work

    def launch(self, stream: Any) -> HostEvent:
        into = Session.current

        def run_all() -> None:
            for work in self._work:
                work(into)

        event: HostEvent = stream.submit(run_all)
        return event

    def release_memory(self) -> None:
        """Does nothing: no state remains between runs."""


def _discard(_: object) -> None:
    """Discards the result of work that is done for its effect."""
