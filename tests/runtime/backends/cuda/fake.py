"""A GPU that is none: the functions of `cuda.bindings.driver` that the backend calls, on host memory.

Work waits in its stream until a caller asks for it; while the device is `paused` nothing runs. Kernels are entries that
run on the CPU with arrays decoded from the packed parameters, as a device would find them.
"""

from __future__ import annotations

import ctypes
from collections import deque
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tilecheck_runtime.backends.cuda.backend import CUDA
from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.loading import Loaded
from tilecheck_runtime.backends.cuda.packing import Packing
from tilecheck_runtime.compile.constraints import ArrayParameter, ConstantParameter
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.layout import layout
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.cpu.execution.execute import sanitize


class Status(int):
    """CUresult."""

    name: str

    def __new__(cls, number: int, name: str) -> Status:
        made = super().__new__(cls, number)
        made.name = name
        return made


OK, NOT_READY = Status(0, "CUDA_SUCCESS"), Status(600, "CUDA_ERROR_NOT_READY")
NO_MEMORY = Status(2, "CUDA_ERROR_OUT_OF_MEMORY")


class Stream:
    def __init__(self, handle: int = 0) -> None:
        self.handle = handle
        self.queue: deque[Any] = deque()
        self.recorded: list[Any] | None = None

    def __int__(self) -> int:
        return self.handle or id(self)


class Event:
    """The last record of an event. A waiter waits for that record, even if the event is recorded again meanwhile."""

    def __init__(self) -> None:
        self.last = SimpleNamespace(fired=True, stream=None)


class FakeDriver:
    """`cuda.bindings.driver`. `launched` lists what ran, in the order in which it ran."""

    def __init__(self, count: int = 1, version: int = 13000, capacity: int = 1 << 40) -> None:
        self.count, self.version, self.capacity = count, version, capacity
        self.memory: dict[int, Any] = {}
        self.paused = False
        self.failure: Status | None = None
        self.calls: list[str] = []
        self.launched: list[Any] = []
        self.foreign: dict[int, Stream] = {}
        self.CUdevice_attribute = SimpleNamespace(
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR="major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR="minor",
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT="sms")
        self.CUpointer_attribute = SimpleNamespace(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL="ordinal")
        self.CUstreamCaptureMode = SimpleNamespace(CU_STREAM_CAPTURE_MODE_RELAXED=2)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("cu"):
            self.calls.append(name)
        return super().__getattribute__(name)

    def CUstream(self, handle: int) -> Stream:
        return self.foreign.setdefault(handle, Stream(handle))

    def cuInit(self, flags):
        return (OK,)

    def cuDriverGetVersion(self):
        return OK, self.version

    def cuDeviceGetCount(self):
        return OK, super().__getattribute__("count")

    def cuDeviceGet(self, ordinal):
        return OK, ordinal

    def cuDeviceGetName(self, length, device):
        return OK, b"Fake\0\0"

    def cuDeviceGetAttribute(self, attribute, device):
        return OK, {"major": 9, "minor": 0, "sms": 132}[attribute]

    def cuDevicePrimaryCtxRetain(self, device):
        return OK, f"context {device}"

    def cuCtxSetCurrent(self, context):
        return (OK,)

    def cuPointerGetAttribute(self, attribute, address):
        return OK, 0

    def cuMemAlloc(self, nbytes):
        if nbytes + sum(len(b) for b in self.memory.values()) > self.capacity:
            return NO_MEMORY, None
        buffer = ctypes.create_string_buffer(b"\xaa" * nbytes, nbytes + 512)
        address = ctypes.addressof(buffer) + -ctypes.addressof(buffer) % 512
        self.memory[address] = buffer
        return OK, address

    def cuMemFree(self, address):
        del self.memory[address]
        return (OK,)

    def _put(self, stream, work):
        if self.failure is not None:
            return (self.failure,)
        (stream.queue if stream.recorded is None else stream.recorded).append(work)
        return (OK,)

    def cuMemcpyHtoDAsync(self, target, source, nbytes, stream):
        data = ctypes.string_at(source, nbytes)
        return self._put(stream, lambda: ctypes.memmove(target, data, nbytes))

    def cuMemcpyDtoDAsync(self, target, source, nbytes, stream):
        return self._put(stream, lambda: ctypes.memmove(target, source, nbytes))

    def cuMemcpyDtoHAsync(self, target, source, nbytes, stream):
        return self._put(stream, lambda: ctypes.memmove(target, source, nbytes))

    def cuMemsetD8Async(self, target, byte, nbytes, stream):
        return self._put(stream, lambda: ctypes.memset(target, byte, nbytes))

    def cuMemsetD16Async(self, target, pattern, count, stream):
        return self._put(stream, lambda: ctypes.memmove(target, pattern.to_bytes(2, "little") * count, 2 * count))

    def cuMemsetD32Async(self, target, pattern, count, stream):
        return self._put(stream, lambda: ctypes.memmove(target, pattern.to_bytes(4, "little") * count, 4 * count))

    def cuStreamCreate(self, flags):
        return OK, Stream()

    def cuEventCreate(self, flags):
        return OK, Event()

    def cuEventRecord(self, event, stream):
        event.last = last = SimpleNamespace(fired=False, stream=stream)
        return self._put(stream, lambda: setattr(last, "fired", True))

    def cuStreamWaitEvent(self, stream, event, flags):
        last = event.last
        if last.fired:
            return (OK,)
        return self._put(stream, lambda: self._run_until(last))

    def _run_until(self, last):
        while not last.fired:
            last.stream.queue.popleft()()

    def cuEventQuery(self, event):
        if self.failure is not None:
            return (self.failure,)
        if not event.last.fired and not self.paused:
            self._run_until(event.last)
        return (OK if event.last.fired else NOT_READY,)

    def cuEventSynchronize(self, event):
        if self.failure is not None:
            return (self.failure,)
        assert event.last.fired or not self.paused, "waits for a device that is paused"
        self._run_until(event.last)
        return (OK,)

    def cuEventElapsedTime(self, first, second):
        return OK, 1.0

    def cuEventDestroy(self, event):
        return (OK,)

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra):
        assert (bx, by, bz, shared, extra) == (1, 1, 1, 0, 0)
        values = function.decode_parameters(parameters)  # the driver copies them at once
        return self._put(stream, lambda: self._run(function, (gx, gy, gz), values))

    def _run(self, function, grid, values):
        self.launched.append(function.name)
        function.run(grid, values)

    def cuStreamBeginCapture(self, stream, mode):
        stream.recorded = []
        return (OK,)

    def cuStreamEndCapture(self, stream):
        recorded, stream.recorded = stream.recorded, None
        return OK, recorded

    def cuGraphInstantiate(self, graph, flags):
        return OK, list(graph)

    def cuGraphDestroy(self, graph):
        return (OK,)

    def cuGraphExecDestroy(self, graph):
        graph.clear()
        return (OK,)

    def cuGraphLaunch(self, graph, stream):
        if self.failure is not None:
            return (self.failure,)
        stream.queue.extend(list(graph))
        return (OK,)


