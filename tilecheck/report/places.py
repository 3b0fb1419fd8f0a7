"""Paths of files for services that show reports: relative to the folder of the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["CHECKOUT", "relative_path"]

CHECKOUT: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables with which services state the folder of the project."""


def relative_path(file: str, variables: Sequence[str] = CHECKOUT) -> str:
    """A path relative to the project, or to the working directory; absolute if it lies in neither. With slashes."""
    absolute = os.path.abspath(file)
    for base in (*(os.environ.get(name) for name in variables), os.getcwd()):
        if base and (found := _below(absolute, base)) is not None:
            return found
    return Path(absolute).as_posix()


def _below(path: str, base: str) -> str | None:
    try:
        relative = Path(os.path.relpath(path, base))
    except ValueError:  # on another drive
        return None
    return None if relative.parts[:1] == ("..",) else relative.as_posix()
