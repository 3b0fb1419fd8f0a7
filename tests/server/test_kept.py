"""Opening a folder again shows its cached findings at once, if they are still valid."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CLEAN, RACY
from tilecheck.server.analysis.session import Session
from tilecheck.server.messages import Opened, Published, Reply, Settings

HELPED = RACY.replace("import cuda.tile as ct", "import cuda.tile as ct\nfrom helpers import column").replace(
    "(i, 0)", "(i, column(j))")
HELPERS = "def column(j):\n    return 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "racy.py").write_text(HELPED)
    (project / "helpers.py").write_text(HELPERS)
    (project / "clean.py").write_text(CLEAN)
    return project


def _session(folder: Path, steps: int | None = None, text: str | None = None) -> list[list[str | None]]:
    """The codes that are shown of `racy.py`, after so many steps of a fresh session, or all of them."""
    told: list[Reply] = []
    session = Session(told.append)
    session.take(Settings((str(folder),), "utf-16"))
    path = folder / "racy.py"
    session.take(Opened(str(path), 1, text or path.read_text()))
    done = 0
    while (steps is None or done < steps) and session.step():
        done += 1
    return [[f.code for f in r.findings] for r in told if isinstance(r, Published) and r.path == str(path)]


def test_cached_findings_are_shown_at_once(folder):
    assert _session(folder, steps=1) == []
    assert _session(folder) == [["TC101"]]
    assert _session(folder, steps=1) == [["TC101"]]
    assert _session(folder) == [["TC101"]]


def test_cached_findings_are_dropped_when_a_file_changes(folder):
    _session(folder)
    (folder / "helpers.py").write_text(HELPERS.replace("0", "j"))
    assert _session(folder, steps=1) == []
    assert _session(folder) == [[]]


def test_cached_findings_of_another_text_are_not_shown(folder):
    _session(folder)
    text = HELPED.replace("column(j)", "j")
    assert _session(folder, steps=1, text=text) == []
    assert _session(folder, text=text) == [[]]
    assert _session(folder, steps=1) == [["TC101"]]  # findings of unsaved text are not cached


def test_cached_findings_are_dropped_when_a_file_outside_the_folder_changes(folder):
    (folder / "helpers.py").unlink()
    beside = folder.parent / "helpers.py"
    beside.write_text(HELPERS)
    package = folder / "__init__.py"
    package.write_text("")
    (folder / "racy.py").write_text(HELPED.replace("from helpers", "from ..helpers"))
    (folder.parent / "__init__.py").write_text("")
    assert _session(folder) == [["TC101"]]
    assert _session(folder, steps=1) == [["TC101"]]
    beside.write_text(HELPERS.replace("0", "j"))
    assert ["TC101"] not in _session(folder, steps=1)
    assert _session(folder) == [[]]
