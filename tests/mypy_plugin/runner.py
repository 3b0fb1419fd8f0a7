"""mypy with the plugin, run as users run it."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.stubs import checkers
from tests.stubs.checkers import TYPINGS

__all__ = ["CONFIG", "Message", "Run", "environment", "is_ours", "mypy", "parse_run", "run_daemon", "write_config"]

ROOT: Final = Path(__file__).resolve().parents[2]
CONFIG: Final = f"""\
[mypy]
plugins = tilecheck.mypy_plugin
mypy_path = {TYPINGS}:{ROOT}
warn_unused_ignores = True
follow_imports_for_stubs = True

[mypy-torch.*,cupy.*]
ignore_missing_imports = True

[mypy-tilecheck_runtime.*,tilecheck.*]
follow_imports = silent
"""
_LINE: Final = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<kind>\w+): (?P<text>.*?)(?:  \[(?P<code>[\w-]+)\])?$")


@dataclass(frozen=True)
class Message(checkers.Message):
    """With the column, from 1; 0 where mypy names none."""

    column: int = 0


@dataclass(frozen=True)
class Run:
    """The messages and the exit status of mypy."""

    messages: tuple[Message, ...]
    output: str
    status: int

    @property
    def findings(self) -> set[tuple[str, int, str]]:
        """File, line and rule of each of ours."""
        return {(m.file, m.line, m.text.split()[0]) for m in self.messages if is_ours(m)}


def is_ours(message: Message) -> bool:
    """Whether the plugin reports this."""
    return message.kind == "error" and message.code.startswith("tile-")


def write_config(folder: Path, extra: str = "") -> None:
    """The configuration that cases share. `extra` stands in its first section."""
    (folder / "mypy.ini").write_text(CONFIG.replace("\n\n", f"\n{extra}\n\n", 1), encoding="utf-8")


def environment() -> dict[str, str]:
    """That of a process which finds this checker, and keeps its results in no one's home."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


_MODES: Final = ("--no-native-parser", "--sqlite-cache", "-n2")
"""Options that have mypy keep other things, or in another way."""
_KEPT: Final = Path(".mypy_cache", f"{sys.version_info.major}.{sys.version_info.minor}")
_NO_WORKER: Final = "Failed to establish connection with worker"
"""mypy prints this when a process of `-n` does not start within seconds, as on a busy machine."""
_ATTEMPTS: Final = 20
_FIRST: Final = """\
import asyncio
import typing

import cuda.tile
import numpy
import torch

import tilecheck
"""


@functools.cache
def _fill_cache(mode: tuple[str, ...]) -> Path:
    """The cache of mypy for the standard library and `cuda.tile`, after a run on a module that imports them."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_config(folder)
    (folder / "first_of_all.py").write_text(_FIRST, encoding="utf-8")
    mypy(folder, *mode, cold=True)
    return folder / _KEPT


def mypy(folder: Path, *arguments: str, targets: Sequence[str] = (".",), cold: bool = False) -> Run:
    """mypy in a folder. Fails when it crashes.

    A first run finds what mypy keeps of the standard library, as nearly every first run of a user does, unless it is to
    be `cold`.
    """
    if not cold and not (folder / ".mypy_cache").exists() and not {"--no-incremental", "--cache-dir"} & {*arguments}:
        shutil.copytree(_fill_cache(tuple(option for option in _MODES if option in arguments)), folder / _KEPT)
    command = [sys.executable, "-m", "mypy", "--show-column-numbers", "--show-traceback", "--no-color-output",
               *arguments, *targets]
    for _ in range(_ATTEMPTS):
        done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
        if _NO_WORKER not in done.stdout + done.stderr:
            break
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return parse_run(done)


def parse_run(done: subprocess.CompletedProcess[str]) -> Run:
    """The messages and the exit status of a process."""
    return Run(tuple(_parse_messages(done.stdout.splitlines())), done.stdout + done.stderr, done.returncode)


def _parse_messages(lines: Iterable[str]) -> Iterable[Message]:
    """The messages in lines of output."""
    for line in lines:
        if found := _LINE.match(line):
            yield Message(os.path.normpath(found["file"]), int(found["line"]), found["kind"], found["text"],
                          found["code"] or "", int(found["column"] or 0))


@contextmanager
def run_daemon(folder: Path) -> Iterator[Callable[[], Run]]:
    """The daemon of mypy in a folder, which has a configuration; each call checks the folder."""
    def dmypy(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mypy.dmypy", "--status-file", str(folder / "status.json"), *arguments]
        return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)

    def check() -> Run:
        done = dmypy("check", ".")
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return parse_run(done)

    started = dmypy("start", "--", "--show-column-numbers", "--show-traceback")
    assert started.returncode == 0, started.stdout + started.stderr
    try:
        yield check
    finally:
        dmypy("stop")
