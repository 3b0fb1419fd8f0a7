"""What can be looked at of a compilation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Final

from tilecheck_runtime.compile import elf
from tilecheck_runtime.compile.places import place_of
from tilecheck_runtime.compile.toolchain import Toolchain, environment

if TYPE_CHECKING:
    from tilecheck_runtime.compile.build import Compiled

__all__ = ["DUMP", "LOG", "dumped", "logged", "ptx", "tileir"]

LOG: Final = "TILECHECK_LOG"
"""Environment variable with what to log, by commas: `compile` prints a line for each kernel."""
DUMP: Final = "TILECHECK_DUMP"
"""Environment variable with a folder in which each kernel's bytecode, Tile IR, PTX and cubin are put."""
_PTX: Final = ".nv_debug_ptx_txt"
_MOST: Final = 60


def logged(function: FunctionType, made: Compiled) -> None:
    """Prints what was compiled, to standard error, if that was asked for."""
    if "compile" not in os.environ.get(LOG, "").split(","):
        return
    how = "from the cache" if made.cached else "compiled"
    print(f"tilecheck: {how} `{function.__qualname__}` for {made.arch} in {1000 * made.seconds:.0f} ms, "
          f"{len(made.cubin)} bytes, {made.symbol} ({place_of(function)})", file=sys.stderr)


def dumped(made: Compiled, tools: Toolchain) -> None:
    """Writes everything about a kernel into the folder that `TILECHECK_DUMP` names."""
    folder = os.environ.get(DUMP, "")
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"{made.symbol[:_MOST]}-{made.arch}-{made.key[:8]}")
    Path(f"{stem}.tileirbc").write_bytes(made.bytecode)
    Path(f"{stem}.cubin").write_bytes(made.cubin)
    for suffix, text in (("ptx", ptx(made.cubin)), ("tileir", tileir(made.bytecode, tools))):
        if text is not None:
            Path(f"{stem}.{suffix}").write_text(text)


def ptx(cubin: bytes) -> str | None:
    """The PTX that a cubin was made of; None where it does not hold it."""
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
