"""Which modules are under check, and what follows from the names that mypy has for them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from tilecheck.mypy_plugin._consts import INSTALLED, OWN

__all__ = ["SUFFIX", "is_checked", "name_beside", "root_of"]

SUFFIX: Final = ".py"
_PACKAGE: Final = "__init__.py"


def is_checked(name: str, path: str) -> bool:
    """Whether a module belongs to the user. mypy reports the errors of such modules."""
    return (
        path.endswith(SUFFIX)
        and name.partition(".")[0] not in OWN
        and INSTALLED.isdisjoint(path.replace("\\", "/").split("/"))
    )


def root_of(path: str, name: str) -> str | None:
    """The folder in which a module is found by its whole name, where that does not follow from the packages around it:
    its top-most package is a namespace."""
    parts = name.split(".")
    depth = len(parts) if os.path.basename(path) == _PACKAGE else len(parts) - 1
    top = folder = os.path.dirname(path)
    for _ in range(depth):
        top, folder = folder, os.path.dirname(folder)
    if depth == 0 or os.path.isfile(os.path.join(top, _PACKAGE)):
        return None
    return folder or "."


def name_beside(path: str, modules: Mapping[str, str]) -> str:
    """The name of a module that stands in the folder of others."""
    folder = os.path.dirname(path)
    stem = os.path.basename(path).removesuffix(SUFFIX)
    other = next((other for other in modules if os.path.dirname(other) == folder), None)
    if other is None:
        return stem
    name = modules[other]
    package = name if os.path.basename(other) == _PACKAGE else name.rpartition(".")[0]
    return ".".join(filter(None, (package, "" if stem == "__init__" else stem))) or stem
