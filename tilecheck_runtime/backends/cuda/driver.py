"""The calls of the CUDA driver that the backend uses. Handles are those of `cuda.bindings`; sizes are in bytes.

Loaded on first use, so that all modules can be imported without a GPU.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from typing import Any, Final

from tilecheck_runtime.backends.cuda.errors import DriverError, NoGPUError

__all__ = ["LEAST", "NO_CONTEXT", "Driver", "driver", "format_version"]

LEAST: Final = 13000
"""`cuDriverGetVersion` of the oldest driver that runs tile kernels: r580, CUDA 13.0."""
NO_CONTEXT: Final = frozenset({"CUDA_ERROR_INVALID_CONTEXT", "CUDA_ERROR_CONTEXT_IS_DESTROYED"})
"""Results of a call in a thread that has entered no device."""
_NOT_READY: Final = "CUDA_ERROR_NOT_READY"
_NON_BLOCKING_WAIT: Final = 2
"""CU_EVENT_DISABLE_TIMING: events that only order."""


class _Here(threading.local):
    """Whether this thread has entered a device."""

    entered: bool = False


class Driver:
    """Calls of the driver. All raise DriverError.

    bindings  the module `cuda.bindings.driver`, or a replacement of it
    several   whether there is more than one device, so that a thread may be in another one; True until it is known
    """

    def __init__(self, bindings: Any) -> None:
        self.bindings = bindings
        self.several = True
        self._contexts: dict[int, Any] = {}
        self._here = _Here()
        self.forked = False
        _DRIVERS.add(self)

    def call(self, name: str, *arguments: Any) -> Any:
        """Makes one call. Returns its result, or the tuple of several results."""
        status, *results = getattr(self.bindings, name)(*arguments)
        if int(status) != 0:
            raise DriverError(name, getattr(status, "name", str(status)))
        return results[0] if len(results) == 1 else tuple(results)

    def version(self) -> int:
        """CUDA version of the driver: 13000 for 13.0."""
        return int(self.call("cuDriverGetVersion"))

    def count(self) -> int:
        """The number of devices that this process sees."""
        return int(self.call("cuDeviceGetCount"))

    def name(self, ordinal: int) -> str:
        """The name of a device."""
        raw = self.call("cuDeviceGetName", 128, self.call("cuDeviceGet", ordinal))
        text = raw.decode() if isinstance(raw, bytes) else str(raw)
        return text.partition("\0")[0]

    def arch(self, ordinal: int) -> str:
        """The architecture of a device: "sm_90"."""
        device, attribute = self.call("cuDeviceGet", ordinal), self.bindings.CUdevice_attribute
        major, minor = (self.call("cuDeviceGetAttribute", getattr(
            attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), device) for part in ("MAJOR", "MINOR"))
        return f"sm_{major}{minor}"

    def multiprocessors(self, ordinal: int) -> int:
        """The number of multiprocessors of a device."""
        wanted = self.bindings.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
        return int(self.call("cuDeviceGetAttribute", wanted, self.call("cuDeviceGet", ordinal)))

    def enter(self, ordinal: int) -> None:
        """Makes the primary context of a device, which other libraries share, the context of this thread."""
        if self.forked:
            raise NoGPUError("CUDA does not work in a process that was forked after the program used a GPU: start such "
                             "processes anew, with `multiprocessing.get_context('spawn')`")
        if self._here.entered and not self.several:
            return  # with one device there is one context
        if ordinal not in self._contexts:
            self._contexts[ordinal] = self.call("cuDevicePrimaryCtxRetain", self.call("cuDeviceGet", ordinal))
            self.several = self.count() > 1
        self.call("cuCtxSetCurrent", self._contexts[ordinal])
        self._here.entered = True

    def allocate(self, nbytes: int) -> int:
        return int(self.call("cuMemAlloc", nbytes))

    def free(self, address: int) -> None:
        self.call("cuMemFree", address)

    def device_of(self, address: int) -> int | None:
        """The device that an address belongs to; None if the driver does not know the address."""
        wanted = self.bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        status, ordinal = self.bindings.cuPointerGetAttribute(wanted, address)
        return int(ordinal) if int(status) == 0 else None

    def copy_in(self, target: int, source: int, nbytes: int, stream: Any) -> None:
        self.call("cuMemcpyHtoDAsync", target, source, nbytes, stream)

    def copy_out(self, target: int, source: int, nbytes: int, stream: Any) -> None:
        self.call("cuMemcpyDtoHAsync", target, source, nbytes, stream)

    def copy(self, target: int, source: int, nbytes: int, stream: Any) -> None:
        self.call("cuMemcpyDtoDAsync", target, source, nbytes, stream)

    def fill(self, target: int, pattern: int, size: int, count: int, stream: Any) -> None:
        """Fills memory with a number of 1, 2 or 4 bytes."""
        self.call(f"cuMemsetD{8 * size}Async", target, pattern, count, stream)

    def new_stream(self) -> Any:
        """Creates a stream that is ordered with the legacy stream, on which other libraries work by default."""
        return self.call("cuStreamCreate", 0)

    def foreign_stream(self, handle: int) -> Any:
        return self.bindings.CUstream(handle)

    def synchronize(self, stream: Any) -> None:
        self.call("cuStreamSynchronize", stream)

    def new_event(self, timing: bool = False) -> Any:
        return self.call("cuEventCreate", 0 if timing else _NON_BLOCKING_WAIT)

    def destroy_event(self, event: Any) -> None:
        self.call("cuEventDestroy", event)

    def record(self, event: Any, stream: Any) -> None:
        self.call("cuEventRecord", event, stream)

    def has_passed(self, event: Any) -> bool:
        """Returns whether all work before an event is done."""
        (status,) = self.bindings.cuEventQuery(event)
        if int(status) == 0:
            return True
        code = getattr(status, "name", str(status))
        if code == _NOT_READY:
            return False
        raise DriverError("cuEventQuery", code)

    def await_event(self, event: Any) -> None:
        self.call("cuEventSynchronize", event)

    def wait_event(self, stream: Any, event: Any) -> None:
        """Orders later work of a stream after an event."""
        self.call("cuStreamWaitEvent", stream, event, 0)

    def elapsed_time(self, first: Any, second: Any) -> float:
        """Milliseconds between two events with timing."""
        return float(self.call("cuEventElapsedTime", first, second))

    def load(self, cubin: bytes) -> Any:
        """Loads the code of a cubin as a library."""
        return self.call("cuLibraryLoadData", cubin, None, None, 0, None, None, 0)

    def function(self, library: Any, symbol: str) -> Any:
        return self.call("cuKernelGetFunction", self.call("cuLibraryGetKernel", library, symbol.encode()))

    def layout(self, function: Any) -> tuple[tuple[int, int], ...]:
        """Offset and size of each parameter of a function."""
        found: list[tuple[int, int]] = []
        while True:
            status, *place = self.bindings.cuFuncGetParamInfo(function, len(found))
            if int(status) != 0:
                return tuple(found)
            found.append((int(place[0]), int(place[1])))

    def launch(self, function: Any, grid: tuple[int, int, int], stream: Any, parameters: int) -> None:
        """Starts a tile kernel. For the driver its blocks have one thread each. `parameters` is the address of an array
        of the addresses of the arguments."""
        (status,) = self.bindings.cuLaunchKernel(function, grid[0], grid[1], grid[2], 1, 1, 1, 0, stream, parameters, 0)
        if status:
            raise DriverError("cuLaunchKernel", getattr(status, "name", str(status)))

    def is_capturing(self, handle: int) -> bool:
        """Returns whether a graph is being captured on a stream, by any library."""
        return int(self.call("cuStreamIsCapturing", self.bindings.CUstream(handle))) != 0

    def begin_capture(self, stream: Any) -> None:
        """Starts to record the work of a stream instead of running it."""
        self.call("cuStreamBeginCapture", stream, self.bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)

    def end_capture(self, stream: Any) -> Any:
        """Ends a capture and returns the recorded graph, ready to run."""
        graph = self.call("cuStreamEndCapture", stream)
        try:
            return self.call("cuGraphInstantiate", graph, 0)
        finally:
            self.call("cuGraphDestroy", graph)

    def run_graph(self, graph: Any, stream: Any) -> None:
        self.call("cuGraphLaunch", graph, stream)

    def destroy_graph(self, graph: Any) -> None:
        self.call("cuGraphExecDestroy", graph)


_DRIVERS: Final[weakref.WeakSet[Driver]] = weakref.WeakSet()


def _after_fork() -> None:
    """Marks all drivers as unusable in a child process, which cannot use the device state of its parent."""
    for known in list(_DRIVERS):
        known.forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def format_version(version: int) -> str:
    """Formats a CUDA version: "13.0"."""
    return f"{version // 1000}.{version % 1000 // 10}"


@functools.cache
def driver() -> Driver:
    """Returns the driver of this machine after checking it. Raises NoGPUError with the remedy."""
    try:
        from cuda.bindings import driver as bindings  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        raise NoGPUError("kernels run on a GPU through the package cuda-python, which is not installed: "
                         "pip install 'tilecheck[gpu]'") from error
    return check_driver(Driver(bindings))


def check_driver(found: Driver) -> Driver:
    """Returns the driver if it can run tile kernels on at least one device. Raises NoGPUError."""
    try:
        found.call("cuInit", 0)
        version, count = found.version(), found.count()
    except (DriverError, RuntimeError) as error:
        if getattr(error, "code", None) == "CUDA_ERROR_NO_DEVICE":
            raise _no_gpu_error() from error
        raise NoGPUError(f"no NVIDIA driver answers ({error}): install driver r580 or later, and in a container pass "
                         "the GPU on (`--gpus all`); TILECHECK_BACKEND=cpu runs kernels on the CPU") from error
    if version < LEAST:
        raise NoGPUError(f"the NVIDIA driver here supports CUDA {format_version(version)}, tile kernels need "
                         f"{format_version(LEAST)}: install driver r580 or later")
    if count == 0:
        raise _no_gpu_error()
    return found


def _no_gpu_error() -> NoGPUError:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return NoGPUError("the NVIDIA driver sees no GPU: look at CUDA_VISIBLE_DEVICES, which is "
                      f"{'not set' if visible is None else repr(visible)}")
