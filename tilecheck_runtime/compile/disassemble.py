"""Tile IR and PTX of compiled kernels as text."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tilecheck_runtime.compile import elf
from tilecheck_runtime.compile.toolchain import Toolchain, environment

__all__ = ["ptx", "tileir"]

_PTX: Final = ".nv_debug_ptx_txt"


def ptx(cubin: bytes) -> str | None:
    """The PTX that a cubin was compiled from; None if it does not contain it."""
    found = next((data for name, data in elf.read(cubin).sections.items() if name.startswith(_PTX)), None)
    return None if found is None else re.sub("\0+", "\n", found.decode(errors="replace")).strip() + "\n"


def tileir(bytecode: bytes, tools: Toolchain) -> str | None:
    """Tile IR as text; None where the tool that prints it is not installed."""
    program = tools.tool("tileirdisasm")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(prefix="tilecheck-") as folder:
        source = Path(folder, "kernel.tileirbc")
        source.write_bytes(bytecode)
        done = subprocess.run([program, str(source)], env=environment(program), capture_output=True, text=True,
                              timeout=60, check=False)
    return done.stdout if done.returncode == 0 else None
