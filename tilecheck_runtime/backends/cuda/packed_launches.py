"""Launches whose arguments are packed once: a repeated launch, a bound launch, and a graph of several.

`PackedLaunch` records each launch as a use of its memory. The other two reserve their memory while they can be
launched, so that a launch itself records nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

from tilecheck_runtime.backends.cuda import transfers
from tilecheck_runtime.backends.cuda.driver import NO_CONTEXT, Driver
from tilecheck_runtime.backends.cuda.errors import DriverError
from tilecheck_runtime.backends.cuda.loading import Loaded
from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream, Mark
from tilecheck_runtime.backends.interface import Job, Transfer
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.errors.ownership import CaptureError
from tilecheck_runtime.ownership.memory import Strided

__all__ = ["PackedLaunch", "PreparedGraph", "PreparedLaunch"]

_CHANGES: Final = transfers.CHANGES
_OFTEN: Final = 256
"""Launches of a stream between two checks of its pending calls."""


class PackedLaunch:
    """A launch with packed arguments. Of the arrays it holds their addresses and the records of their uses, but it does
    not keep them alive.

    Everything happens in `launch` itself, because a call would take as long as the rest of it.
    """

    def __init__(self, driver: Driver, ordinal: int, loaded: Loaded, job: Job, floats: Sequence[int],
                 once: bool = False) -> None:
        self._driver, self._ordinal, self.grid, self.symbol = driver, ordinal, job.grid, loaded.symbol
        self._once = job.arguments if once else None
        packing = loaded.packing
        self._packed = packing.shared if once else packing.into(packing.new_buffer(), job.arguments)
        self._packing: Final = packing
        self._stream: DeviceStream | None = None
        self._changes = -1
        self._taken: Final = (loaded.function, *job.grid, 1, 1, 1, 0)
        self._call: tuple[Any, ...] = ()
        self._address: Final = self._packed.address
        memories: list[Any] = [a.memory for a in job.arguments if isinstance(a, Strided)]
        self._uses = list({id(m): m.uses for m in memories}.values())
        self._mine: list[dict[DeviceStream, int]] = []
        self._floats: Final = [loaded.packing.place_of(position) for position in floats]

    def launch(self, stream: DeviceStream, floats: Sequence[float],
               what: tuple[str, Location]) -> tuple[DeviceStream, int]:
        """Starts the launch. The caller holds the lock. Raises struct.error for a float that does not fit."""
        if stream is not self._stream or _CHANGES.now != self._changes:
            self._enter(stream, what[1])
        if self._once is not None:
            self._packing.pack_temporary(self._once)
            self._once = ()
        if floats:
            for (code, offset), value in zip(self._floats, floats, strict=True):
                struct.pack_into(code, self._packed.values, offset, value)
        try:
            (status,) = self._driver.bindings.cuLaunchKernel(*self._call)
        except BaseException:  # an interrupt: the launch may be under way
            transfers.record_use(stream.mark(what), self._uses)
            raise
        if status:
            self._retry_launch(stream, status)
        stream.handed = number = stream.handed + 1
        stream.recent.append((number, what))
        if self._stream is not None:
            for uses in self._mine:
                uses[stream] = number
        else:
            transfers.record_use(Mark(stream, number), self._uses)
        if not number % _OFTEN:
            stream.has_pending_calls()
        return stream, number

    def event(self, launched: tuple[DeviceStream, int]) -> Mark:
        return Mark(*launched)

    def _enter(self, stream: DeviceStream, place: Location) -> None:
        """Orders a stream after the other uses of the memory.

        Called before the first launch on a stream, and whenever `CHANGES` counted. The result stays valid while this
        stream alone uses the memory. A launch on memory that is reserved counts as a use without being recorded.
        """
        driver, changes = self._driver, _CHANGES
        driver.enter(self._ordinal)
        transfers.order_after(stream, self._uses, place)
        alone = not driver.several
        for uses in self._uses:
            if uses and stream not in uses:
                changes.count()
            uses.setdefault(stream, 0)
            alone = alone and len(uses) == 1
        self._mine = [uses for uses in self._uses if uses[stream] != LATEST]
        self._call = (*self._taken, stream.handle, self._address, 0)
        self._stream, self._changes = (stream, changes.now) if alone else (None, -1)

    def _retry_launch(self, stream: DeviceStream, status: Any) -> None:
        """Launches again in a thread that had not entered the device. Raises the failure otherwise."""
        try:
            if getattr(status, "name", "") not in NO_CONTEXT:
                raise DriverError("cuLaunchKernel", getattr(status, "name", str(status)))
            self._driver.enter(self._ordinal)
            self._driver.launch(self._taken[0], self.grid, stream.handle, self._address)
        except DriverError as error:
            raise stream.explain_failure(error) from error


class _MemoryReservation:
    """Memory that a launch reserves while it can be started. During that time the latest work of its stream counts as a
    use of the memory, so launches do not record their uses."""

    def __init__(self, jobs: Sequence[Job | Transfer], what: str) -> None:
        self._memories: list[Any] = [a.memory for job in jobs for a in job.arguments if isinstance(a, Strided)]
        self._what, self._place = what, jobs[0].place
        self._stream: DeviceStream | None = None

    def release_memory(self) -> None:
        """Ends the reservation: no launch is started until the next `_enter`."""
        stream, self._stream = self._stream, None
        if stream is not None:
            transfers.CHANGES.count()
            for uses in self._uses():
                uses[stream] = stream.handed

    def _enter(self, stream: DeviceStream) -> None:
        self.release_memory()
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
            self.release_memory()


class PreparedLaunch(_MemoryReservation):
    """One launch."""

    def __init__(self, driver: Driver, loaded: Loaded, job: Job, what: str) -> None:
        super().__init__([job], what)
        self._driver, self._function, self._grid = driver, loaded.function, job.grid
        self._packed = loaded.packing.into(loaded.packing.new_buffer(), job.arguments)
        self._address = self._packed.address

    def launch(self, stream: DeviceStream) -> Mark:
        if stream is not self._stream:
            self._enter(stream)
        try:
            self._driver.launch(self._function, self._grid, stream.handle, self._address)
        except DriverError as error:
            self._retry_launch(stream, error)
        return stream.mark(self._what)

    def _retry_launch(self, stream: DeviceStream, error: DriverError) -> None:
        """Launches again in a thread that had not entered the device. Raises the failure otherwise."""
        if error.code not in NO_CONTEXT:
            raise stream.explain_failure(error) from error
        self._driver.enter(stream.ordinal)
        self._driver.launch(self._function, self._grid, stream.handle, self._address)


class PreparedGraph(_MemoryReservation):
    """Several launches and copies, as a graph of the driver."""

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
                    driver.launch(known.function, job.grid, stream.handle,
                                  known.packing.pack_temporary(job.arguments).address)
        finally:
            self._graph = driver.end_capture(stream.handle)

    def launch(self, stream: DeviceStream) -> Mark:
        if stream is not self._stream:
            self._enter(stream)
        try:
            self._driver.enter(stream.ordinal)
            self._driver.run_graph(self._graph, stream.handle)
        except DriverError as error:
            raise stream.explain_failure(error) from error
        return stream.mark(self._what)

    def __del__(self) -> None:
        super().__del__()
        if hasattr(self, "_graph"):
            self._driver.destroy_graph(self._graph)
