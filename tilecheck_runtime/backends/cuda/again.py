"""A launch that is made once more with the same arrays: everything that the driver takes is there already."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

from tilecheck_runtime.backends.cuda import transfers
from tilecheck_runtime.backends.cuda.driver import NO_CONTEXT, Driver
from tilecheck_runtime.backends.cuda.errors import DriverError
from tilecheck_runtime.backends.cuda.loading import Loaded
from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream, Mark
from tilecheck_runtime.backends.interface import Job
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.ownership.memory import Strided

__all__ = ["PackedLaunch"]

_CHANGES: Final = transfers.CHANGES
_OFTEN: Final = 256
"""Launches of a stream between two looks at what waits for it."""


class PackedLaunch:
    """A launch with its arguments packed. Of the arrays it knows no more than their addresses, and what uses them.

    What it does is written out here, as calls would take as long as the rest of it.
    """

    def __init__(self, driver: Driver, ordinal: int, loaded: Loaded, job: Job, floats: Sequence[int],
                 once: bool = False) -> None:
        self._driver, self._ordinal, self.grid, self.symbol = driver, ordinal, job.grid, loaded.symbol
        self._once = job.arguments if once else None
        packing = loaded.packing
        self._packed = packing.shared if once else packing.into(packing.new(), job.arguments)
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
        """The caller holds the lock. Raises struct.error for a float that does not fit."""
        if stream is not self._stream or _CHANGES.now != self._changes:
            self._enter(stream, what[1])
        if self._once is not None:
            self._packing.once(self._once)
            self._once = ()
        if floats:
            for (code, offset), value in zip(self._floats, floats, strict=True):
                struct.pack_into(code, self._packed.values, offset, value)
        try:
            (status,) = self._driver.bindings.cuLaunchKernel(*self._call)
        except BaseException:  # an interrupt: it may be under way
            transfers.record_use(stream.mark(what), self._uses)
            raise
        if status:
            self._refused(stream, status)
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
        """Before the first launch on a stream, and whenever other streams may have begun to use the memory, or it was
        bound or is no longer. Need not be asked again as long as this stream alone uses it. For memory that is bound
        every launch counts as a use without being counted."""
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

    def _refused(self, stream: DeviceStream, status: Any) -> None:
        """Once more in a thread that the device did not know yet; else raises what went wrong."""
        try:
            if getattr(status, "name", "") not in NO_CONTEXT:
                raise DriverError("cuLaunchKernel", getattr(status, "name", str(status)))
            self._driver.enter(self._ordinal)
            self._driver.launch(self._taken[0], self.grid, stream.handle, self._address)
        except DriverError as error:
            raise stream.refused(error) from error
