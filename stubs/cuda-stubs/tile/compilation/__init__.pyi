# Types of `cuda.tile.compilation`.

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, Literal, TypeAlias

from cuda.tile import DType
from cuda.tile import kernel as _kernel

__all__ = [
    "ArrayConstraint",
    "CallingConvention",
    "ConstantConstraint",
    "ConstantValue",
    "KernelSignature",
    "ListConstraint",
    "ParameterConstraint",
    "ScalarConstraint",
    "TupleConstraint",
    "demangle_kernel_name",
    "export_kernel",
    "mangle_kernel_name",
]

@dataclass(frozen=True, init=False)
class ScalarConstraint:
    dtype: DType
    def __init__(self, dtype: DType) -> None: ...

@dataclass(frozen=True, init=False)
class ArrayConstraint:
    dtype: DType
    ndim: int
    index_dtype: DType
    stride_lower_bound_incl: tuple[int | None, ...]
    alias_groups: tuple[str, ...]
    may_alias_internally: bool
    stride_constant: tuple[int | None, ...]
    shape_constant: tuple[int | None, ...]
    stride_divisible_by: tuple[int, ...]
    shape_divisible_by: tuple[int, ...]
    base_addr_divisible_by: int
    def __init__(
        self,
        dtype: DType,
        ndim: int,
        *,
        index_dtype: DType,
        stride_lower_bound_incl: Sequence[int | None] | int | None,
        alias_groups: Sequence[str],
        may_alias_internally: bool,
        stride_constant: Sequence[int | None] | None = None,
        shape_constant: Sequence[int | None] | None = None,
        stride_divisible_by: Sequence[int] | int = 1,
        shape_divisible_by: Sequence[int] | int = 1,
        base_addr_divisible_by: int = 1,
    ) -> None: ...

@dataclass(frozen=True, init=False)
class ListConstraint:
    element: ParameterConstraint
    alias_groups: tuple[str, ...]
    elements_may_alias: bool
    def __init__(
        self, element: ArrayConstraint, *, alias_groups: Sequence[str], elements_may_alias: bool
    ) -> None: ...

@dataclass(frozen=True, init=False)
class TupleConstraint:
    items: tuple[ParameterConstraint, ...]
    def __init__(self, items: Sequence[_ParameterConstraintLike]) -> None: ...

ConstantValue: TypeAlias = bool | int | float

@dataclass(eq=False)
class ConstantConstraint:
    value: ConstantValue
    def __eq__(self, other: object) -> bool: ...

ParameterConstraint: TypeAlias = (
    ScalarConstraint | ArrayConstraint | ListConstraint | TupleConstraint | ConstantConstraint
)
# plain values and tuples stand for constraints
_ParameterConstraintLike: TypeAlias = ParameterConstraint | ConstantValue | tuple[Any, ...]

class CallingConvention:
    @staticmethod
    def cutile_python_v1() -> CallingConvention: ...
    @staticmethod
    def cutile_python_v2() -> CallingConvention: ...
    @staticmethod
    def from_code(code: str, /) -> CallingConvention: ...
    @property
    def name(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def version(self) -> int: ...

@dataclass(frozen=True, init=False)
class KernelSignature:
    parameters: tuple[ParameterConstraint, ...]
    calling_convention: CallingConvention
    symbol: str | None
    def __init__(
        self,
        parameters: Sequence[_ParameterConstraintLike],
        calling_convention: CallingConvention,
        symbol: str | None = None,
    ) -> None: ...
    def with_mangled_symbol(self, function_name: str) -> KernelSignature: ...
    def with_symbol(self, symbol: str | None) -> KernelSignature: ...
    @staticmethod
    def from_kernel_args(
        kernel: _kernel[...],
        kernel_args: Sequence[Any],
        calling_convention: CallingConvention,
        *,
        symbol: str | None = None,
    ) -> KernelSignature: ...

def export_kernel(
    kernel: _kernel[...],
    signatures: Sequence[KernelSignature],
    output_file: IO[bytes] | str | bytes | os.PathLike[str] | os.PathLike[bytes],
    *,
    gpu_code: str | None = None,
    output_format: Literal["cubin", "tileir_bytecode"],
    bytecode_version: str | None = None,
) -> None: ...
def mangle_kernel_name(function_name: str, kernel_signature: KernelSignature) -> str: ...
def demangle_kernel_name(symbol: str) -> tuple[str, KernelSignature]: ...
