"""Kernels that own what they write, tensors that know who may use them, and a CPU that watches kernels run.

    import tilecheck_runtime as tcr

    z = add(tcr.zeros((1024,), f32).partition(128), x, y).sync()   # docs/runtime.md
    report = tcr.sanitize(kernel, grid, args)   # report.events says what raced, left its array or used undefined lanes

Needs the extra `cpu`: `pip install 'tilecheck[cpu]'`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tilecheck.declare import deny_residual, requires, unsafe
    from tilecheck_runtime.compile.build import Compiled
    from tilecheck_runtime.compile.errors import (
        ArchitectureError,
        AssemblerError,
        CacheFolderError,
        CompileError,
        FrontEndError,
        HintError,
        MissingToolError,
        ParameterLayoutError,
        SketchError,
        SymbolMismatchError,
        ToolVersionError,
        UnsettledKernelError,
        UnsupportedArgumentError,
    )
    from tilecheck_runtime.cpu.execute import launch, sanitize
    from tilecheck_runtime.dialect.decorator import Kernel, kernel
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
    from tilecheck_runtime.launches.combine import zip as zip  # not in __all__: `import *` leaves the builtin alone
    from tilecheck_runtime.launches.flight import Flight
    from tilecheck_runtime.launches.operation import Operation
    from tilecheck_runtime.ownership.errors import (
        AliasedError,
        ContractError,
        DuplicateError,
        ForeignMemoryError,
        ForkedError,
        GridError,
        InFlightError,
        KernelFaultError,
        LaunchArgumentError,
        LostFlightWarning,
        MovedError,
        NestedLaunchError,
        NeverRunWarning,
        OwnershipError,
        ReadOnlyError,
        SharedError,
        UnprovenError,
        UnprovenWarning,
    )
    from tilecheck_runtime.sanitizer.events import Event, Report
    from tilecheck_runtime.sanitizer.session import Session, session
    from tilecheck_runtime.tensors.create import arange, empty, eye, full, linspace, ones, rand, randn, zeros
    from tilecheck_runtime.tensors.foreign import from_dlpack, from_numpy
    from tilecheck_runtime.tensors.partition import Partition
    from tilecheck_runtime.tensors.shared import SharedTensor
    from tilecheck_runtime.tensors.tensor import Tensor

__all__ = [
    "AliasedError", "ArchitectureError", "AssemblerError", "CacheFolderError", "Cell", "CompileError", "Compiled",
    "ContractError", "DType", "DuplicateError", "Dyn", "Event", "Flight", "ForeignMemoryError", "ForkedError",
    "FrontEndError", "GridError", "Grouped", "HintError", "InFlightError", "Inner", "Kernel", "KernelFaultError",
    "LaunchArgumentError", "Linear", "LostFlightWarning", "MissingToolError", "MovedError", "Mut",
    "NestedLaunchError", "NeverRunWarning", "Operation", "OwnershipError", "ParameterLayoutError", "Part",
    "Partition", "Range", "ReadOnlyError", "Ref", "Report", "Session", "Shared", "SharedError", "SharedTensor",
    "SketchError", "SymbolMismatchError", "SystemShared", "Tensor", "Tile", "ToolVersionError", "UnprovenError",
    "UnprovenWarning", "UnsettledKernelError", "UnsupportedArgumentError", "Walk", "arange", "bf16", "bool_",
    "deny_residual", "empty", "eye", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0", "f16", "f32", "f64", "from_dlpack",
    "from_numpy", "full", "i8", "i16", "i32", "i64", "kernel", "launch", "linspace", "ones", "rand", "randn",
    "requires", "sanitize", "session", "tf32", "u8", "u16", "u32", "u64", "unsafe", "zeros",
]

for _package in ("numpy", "ml_dtypes"):
    try:
        import_module(_package)
    except ImportError as _error:
        raise ImportError(
            f"tilecheck_runtime needs {_package} to run kernels on a CPU: pip install 'tilecheck[cpu]'"
        ) from _error

_NAMES: Final = {
    "compile.build": "Compiled",
    "compile.errors": "ArchitectureError AssemblerError CacheFolderError CompileError FrontEndError HintError "
                      "MissingToolError ParameterLayoutError SketchError SymbolMismatchError ToolVersionError "
                      "UnsettledKernelError UnsupportedArgumentError",
    "cpu.execute": "launch sanitize",
    "dialect.decorator": "Kernel kernel",
    "dialect.dtypes": "DType bf16 bool_ f16 f32 f4e2m1 f64 f8e4m3 f8e5m2 f8e8m0 i16 i32 i64 i8 tf32 u16 u32 u64 u8",
    "dialect.schedules": "Grouped Linear Range Walk",
    "dialect.types": "Cell Dyn Inner Mut Part Ref Shared SystemShared Tile",
    "launches.combine": "zip",
    "launches.flight": "Flight",
    "launches.operation": "Operation",
    "ownership.errors": "AliasedError ContractError DuplicateError ForeignMemoryError ForkedError GridError "
                        "InFlightError KernelFaultError LaunchArgumentError LostFlightWarning MovedError "
                        "NestedLaunchError NeverRunWarning OwnershipError ReadOnlyError SharedError UnprovenError "
                        "UnprovenWarning",
    "sanitizer.events": "Event Report",
    "sanitizer.session": "Session session",
    "tensors.create": "arange empty eye full linspace ones rand randn zeros",
    "tensors.foreign": "from_dlpack from_numpy",
    "tensors.partition": "Partition",
    "tensors.shared": "SharedTensor",
    "tensors.tensor": "Tensor",
}
_DECLARATIONS: Final = ("deny_residual", "requires", "unsafe")
_HOMES: Final = {
    **{name: f"tilecheck_runtime.{home}" for home, names in _NAMES.items() for name in names.split()},
    **dict.fromkeys(_DECLARATIONS, "tilecheck.declare"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilecheck_runtime' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
