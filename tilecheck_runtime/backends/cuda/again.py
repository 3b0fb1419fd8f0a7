"""A launch that is made once more with the same arrays: everything that the driver takes is there already."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

from tilecheck_runtime.backends.cuda import transfers
from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.errors import DriverError
from tilecheck_runtime.backends.cuda.loading import Loaded
from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream, Mark
from tilecheck_runtime.backends.interface import Job, Strided
from tilecheck_runtime.ownership.places import Place

__all__ = ["Again"]

_OFTEN: Final = 256
"""Launches of a stream between two looks at what waits for it."""


class Again:
    """A launch with its arguments packed. Of the arrays it knows no more than their addresses, and what uses them."""

    def __init__(self, driver: Driver, ordinal: int, loaded: Loaded, job: Job, floats: Sequence[int]) -> None:
        self._driver, self._ordinal, self._function, self._grid = driver, ordinal, loaded.function, job.grid
        self._packed = loaded.packing.into(loaded.packing.new(), job.arguments)
        self._address = self._packed.address
        memories: list[Any] = [a.memory for a in job.arguments if isinstance(a, Strided)]
        self._uses = list({id(m): m.uses for m in memories}.values())
        self._floats: Final = [loaded.packing.place_of(position) for position in floats]

    def launch(self, stream: DeviceStream, floats: Sequence[float], what: tuple[str, Place]) -> Mark:
        """The caller holds the lock. Raises struct.error for a float that does not fit."""
        for uses in self._uses:
            if stream not in uses or len(uses) > 1:
                transfers.after(stream, self._uses, what[1])
                break
        self._driver.enter(self._ordinal)
        if floats:
            for (code, offset), value in zip(self._floats, floats, strict=True):
                struct.pack_into(code, self._packed.values, offset, value)
        try:
            self._driver.launch(self._function, self._grid, stream.handle, self._address)
        except DriverError as error:
            raise stream.refused(error) from error
        mark = stream.mark(what)
        number = mark.number
        for uses in self._uses:
            if uses.get(stream) != LATEST:
                uses[stream] = number
        if not number % _OFTEN:
            stream.unsettled()
        return mark
