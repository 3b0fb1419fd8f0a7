"""The front end of cuda.tile as the judge of programs: it makes Tile IR of them, without a GPU."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import cuda.tile as ct
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._compile import compile_tile
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
)

__all__ = ["CRASHED", "Refused", "judge"]


@dataclass(frozen=True)
class Refused:
    """
    line   where the compiler stops; 0 if it does not say
    calls  the lines of the calls around it, innermost first
    """

    line: int
    calls: tuple[int, ...]
    words: str


CRASHED = "crashed"
"""The compiler fails for a reason of its own."""


def _array(dtype: Any, rank: int) -> ArrayConstraint:
    return ArrayConstraint(dtype, rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False)


SIGNATURE = KernelSignature([
    _array(ct.float32, 2), _array(ct.float32, 2), _array(ct.float32, 1), _array(ct.float32, 1), _array(ct.int32, 1),
    _array(ct.uint32, 1), _array(ct.float16, 1), ScalarConstraint(ct.int32), ScalarConstraint(ct.float32),
    ConstantConstraint(16), ConstantConstraint(True)], CallingConvention.cutile_python_v1())
"""The arguments of `tests.language.grammar.PARAMETERS`."""


def judge(kernel: Any, signature: KernelSignature = SIGNATURE) -> Refused | str | None:
    """Returns the objection of the compiler to a kernel: None if it accepts it, `CRASHED` if it fails itself."""
    try:
        compile_tile(kernel._annotated_function, [signature], sm_arch="sm_90", return_bytecode=True, return_cubin=False,
                     bytecode_version=BytecodeVersion.V_13_4)
    except ct.TileError as error:
        words = str(getattr(error, "message", "") or error).split("\n")[0]
        lines: list[int] = []
        place = error.loc
        here = inspect.getsourcefile(kernel._annotated_function.pyfunc)
        while place is not None and len(lines) < 20:
            if place.filename in (here, None):  # the package has functions in Python
                lines.append(place.line)
            place = place.call_site
        if isinstance(error, ct.TileInternalError) and "Missing binary" not in words:
            return CRASHED
        return Refused(lines[0] if lines else 0, tuple(lines[1:]), f"{type(error).__name__}: {words}")
    except Exception:
        return CRASHED
    return None
