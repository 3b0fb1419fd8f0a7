"""Assembles Tile IR bytecode into a cubin with `tileiras`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Final

from tilecheck_runtime.compile.disassemble import tileir
from tilecheck_runtime.compile.locations import location_of
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.toolchain import Toolchain, environment
from tilecheck_runtime.errors.compilation import AssemblerError

__all__ = ["TIMEOUT", "assemble"]

TIMEOUT: Final = "TILECHECK_COMPILE_TIMEOUT"
"""Environment variable with the seconds that one run of the compiler may take."""
_SECONDS: Final = 600.0
_LOCATED: Final = re.compile(r'loc\((?:[^)"]*?)"([^"]+)"(?::(\d+):\d+)?.*?\):\s*(?:error:\s*)?(.*)')


def assemble(function: FunctionType, bytecode: bytes, arch: str, options: Options, tools: Toolchain) -> bytes:
    """Returns the cubin. `function` appears in messages.

    Raises AssemblerError if the compiler fails, crashes, or takes longer than `TILECHECK_COMPILE_TIMEOUT` seconds; the
    bytecode is then stored in a file.
    """
    with tempfile.TemporaryDirectory(prefix="tilecheck-") as folder:
        source, target = Path(folder, "kernel.tileirbc"), Path(folder, "kernel.cubin")
        source.write_bytes(bytecode)
        command = [tools.tileiras, str(source), "-o", str(target), "--gpu-name", arch, *options.flags]
        try:
            done = subprocess.run(command, env=environment(tools.tileiras), cwd=folder, capture_output=True, text=True,
                                  errors="replace", timeout=_time_limit(), check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as late:
            raise _assembler_error(function, bytecode, arch, options, tools,
                                   f"took longer than {late.timeout:g} seconds", "",
                                   f"take smaller tiles, or allow more time with {TIMEOUT}") from None
        except OSError as error:
            raise _assembler_error(function, bytecode, arch, options, tools, f"could not be run: {error}", "",
                                   "install it anew: pip install 'tilecheck[gpu]'") from error
        if done.returncode == 0 and target.exists():
            return target.read_bytes()
        raise _assembler_error(function, bytecode, arch, options, tools, _describe_status(done.returncode), done.stderr,
                               _suggest_fix(bytecode, tools))


def _suggest_fix(bytecode: bytes, tools: Toolchain) -> str:
    """Suggests a known fix."""
    text = tileir(bytecode, tools) or ""
    if any("inbounds = [" in line and "true" in line and "padding_value" in line for line in text.splitlines()):
        return "leave out `padding_mode` where `check_bounds=False` is given: this compiler cannot do both at a time"
    return "take smaller tiles or other hints, and report the bytecode to NVIDIA with the command above"


def _time_limit() -> float:
    try:
        return float(os.environ.get(TIMEOUT, "")) or _SECONDS
    except ValueError:
        return _SECONDS


def _describe_status(status: int) -> str:
    if status >= 0:
        return f"failed (exit status {status})"
    try:
        return f"crashed ({signal.Signals(-status).name})"
    except ValueError:
        return f"crashed (signal {-status})"


def _assembler_error(function: FunctionType, bytecode: bytes, arch: str, options: Options, tools: Toolchain, how: str,
                     said: str, fix: str) -> AssemblerError:
    kept = _save_bytecode(function, bytecode)
    version = ".".join(map(str, tools.version))
    places, lines = [], []
    for file, line, text in _parse_messages(said):
        places.append((file, line))
        lines.append(text)
    command = " ".join(["tileiras", str(kept), "-o", "kernel.cubin", "--gpu-name", arch, *options.flags])
    notes = [*dict.fromkeys(line for line in lines if line), f"its input is stored in {kept}",
             f"to see it again: {command}"]
    return AssemblerError(f"tileiras {version} {how} on `{function.__name__}` for {arch}",
                          place=location_of(function, places), notes=notes, fix=fix, bytecode=str(kept))


def _parse_messages(said: str) -> Iterator[tuple[str | None, int | None, str]]:
    """Yields file, line and text of the first messages of the compiler."""
    for line in said.strip().splitlines()[:6]:
        found = _LOCATED.search(line)
        if found is None:
            yield None, None, line.strip().removeprefix("error: ").removeprefix("Unknown location")
        else:
            yield found[1], int(found[2]) if found[2] else None, found[3].strip()


def _save_bytecode(function: FunctionType, bytecode: bytes) -> Path:
    """Writes bytecode that the compiler failed on to a new folder that only the user can write, and returns its
    path."""
    path = Path(tempfile.mkdtemp(prefix="tilecheck-failed-"), f"{function.__name__}.tileirbc")
    path.write_bytes(bytecode)
    return path
