"""One run of mypy, as its plugin comes to know it: modules one by one, and then what is found in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tilecheck.cache import digest
from tilecheck.config import Config, ConfigError, load_config
from tilecheck.mypy_plugin.checked import Checked, files_beside, is_checked
from tilecheck.mypy_plugin.findings import Finding
from tilecheck.mypy_plugin.verdicts import Memory, Verdicts, complaint, verdicts

if TYPE_CHECKING:
    from mypy.options import Options

__all__ = ["Build"]

Types: TypeAlias = Mapping[tuple[int, int, int, int], str]
"""By the first line and column and the last ones of an expression."""


class Build:
    """The modules under check and what is found in them.

    The daemon keeps its plugin, so one build may be all runs of a daemon. What is found is then looked up again, by what
    files contain, whenever mypy has read something.

    files         name of the module by path
    in_functions  paths of modules that are marked in a function
    dependents    modules that have kernels or launches
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.shadows = {os.path.abspath(source): shadow for source, shadow in options.shadow_file or ()}
        self.files: dict[str, str] = {}
        self.in_functions: set[str] = set()
        self.dependents: set[str] = set()
        self.known = False
        self.problem = ""
        try:
            self.config = load_config([_start(options)])
        except ConfigError as error:
            self.config, self.problem = Config(), str(error)
        place = (os.getcwd(), str(options.cache_dir), str(options.config_file), repr(options.python_version))
        self.memory = Memory(self.config, digest(*place))
        self._verdicts: Verdicts | None = None
        self._expected: Checked | None = None
        self._types: dict[str, Types] = {}

    def meet(self, name: str, path: str) -> bool:
        """Take note of a module; whether it is under check."""
        if not is_checked(name, path):
            return False
        self.files[path] = name
        return True

    def read_everything(self, present: Mapping[str, object]) -> None:
        """mypy has read what there is to read. In the daemon, modules that are not `present` are no longer there."""
        if self.options.fine_grained_incremental:
            self.files = {path: name for path, name in self.files.items() if name in present}
        elif self.files:
            checked = Checked(dict(self.files), files_beside(self.files))
            if checked != self.memory.checked():
                self.memory.keep_checked(checked)
        expected = self._expected
        if not self.known or expected is None or expected.files.keys() != self.files.keys():
            self._verdicts = None
        self.known = bool(self.files)
        self._types.clear()

    def findings(self, path: str) -> Sequence[Finding]:
        """What is found in a module."""
        return self._found(self._actual).of(path)

    def types(self, path: str) -> Types:
        """The types of tiles in the kernels of a module, as text by place."""
        if path not in self._types:
            self._types[path] = tile_types_of(path, self.content(path))
        return self._types[path]

    def content(self, path: str) -> bytes:
        """What a file contains, or stands for it with `--shadow-file`; nothing when it cannot be read."""
        try:
            return Path(self.shadows.get(os.path.abspath(path), path)).read_bytes()
        except OSError:
            return b""

    def expected_digest(self, path: str) -> str | None:
        """A digest of what will be found in a module, before all modules are known; None when nothing is known."""
        if self._expected is None:
            last = self.memory.checked()
            self._expected = Checked({}, {}) if last is None else last.still()
        if path not in self._expected.files:
            return None
        expected = self._expected
        return _digest(self._found(lambda: expected).of(path))

    def actual_digest(self, path: str) -> str:
        """The same when all are known."""
        return _digest(self.findings(path))

    def _actual(self) -> Checked:
        """In a worker process, what the process that started it has found out."""
        if not self.known and self.options.num_workers:
            return self.memory.checked() or Checked(self.files, {})
        return Checked(self.files, {})

    def _found(self, checked: Callable[[], Checked]) -> Verdicts:
        if self._verdicts is None:
            which = checked()
            if self.problem:
                self._verdicts = complaint(min(which.files, default=""), self.problem)
            else:
                self._verdicts = verdicts(which, self.config, self.memory, self.shadows)
        return self._verdicts


def tile_types_of(path: str, data: bytes) -> Types:
    """See `tilecheck.api.tile_types`; none of a file that cannot be read or parsed."""
    from tilecheck.api import tile_types
    from tilecheck.source.text import SourceError

    try:
        found = tile_types(path, data)
    except SourceError:
        return {}
    return {(s.line, s.column, s.end_line, s.end_column): text for s, text in found.items()}


def _digest(findings: Sequence[Finding]) -> str:
    return digest(repr(findings)) if findings else ""


def _start(options: Options) -> Path:
    """Where the settings are looked for: where mypy has its own, unless those are of the user, or above all this."""
    from mypy.defaults import USER_CONFIG_FILES

    here = Path.cwd()
    own = options.config_file
    if not own or own in map(os.path.expanduser, USER_CONFIG_FILES):
        return here
    folder = Path(own).absolute().parent
    return here if here.is_relative_to(folder) else folder
