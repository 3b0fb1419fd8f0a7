"""Notebooks: their code cells as one Python source, and the cell of a line of it.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html, version 4.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["SUFFIX", "extract_source", "find_cell", "locate_line"]

SUFFIX: Final = ".ipynb"
_HEAD: Final = re.compile(r"# cell (\d+)")
_OTHER_LANGUAGES: Final = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")
"""The first line of a cell that is not Python."""
_MAGIC: Final = re.compile(r"^(\s*)(?:[%!?].*|.*\?\s*)$")
_ASSIGNED_MAGIC: Final = re.compile(r"^(\s*[\w.,\s\[\]'\"]*=\s*)[%!].*$")


def extract_source(data: bytes) -> bytes:
    """The code cells of a notebook, each after a comment with its number, which counts all cells from 1.

    Magics and shell commands become `pass`. A notebook in another language, or one that never mentions tiles, has no
    source. Raises ValueError for data that are not a notebook.
    """
    if b"tile" not in data:
        return b""
    try:
        notebook = json.loads(data)
        cells = notebook["cells"]
        language = notebook.get("metadata", {}).get("language_info", {}).get("name", "python")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("is not a notebook of format 4") from None
    if language not in ("python", "ipython") or not isinstance(cells, list):
        return b""
    return "".join(_write_cells(cells)).encode()


def _write_cells(cells: Sequence[Any]) -> Iterator[str]:
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            text = "".join(map(str, source)) if isinstance(source, list) else str(source)
            yield f"# cell {number}\n{_drop_magics(text)}\n"


def _drop_magics(text: str) -> str:
    """The Python of a cell, with as many lines."""
    lines = text.split("\n")
    if _OTHER_LANGUAGES.match(lines[0]):
        return "\n" * (len(lines) - 1)
    if _is_python(text):
        return text
    return "\n".join(_drop_magic(line) for line in lines)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _drop_magic(line: str) -> str:
    if line.lstrip().startswith("#"):
        return line
    found = _MAGIC.match(line)
    if found is not None:
        return f"{found[1]}pass"
    return _ASSIGNED_MAGIC.sub(r"\1None", line)


def locate_line(lines: Sequence[str], line: int) -> tuple[int, int] | None:
    """The cell of a line of the extracted source, and the line in this cell. None if no cell is above it."""
    for above in range(min(line, len(lines)), 0, -1):
        found = _HEAD.fullmatch(lines[above - 1])
        if found is not None:
            return int(found[1]), line - above
    return None


def find_cell(lines: Sequence[str], number: int) -> int | None:
    """The number of lines of the extracted source above the first line of a cell. None if the source lacks the cell."""
    head = f"# cell {number}"
    return next((k for k, line in enumerate(lines, 1) if line == head), None)
