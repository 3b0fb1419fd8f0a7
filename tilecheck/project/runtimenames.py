"""The names of tilecheck_runtime that stand in kernels: what `from tilecheck_runtime import *` brings there."""

from __future__ import annotations

from typing import Final

__all__ = ["RUNTIME", "RUNTIME_NAMES"]

RUNTIME: Final = "tilecheck_runtime"
RUNTIME_NAMES: Final = frozenset({
    "Dyn", "Mut", "Ref", "Shared", "SystemShared", "kernel", "requires", "unsafe", "deny_residual",
    "bool_", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "tf32", "f32", "f64", "f8e4m3",
    "f8e5m2", "f8e8m0", "f4e2m1",
})
