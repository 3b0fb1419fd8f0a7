"""The front end of cuda.tile. This module is the only one that uses its internals.

`tests/runtime/tile_ir/test_front_end.py` pins these internals for each supported release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tilecheck_runtime.tile_ir.accesses import Argument

__all__ = [
    "Constant", "Given", "Place", "Refusal", "Scalar", "build_representation", "compile_kernel", "is_available",
]

_MOST_PLACES: Final = 20
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


@dataclass(frozen=True)
class Place:
    """A location in the source that the front end names. Lines count from 1, columns from 0."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Refusal:
    """A kernel that does not compile.

    kind     the class of the error
    words    its message
    places   where the front end stops, and the calls around it, innermost first
    certain  whether the front end refuses the kernel. It does not if it fails itself, or if another architecture may
             compile the kernel
    """

    kind: str
    words: str
    places: tuple[Place, ...]
    certain: bool


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

    found = compile_tile(_function_of(kernel), [_sign(arguments)], sm_arch=_ARCHITECTURE, return_final_ir=True,
                         return_cubin=False, bytecode_version=_newest_version())
    (body,) = found.final_ir
    return body


def compile_kernel(kernel: Any, arguments: Sequence[Given]) -> Any | Refusal:
    """The final representation of a kernel that compiles to bytecode, or why it does not."""
    from cuda.tile._compile import compile_tile
    from cuda.tile._exception import TileError

    try:
        found = compile_tile(_function_of(kernel), [_sign(arguments)], sm_arch=_ARCHITECTURE, return_final_ir=True,
                             return_bytecode=True, return_cubin=False, bytecode_version=_newest_version())
    except TileError as error:
        return _describe_error(error)
    (body,) = found.final_ir
    return body


def _describe_error(error: Any) -> Refusal:
    from cuda.tile._exception import InternalError

    words = " ".join(str(getattr(error, "message", "") or error).split("\n\n")[0].split())
    places: list[Place] = []
    loc = error.loc
    while loc is not None and len(places) < _MOST_PLACES:
        if loc.filename and loc.line > 0:
            end_line = loc.last_line or loc.line
            end = loc.end_col if loc.end_col is not None else loc.col
            places.append(Place(loc.filename, loc.line, loc.col, end_line, end))
        loc = loc.call_site
    # operations without an implementation for a type are reported as an internal error
    failed = isinstance(error, InternalError) and "Missing binary" not in words
    return Refusal(type(error).__name__, words, tuple(places), not failed and "sm_" not in words)


def _function_of(kernel: Any) -> Any:
    return getattr(kernel, "_annotated_function", kernel)


def _sign(arguments: Sequence[Given]) -> Any:
    from cuda.tile.compilation import CallingConvention, KernelSignature

    static = any(isinstance(a, Argument) and any(n is not None for n in a.static) for a in arguments)
    convention = CallingConvention.cutile_python_v2() if static else CallingConvention.cutile_python_v1()
    return KernelSignature([_constrain(a) for a in arguments], convention)


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
        stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
        shape_constant=argument.static if any(n is not None for n in argument.static) else None)
