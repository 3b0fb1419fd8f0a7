"""Small kernels given to the front end of cuda.tile, and what it says of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import cuda.tile as ct
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._compile import compile_tile
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    ScalarConstraint,
)


def array(rank: int = 2) -> ArrayConstraint:
    """An array of float32."""
    return ArrayConstraint(ct.float32, rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False)


def load_module(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def create_plain_arguments() -> list[object]:
    """Creates the arguments for which the kernels of `tests.interp.kernel.tile_types.kernels` are compiled."""
    return [array(), array(), ScalarConstraint(ct.float32), ScalarConstraint(ct.int32)]


def read_refusal(kernel: ct.kernel, given: Sequence[object] | None = None) -> str | None:
    """Returns the error of the front end: "" if it accepts the kernel, None if it fails for another reason."""
    signature = KernelSignature(
        list(create_plain_arguments() if given is None else given), CallingConvention.cutile_python_v1()
    )
    try:
        compile_tile(kernel._annotated_function, [signature], sm_arch="sm_107", return_final_ir=True,
                     return_cubin=False, bytecode_version=BytecodeVersion.V_13_4)
    except ct.TileError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    except (AssertionError, NotImplementedError):
        return None
    return ""
