"""Notebooks in the editor: findings stand in their cells, and follow edits of cells and of their order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import RACY
from tests.patience import PATIENCE
from tests.server.client import Client, start, uri_of

pytest.importorskip("pygls")

IMPORT = "import cuda.tile as ct"
KERNEL = RACY.removeprefix("import cuda.tile as ct\n\n\n")
SAFE = KERNEL.replace("(i, 0)", "(i, j)")


class Notebook:
    """A notebook as an editor has it: cells with addresses of their own, which do not change with their order."""

    def __init__(self, client: Client, path: Path, *cells: tuple[str, str], uri: str = "") -> None:
        self.client, self.path, self.version = client, path, 1
        self.uri = uri or uri_of(path)
        client.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": self.uri, "notebookType": "jupyter-notebook", "version": 1,
                                 "cells": [self._cell(name, kind) for kind, name, _ in self._name_cells(cells)]},
            "cellTextDocuments": [self._text(name, text) for kind, name, text in self._name_cells(cells)]})

    @staticmethod
    def _name_cells(cells: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str, str]]:
        for number, (kind, text) in enumerate(cells):
            yield kind, f"W{number}", text

    def cell(self, name: str) -> str:
        return f"vscode-notebook-cell:{self.path}#{name}"

    def _cell(self, name: str, kind: str) -> dict[str, Any]:
        return {"kind": 2 if kind == "code" else 1, "document": self.cell(name)}

    def _text(self, name: str, text: str) -> dict[str, Any]:
        return {"uri": self.cell(name), "languageId": "python", "version": 1, "text": text}

    def change(self, change: dict[str, Any]) -> None:
        self.version += 1
        self.client.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": self.uri, "version": self.version}, "change": change})

    def edit(self, name: str, text: str) -> None:
        self.change({"cells": {"textContent": [
            {"document": {"uri": self.cell(name), "version": self.version + 1}, "changes": [{"text": text}]}]}})

    def insert(self, index: int, name: str, text: str) -> None:
        self.change({"cells": {"structure": {
            "array": {"start": index, "deleteCount": 0, "cells": [self._cell(name, "code")]},
            "didOpen": [self._text(name, text)], "didClose": []}}})

    def delete(self, index: int, name: str) -> None:
        self.change({"cells": {"structure": {
            "array": {"start": index, "deleteCount": 1}, "didOpen": [], "didClose": [{"uri": self.cell(name)}]}}})

    def close(self) -> None:
        self.client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": self.uri},
                                                         "cellTextDocuments": [{"uri": self.cell("W0")}]})

    def wait_until(self, name: str, codes: list[str]) -> list[dict[str, Any]]:
        """The diagnostics of a cell, once they have these codes."""
        def find_published() -> list[list[dict[str, Any]]]:
            with self.client._news:
                found = [m["params"]["diagnostics"] for m in self.client.said
                         if m["method"] == "textDocument/publishDiagnostics"
                         and m["params"]["uri"] == self.cell(name)]
            return [d for d in found[-1:] if [x.get("code") for x in d] == codes]

        result: list[dict[str, Any]] = self.client.wait(find_published)[0]
        return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    cells = [{"cell_type": "code", "source": IMPORT}, {"cell_type": "code", "source": KERNEL}]
    (project / "book.ipynb").write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))
    return project


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    started = start(folder)
    started.initialize(folder)
    yield started
    assert started.process is not None
    if started.process.poll() is None:
        assert started.stop() == 0
    started.process.wait(PATIENCE)


def open_notebook(client: Client, folder: Path, *cells: tuple[str, str]) -> Notebook:
    usual = (("text", "# tiles"), ("code", IMPORT), ("code", KERNEL))
    return Notebook(client, folder / "book.ipynb", *(cells or usual))


def test_a_finding_stands_in_its_cell(client, folder):
    book = open_notebook(client, folder)
    (found,) = book.wait_until("W2", ["TC101"])
    assert found["range"] == {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 26}}
    book.wait_until("W1", [])


def test_related_places_are_in_cells(client, folder):
    book = open_notebook(client, folder, ("code", IMPORT), ("code", KERNEL.replace(
        "ct.store(c, (i, 0), t)", "ct.store(c, (i, j), t)\n    ct.store(c, (i + 1, j), t)")))
    found = book.wait_until("W1", ["TC101"])
    places = [r["location"] for d in found for r in d["relatedInformation"]]
    assert places and {p["uri"] for p in places} == {book.cell("W1")}
    assert {p["range"]["start"]["line"] for p in places} <= {4, 5}


def test_edits_of_a_cell_are_followed(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    book.edit("W2", SAFE)
    book.wait_until("W2", [])
    book.edit("W2", "\n\n" + KERNEL)
    (found,) = book.wait_until("W2", ["TC101"])
    assert found["range"]["start"]["line"] == 6


def test_a_cell_that_is_inserted_moves_no_finding_to_another_cell(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    book.insert(2, "W9", "x = 1\ny = 2")
    book.wait_until("W9", [])
    (found,) = book.wait_until("W2", ["TC101"])
    assert found["range"]["start"]["line"] == 4


def test_a_cell_that_is_half_typed_keeps_the_findings_of_the_others(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    book.insert(3, "W9", "def f(:")
    broken = book.wait_until("W9", [None])
    assert broken[0]["range"]["start"]["line"] == 0
    book.wait_until("W2", ["TC101"])


def test_hover_and_actions_know_the_cell(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    hint = client.request("textDocument/hover", {
        "textDocument": {"uri": book.cell("W2")}, "position": {"line": 1, "character": 5}})
    assert "racy" in json.dumps(hint) and hint["range"]["start"]["line"] == 1
    actions = client.request("textDocument/codeAction", {
        "textDocument": {"uri": book.cell("W2")}, "context": {"diagnostics": []},
        "range": {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 4}}})
    assert actions
    for action in actions:
        assert {change["textDocument"]["uri"] for change in action["edit"]["documentChanges"]} == {book.cell("W2")}
    assert client.request("textDocument/hover", {
        "textDocument": {"uri": book.cell("W1")}, "position": {"line": 0, "character": 1}}) is None


def test_a_closed_notebook_shows_nothing(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    book.close()
    book.wait_until("W2", [])


def test_a_notebook_without_kernels_shows_nothing(client, folder):
    book = open_notebook(client, folder, ("code", "x = 1"), ("code", "print(x"))
    book.wait_until("W0", [])


def test_a_deleted_cell_has_no_findings(client, folder):
    book = open_notebook(client, folder)
    book.wait_until("W2", ["TC101"])
    book.delete(2, "W2")
    book.wait_until("W2", [])


@pytest.mark.parametrize("uri", ["untitled:Untitled-1.ipynb?jupyter-notebook", "vscode-interactive:/Interactive-1"])
def test_a_notebook_that_was_never_saved_is_checked(client, folder, uri):
    book = Notebook(client, folder / "new", ("code", IMPORT), ("code", KERNEL), uri=uri)
    book.wait_until("W1", ["TC101"])
    book.close()
    book.wait_until("W1", [])
