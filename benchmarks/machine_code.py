"""Whether the dialect and a kernel by hand come to the same machine code."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
from cuda.tile import compilation

from tilecheck_runtime.compile import elf

__all__ = ["instructions", "same_code"]


def instructions(cubin: bytes) -> tuple[bytes, ...]:
    """The code of the kernels in a cubin, without their names and what they assume. Raises NotACubin."""
    found = elf.read(cubin)
    return tuple(found.sections[f".text.{symbol}"] for symbol in found.kernels)


def same_code(ours: bytes, by_hand: Any, args: Sequence[Any], arch: str) -> bool | None:
    """Whether a cubin has the code that `ct.launch` generates for a kernel and these arguments; None if that is
    unknown, because `cuda.tile` does not compile it ahead of a launch."""
    buffer = io.BytesIO()
    try:
        signature = compilation.KernelSignature.from_kernel_args(
            by_hand, tuple(args), compilation.CallingConvention.cutile_python_v1())
        compilation.export_kernel(by_hand, [signature], buffer, gpu_code=arch, output_format="cubin")
    except (ct.TileError, TypeError, ValueError, RuntimeError, OSError) as error:
        print(f"the code by hand is not known: {error}", flush=True)
        return None
    return instructions(ours) == instructions(buffer.getvalue())
