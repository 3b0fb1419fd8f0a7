"""The names of tilecheck_runtime that kernels use, for `from tilecheck_runtime import *`."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import BY_SHORT_NAME

__all__ = ["RUNTIME", "RUNTIME_NAMES"]

RUNTIME: Final = "tilecheck_runtime"
RUNTIME_NAMES: Final = frozenset({
    "Dyn", "Mut", "Ref", "Shared", "SystemShared", "kernel", "requires", "unsafe", "deny_residual",
    *BY_SHORT_NAME,
})
