"""Check again whenever a file changes."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import click

from tilecheck.config import Config
from tilecheck.pipeline.run import discover_files

__all__ = ["snapshot", "watch"]

_PAUSE: Final = 0.3
"""Seconds between two polls, where the system does not report changes."""
_DEBOUNCE: Final = 50
"""Milliseconds in which changes are taken for one."""
_AT_LEAST_EVERY: Final = 5000
"""Milliseconds after which files are compared although the system reported no change: a network drive may not."""
_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"


def watch(paths: Sequence[str], config: Config, check: Callable[[], int], pause: float = _PAUSE) -> int:
    """Run `check` now and after each change, until Ctrl-C. Return the status of the last check.

    A change is one of a file under `paths`, of a file beside them that the check imports, or of an overlay file. The
    system reports changes if `watchfiles` is installed (extra `watch`); else files are polled.
    """
    status = 0
    try:
        signals = _signals(paths, config, pause)
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
                next(signals)
    except KeyboardInterrupt:
        return status


def _signals(paths: Sequence[str], config: Config, pause: float) -> Iterator[object]:
    """An iterator whose next item comes when files may have changed."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        return _polls(pause)
    folders = {path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)) for path in paths}
    folders |= {os.path.dirname(os.path.abspath(file)) for file in config.contracts}
    # the filter of `watchfiles` leaves out folders that may be checked; `snapshot` decides which files matter
    return changes(*sorted(filter(os.path.isdir, folders)), watch_filter=None, debounce=_DEBOUNCE, step=_DEBOUNCE // 5,
                   rust_timeout=_AT_LEAST_EVERY, yield_on_timeout=True, raise_interrupt=True)


def _polls(pause: float) -> Iterator[None]:
    while True:
        time.sleep(pause)
        yield


def snapshot(paths: Sequence[str], config: Config) -> frozenset[tuple[str, int, int]]:
    """The path, size in bytes and time of change in nanoseconds of every watched file."""
    found = discover_files(paths, config)
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
