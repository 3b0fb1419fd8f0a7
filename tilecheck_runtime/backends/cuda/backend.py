"""The backend of one GPU."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.backends.cuda import transfers
from tilecheck_runtime.backends.cuda.driver import Driver, driver
from tilecheck_runtime.backends.cuda.errors import DriverError, NoGPUError
from tilecheck_runtime.backends.cuda.limits import check_limits
from tilecheck_runtime.backends.cuda.loading import Loaded, Loader
from tilecheck_runtime.backends.cuda.memory import DeviceMemory, Pool
from tilecheck_runtime.backends.cuda.packed_launches import PackedLaunch, PreparedGraph, PreparedLaunch
from tilecheck_runtime.backends.cuda.stream import DeviceStream, Mark, handle_of
from tilecheck_runtime.backends.interface import Event, Job, Transfer
from tilecheck_runtime.dialect.plan import Plan
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.ownership.storage import LOCK

__all__ = ["CUDA"]


class CUDA:
    """A GPU. All work is asynchronous."""

    ordered: Final = True
    watches: Final = False

    def __init__(self, ordinal: int = 0, found: Driver | None = None, loader: Any = None) -> None:
        self.driver, self.ordinal = found if found is not None else driver(), ordinal
        count = self.driver.count()
        if not 0 <= ordinal < count:
            raise NoGPUError(f"there is no device cuda:{ordinal}: the driver sees {count}, numbered from 0"
                             "; look at CUDA_VISIBLE_DEVICES")
        self.device = f"cuda:{ordinal}"
        self.driver.enter(ordinal)
        self._foreign: dict[int, DeviceStream] = {}
        self.default: DeviceStream = self.stream("default")
        self.pool = Pool(self.driver, ordinal, self.default)
        self.loader: Loader = Loader(self.driver, ordinal) if loader is None else loader
        atexit.register(self._finish)

    @property
    def arch(self) -> str:
        return self.loader.arch

    def allocate(self, nbytes: int) -> DeviceMemory:
        for stream in list(DeviceStream._all):
            if stream.driver is self.driver:
                stream.has_pending_calls()  # dropped flights hold memory until the device is queried
        try:
            return self.pool.allocate(nbytes)
        except DriverError as error:
            raise self.default.explain_failure(error) from error

    def adopt(self, address: int, nbytes: int, owner: object, readonly: bool) -> DeviceMemory:
        return self.pool.adopt(address, nbytes, owner, readonly)

    def stream(self, name: str) -> DeviceStream:
        self.driver.enter(self.ordinal)
        return DeviceStream(name, self.ordinal, self.driver, self.driver.new_stream())

    def stream_of(self, given: Any) -> DeviceStream:
        if isinstance(given, DeviceStream):
            if given.ordinal != self.ordinal:
                raise TypeError(f"stream {given.name!r} is of cuda:{given.ordinal}, and the launch is on {self.device}")
            return given
        handle = handle_of(given)
        if handle not in self._foreign:
            made = DeviceStream(f"{handle:#x}", self.ordinal, self.driver, self.driver.foreign_stream(handle), given)
            self._foreign[handle] = made
        return self._foreign[handle]

    def order(self, stream: Any, after: Event) -> None:
        mark: Any = after
        stream.follow(mark.stream, mark.number)

    def upload(self, source: Any, target: Strided) -> None:
        try:
            transfers.upload(source, target, self.default)
        except DriverError as error:
            raise self.default.explain_failure(error) from error

    def fill(self, element: Any, target: Strided) -> None:
        try:
            transfers.fill(element, target, self.default)
        except DriverError as error:
            raise self.default.explain_failure(error) from error

    def download(self, source: Strided) -> Any:
        try:
            return transfers.download(source, self.default)
        except DriverError as error:
            raise self.default.explain_failure(error) from error

    def copy(self, source: Strided, target: Strided, stream: Any) -> Mark:
        try:
            return transfers.copy(source, target, stream)
        except DriverError as error:
            raise stream.explain_failure(error) from error

    def order_default_stream(self, array: Strided) -> int:
        """Orders the default stream after all uses of an array, and returns its handle."""
        transfers.order_after(self.default, [transfers.uses_of(array)])
        return int(self.default.handle)

    def view(self, array: Strided) -> Any:
        raise BufferError(f"this tensor lies on {self.device}, where NumPy cannot look: write `x.numpy()`")

    def refine_plan(self, function: FunctionType, plan: Plan, numbers: Mapping[str, int]) -> Plan:
        return self.loader.refine_plan(function, plan, numbers)

    def prepare(self, job: Job) -> Loaded:
        """Compiles and loads the kernel of a job. Raises OwnershipError for arguments that a GPU does not accept."""
        check_limits(job, self.device)
        return self.loader.load_kernel(job)

    def pack_launch(self, job: Job, prepared: Any, floats: Sequence[int], once: bool = False) -> PackedLaunch:
        return PackedLaunch(self.driver, self.ordinal, prepared, job, floats, once)

    def launch(self, job: Job, stream: Any, prepared: Any = None) -> Mark:
        loaded: Loaded = self.prepare(job) if prepared is None else prepared
        uses = [transfers.uses_of(a) for a in job.arguments if isinstance(a, Strided)]
        with LOCK:
            transfers.order_after(stream, uses, job.place)
            self.driver.enter(self.ordinal)
            self.hand_over(loaded.function, job.grid, loaded.packing.pack_temporary(job.arguments).address, stream)
            mark: Mark = stream.mark((job.kernel, job.place))
            transfers.record_use(mark, uses)
            return mark

    def prepare_jobs(self, jobs: Sequence[Job | Transfer], what: str) -> PreparedLaunch | PreparedGraph:
        with LOCK:
            first = jobs[0]
            if len(jobs) == 1 and isinstance(first, Job):
                return PreparedLaunch(self.driver, self.prepare(first), first, what)
            steps = [(None if isinstance(job, Transfer) else self.prepare(job), job) for job in jobs]
            return PreparedGraph(self.driver, steps, self._capturing, what)

    @functools.cached_property
    def _capturing(self) -> DeviceStream:
        return self.stream("capture")

    def hand_over(self, function: Any, grid: tuple[int, int, int], parameters: int, stream: DeviceStream) -> None:
        """Passes a launch to the driver. Raises the failure that ended the context, if there is one."""
        try:
            self.driver.launch(function, grid, stream.handle, parameters)
        except DriverError as error:
            raise stream.explain_failure(error) from error

    def _finish(self) -> None:
        """Waits at exit for all work under way, so that its callbacks run."""
        for stream in list(DeviceStream._all) if not self.driver.forked else ():
            if stream.driver is self.driver and stream.handed > stream.finished:
                stream.wait(stream.handed)
