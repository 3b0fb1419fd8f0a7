"""Notebooks: the code of their cells is checked, and findings name the cell and the line in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tilecheck.cli.app import main
from tilecheck.text.notebooks import extract_source, find_cell, locate_line

KERNEL = """@ct.kernel
def halves(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i // 2,), ct.load(x, (i,), (T,)))"""


def notebook(*cells: str, language: str = "python") -> bytes:
    """A notebook of a title and code cells; a cell that begins with `# ` followed by a capital is text."""
    made = [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}]
    made += [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
              "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": made, "metadata": {"language_info": {"name": language}}, "nbformat": 4,
                       "nbformat_minor": 5}).encode()


@pytest.mark.parametrize(("cell", "source"), [
    ("import cuda.tile as ct", "import cuda.tile as ct"),
    ("%load_ext autoreload\nx = 1", "pass\nx = 1"),
    ("!pip install cuda-tile", "pass"),
    ("if True:\n    !ls\n    %time f()", "if True:\n    pass\n    pass"),
    ("files = !ls", "files = None"),
    ("ct.load?", "pass"),
    ("%%bash\necho 'tile", "\n"),
    ("%%time\nx = 1", "pass\nx = 1"),
    ("x = 7 % 3\ny = '!'", "x = 7 % 3\ny = '!'"),
    ("# !pip install tile\n%time f()", "# !pip install tile\npass"),
    ("%time f()\nx = g(1)  # right?", "pass\nx = g(1)  # right?"),
    ("%time f()\nx = (7\n  % 3)", "pass\nx = (7\n  % 3)"),
    ("%time f()\nx = '''\n!ls\nwhy?\n'''", "pass\nx = '''\n!ls\nwhy?\n'''"),
    ("!pip install \\\n    a \\\n    b\nx = 1", "pass\n\n\nx = 1"),
    ("x = '\ud800'", "x = '?'"),
])
def test_magics_are_not_part_of_the_source(cell: str, source: str) -> None:
    assert extract_source(notebook(cell, "tile = 1")).decode() == f"# cell 2\n{source}\n# cell 3\ntile = 1\n"


def test_lines_are_located_in_cells() -> None:
    lines = extract_source(notebook("tile = 1\n\ny = 2", "z = 3")).decode().split("\n")
    assert [locate_line(lines, n) for n in range(1, 7)] == [(2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1)]
    assert locate_line(["x = 1"], 1) is None


def test_comments_of_the_author_begin_no_cell() -> None:
    lines = extract_source(notebook("tile = 1\n# cell 3\ny = 2", "# cell 2\nz = 3")).decode().split("\n")
    assert [locate_line(lines, n) for n in (3, 4, 6, 7)] == [(2, 2), (2, 3), (3, 1), (3, 2)]
    assert find_cell(lines, 3) == 5


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"tile": 1}', b'"tile"', b"tile"])
def test_other_files_are_refused_or_empty(data: bytes) -> None:
    if b"tile" not in data:
        assert extract_source(data) == b""
        return
    with pytest.raises(ValueError, match="is not a notebook of format 4"):
        extract_source(data)


def test_notebooks_in_other_languages_have_no_source() -> None:
    assert extract_source(notebook("tile <- 1", language="R")) == b""


Check: TypeAlias = Callable[..., tuple[int, str]]


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs the command on the folder, and returns its exit status and its output."""
    def run(*options: str) -> tuple[int, str]:
        status = main(["check", "--no-cache", str(tmp_path), *options])
        output = capsys.readouterr()
        return status, output.out + output.err

    return run


def test_findings_name_the_cell_and_the_line_in_it(tmp_path: Path, check: Check) -> None:
    (tmp_path / "a.ipynb").write_bytes(notebook("%matplotlib inline\nimport cuda.tile as ct", KERNEL))
    status, text = check()
    assert status == 1
    assert "a.ipynb:cell 3:4:5 (line 8 of its code) in halves" in text
    assert "8 |     ct.store(out, (i // 2,), ct.load(x, (i,), (T,)))" in text
    assert "a.ipynb:cell 3:4:5: TC101" in check("--format", "concise")[1]
    (found,) = json.loads(check("--format", "json")[1])["diagnostics"]
    assert (found["line"], found["cell"], found["cell_line"]) == (8, 3, 4)


def test_a_suppression_in_a_cell_counts(tmp_path: Path, check: Check) -> None:
    allowed = KERNEL + "  # tilecheck: allow[TC101] one block of two writes zeros"
    (tmp_path / "a.ipynb").write_bytes(notebook("import cuda.tile as ct", allowed))
    assert check()[0] == 0


def test_notebooks_are_not_changed(tmp_path: Path, check: Check) -> None:
    path = tmp_path / "a.ipynb"
    before = notebook("import cuda.tile as ct", KERNEL)
    path.write_bytes(before)
    check("--fix", "--unsafe-fixes")
    _, text = check("--add-ignore", "known")
    assert "it is a notebook" in text
    assert path.read_bytes() == before


def test_a_damaged_notebook_is_named(tmp_path: Path, check: Check) -> None:
    (tmp_path / "a.ipynb").write_bytes(b'{"tile": ')
    (tmp_path / "good.py").write_text(f"import cuda.tile as ct\n\n\n{KERNEL}\n")
    status, text = check()
    assert status == 2
    assert "a.ipynb: is not a notebook of format 4" in text and "TC101" in text


def test_a_cell_that_is_not_python_is_named(tmp_path: Path, check: Check) -> None:
    (tmp_path / "a.ipynb").write_bytes(notebook("import cuda.tile as ct", "def (:"))
    status, text = check()
    assert status == 2
    assert "a.ipynb" in text


def test_checkpoints_are_left_out(tmp_path: Path, check: Check) -> None:
    folder = tmp_path / ".ipynb_checkpoints"
    folder.mkdir()
    (folder / "a-checkpoint.ipynb").write_bytes(notebook("import cuda.tile as ct", KERNEL))
    assert check()[0] == 0
