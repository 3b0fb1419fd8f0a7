"""Kernels that own what they write, tensors that know who may use them, and a CPU that watches kernels run.

    import tilecheck_runtime as tcr

    z = add(tcr.zeros((1024,), f32).partition(128), x, y).sync()   # docs/runtime.md
    report = tcr.sanitize(kernel, grid, args)   # report.events says what raced, left its array or used undefined lanes

Needs the extra `cpu`: `pip install 'tilecheck[cpu]'`; the extra `gpu` has it in it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tilecheck.decorators import deny_residual, requires, unsafe
    from tilecheck_runtime.api.kernel import Kernel, kernel
    from tilecheck_runtime.api.raw_launch import GuardWarning, launch
    from tilecheck_runtime.backends.cuda.errors import DeviceFailureError, NoGPUError
    from tilecheck_runtime.compile.compiled import Compiled
    from tilecheck_runtime.compile.prebuilt import load
    from tilecheck_runtime.cpu.execution.execute import sanitize
    from tilecheck_runtime.dialect.dtypes import (
        DType,
        bf16,
        bool_,
        f4e2m1,
        f8e4m3,
        f8e5m2,
        f8e8m0,
        f16,
        f32,
        f64,
        i8,
        i16,
        i32,
        i64,
        tf32,
        u8,
        u16,
        u32,
        u64,
    )
    from tilecheck_runtime.dialect.schedules import Grouped, Linear, Range, Walk
    from tilecheck_runtime.dialect.types import Cell, Dyn, Inner, Mut, Part, Ref, Shared, SystemShared, Tile
    from tilecheck_runtime.errors.compilation import (
        ArchitectureError,
        AssemblerError,
        CacheFolderError,
        CompileError,
        FrontEndError,
        HintError,
        MissingToolError,
        MissingVariantError,
        ParameterLayoutError,
        SketchError,
        SymbolMismatchError,
        ToolVersionError,
        UnsettledKernelError,
        UnsupportedArgumentError,
    )
    from tilecheck_runtime.errors.ownership import (
        AliasedError,
        CaptureError,
        ContractError,
        DuplicateError,
        ForeignMemoryError,
        ForkedError,
        GraphLifetimeError,
        GridError,
        InFlightError,
        LaunchArgumentError,
        LostFlightWarning,
        MovedError,
        NestedLaunchError,
        NeverRunWarning,
        OwnershipError,
        ReadOnlyError,
        RefutedError,
        SharedError,
        StreamError,
        UnprovenError,
        UnprovenWarning,
    )
    from tilecheck_runtime.launches.bound import BoundLaunch
    from tilecheck_runtime.launches.combine import zip as zip  # not in __all__: `import *` leaves the builtin alone
    from tilecheck_runtime.launches.copying import copy
    from tilecheck_runtime.launches.flight import Flight
    from tilecheck_runtime.launches.graph import Graph, graph
    from tilecheck_runtime.launches.operation import Operation
    from tilecheck_runtime.launches.streams import stream
    from tilecheck_runtime.sanitizer.errors import KernelFaultError
    from tilecheck_runtime.sanitizer.events import Event
    from tilecheck_runtime.sanitizer.report import Report
    from tilecheck_runtime.sanitizer.session import Session, session
    from tilecheck_runtime.tensors.create import arange, empty, eye, full, linspace, ones, rand, randn, zeros
    from tilecheck_runtime.tensors.foreign import from_dlpack, from_numpy
    from tilecheck_runtime.tensors.partition import Partition
    from tilecheck_runtime.tensors.shared import SharedTensor
    from tilecheck_runtime.tensors.tensor import Tensor
    from tilecheck_runtime.tools.bench import bench, compare
    from tilecheck_runtime.tools.tune import tune

__all__ = [
    "AliasedError",
    "ArchitectureError",
    "AssemblerError",
    "BoundLaunch",
    "CacheFolderError",
    "CaptureError",
    "Cell",
    "CompileError",
    "Compiled",
    "ContractError",
    "DType",
    "DeviceFailureError",
    "DuplicateError",
    "Dyn",
    "Event",
    "Flight",
    "ForeignMemoryError",
    "ForkedError",
    "FrontEndError",
    "Graph",
    "GraphLifetimeError",
    "GridError",
    "Grouped",
    "GuardWarning",
    "HintError",
    "InFlightError",
    "Inner",
    "Kernel",
    "KernelFaultError",
    "LaunchArgumentError",
    "Linear",
    "LostFlightWarning",
    "MissingToolError",
    "MissingVariantError",
    "MovedError",
    "Mut",
    "NestedLaunchError",
    "NeverRunWarning",
    "NoGPUError",
    "Operation",
    "OwnershipError",
    "ParameterLayoutError",
    "Part",
    "Partition",
    "Range",
    "ReadOnlyError",
    "Ref",
    "RefutedError",
    "Report",
    "Session",
    "Shared",
    "SharedError",
    "SharedTensor",
    "SketchError",
    "StreamError",
    "SymbolMismatchError",
    "SystemShared",
    "Tensor",
    "Tile",
    "ToolVersionError",
    "UnprovenError",
    "UnprovenWarning",
    "UnsettledKernelError",
    "UnsupportedArgumentError",
    "Walk",
    "arange",
    "bench",
    "bf16",
    "bool_",
    "compare",
    "copy",
    "deny_residual",
    "empty",
    "eye",
    "f4e2m1",
    "f8e4m3",
    "f8e5m2",
    "f8e8m0",
    "f16",
    "f32",
    "f64",
    "from_dlpack",
    "from_numpy",
    "full",
    "graph",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "launch",
    "linspace",
    "load",
    "ones",
    "rand",
    "randn",
    "requires",
    "sanitize",
    "session",
    "stream",
    "tf32",
    "tune",
    "u8",
    "u16",
    "u32",
    "u64",
    "unsafe",
    "zeros",
]

for _package in ("numpy", "ml_dtypes"):
    try:
        import_module(_package)
    except ImportError as _error:
        raise ImportError(
            f"{_package} is not installed: pip install 'tilecheck[cpu]', or 'tilecheck[gpu]' to compile for GPUs too"
        ) from _error

_NAMES: Final = {
    "backends.cuda.errors": "DeviceFailureError NoGPUError",
    "compile.compiled": "Compiled",
    "compile.prebuilt": "load",
    "errors.compilation": "ArchitectureError AssemblerError CacheFolderError CompileError FrontEndError HintError "
                      "MissingToolError MissingVariantError ParameterLayoutError SketchError "
                      "SymbolMismatchError ToolVersionError "
                      "UnsettledKernelError UnsupportedArgumentError",
    "cpu.execution.execute": "sanitize",
    "api.kernel": "Kernel kernel",
    "dialect.dtypes": "DType bf16 bool_ f16 f32 f4e2m1 f64 f8e4m3 f8e5m2 f8e8m0 i16 i32 i64 i8 tf32 u16 u32 u64 u8",
    "dialect.schedules": "Grouped Linear Range Walk",
    "dialect.types": "Cell Dyn Inner Mut Part Ref Shared SystemShared Tile",
    "launches.bound": "BoundLaunch",
    "launches.combine": "zip",
    "launches.copying": "copy",
    "launches.flight": "Flight",
    "launches.graph": "Graph graph",
    "launches.operation": "Operation",
    "api.raw_launch": "GuardWarning launch",
    "launches.streams": "stream",
    "errors.ownership": "AliasedError CaptureError ContractError DuplicateError ForeignMemoryError ForkedError "
                        "GraphLifetimeError GridError InFlightError LaunchArgumentError "
                        "LostFlightWarning MovedError NestedLaunchError NeverRunWarning OwnershipError ReadOnlyError "
                        "RefutedError SharedError StreamError UnprovenError UnprovenWarning",
    "sanitizer.errors": "KernelFaultError",
    "sanitizer.events": "Event",
    "sanitizer.report": "Report",
    "sanitizer.session": "Session session",
    "tensors.create": "arange empty eye full linspace ones rand randn zeros",
    "tensors.foreign": "from_dlpack from_numpy",
    "tensors.partition": "Partition",
    "tensors.shared": "SharedTensor",
    "tensors.tensor": "Tensor",
    "tools.bench": "bench compare",
    "tools.tune": "tune",
}
_DECLARATIONS: Final = ("deny_residual", "requires", "unsafe")
_HOMES: Final = {
    **{name: f"tilecheck_runtime.{home}" for home, names in _NAMES.items() for name in names.split()},
    **dict.fromkeys(_DECLARATIONS, "tilecheck.decorators"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilecheck_runtime' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
