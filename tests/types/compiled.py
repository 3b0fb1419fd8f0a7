"""Small kernels given both to the front end of cuda.tile and to the checker, and what each says of them."""

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

from tilecheck.api import check_source
from tilecheck.config import Config

CODES = ("TC501", "TC502", "TC503", "TC504", "TC505")

HEAD = "import cuda.tile as ct\n\n"
PARAMETERS = ("a", "b", "s", "n")
"""Two arrays of float32 with two axes, a number with a fraction and an integer."""


def source(bodies: Sequence[str]) -> str:
    """One kernel `k0`, `k1`, ... for each body; lines of a body are separated by `;` or newlines."""
    out = [HEAD]
    for number, body in enumerate(bodies):
        lines = [line.rstrip() for line in body.replace("; ", "\n").strip("\n").split("\n")]
        out.append(f"@ct.kernel\ndef k{number}({', '.join(PARAMETERS)}):\n")
        out += [f"    {line}\n" for line in lines]
        out.append("\n\n")
    return "".join(out)


def _array() -> ArrayConstraint:
    return ArrayConstraint(ct.float32, 2, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False)


def loaded(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refused(kernel: ct.kernel) -> str | None:
    """What the front end has against a kernel: "" when it accepts it, None when it fails for reasons of its own."""
    given = [_array(), _array(), ScalarConstraint(ct.float32), ScalarConstraint(ct.int32)]
    signature = KernelSignature(given, CallingConvention.cutile_python_v1())
    try:
        compile_tile(kernel._annotated_function, [signature], sm_arch="sm_107", return_final_ir=True,
                     return_cubin=False, bytecode_version=BytecodeVersion.V_13_4)
    except ct.TileError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    except (AssertionError, NotImplementedError):
        return None
    return ""


def flagged(text: str, name: str = "k.py") -> dict[str, list[str]]:
    """The findings of the checker of these rules, by kernel."""
    report = check_source(text, name, Config(use_cache=False))
    assert not report.failures, report.failures
    out: dict[str, list[str]] = {}
    for d in report.diagnostics:
        if d.code in CODES:
            out.setdefault(d.kernel or "", []).append(f"{d.code}: {d.message}")
    return out
