"""Types and shapes of expressions are those that the front end of cuTile infers, and what it refuses is refused."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

from tilecheck_runtime.cpu.execution.execute import sanitize

compiler = pytest.importorskip("cuda.tile._compile")

ARRAYS = {"f": ("float32", np.float32), "h": ("float16", np.float16), "b": ("bfloat16", ml_dtypes.bfloat16),
          "i": ("int32", np.int32), "j": ("int64", np.int64), "u": ("uint8", np.uint8), "c": ("int8", np.int8)}
KERNEL = """import cuda.tile as ct


def kernel(F, H, B, I, J, U, C, n: int, s: float):
    f, h, b = ct.load(F, (0,), (8,)), ct.load(H, (0,), (8,)), ct.load(B, (0,), (8,))
    i, j = ct.load(I, (0,), (8,)), ct.load(J, (0,), (8,))
    u, c = ct.load(U, (0,), (8,)), ct.load(C, (0,), (8,))
    m = f > 0
    r = {}
    ct.static_assert(False, "RESULT " + (str(r.dtype) + str(tuple(r.shape)) if hasattr(r, "dtype") else ""))
"""
VALUES = ("f", "h", "b", "i", "j", "u", "c", "m", "1", "2.5", "True", "n", "s")
OPERATORS = ("+", "/", "//", "%", "**", "<", "&", "<<")
SHAPES = (
    "ct.sum(f.reshape((2, 4)), axis=0)", "ct.sum(f.reshape((2, 4)), axis=-1, keepdims=True)", "ct.sum(m)",
    "ct.max(f.reshape((2, 4)))", "f[None, :]", "f[:, None] + h", "ct.cat((f, f), 0)", "ct.extract(f, (1,), (4,))",
    "ct.full((4,), 1.5, ct.int32)", "ct.arange(8, dtype=ct.float16)", "ct.astype(f, ct.int8)", "ct.prod(h)",
    "ct.bitcast(f, ct.int32)", "ct.bitcast(f, ct.int16)", "ct.pack_to_bytes(f)", "ct.num_blocks(0)", "F.shape[0] / 2",
    "ct.num_tiles(F, 0, (8,))", "ct.matmul(f.reshape((2, 4)), f.reshape((4, 2)))", "ct.gather(F, i)", "ct.gather(F, f)",
    "ct.mma(h.reshape((2, 4)), h.reshape((4, 2)), ct.zeros((2, 2), ct.float32))", "ct.load(F, 0, ())",
    "ct.mma(f.reshape((2, 4)), f.reshape((4, 2)), ct.zeros((2, 2), ct.float16))", "ct.atomic_add(F, i, 1)",
    "ct.mma(c.reshape((2, 4)), u.reshape((4, 2)), ct.zeros((2, 2), ct.int32))", "ct.atomic_add(F, i, h)",
    "ct.atomic_add(H, i, f)", "ct.cumsum(u)", "ct.argmax(h, 0)", "ct.transpose(f)", "ct.broadcast_to(f, (2, 8))",
    "ct.divmod(i, 3)[0]", "divmod(n, 3)[1]", "min(f, h)", "max(n, s)", "min(n, 3)", "ct.load(F, (0, 0), (8, 8))",
    "ct.load(F, (0,), (3,))", "ct.scan(f, 0, lambda a, b: a + b, 0)", "ct.isnan(i)", "ct.floor(i)", "ct.exp(i)",
    "ct.where(m, i, 2.5)", "ct.where(m, h, b)", "ct.negative(m)", "ct.insert(f, (1,), ct.zeros((2,), ct.float32))",
    "ct.reshape(f, (2, -1))", "ct.permute(f.reshape((2, 4)), (1, 0))", "ct.expand_dims(f, 1)", "f.item()",
)


def expressions() -> Iterator[str]:
    """All of them with TILECHECK_FRONT_END set, else every seventh of the pairs."""
    pairs = [f"{a} {op} {b}" for op, (a, b) in product(OPERATORS, product(VALUES, VALUES))
             if not {a, b} <= {"1", "2.5", "True"}]  # those are Python's
    yield from pairs if os.environ.get("TILECHECK_FRONT_END") else pairs[::7]
    yield from SHAPES


def function_of(text: str, folder: Path) -> Any:
    # a name of its own: an edit of the same length in the same second is not seen in the compiled file
    path = folder / f"expression{sum(1 for _ in folder.iterdir())}.py"
    path.write_text(KERNEL.format(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("expression", path)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def outcome(error: BaseException | None) -> str:
    found = re.search("RESULT ([^\n]*)", str(error))
    return found[1] if found else "refused"


def run_compiler(function: Any) -> str:
    from cuda.tile._bytecode.version import BytecodeVersion
    from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, ScalarConstraint

    arrays = [ArrayConstraint(getattr(ct, name), 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                              may_alias_internally=False, stride_constant=(1,)) for name, _ in ARRAYS.values()]
    signature = KernelSignature([*arrays, ScalarConstraint(ct.int32), ScalarConstraint(ct.float32)],
                                CallingConvention.cutile_python_v1())
    try:
        compiler.compile_tile(function, (signature,), "sm_90", return_cubin=False, return_final_ir=True,
                              bytecode_version=BytecodeVersion.V_13_4)
    except Exception as error:
        return outcome(error)
    return "accepted"


def run_sanitizer(function: Any) -> str:
    try:
        sanitize(ct.kernel(function), (1,), [*(np.ones(8, d) for _, d in ARRAYS.values()), 3, 1.5])
    except Exception as error:
        return outcome(error)
    return "accepted"


@pytest.mark.slow
def test_expressions_have_the_type_that_the_front_end_infers(tmp_path: Path) -> None:
    wrong = {}
    for text in expressions():
        function = function_of(text, tmp_path)
        both = run_compiler(function), run_sanitizer(function)
        if both[0] != both[1]:
            wrong[text] = both
    assert not wrong
