"""Output about compilations for debugging."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FunctionType
from typing import Final

from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.disassemble import ptx, tileir
from tilecheck_runtime.compile.locations import location_of
from tilecheck_runtime.compile.toolchain import Toolchain

__all__ = ["DUMP", "LOG", "dump_artifacts", "log_compilation"]

LOG: Final = "TILECHECK_LOG"
"""Environment variable with a comma-separated list of the events to log: `compile` prints a line for each kernel."""
DUMP: Final = "TILECHECK_DUMP"
"""Environment variable with a folder for the bytecode, Tile IR, PTX and cubin of each kernel."""
_MOST: Final = 60


def log_compilation(function: FunctionType, made: Compiled) -> None:
    """Prints a line about a compilation to standard error, if requested."""
    if "compile" not in os.environ.get(LOG, "").split(","):
        return
    how = "from the cache" if made.cached else "compiled"
    print(f"tilecheck: {how} `{function.__qualname__}` for {made.arch} in {1000 * made.seconds:.0f} ms, "
          f"{len(made.cubin)} bytes, {made.symbol} ({location_of(function)})", file=sys.stderr)


def dump_artifacts(made: Compiled, tools: Toolchain) -> None:
    """Writes the files of a kernel into the folder in `TILECHECK_DUMP`."""
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
