"""One run of mypy, as its plugin sees it: first the modules, one by one, then their findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from mypy import build

from tilecheck.mypy_plugin import ahead
from tilecheck.mypy_plugin.checked import is_checked, name_beside
from tilecheck.mypy_plugin.lastrun import LastRun, create_first, load, save
from tilecheck.mypy_plugin.stamps import Stamp, digest, is_unchanged, stamps_of, tool_stamp

if TYPE_CHECKING:
    from mypy.options import Options

    from tilecheck.mypy_plugin.findings import Finding
    from tilecheck.mypy_plugin.verdicts import Verdicts
    from tilecheck.pipeline.run import Pipeline

__all__ = ["Build"]

_TWO_PHASES: Final = hasattr(build, "process_stale_scc_full")
"""Whether mypy, in one process, first checks what is outside of functions, and asks for our data before it goes on."""

Types: TypeAlias = Mapping[tuple[int, int, int, int], str]
"""By the first line and column of an expression and the last ones."""


class Build:
    """The modules under check and their findings.

    The daemon retains its plugin, so one build may cover all runs of a daemon. The findings are then looked up again,
    by the contents of files, whenever mypy has read a file.

    marks_late    whether a module can be marked when mypy finds out late that it must be checked again; else those that
                  have findings are checked in every run
    modules       names by path, of the modules that mypy has reported
    complete      whether these are all modules
    read          paths of the modules that mypy has read again
    in_functions  paths of modules that are marked in a function
    dependents    names of the modules that have kernels or launches
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.daemon = options.fine_grained_incremental
        self.folder = None if self.daemon or options.cache_dir == os.devnull else options.cache_dir
        self.shadows = {os.path.abspath(source): shadow for source, shadow in options.shadow_file or ()}
        self.place = os.pathsep.join((os.getcwd(), *(f"{a}={b}" for a, b in sorted(self.shadows.items()))))
        self.marks_late = bool(options.num_workers) or (_TWO_PHASES and options.local_partial_types)
        self.modules: dict[str, str] = {}
        self.complete = False
        self.read: set[str] = set()
        self.in_functions: set[str] = set()
        self.dependents: set[str] = set()
        self._expected: tuple[Mapping[str, str], Mapping[str, str]] | None = None
        self._verdicts: tuple[Mapping[str, str], Verdicts] | None = None
        self._reported: dict[str, str] = {}
        self._settled: Mapping[str, Sequence[Finding]] | None = None
        self._pipeline: Pipeline | None = None
        self._ahead: ahead.Ahead[Verdicts] | None = None
        self._stamps: Mapping[str, Stamp] = {}
        self._asked: set[str] = set()
        self._types: dict[str, Types] = {}
        self._present: Mapping[str, object] = {}

    def meet(self, name: str, path: str) -> bool:
        """Take note of a module; whether it is under check."""
        if not is_checked(name, path):
            return False
        self.modules[path] = name
        return True

    def read_everything(self, present: Mapping[str, object]) -> None:
        """mypy has read what there is to read. In the daemon, modules that are no longer `present` are gone."""
        self._types.clear()
        self._settled = None
        self.complete = bool(self.modules)
        if self.daemon:
            self._present = present
            if not self._still_holds():  # the daemon asks after every module that it has read
                self._verdicts = None
            return
        expected = {} if self._expected is None else self._expected[0]
        if expected == self.modules:
            return
        if not self.options.num_workers:
            self._ahead = ahead.start(self.modules, partial(self._compute, dict(self.modules)))
        if self.folder is not None:
            save(self.folder, create_first(self.place, self.modules))  # for worker processes and for the next run
            self._regret()

    def _regret(self) -> None:
        """Say so when mypy shows what it knows of a module from before, and that depends on files that were not named
        then, or are not now."""
        _, expected = self._expected or ({}, {})
        wrong = [path for path in sorted(self._asked - self.read) if self.actual_digest(path) != expected.get(path, "")]
        if wrong:
            files = ", ".join(wrong)
            print(f"note: tilecheck: other files are checked than last time, and findings depend on it in {files}; "
                  "run mypy again", file=sys.stderr)

    def findings(self, path: str) -> Sequence[Finding]:
        """The findings in a module."""
        if self._settled is None or self.daemon:  # which removes modules without a notification
            self._settled = self._find_all(self._list_modules())
        return self._settled.get(os.path.abspath(path), ())

    def findings_to_report(self, path: str) -> Sequence[Finding]:
        """The findings in a module, which the caller reports now."""
        found = self.findings(path)
        self._reported[path] = _digest(found)
        return found

    def find_outdated(self, reading: str) -> list[str]:
        """In the daemon, the names of modules whose findings are others than those that were last reported, but for
        the module that mypy is reading."""
        if not self.complete:
            return []  # the first run checks all modules
        if not self._still_holds():
            self._verdicts = None
        found = self._find_all({path: name for path, name in self.modules.items()
                                if name in self._present or name == reading})
        return sorted(name for path, name in self.modules.items()
                      if name in self.dependents and name != reading
                      and self._reported.get(path) != _digest(found.get(os.path.abspath(path), ())))

    def expected_digest(self, path: str) -> str | None:
        """A digest of the expected findings of a module, before all modules are known; None if it is not known."""
        if self._expected is None:
            self._expected = self._expectation()
        modules, found = self._expected
        if path not in modules:
            return None
        self._asked.add(path)
        expected = found.get(path, "")
        return None if expected and not self.marks_late else expected

    def actual_digest(self, path: str) -> str:
        """A digest of the findings of a module, when all modules are known."""
        return _digest(self.findings(path))

    def types(self, path: str) -> Types:
        """The types of tiles in the kernels of a module, as text by location."""
        if path not in self._types:
            self._types[path] = tile_types_of(path, self.content(path))
        return self._types[path]

    def content(self, path: str) -> bytes:
        """The contents of a file, or of its replacement with `--shadow-file`; empty if it cannot be read."""
        try:
            return Path(self._read_from(path)).read_bytes()
        except OSError:
            return b""

    def _read_from(self, path: str) -> str:
        return self.shadows.get(os.path.abspath(path), path) if self.shadows else path

    def _list_modules(self) -> Mapping[str, str]:
        """The modules under check; in a worker process, those that the main process has recorded."""
        if self.daemon:
            self.modules = {path: name for path, name in self.modules.items() if name in self._present}
        if not self.complete and self.folder is not None and self._verdicts is None:
            last = load(self.folder, self.place)
            return self.modules if last is None else last.modules
        return self.modules if self._verdicts is None or self.complete else self._verdicts[0]

    def _expectation(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The modules that will be checked, and digests of their expected findings."""
        last = None if self.folder is None else load(self.folder, self.place)
        if last is None:
            return {}, {}
        if last.holds():
            return last.modules, last.found
        modules = {path: name for path, name in last.modules.items() if os.path.isfile(path)}
        for folder, names in last.news().items():
            for path in (os.path.join(folder, name) for name in names):
                modules[path] = name_beside(path, last.modules)
        found = self._find_all(modules)
        return modules, {path: _digest(found.get(os.path.abspath(path), ())) for path in modules}

    def _find_all(self, modules: Mapping[str, str]) -> Mapping[str, Sequence[Finding]]:
        if self._verdicts is None or self._verdicts[0] != modules:
            stamps = stamps_of(map(self._read_from, modules)) if self.daemon else {}
            found = self._take_ahead(modules) or self._compute(modules)
            self._verdicts = dict(modules), found
            if self.daemon:
                self._stamps = {**stamps, **stamps_of(found.read)}
            if self.folder is not None and found.lasting:
                save(self.folder, self._record(modules, found))
        return self._verdicts[1].found

    def _take_ahead(self, modules: Mapping[str, str]) -> Verdicts | None:
        """The findings in modules, if another process computes them."""
        if self._ahead is None or self._ahead.modules != modules:
            return None
        started, self._ahead = self._ahead, None
        return started.take()

    def _compute(self, modules: Mapping[str, str]) -> Verdicts:
        from tilecheck.mypy_plugin.verdicts import verdicts
        from tilecheck.pipeline.run import Pipeline

        store = self._pipeline is None or not self.daemon  # a daemon has later results in memory
        if self._pipeline is None:
            self._pipeline = Pipeline()
        contents = {path: self.content(path) for path in modules if self._read_from(path) != path}
        return verdicts(modules, _start(self.options), contents, self.folder, self._pipeline, store)

    def _still_holds(self) -> bool:
        """Whether no file that the last findings depend on has changed."""
        if self._verdicts is None or not self._verdicts[1].lasting:
            return False
        return all(is_unchanged(path, stamp) for path, stamp in self._stamps.items()) and not any(
            map(os.path.isfile, self._verdicts[1].missing))

    def _record(self, modules: Mapping[str, str], found: Verdicts) -> LastRun:
        digests = {path: _digest(findings) for path in modules if (findings := found.found.get(os.path.abspath(path)))}
        stamps = stamps_of((*map(self._read_from, modules), *found.read))
        return create_first(self.place, modules)._replace(
            tool=tool_stamp(), stamps=stamps, missing=tuple(sorted(found.missing)), found=digests)


def tile_types_of(path: str, data: bytes) -> Types:
    """See `tilecheck.api.tile_types`; none of a file that cannot be read or parsed."""
    from tilecheck.api import tile_types
    from tilecheck.syntax.text import SourceError

    try:
        found = tile_types(path, data)
    except SourceError:
        return {}
    return {(s.line, s.column, s.end_line, s.end_column): text for s, text in found.items()}


def _digest(findings: Sequence[Finding]) -> str:
    return digest(repr(findings).encode()) if findings else ""


def _start(options: Options) -> Path:
    """Where settings are looked for: where mypy has its own, unless those are of the user, or above all this."""
    from mypy.defaults import USER_CONFIG_FILES

    here = Path.cwd()
    own = options.config_file
    if not own or own in map(os.path.expanduser, USER_CONFIG_FILES):
        return here
    folder = Path(own).absolute().parent
    return here if here.is_relative_to(folder) else folder
