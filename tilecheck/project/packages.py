"""Finds the file of a dotted module name: package roots of the checked tree, and the names of its files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import Struct

__all__ = ["FileName", "Packages"]

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_FOREIGN: Final = ("cuda", "tilecheck", "tilecheck_runtime")
"""Modules that the checker knows; they are never searched in the checked tree."""


class FileName(Struct, frozen=True):
    """How a file is imported. `package_root` is the directory above its top-most package, or its own directory."""

    dotted: str
    package_root: Path
    is_package: bool


def _dotted_below(path: str, root: str) -> str | None:
    """The dotted name of a file by its path below a directory."""
    if not path.startswith(root + os.sep):
        return None
    parts = path[len(root) + 1 :].removesuffix(".py").split(os.sep)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


@dataclass
class _Root:
    """A directory with modules. `tops` are the only names that are searched in it, or None for any."""

    folder: str
    tops: set[str] | None = field(default_factory=set)

    def allows(self, top: str) -> bool:
        return self.tops is None or top in self.tops


class Packages:
    """Finds modules of the checked tree: the given files, and files beside them that they import.

    `roots` are directories given by the user; a file is also known by its place below them. `missed` are the files that
    were looked for in vain.
    """

    def __init__(self, files: Sequence[Path], roots: Iterable[Path] = ()) -> None:
        self._packages: dict[str, bool] = {}
        self._known: dict[str, list[str]] = {}
        self._roots: dict[str, _Root] = {}
        self._found: dict[tuple[str, str], Path | None] = {}
        self.missed: set[str] = set()
        given = [os.path.abspath(root) for root in roots]
        for folder in given:
            self._root(folder, None)
        for path in files:
            self._add(path, given)

    def name(self, path: Path) -> FileName:
        """The dotted name of a file by the packages around it."""
        is_package = path.name == "__init__.py"
        parts = [] if is_package else [path.stem]
        folder = os.path.abspath(path.parent)
        while self._is_package(folder):
            folder, name = os.path.split(folder)
            parts.insert(0, name)
        return FileName(".".join(parts) or path.parent.name, Path(folder), is_package)

    def _is_package(self, folder: str) -> bool:
        known = self._packages.get(folder)
        if known is None:
            known = self._packages[folder] = os.path.isfile(os.path.join(folder, "__init__.py"))
        return known

    def _root(self, folder: str, top: str | None) -> None:
        root = self._roots.setdefault(folder, _Root(folder))
        if root.tops is None:
            return
        if top is not None:
            root.tops.add(top)
        elif os.path.basename(folder) not in _INSTALLED:
            root.tops = None

    def _add(self, path: Path, given: Sequence[str]) -> None:
        name = self.name(path)
        absolute = os.path.abspath(path)
        top = name.dotted.partition(".")[0]
        loose = not name.is_package and "." not in name.dotted
        self._root(str(name.package_root), None if loose else top)
        names = {name.dotted, *(_dotted_below(absolute, folder) for folder in given)}
        for dotted in names:
            if dotted:
                self._known.setdefault(dotted, []).append(absolute)

    def find(self, dotted: str, importer: str) -> Path | None:
        """The file of an absolutely named module for the file `importer`; None outside the checked tree."""
        key = (dotted, os.path.dirname(importer))  # the files of a folder see the same
        if key not in self._found:
            self._found[key] = self._find(dotted, os.path.abspath(importer))
        return self._found[key]

    def _find(self, dotted: str, importer: str) -> Path | None:
        top = dotted.partition(".")[0]
        if top in _FOREIGN or not dotted:
            return None
        known = self._known.get(dotted)
        if known:
            return Path(max(known, key=lambda path: (len(os.path.commonpath((path, importer))), path)))
        roots = [root for root in self._roots.values() if root.allows(top)]
        # the root that the importer lives in comes first
        roots.sort(key=lambda root: (not importer.startswith(root.folder + os.sep), -len(root.folder), root.folder))
        for root in roots:
            found = module_file(os.path.join(root.folder, *dotted.split(".")), self.missed)
            if found is not None:
                return found
        return None


def module_file(stem: str, missed: set[str]) -> Path | None:
    """The file of the module whose path without a suffix is `stem`. Paths without a file are added to `missed`."""
    for candidate in (os.path.join(stem, "__init__.py"), stem + ".py"):
        if os.path.isfile(candidate):
            return Path(candidate)
        missed.add(candidate)
    return None
