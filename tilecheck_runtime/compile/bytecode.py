"""Translates a function and a signature to Tile IR bytecode with `cuda.tile`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.compile.constraints import (
    ArrayParameter,
    ConstantParameter,
    Parameter,
    ScalarParameter,
    Signature,
)
from tilecheck_runtime.compile.locations import location_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.toolchain import EXTRA
from tilecheck_runtime.errors.compilation import FrontEndError, MissingToolError

__all__ = ["kernel_signature", "translate_to_bytecode"]


def translate_to_bytecode(function: FunctionType, signature: Signature, arch: str, options: Options,
                          version: str) -> tuple[bytes, str]:
    """Returns the bytecode of a function, and the symbol of its code. Equal input gives equal bytes in any process.

    Raises FrontEndError if `cuda.tile` rejects the kernel, and MissingToolError.
    """
    ct, compilation = _import_cuda_tile()
    known = kernel_signature(signature).with_mangled_symbol(function.__name__)
    buffer = io.BytesIO()
    try:
        compilation.export_kernel(ct.kernel(function, **options.hints), [known], buffer, gpu_code=arch,
                                  output_format="tileir_bytecode", bytecode_version=version)
    except ct.TileError as error:
        raise _front_end_error(function, error, arch) from error
    except (TypeError, ValueError, NotImplementedError, SyntaxError) as error:
        raise _front_end_error(function, error, arch) from error
    return buffer.getvalue(), known.symbol


def kernel_signature(signature: Signature) -> Any:
    """Converts a signature to the form of `cuda.tile`. Raises MissingToolError."""
    _, compilation = _import_cuda_tile()
    fixed = any(n is not None for p in signature.parameters if isinstance(p, ArrayParameter) for n in p.shape)
    convention = compilation.CallingConvention
    # as `ct.launch` chooses it, so that the code is the same
    made = convention.cutile_python_v2() if fixed else convention.cutile_python_v1()
    return compilation.KernelSignature([_CONSTRAINTS[type(p)](p) for p in signature.parameters], made)


def _array(p: ArrayParameter) -> Any:
    ct, compilation = _import_cuda_tile()
    return compilation.ArrayConstraint(
        getattr(ct, p.dtype), p.rank, index_dtype=getattr(ct, p.index), stride_lower_bound_incl=0,
        alias_groups=p.groups, may_alias_internally=p.self_overlap, stride_constant=p.strides,
        shape_constant=p.shape, stride_divisible_by=p.stride_divisors, shape_divisible_by=p.shape_divisors,
        base_addr_divisible_by=p.alignment)


def _scalar(p: ScalarParameter) -> Any:
    ct, compilation = _import_cuda_tile()
    return compilation.ScalarConstraint(getattr(ct, p.dtype))


def _constant(p: ConstantParameter) -> Any:
    return _import_cuda_tile()[1].ConstantConstraint(p.value)


_CONSTRAINTS: Final[dict[type[Parameter], Any]] = {
    ArrayParameter: _array, ScalarParameter: _scalar, ConstantParameter: _constant,
}


def _import_cuda_tile() -> tuple[Any, Any]:
    try:
        import cuda.tile as ct
        from cuda.tile import compilation
    except ImportError as error:
        raise MissingToolError("`cuda.tile`, which makes Tile IR of kernels, cannot be imported",
                               notes=[str(error)], fix=EXTRA) from error
    return ct, compilation


def _calls(where: Any) -> Iterator[tuple[str | None, int | None]]:
    """Yields file and line of a location, then of the call that led to it, and so on."""
    while where is not None:
        yield getattr(where, "filename", None), getattr(where, "line", None)
        where = getattr(where, "call_site", None)


def _front_end_error(function: FunctionType, error: Exception, arch: str) -> FrontEndError:
    message = getattr(error, "message", None) or str(error)
    lines = [line for line in str(message).splitlines() if line.strip() and line.strip() != "Unknown location"]
    first, *rest = lines or [type(error).__name__]
    place = location_of(function, _calls(getattr(error, "loc", None)))
    return FrontEndError(f"`{function.__name__}` cannot be compiled for {arch}: {first.strip()}", place=place,
                         notes=[r.strip() for r in rest[:4]],
                         fix="change that line; `tilecheck` on the file says more")
