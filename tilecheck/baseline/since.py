"""Selects the findings that can have changed since a git revision. All files are analysed, so verdicts are right."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tilecheck.baseline.history import History, HistoryError
from tilecheck.baseline.reach import ALL, Reach, Unit
from tilecheck.baseline.units import contents, unit_at
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.project.project import Project
from tilecheck.syntax.text import SourceError

__all__ = ["SinceError", "only_changed"]

SinceError = HistoryError

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")


def only_changed(report: Report, paths: Sequence[str], config: Config, revision: str) -> Report:
    """A report with the findings that may have changed since `revision`. Raises SinceError.

    A finding stays if its kernel changed, or anything that the kernel's code refers to, its contract in an
    overlay file, a location that launches it, or code that computes the launch.
    """
    history = History(_folder(paths), revision)
    changes = _Changes(report, [path for path in paths if os.path.isdir(path)], config, history)
    changed = tuple(d for d in report.diagnostics if changes.concern(d))
    known = tuple(d for d in report.baselined if changes.concern(d))
    return replace(report, diagnostics=changed, baselined=known, unchanged=len(report.diagnostics) - len(changed))


def _folder(paths: Sequence[str]) -> Path:
    try:
        common = Path(os.path.commonpath([os.path.abspath(path) for path in paths]))
    except ValueError as error:
        raise SinceError("the paths are not in one git repository") from error
    return next(folder for folder in (common, *common.parents) if folder.is_dir())


class _Changes:
    def __init__(self, report: Report, roots: Sequence[str], config: Config, history: History) -> None:
        self._history = history
        self._project = Project(report.paths, roots)
        self._reach = Reach(self._project)
        self._config = config
        self._files: dict[str, bool] = {}
        self._contents: dict[str, tuple[Mapping[str, str] | None, Mapping[str, str] | None]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._kernels: dict[tuple[str, str], bool] = {}
        self._units: dict[Unit, bool] = {}
        self._homes: dict[str, list[str]] = {}
        for kernel in report.kernels:
            self._homes.setdefault(kernel.name, []).append(kernel.file)
        self._kernel_units = frozenset(Unit(kernel.file, _root(kernel.name)) for kernel in report.kernels)

    def concern(self, diagnostic: Diagnostic) -> bool:
        """Whether a finding depends on a changed unit."""
        file, name = diagnostic.span.file, diagnostic.kernel
        homes = self._homes.get(name, []) if name is not None else []
        if name is not None and homes:
            # among kernels with one name, the one in the same file; a finding in a helper may belong to any of them
            return any(self._kernel_changed(home, name) for home in ([file] if file in homes else homes))
        return self._line_changed(file, diagnostic.span.line)

    def _kernel_changed(self, file: str, name: str) -> bool:
        if (file, name) not in self._kernels:
            unit = Unit(file, _root(name))
            self._kernels[file, name] = self._overlay_changed(file, name) or self._dependency_changed(unit)
        return self._kernels[file, name]

    def _dependency_changed(self, kernel: Unit) -> bool:
        """Whether a dependency of a kernel changed, or a location or helper of its launches."""
        if any(map(self._unit_changed, self._reach.closure([kernel]))):
            return True
        users = self._users_of(kernel)
        if any(map(self._unit_changed, users)):
            return True
        # code that computes launches; other kernels do not count, and neither do their launches
        kernels, launching = self._kernel_units, self._launching
        direct = self._reach.closure(launching.get(kernel, frozenset()), kernels.__contains__)
        helpers = {used for user in users for used in self._reach.uses(user)} - launching.keys()
        further = self._reach.closure(helpers, launching.__contains__) - launching.keys()
        return any(map(self._unit_changed, (direct - kernels) | further))

    def _users_of(self, kernel: Unit) -> frozenset[Unit]:
        """All units that reach a kernel by reference."""
        found: set[Unit] = set()
        left = [kernel]
        while left:
            new = self._launching.get(left.pop(), frozenset()) - found
            found |= new
            left.extend(new)
        return frozenset(found - {kernel})

    @cached_property
    def _launching(self) -> Mapping[Unit, frozenset[Unit]]:
        """The kernels and all units that reach one, each with the units that refer to it."""
        return self._reach.users(self._kernel_units, self._words_of)

    def _line_changed(self, file: str, line: int) -> bool:
        """Whether the code on a line refers to a changed unit."""
        try:
            names = unit_at(self._project.module(file).skeleton.tree, line)
        except SourceError:
            return self._file_changed(file)
        if not names:
            return self._file_changed(file)
        return any(map(self._unit_changed, self._reach.closure(Unit(file, name) for name in names)))

    def _unit_changed(self, unit: Unit) -> bool:
        if unit.missing:
            return any(_is_module(path, unit.path) for path in self._history.gone)
        if unit not in self._units:
            self._units[unit] = self._file_changed(unit.path) and self._differs(unit)
        return self._units[unit]

    def _file_changed(self, file: str) -> bool:
        if file not in self._files:
            self._files[file] = self._history.has_changed(file)
        return self._files[file]

    def _differs(self, unit: Unit) -> bool:
        if unit.path not in self._contents:
            old = self._history.before(unit.path)
            new = None if self._history.has_moved(unit.path) else self._current_contents(unit.path)
            self._contents[unit.path] = None if old is None else contents(old, unit.path), new
        before, now = self._contents[unit.path]
        if before is None or now is None:
            return True
        return before != now if unit.name == ALL else before.get(unit.name) != now.get(unit.name)

    def _current_contents(self, file: str) -> Mapping[str, str] | None:
        try:
            return contents(self._project.module(file).data, file)
        except SourceError:
            return None

    def _words_of(self, file: str) -> frozenset[str]:
        if file not in self._words:
            try:
                found = _WORD.findall(self._project.module(file).data)
            except SourceError:
                found = []
            self._words[file] = frozenset(word.decode("ascii", "replace") for word in found)
        return self._words[file]

    def _overlay_changed(self, file: str, name: str) -> bool:
        """Whether the contract of a kernel in overlay files changed."""
        from tilecheck.contracts import select

        return any(select(old, file, name) != select(new, file, name) for old, new in self._overlays)

    @cached_property
    def _overlays(self) -> tuple[tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]], ...]:
        files = [path for path in self._config.contracts if self._file_changed(str(path))]
        return tuple((_overlay(self._history.before(str(path))), _overlay(path.read_bytes())) for path in files)


def _overlay(data: bytes | None) -> Mapping[str, tuple[str, ...]]:
    from tilecheck.contracts import ContractError, parse_overlay

    try:
        return parse_overlay((data or b"").decode("utf-8"))
    except (ContractError, UnicodeDecodeError):
        return {}


def _root(qualname: str) -> str:
    """The name of the module that the definition of a kernel is part of."""
    return qualname.partition(".")[0].partition("#")[0]


def _is_module(path: str, dotted: str) -> bool:
    """Whether a file is the module of an import, or contains the imported name; both with slashes."""
    module = f"/{path.removesuffix('.py').removesuffix('/__init__')}"
    names = [name for name in (dotted, dotted.rpartition("/")[0]) if name]
    return path.endswith(".py") and any(module.endswith(f"/{name}") for name in names)
