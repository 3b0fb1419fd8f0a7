"""Notebooks: their code cells as one Python source, and the cell of a line of it.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html, version 4.
"""

from __future__ import annotations

import ast
import json
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["SUFFIX", "extract_source", "find_cell", "locate_line"]

SUFFIX: Final = ".ipynb"
_HEAD: Final = re.compile(r"# cell (\d+)")
_LIKE_HEAD: Final = re.compile(r"(?m)^# cell \d+$")
"""A comment of the author that could be one of those that begin a cell. It gets a space at its end."""
_OTHER_LANGUAGES: Final = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")
"""The first line of a cell that is not Python."""
_MAGIC: Final = re.compile(r"^(\s*)(?:[%!?].*|[\w.*\[\]'\"]+\?\??\s*)$")
"""A magic, a shell command, or a question such as `ct.load?`."""
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
    return "".join(_write_cells(cells)).encode("utf-8", "replace")


def _write_cells(cells: Sequence[Any]) -> Iterator[str]:
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            text = "".join(map(str, source)) if isinstance(source, list) else str(source)
            python = _LIKE_HEAD.sub(r"\g<0> ", _drop_magics(text))
            yield f"# cell {number}\n{python}\n"


def _drop_magics(text: str) -> str:
    """The Python of a cell, with as many lines."""
    lines = text.split("\n")
    if _OTHER_LANGUAGES.match(lines[0]):
        return "\n" * (len(lines) - 1)
    if _is_python(text):
        return text
    return "\n".join(_drop_each(lines))


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _drop_each(lines: Sequence[str]) -> Iterator[str]:
    """The lines without magics, and without the further lines of a shell command that a backslash continues."""
    kept: list[str] = []
    continued = False
    for line in lines:
        text = "" if continued else line if _is_inside(kept) else _drop_magic(line)
        continued = (continued or text != line) and line.rstrip().endswith("\\")
        kept.append(text)
        yield text


def _is_inside(lines: Sequence[str]) -> bool:
    """Whether brackets or a string are open after these lines."""
    try:
        for _ in tokenize.generate_tokens(iter([line + "\n" for line in lines] + [""]).__next__):
            pass
    except tokenize.TokenError as error:
        return "EOF in multi-line" in str(error)
    except SyntaxError:
        return False
    return False


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
