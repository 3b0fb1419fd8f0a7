"""A plugin of pytest under which a suite that was written for GPUs runs on the CPU backend, one process a file.

    python -m pytest -p tests.peer.plugin --tilecheck SUITE/test_x.py

Tensors that ask for a GPU are on the CPU, questions to the driver get the answers of an imaginary GPU, and the bytecode
of the compiler is empty. With PEER_RECORD=FILE each test adds a line of JSON: its name, its outcome and its error.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import sys
import types
from collections.abc import Generator
from typing import Any, Final

import pytest
import torch
from torch.overrides import TorchFunctionMode

CAPABILITY: Final = (10, 0)
_RECORD: Final = os.environ.get("PEER_RECORD")


# --- torch -----------------------------------------------------------------------------------------------------------

def _on_cpu(device: Any) -> Any:
    if isinstance(device, torch.device):
        return torch.device("cpu") if device.type == "cuda" else device
    return "cpu" if isinstance(device, str) and device.startswith("cuda") else device


class _ToCpu(TorchFunctionMode):
    """Replaces devices in calls of torch."""

    def __torch_function__(self, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(function, "__name__", "")
        if name in ("cuda", "pin_memory") and args and isinstance(args[0], torch.Tensor):
            return args[0]
        given = dict(kwargs or {})
        if "device" in given:
            given["device"] = _on_cpu(given["device"])
        moved = tuple(map(_on_cpu, args))
        if name in _FUNCTIONS and len(moved) == 1 and not given and _is_narrow(moved[0]):
            return _in_double(function, moved[0])
        return function(*moved, **given)


_FUNCTIONS: Final = frozenset({
    "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh"})


def _is_narrow(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype != torch.float64


def _in_double(function: Any, value: Any) -> Any:
    """A function of single precision with one rounding. On a CPU, torch's own depend on the processor."""
    floating = value.dtype if value.is_floating_point() else torch.float32
    return function(value.to(torch.float32).to(torch.float64)).to(torch.float32).to(floating)


class _Stream:
    cuda_stream = handle = ptr = 0

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def synchronize(self) -> None: ...

    def wait_stream(self, *_: Any) -> None: ...

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: Any) -> None: ...


class _Event(_Stream):
    def record(self, *_: Any) -> None: ...

    def elapsed_time(self, _: Any) -> float:
        return 1.0


def _fake_device() -> None:
    """Gives the functions of `torch.cuda` that tests ask for answers."""
    stream = _Stream()
    device = types.SimpleNamespace(
        multi_processor_count=16, L2_cache_size=1 << 20, major=CAPABILITY[0], minor=CAPABILITY[1], name="none",
        total_memory=1 << 30, shared_memory_per_block_optin=228 << 10)
    answers: dict[str, Any] = {
        "current_stream": stream, "default_stream": stream, "synchronize": None, "current_device": 0,
        "device_count": 1, "get_device_capability": CAPABILITY, "get_device_properties": device,
        "get_device_name": "none"}
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
    torch.cuda.Event = _Event  # type: ignore[assignment,misc]


# --- the front end ---------------------------------------------------------------------------------------------------

def _fake_driver() -> None:
    """Answers the questions of the front end about the GPU and the compiler."""
    from cuda.tile import _cext, _compile

    _cext.get_compute_capability = lambda *_: CAPABILITY
    _compile.get_compute_capability = _cext.get_compute_capability
    _compile.get_sm_arch = lambda *_: f"sm_{CAPABILITY[0]}{CAPABILITY[1]}"
    newest = max(_compile._SUPPORTED_VERSIONS)
    _compile._get_max_supported_bytecode_version = lambda *_, **__: newest
    _compile._find_compiler_bin = lambda *_, **__: types.SimpleNamespace(path="none")


def _name_missing() -> None:
    """Adds private names that the suite of an earlier release imports."""
    import cuda.tile as ct
    from cuda.tile import _datatype

    order = ("bool_", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
             "float32", "float64")
    if not hasattr(_datatype, "_DTypePromotionImpl"):
        _datatype._DTypePromotionImpl = types.SimpleNamespace(_order=[getattr(ct, name) for name in order])


class _BenchmarkHooks:
    """Hooks of a plugin that need not be installed."""

    def pytest_benchmark_update_machine_info(self, config: Any, machine_info: Any) -> None: ...

    def pytest_benchmark_update_json(self, config: Any, benchmarks: Any, output_json: Any) -> None: ...


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    if importlib.util.find_spec("pytest_benchmark") is None:
        pluginmanager.add_hookspecs(_BenchmarkHooks)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ["PEER_CHILD"] = "1"
    config.addinivalue_line("markers", "use_mlir: needs a part of the compiler that is not public")
    _fake_device()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Replaces what reads Tile IR, which is not what these runs test."""
    util = sys.modules.get("util")
    if util is not None and hasattr(util, "filecheck"):
        util.filecheck = lambda *_, **__: None  # type: ignore[attr-defined]
        util.get_bytecode = lambda *_, **__: b""  # type: ignore[attr-defined]


def run_alone() -> None:
    """Makes kernels run on the CPU in a process without pytest, until it ends."""
    from tilecheck_runtime.hooks.install import cpu_launches

    _fake_device()
    launches = cpu_launches()
    launches.__enter__()
    atexit.register(launches.__exit__, None, None, None)


# --- record ----------------------------------------------------------------------------------------------------------

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if _RECORD and (report.when == "call" or report.outcome != "passed"):
        row = {"test": item.nodeid, "when": report.when, "outcome": report.outcome, "seconds": report.duration}
        if report.outcome != "passed" and call.excinfo is not None:
            row |= {"error": type(call.excinfo.value).__name__, "text": str(call.excinfo.value)[:1500],
                    "long": str(report.longrepr)[-6000:] + "".join(text[:4000] for _, text in report.sections)}
        with open(_RECORD, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return report


_ToCpu().__enter__()
_fake_driver()
_name_missing()
