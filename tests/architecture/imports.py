"""The imports between our modules: all of them, those inside functions and for type checking included."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path

import grimp

__all__ = ["PACKAGES", "ROOT", "find_cycles", "folder_of", "group_by_folder", "read_imports"]

ROOT = Path(__file__).parents[2]
PACKAGES = ("tilecheck", "tilecheck_runtime")

Imports = Mapping[str, Set[str]]
"""The modules that each module imports, by full name."""


@cache
def read_imports(package: str) -> Imports:
    graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def folder_of(module: str) -> str:
    """The package that a module lies in; a package is its own folder, and so is a module at the top."""
    is_folder = (ROOT / module.replace(".", "/")).is_dir()
    return module if is_folder or module.count(".") == 1 else module.rpartition(".")[0]


def group_by_folder(imports: Imports, recursive: Set[str] = frozenset()) -> Imports:
    """The imports between folders. The subfolders of a folder in `recursive` count as that folder."""
    grouped: dict[str, set[str]] = {}
    for module, others in imports.items():
        folder = _folder_in(module, recursive)
        grouped.setdefault(folder, set()).update({_folder_in(other, recursive) for other in others} - {folder})
    for package in PACKAGES:
        for others in grouped.values():
            others.discard(package)  # names that the package itself exports
    return grouped


def _folder_in(module: str, recursive: Set[str]) -> str:
    return next((folder for folder in recursive if f"{module}.".startswith(f"{folder}.")), folder_of(module))


def find_cycles(imports: Imports) -> set[frozenset[str]]:
    """The sets of nodes that import each other, directly or through others."""
    reach = {node: set(after) for node, after in imports.items()}
    grown = True
    while grown:
        grown = False
        for after in reach.values():
            further = set().union(*(reach.get(node, set()) for node in after)) - after
            after |= further
            grown = grown or bool(further)
    return {frozenset(other for other in after if node in reach.get(other, set()))
            for node, after in reach.items() if node in after}
