"""The front end of cuda.tile. This module is the only one that uses its internals.

`tests/runtime/tile_ir/test_front_end.py` pins these internals for each supported release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from tilecheck_runtime.tile_ir.accesses import Argument

__all__ = ["Constant", "Scalar", "build_representation", "is_available"]

_ARCHITECTURE: Final = "sm_100"
"""The architecture that the representation is built for. It has all element types."""


class Constant:
    """A constant argument."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Scalar:
    """A scalar argument: its value and the name of its type."""

    def __init__(self, value: float | bool, dtype: str) -> None:
        self.value, self.dtype = value, dtype


Given: TypeAlias = "Argument | tuple[Argument, ...] | Scalar | Constant"
"""An argument; a tuple is a list of arrays."""


def is_available() -> bool:
    """Whether a package cuda-tile with a front end is installed."""
    try:
        import cuda.tile._compile  # noqa: F401
    except ImportError:
        return False
    return True


def build_representation(kernel: Any, arguments: Sequence[Given]) -> Any:
    """The final representation of a kernel for these arguments: a block of operations with typed variables.

    Raises an error of cuda.tile if the front end refuses the kernel.
    """
    from cuda.tile._compile import compile_tile
    from cuda.tile.compilation import CallingConvention, KernelSignature

    signature = KernelSignature([_constrain(a) for a in arguments], CallingConvention.cutile_python_v1())
    function = getattr(kernel, "_annotated_function", kernel)
    found = compile_tile(function, [signature], sm_arch=_ARCHITECTURE, return_final_ir=True, return_cubin=False,
                         bytecode_version=_newest_version())
    (body,) = found.final_ir
    return body


def _newest_version() -> Any:
    from cuda.tile._bytecode.version import BytecodeVersion

    return BytecodeVersion.V_13_4


def _constrain(argument: Given) -> Any:
    """The constraint by which the front end knows an argument. It says no more than every launch promises."""
    import cuda.tile as ct
    from cuda.tile.compilation import ArrayConstraint, ConstantConstraint, ListConstraint, ScalarConstraint

    if isinstance(argument, Constant):
        return ConstantConstraint(argument.value)
    if isinstance(argument, Scalar):
        return ScalarConstraint(getattr(ct, argument.dtype))
    if isinstance(argument, tuple):
        return ListConstraint(_constrain(argument[0]), alias_groups=(), elements_may_alias=False)
    return ArrayConstraint(
        getattr(ct, argument.dtype), len(argument.shape), index_dtype=getattr(ct, argument.index),
        stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False)
