"""Paths of files for services that show reports: relative to the folder of the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tilecheck.syntax.tree import Span
from tilecheck.text.notebooks import SUFFIX, locate_line

if TYPE_CHECKING:
    from tilecheck.report.frame import Sources

__all__ = ["CHECKOUT", "cell_of", "describe_place", "relative_path"]

CHECKOUT: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables with which services state the folder of the project."""


def relative_path(file: str, variables: Sequence[str] = CHECKOUT) -> str:
    """A path relative to the project, or to the working directory; absolute if it lies in neither. With slashes."""
    absolute = os.path.abspath(file)
    for base in (*(os.environ.get(name) for name in variables), os.getcwd()):
        if base and (found := _below(absolute, base)) is not None:
            return found
    return Path(absolute).as_posix()


def describe_place(span: Span, sources: Sources) -> str:
    """`file.py:12:5`, or `notebook.ipynb:cell 3:2:5` with the line in the cell."""
    found = cell_of(span, sources)
    line = f"{span.line}" if found is None else f"cell {found[0]}:{found[1]}"
    return f"{span.file}:{line}:{span.column + 1}"


def cell_of(span: Span, sources: Sources) -> tuple[int, int] | None:
    """The cell of a place in a notebook, and the line in this cell. None for other files."""
    return locate_line(sources(span.file), span.line) if span.file.endswith(SUFFIX) else None


def _below(path: str, base: str) -> str | None:
    try:
        relative = Path(os.path.relpath(path, base))
    except ValueError:  # on another drive
        return None
    return None if relative.parts[:1] == ("..",) else relative.as_posix()