class FakeFunction:
    """A compiled kernel: finds its arguments where the packed parameters point, and runs on the CPU."""

    def __init__(self, function: Any, signature: Any) -> None:
        self.name, self._function = function.__name__, function
        self._signature, self._slots = signature, layout(signature)

    def decode_parameters(self, parameters: int) -> list[Any]:
        pointers = (ctypes.c_void_p * len(self._slots)).from_address(parameters)
        kinds = {"pointer": ctypes.c_uint64, "int32": ctypes.c_int32, "float32": ctypes.c_float, "bool_": ctypes.c_bool}
        return [kinds[s.type].from_address(p).value for s, p in zip(self._slots, pointers, strict=True)]

    def run(self, grid: tuple[int, int, int], values: list[Any]) -> None:
        left, arguments = iter(values), []
        for parameter in self._signature.parameters:
            if isinstance(parameter, ConstantParameter):
                arguments.append(parameter.value)
            elif isinstance(parameter, ArrayParameter):
                address = next(left)
                shape, strides = (tuple(next(left) for _ in range(parameter.rank)) for _ in range(2))
                arguments.append(_array(address, DTYPES[parameter.dtype].storage, shape, strides))
            else:
                arguments.append(next(left))
        assert sanitize(self._function, grid, arguments).clean


def _array(address: int, kind: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    raw = np.frombuffer((ctypes.c_ubyte * (span * kind.itemsize)).from_address(address), np.uint8).view(kind)
    return np.lib.stride_tricks.as_strided(raw, shape, [s * kind.itemsize for s in strides])


class FakeLoader:
    """Compiles nothing. `prepared` counts the kernels that it was asked for."""

    arch = "sm_90"

    def __init__(self) -> None:
        self.known: dict[Any, Loaded] = {}

    def refine_plan(self, function: Any, plan: Any, numbers: Any) -> Any:
        return replace(plan, compact=True)

    def load_kernel(self, job: Any) -> Loaded:
        Options.of(job.hints, self.arch)
        signature = signature_of(job.function, job.arguments)
        key = job.function, signature
        if key not in self.known:
            self.known[key] = Loaded(FakeFunction(job.function, signature), Packing(layout(signature)))
        return self.known[key]


def fake_gpu(**options: Any) -> tuple[FakeDriver, CUDA]:
    """A device, and the backend on it."""
    bindings = FakeDriver(**options)
    return bindings, CUDA(0, Driver(bindings), FakeLoader())
