"""Memory of a device. Memory that a launch uses stays allocated until the launch is done, even if the program drops
it."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.errors import DriverError
from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream
from tilecheck_runtime.backends.cuda.transfers import streams_are_strict

__all__ = ["DeviceMemory", "Pool", "size_class"]

_GRAIN: Final = 512
_OUT_OF_MEMORY: Final = "CUDA_ERROR_OUT_OF_MEMORY"


def size_class(nbytes: int) -> int:
    """Rounds a size up, by at most an eighth, so that blocks can be reused."""
    step = max(_GRAIN, 1 << max(max(nbytes, 1).bit_length() - 4, 0))
    return -(-max(nbytes, 1) // step) * step


class DeviceMemory:
    """Bytes on a device.

    owner  keeps memory of another library alive
    uses   by stream, the number of the last work that uses the memory
    """

    def __init__(self, pool: Pool, address: int, nbytes: int, owner: object = None, readonly: bool = False,
                 uses: Mapping[DeviceStream, int] = MappingProxyType({})) -> None:
        self.pool, self.address, self.nbytes, self.owner, self.readonly = pool, address, nbytes, owner, readonly
        self.device: Final = pool.device
        self.uses: dict[DeviceStream, int] = dict(uses)

    def __del__(self) -> None:
        self.pool.retired.append((0 if self.owner is not None else self.address, self.nbytes, self.owner, self.uses))


class Pool:
    """Allocates memory, and reuses released memory of the same size class.

    Memory that only the default stream used is reused immediately: it keeps the record of its uses, so that later work
    is ordered after them. With TILECHECK_STREAMS=strict this is not done, because it could refuse a launch for the uses
    of unrelated tensors.

    retired  released memory with its uses. Any thread adds to it at any time, also a garbage collection, so it is
             processed only when memory is requested
    """

    def __init__(self, driver: Driver, ordinal: int, default: DeviceStream) -> None:
        self._driver, self._ordinal, self.device, self._default = driver, ordinal, f"cuda:{ordinal}", default
        self._waiting: defaultdict[int, deque[tuple[int, Mapping[DeviceStream, int]]]] = defaultdict(deque)
        self.retired: deque[tuple[int, int, object, Mapping[DeviceStream, int]]] = deque()
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self._lock = threading.RLock()
        self.taken = 0

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Allocates memory. Raises MemoryError, with the amount in use."""
        size = size_class(nbytes)
        with self._lock:
            self._sort()
            found = self._take_soon(size)
            if found is not None:
                address, uses = found
                return DeviceMemory(self, address, nbytes, uses=uses)
            self.collect()
            free = self._free[size]
            address = free.pop() if free else self._allocate_new(size)
        return DeviceMemory(self, address, nbytes)

    def _take_soon(self, size: int) -> tuple[int, Mapping[DeviceStream, int]] | None:
        """Returns the memory that was released first, if only the default stream used it."""
        waiting = self._waiting[size]
        if self._free[size] or not waiting or streams_are_strict():
            return None
        _, uses = waiting[0]
        return waiting.popleft() if all(s is self._default and n != LATEST for s, n in uses.items()) else None

    def adopt(self, address: int, nbytes: int, owner: object, readonly: bool) -> DeviceMemory:
        return DeviceMemory(self, address, nbytes, owner, readonly)

    def _allocate_new(self, size: int) -> int:
        self._driver.enter(self._ordinal)
        try:
            address = self._driver.allocate(size)
        except DriverError as error:
            if error.code != _OUT_OF_MEMORY:
                raise
            self.trim()
            try:
                address = self._driver.allocate(size)
            except DriverError:
                raise MemoryError(f"{size} bytes do not fit on {self.device}, where {self.taken} bytes are in use by "
                                  "this program: let go of tensors with `del`") from error
        self.taken += size
        return address

    def _sort(self) -> None:
        """Sorts released memory by size. Memory of other libraries waits here until its uses end."""
        for _ in range(len(self.retired)):
            address, nbytes, owner, uses = self.retired.popleft()
            if address:
                self._waiting[size_class(nbytes)].append((address, uses))
            elif not _is_finished(uses):
                self.retired.append((address, nbytes, owner, uses))

    def collect(self) -> None:
        """Makes memory available that no work uses any more."""
        self._sort()
        for size, waiting in self._waiting.items():
            for _ in range(len(waiting)):
                address, uses = waiting.popleft()
                if _is_finished(uses):
                    self._free[size].append(address)
                else:
                    waiting.append((address, uses))

    def trim(self) -> None:
        """Returns unused memory to the driver, after waiting for work that uses released memory."""
        for uses in [*(retired[3] for retired in list(self.retired)),
                     *(uses for waiting in self._waiting.values() for _, uses in waiting)]:
            for stream, number in uses.items():
                stream.wait(number)
        self.collect()
        for size, addresses in self._free.items():
            for address in addresses:
                self._driver.free(address)
                self.taken -= size
            addresses.clear()


def _is_finished(uses: Mapping[DeviceStream, int]) -> bool:
    """Returns whether all work that uses some memory is done. Queries the device."""
    return all(stream.has_reached(number) for stream, number in uses.items())
