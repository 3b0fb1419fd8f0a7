"""Which modules a run of mypy checks.

mypy tells a plugin of one module after the other, and asks of each that it knows from an earlier run whether that is
still good before it has told of all. What will be checked is then what was checked last time, and what has come to
stand beside it since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tilecheck.mypy_plugin._consts import INSTALLED, OWN

__all__ = ["Checked", "files_beside", "is_checked", "root_of"]

_SUFFIX: Final = ".py"


class Checked(NamedTuple):
    """The files under check, and all Python files in their folders.

    files    name of the module by path, as mypy has them
    folders  the names that stand in each folder, whether they were checked or not
    """

    files: Mapping[str, str]
    folders: Mapping[str, frozenset[str]]

    def still(self) -> Checked:
        """Without what is gone, and with what is new."""
        files = {path: name for path, name in self.files.items() if os.path.isfile(path)}
        for folder, known in files_beside(self.files).items():
            for name in sorted(folder_news(known, self.folders.get(folder))):
                path = os.path.join(folder, name)
                files[path] = _beside(path, self.files)
        return Checked(files, self.folders)


def folder_news(names: frozenset[str], before: frozenset[str] | None) -> frozenset[str]:
    """The names that have come into a folder."""
    return frozenset() if before is None else names - before


def is_checked(name: str, path: str) -> bool:
    """Whether a module is one of the user's own, of which mypy reports errors."""
    return (
        path.endswith(_SUFFIX)
        and name.partition(".")[0] not in OWN
        and INSTALLED.isdisjoint(path.replace("\\", "/").split("/"))
    )


def files_beside(paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """The names of the Python files in the folders of these files."""
    out = {}
    for folder in sorted({os.path.dirname(path) for path in paths}):
        try:
            names = frozenset(name for name in os.listdir(folder or ".") if name.endswith(_SUFFIX))
        except OSError:
            names = frozenset()
        out[folder] = names
    return out


def root_of(path: str, name: str) -> str | None:
    """The folder in which a module is found by its whole name, where that does not follow from the packages around it:
    its top-most package is a namespace."""
    if "." not in name:
        return None
    parts = name.split(".")
    depth = len(parts) if os.path.basename(path) == "__init__.py" else len(parts) - 1
    folder = os.path.dirname(path)
    top = folder
    for _ in range(depth):
        top, folder = folder, os.path.dirname(folder)
    if os.path.isfile(os.path.join(top, "__init__.py")):
        return None
    return folder or "."


def _beside(path: str, files: Mapping[str, str]) -> str:
    """The name of a module that stands beside others."""
    folder = os.path.dirname(path)
    stem = os.path.basename(path).removesuffix(_SUFFIX)
    for other, name in files.items():
        if os.path.dirname(other) == folder:
            is_package = os.path.basename(other) == "__init__.py"
            package = name if is_package else name.rpartition(".")[0]
            return ".".join(filter(None, (package, "" if stem == "__init__" else stem))) or stem
    return stem
