"""Notebooks that are open in an editor: their cells as one document, and places in it as places in cells.

An editor has one text document for each cell. The analysis has one source for the notebook, as on disk.
Protocol: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#notebookDocument_synchronization
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from tilecheck.server.messages import Place
from tilecheck.text.notebooks import extract_source, find_cell, locate_line

__all__ = ["SYNC", "Notebook", "read_notebook"]

SYNC: Final = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[lsp.NotebookDocumentFilterWithCells(
        cells=[lsp.NotebookCellLanguage(language="python")],
        notebook=lsp.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"))],
    save=True)
"""Which notebooks the editor tells the server about: those of Jupyter, with their Python cells."""


class Notebook(Struct, frozen=True):
    """A notebook as it stands in an editor.

    text   in the format of notebooks on disk
    cells  the URI of each cell
    lines  of the source that the analysis has
    """

    version: int
    text: str
    cells: tuple[str, ...]
    lines: tuple[str, ...]

    def place_in_cell(self, place: Place) -> tuple[str, Place] | None:
        """The cell of a place in the source, and the place in it. None for a line that belongs to no cell."""
        found = locate_line(self.lines, place[0] + 1)
        if found is None or found[1] < 1 or found[0] > len(self.cells):
            return None
        return self.cells[found[0] - 1], (found[1] - 1, place[1])

    def place_in_source(self, cell: str, place: Place) -> Place | None:
        """The place in the source of a place in a cell."""
        if cell not in self.cells:
            return None
        above = find_cell(self.lines, self.cells.index(cell) + 1)
        return None if above is None else (above + place[0], place[1])


def read_notebook(notebook: lsp.NotebookDocument, text_of: Callable[[str], str | None]) -> Notebook:
    """A notebook with the present texts of its cells."""
    cells = [_write_cell(cell, text_of(cell.document) or "") for cell in notebook.cells]
    text = json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})
    return Notebook(notebook.version, text, tuple(cell.document for cell in notebook.cells), _lines(text))


def _write_cell(cell: lsp.NotebookCell, text: str) -> dict[str, str]:
    kind = "code" if cell.kind == lsp.NotebookCellKind.Code else "markdown"
    return {"cell_type": kind, "source": text}


def _lines(text: str) -> tuple[str, ...]:
    return tuple(extract_source(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass").split("\n"))

