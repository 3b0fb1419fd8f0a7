"""Launches that are made ready once and run many times: one by itself, several as a graph of the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilecheck_runtime.backends.cuda import transfers
from tilecheck_runtime.backends.cuda.driver import NO_CONTEXT, Driver
from tilecheck_runtime.backends.cuda.errors import DriverError
from tilecheck_runtime.backends.cuda.loading import Loaded
from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream, Mark
from tilecheck_runtime.backends.interface import Job, Transfer
from tilecheck_runtime.errors.ownership import CaptureError
from tilecheck_runtime.ownership.memory import Strided

__all__ = ["Captured", "Direct"]


class _Ready:
    """What both have in common: whose memory it is. While it may be launched, whatever was handed to its stream last
    counts as a use of that memory, so that launches need not say it one by one."""

    def __init__(self, jobs: Sequence[Job | Transfer], what: str) -> None:
        self._memories: list[Any] = [a.memory for job in jobs for a in job.arguments if isinstance(a, Strided)]
        self._what, self._place = what, jobs[0].place
        self._stream: DeviceStream | None = None

    def rest(self) -> None:
        """Nothing of it is launched any more for now."""
        stream, self._stream = self._stream, None
        if stream is not None:
            transfers.CHANGES.count()
            for uses in self._uses():
                uses[stream] = stream.handed

    def _enter(self, stream: DeviceStream) -> None:
        self.rest()
        stream.driver.enter(stream.ordinal)
        transfers.order_after(stream, self._uses(), self._place)
        transfers.CHANGES.count()
        for uses in self._uses():
            uses[stream] = LATEST
        self._stream = stream

    def _uses(self) -> list[dict[DeviceStream, int]]:
        return [m.uses for m in self._memories]

    def __del__(self) -> None:
        if hasattr(self, "_stream"):
            self.rest()


class Direct(_Ready):
    """One launch."""

    def __init__(self, driver: Driver, loaded: Loaded, job: Job, what: str) -> None:
        super().__init__([job], what)
        self._driver, self._function, self._grid = driver, loaded.function, job.grid
        self._packed = loaded.packing.into(loaded.packing.new(), job.arguments)
        self._address = self._packed.address

    def launch(self, stream: DeviceStream) -> Mark:
        if stream is not self._stream:
            self._enter(stream)
        try:
            self._driver.launch(self._function, self._grid, stream.handle, self._address)
        except DriverError as error:
            self._again(stream, error)
        return stream.mark(self._what)

    def _again(self, stream: DeviceStream, error: DriverError) -> None:
        """In a thread that the device did not know yet; else what went wrong is said."""
        if error.code not in NO_CONTEXT:
            raise stream.refused(error) from error
        self._driver.enter(stream.ordinal)
        self._driver.launch(self._function, self._grid, stream.handle, self._address)


class Captured(_Ready):
    """Several launches and copies, as a graph."""

    def __init__(self, driver: Driver, steps: Sequence[tuple[Loaded | None, Job | Transfer]], stream: DeviceStream,
                 what: str) -> None:
        super().__init__([job for _, job in steps], what)
        copies = {id(job): transfers.plan_copies(job.source, job.target) for _,
                  job in steps if isinstance(job, Transfer)}
        for _, job in steps:
            if copies.get(id(job), ()) is None:
                raise CaptureError("a copy between arrays in so many parts goes through the host, which a graph cannot",
                                   use=job.place, fix="copy it before: `.copy()`")
        self._driver = driver
        driver.enter(stream.ordinal)
        driver.begin_capture(stream.handle)
        try:
            for known, job in steps:
                for target, source, nbytes in copies.get(id(job)) or ():
                    driver.copy(target, source, nbytes, stream.handle)
                if known is not None and isinstance(job, Job):
                    driver.launch(known.function, job.grid, stream.handle, known.packing.once(job.arguments).address)
        finally:
            self._graph = driver.end_capture(stream.handle)

    def launch(self, stream: DeviceStream) -> Mark:
        if stream is not self._stream:
            self._enter(stream)
        try:
            self._driver.enter(stream.ordinal)
            self._driver.run_graph(self._graph, stream.handle)
        except DriverError as error:
            raise stream.refused(error) from error
        return stream.mark(self._what)

    def __del__(self) -> None:
        super().__del__()
        if hasattr(self, "_graph"):
            self._driver.destroy_graph(self._graph)
