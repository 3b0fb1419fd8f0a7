"""Check again whenever a file changes."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import click

from tilecheck.config import Config
from tilecheck.pipeline.run import discovered

__all__ = ["snapshot", "watch"]

_PAUSE: Final = 0.3
"""Seconds between two polls. There are few files and a poll is cheap, so no service of the system is needed."""
_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"


def watch(paths: Sequence[str], config: Config, check: Callable[[], int], pause: float = _PAUSE) -> int:
    """Run `check` now and after each change, until Ctrl-C. Return the status of the last check.

    A change is one of a file under `paths`, of a file beside them that the check imports, or of an overlay file.
    """
    status = 0
    try:
        while True:
            before = snapshot(paths, config)
            if sys.stdout.isatty():
                click.echo(_CLEAR, nl=False)
            try:
                status = check()
            except click.ClickException as error:  # a file may be half written, or a folder briefly missing
                click.echo(f"error: {' '.join(error.format_message().split())}", err=True)
                status = 2
            click.echo("watching for changes; Ctrl-C ends it", err=True)
            gc.collect()  # collection is disabled during a run, and its modules refer to each other
            while snapshot(paths, config) == before:
                time.sleep(pause)
    except KeyboardInterrupt:
        return status


def snapshot(paths: Sequence[str], config: Config) -> frozenset[tuple[str, int, int]]:
    """The path, size in bytes and time of change in nanoseconds of every watched file."""
    found = discovered(paths, config)
    beside = {os.path.dirname(os.path.abspath(file)) for file in found.files}
    near = (entry for folder in beside for entry in _python_files(folder))
    return frozenset(_stamps({*map(os.path.abspath, (*found.files, *config.contracts)), *near}))


def _python_files(folder: str) -> Iterable[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py")]
    except OSError:
        return ()


def _stamps(files: Iterable[str]) -> Iterable[tuple[str, int, int]]:
    for file in files:
        try:
            about = os.stat(file)
        except OSError:
            continue
        yield file, about.st_size, about.st_mtime_ns
