"""The record that a run of mypy stores for the next run, in the cache folder of mypy.

mypy asks for each cached module whether it is still valid, before it has reported all modules. The plugin then assumes
that the modules under check are those of the last run and the files that were added beside them since.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from tilecheck.mypy_plugin._consts import VERSION
from tilecheck.mypy_plugin.checked import SUFFIX
from tilecheck.mypy_plugin.stamps import Stamps, is_unchanged, tool_stamp

__all__ = ["LastRun", "create_first", "load", "save"]

_NAME: Final = "tilecheck.json"

Folders = Mapping[str, list[Any]]
"""Time of the last change of each folder in ns, and the names of the Python files in it."""


class LastRun(NamedTuple):
    """The modules that were checked, and their findings.

    version  of this record
    place    the working directory, and the files that replace others
    modules  names of modules by path
    folders  where they are
    tool     the checker; empty where nothing was analysed
    stamps   of the modules, and of all other files that findings depend on
    missing  absolute paths at which a module was looked for and not found
    found    digest of the findings by path, where there are any
    """

    version: int
    place: str
    modules: Mapping[str, str]
    folders: Folders
    tool: str
    stamps: Stamps
    missing: Sequence[str]
    found: Mapping[str, str]

    def holds(self) -> bool:
        """Whether another run would give the same findings."""
        return (
            self.tool != ""
            and not any(self.news().values())
            and all(is_unchanged(path, stamp) for path, stamp in self.stamps.items())
            and not any(map(os.path.isfile, self.missing))
            and self.tool == tool_stamp()
        )

    def news(self) -> dict[str, list[str]]:
        """The names of Python files that have come into each folder."""
        out = {}
        for folder, (changed, names) in self.folders.items():
            try:
                new = [] if os.stat(folder or ".").st_mtime_ns == changed else sorted({*_names(folder)} - {*names})
            except OSError:
                new = []
            out[folder] = new
        return out


def folders_of(paths: Iterable[str]) -> Folders:
    """The folders of files."""
    out: dict[str, list[Any]] = {}
    for folder in sorted({os.path.dirname(path) for path in paths}):
        with suppress(OSError):
            out[folder] = [os.stat(folder or ".").st_mtime_ns, sorted(_names(folder))]
    return out


def create_first(place: str, modules: Mapping[str, str]) -> LastRun:
    """The record of a run that has found out what it checks."""
    return LastRun(VERSION, place, dict(modules), folders_of(modules), "", {}, (), {})


def load(folder: str, place: str) -> LastRun | None:
    """The record of the last run with this `place`, in a folder of mypy's cache."""
    try:
        with open(os.path.join(folder, _NAME), encoding="utf-8") as stream:
            kept = LastRun(*json.load(stream))
    except (OSError, ValueError, TypeError):
        return None
    return kept if kept.version == VERSION and kept.place == place else None


def save(folder: str, run: LastRun) -> None:
    """Store the record for the next run. A failure to write it costs only time: the next run then checks everything."""
    path = os.path.join(folder, _NAME)
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(folder, exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as stream:
            json.dump(run, stream)
        os.replace(temporary, path)
    except OSError:
        return


def _names(folder: str) -> Iterable[str]:
    return (name for name in os.listdir(folder or ".") if name.endswith(SUFFIX))
