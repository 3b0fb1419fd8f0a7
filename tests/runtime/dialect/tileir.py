"""Kernels compiled to Tile IR, without a GPU, and what their code consists of."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import cuda.tile as ct
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._compile import compile_tile
from cuda.tile._ir.control_flow_ops import Loop
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

VERSION = "13.4"


def array(dtype: Any, rank: int) -> ArrayConstraint:
    """An array of which only what every launch promises is known."""
    return ArrayConstraint(dtype, rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False)


constant = ConstantConstraint
scalar = ScalarConstraint


def _signature(parameters: Sequence[Any]) -> KernelSignature:
    return KernelSignature(list(parameters), CallingConvention.cutile_python_v1())


def export_bytecode(function: Any, parameters: Sequence[Any]) -> bytes:
    """The Tile IR of a kernel function as bytecode."""
    buffer = io.BytesIO()
    export_kernel(ct.kernel(function), [_signature(parameters)], buffer, gpu_code="sm_90",
                  output_format="tileir_bytecode", bytecode_version=VERSION)
    return buffer.getvalue()


def operations(function: Any, parameters: Sequence[Any]) -> dict[int, Counter[str]]:
    """Operations of a compiled kernel function by how many loops they stand in: what the bytecode is written from."""
    (body,) = compile_tile(function, [_signature(parameters)], sm_arch="sm_90", return_final_ir=True,
                           return_cubin=False, bytecode_version=BytecodeVersion.V_13_4).final_ir
    found: dict[int, Counter[str]] = {}
    for depth, name in _walk(body, 0):
        found.setdefault(depth, Counter())[name] += 1
    return found


def _walk(block: Any, depth: int) -> Iterator[tuple[int, str]]:
    for operation in block:
        yield depth, f"{operation.op}"
        for nested in operation.nested_blocks:
            yield from _walk(nested, depth + isinstance(operation, Loop))


def parameters(entry: Any, known: Any) -> list[Any]:
    """The parameters for which an entry's function is compiled, by the signature of its kernel."""
    by_name = {p.name: p for p in known.parameters}
    return [*(_PARAMETERS[by_name[name].kind](by_name[name]) for name in entry.parameters),
            *(constant(value) for _, value in entry.constants)]


def _array(parameter: Any) -> ArrayConstraint:
    return array(getattr(ct, parameter.dtype.name), len(parameter.extents))


_SCALARS = {int: ct.int32, float: ct.float32, bool: ct.bool_}
_PARAMETERS = {"mut": _array, "ref": _array, "shared": _array, "scalar": lambda p: scalar(_SCALARS[p.dtype])}
