"""A session over standard input and output."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.cli.conftest import CLEAN, RACY, UNPROVEN
from tests.patience import PATIENCE
from tests.server.client import Client, apply_edits, start, start_tcp, uri_of
from tilecheck.api import check_source
from tilecheck.config import Config

pytest.importorskip("pygls")

HALF_TYPED = RACY.replace("ct.store(c, (i, 0), t)", "ct.store(c, (i, 0), t")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "racy.py").write_text(RACY)
    (project / "clean.py").write_text(CLEAN)
    (project / "unproven.py").write_text(UNPROVEN)
    return project


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    started = start(folder)
    yield started
    assert started.process is not None
    if started.process.poll() is None:
        assert started.stop() == 0


def _codes(diagnostics: list[dict]) -> list[str]:
    return [d.get("code", "") for d in diagnostics]


def _severities(diagnostics: list[dict]) -> set[int]:
    return {d["severity"] for d in diagnostics}


def _one(code: str):
    return lambda diagnostics: _codes(diagnostics) == [code]


def _is_empty(diagnostics: list[dict]) -> bool:
    return diagnostics == []


# --- findings --------------------------------------------------------------------------------------------------------

def test_findings_are_shown_with_their_notes(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    (found,) = client.diagnostics(folder / "racy.py", 1)
    assert found["code"] == "TC101" and found["severity"] == 1 and found["source"] == "tilecheck"
    assert found["range"] == {"start": {"line": 7, "character": 4}, "end": {"line": 7, "character": 26}}
    first, *more = found["message"].splitlines()
    assert first == "blocks (0, 0) and (0, 1) both write c[0, 0]"
    assert any(line.startswith("note: with grid (2, 2, 1)") for line in more)
    assert re.match(r"help: on line \d+, store at `\(i, j\)` in place of `\(i, 0\)`, as the tile is loaded from `a`",
                    more[-1])
    page = found["codeDescription"]["href"]
    assert page.startswith("file://") and Path(page.removeprefix("file://")).read_text().startswith(
        '"""TC101 overlapping-write'
    )


def test_the_other_access_of_a_pair_is_a_place_to_go_to(client, folder):
    text = RACY.replace("    ct.store(c, (i, 0), t)\n", "    ct.store(c, (i, j), t)\n    ct.store(c, (i + 1, j), t)\n")
    client.initialize(folder)
    client.open(folder / "racy.py", text)
    found = client.diagnostics(folder / "racy.py", 1)
    assert [(r["message"], r["location"]["range"]["start"]["line"]) for d in found if d["code"] == "TC101"
            for r in d["relatedInformation"]] == [
                ("the other write to `c` is here", 7), ("tile (1, 0) in block (1, 0)", 7),
                ("tile (1, 0) in block (0, 0)", 8)]


def test_edits_are_followed(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    assert _codes(client.diagnostics(folder / "racy.py", 1)) == ["TC101"]
    client.change(folder / "racy.py", RACY.replace("(i, 0)", "(i, j)"), 2)
    assert client.diagnostics(folder / "racy.py", 2) == []
    client.change(folder / "racy.py", "\n" + RACY, 3)
    assert [d["range"]["start"]["line"] for d in client.diagnostics(folder / "racy.py", 3)] == [8]


def test_names_that_addresses_spell_otherwise(client, tmp_path):
    project = tmp_path / "100% é #1"
    project.mkdir()
    (project / "a b%20.py").write_text(RACY)
    client.initialize(project)
    client.open(project / "a b%20.py")
    client.wait_until(project / "a b%20.py", _one("TC101"))
    client.change(project / "a b%20.py", RACY.replace("(i, 0)", "(i, j)"), 2)
    assert client.diagnostics(project / "a b%20.py", 2) == []


def test_edits_may_come_as_ranges(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    client.notify("textDocument/didChange", {
        "textDocument": {"uri": uri_of(folder / "racy.py"), "version": 2},
        "contentChanges": [{"range": {"start": {"line": 7, "character": 20}, "end": {"line": 7, "character": 21}},
                            "text": "j"}]})
    assert client.diagnostics(folder / "racy.py", 2) == []


def test_only_the_latest_of_quick_edits_is_analysed(client, folder):
    client.initialize(folder, options={"debounce": 300})
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    for version in range(2, 30):
        client.change(folder / "racy.py", RACY + "\n" * version, version)
    client.diagnostics(folder / "racy.py", 29)
    assert [p["version"] for p in client.list_published(folder / "racy.py")] == [1, 29]


def test_findings_of_a_replaced_text_are_never_shown(client, folder):
    """While edits arrive faster than they are analysed, versions that are shown only grow, and each is its own."""
    client.initialize(folder, options={"debounce": 0})
    client.open(folder / "racy.py")
    for version in range(2, 40):
        client.change(folder / "racy.py", "\n" * version + RACY, version)
        time.sleep(0.01)
    client.diagnostics(folder / "racy.py", 39)
    shown = client.list_published(folder / "racy.py")
    versions = [p["version"] for p in shown]
    assert versions == sorted(set(versions))
    for p in shown:
        lines = [d["range"]["start"]["line"] for d in p["diagnostics"]]
        assert lines == [7 + (p["version"] if p["version"] > 1 else 0)]


def test_an_edit_waits_for_the_debounce(client, folder):
    client.initialize(folder, options={"debounce": 700})
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    began = time.monotonic()
    client.change(folder / "racy.py", RACY + "\n", 2)
    client.diagnostics(folder / "racy.py", 2)
    assert time.monotonic() - began >= 0.7


def test_an_unsaved_helper_counts(client, folder):
    (folder / "helpers.py").write_text("def column(j):\n    return 0\n")
    text = RACY.replace("import cuda.tile as ct", "import cuda.tile as ct\nfrom helpers import column").replace(
        "(i, 0)", "(i, column(j))")
    (folder / "racy.py").write_text(text)
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    client.open(folder / "helpers.py")
    client.change(folder / "helpers.py", "def column(j):\n    return j\n", 2)
    client.wait_until(folder / "racy.py", _is_empty)
    client.close(folder / "helpers.py")  # what is on disk counts again
    client.wait_until(folder / "racy.py", _one("TC101"))


def test_a_launch_in_another_file_counts(client, folder):
    kernel = """\
import cuda.tile as ct


@ct.kernel
def wide(a, c, S: ct.Constant[int]):
    i = ct.bid(0) * S + ct.arange(4, dtype=ct.int32)
    ct.scatter(c, i, ct.gather(a, i))
"""
    host = """\
import cuda.tile as ct
from wide import wide


def run(stream, a, c):
    ct.launch(stream, (a.shape[0],), wide, (a, c, 4))
"""
    (folder / "wide.py").write_text(kernel)
    client.initialize(folder)
    client.open(folder / "wide.py")
    client.wait_until(folder / "wide.py", _one("TC102"))
    (folder / "host.py").write_text(host)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(folder / "host.py"), "type": 1}]})
    client.wait_until(folder / "wide.py", _is_empty)
    client.open(folder / "host.py")
    client.change(folder / "host.py", host.replace("(a, c, 4)", "(a, c, 2)"), 2)
    client.wait_until(folder / "host.py", _one("TC405"))
    client.wait_until(folder / "wide.py", _one("TC102"))


def test_saving_looks_at_the_disk(client, folder):
    (folder / "helpers.py").write_text("def column(j):\n    return 0\n")
    text = RACY.replace("import cuda.tile as ct", "import cuda.tile as ct\nfrom helpers import column").replace(
        "(i, 0)", "(i, column(j))")
    (folder / "racy.py").write_text(text)
    client.initialize(folder, capabilities={})  # an editor that watches no files
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    (folder / "helpers.py").write_text("def column(j):\n    return j\n")
    client.save(folder / "racy.py")
    client.wait_until(folder / "racy.py", _is_empty)


def test_a_closed_file_shows_nothing(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    client.close(folder / "racy.py")
    client.wait_until(folder / "racy.py", _is_empty)


def test_all_files_are_shown_where_that_is_wanted(client, folder):
    client.initialize(folder, options={"diagnostics": "workspace"})
    client.wait_until(folder / "racy.py", _one("TC101"))
    client.wait_until(folder / "unproven.py", _one("TC102"))
    assert client.list_published(folder / "clean.py") == []
    client.open(folder / "racy.py")
    client.close(folder / "racy.py")
    client.wait(lambda: client.list_published(folder / "racy.py")[-1].get("version") is None)
    assert _codes(client.list_published(folder / "racy.py")[-1]["diagnostics"]) == ["TC101"]
    (folder / "racy.py").unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(folder / "racy.py"), "type": 3}]})
    client.wait_until(folder / "racy.py", _is_empty)


def test_findings_of_removed_settings_are_withdrawn(client, folder, tmp_path):
    second = tmp_path / "second"
    second.mkdir()
    (second / "racy.py").write_text(RACY)
    client.initialize(folder, second, options={"diagnostics": "workspace"})
    client.wait_until(folder / "racy.py", _one("TC101"))
    client.wait_until(second / "racy.py", _one("TC101"))
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {
        "added": [], "removed": [{"uri": uri_of(second), "name": "second"}]}})
    client.wait_until(second / "racy.py", _is_empty)
    client.notify("workspace/didChangeConfiguration", {"settings": {"diagnostics": "openFiles"}})
    client.wait_until(folder / "racy.py", _is_empty)
    client.wait_until(folder / "unproven.py", _is_empty)


# --- code that cannot be parsed --------------------------------------------------------------------------------------

def test_half_typed_code_retains_earlier_findings(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    client.change(folder / "racy.py", "import os\n" + HALF_TYPED, 2)
    found = client.diagnostics(folder / "racy.py", 2)
    assert [(d.get("code"), d["range"]["start"]["line"]) for d in found] == [("TC101", 8), (None, 8)]
    assert "was never closed" in found[1]["message"]
    client.change(folder / "racy.py", "import os\n" + RACY, 3)
    assert _codes(client.diagnostics(folder / "racy.py", 3)) == ["TC101"]


def test_half_typed_code_does_not_spoil_other_files(client, folder):
    (folder / "helpers.py").write_text("def column(j):\n    return j\n")
    text = RACY.replace("import cuda.tile as ct", "import cuda.tile as ct\nfrom helpers import column").replace(
        "(i, 0)", "(i, column(j))")
    (folder / "racy.py").write_text(text)
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _is_empty)
    client.open(folder / "helpers.py")
    client.change(folder / "helpers.py", "def column(j:\n    return j\n", 2)
    assert _codes(client.diagnostics(folder / "helpers.py", 2)) == [""]
    client.change(folder / "racy.py", text + "\n", 2)
    assert client.diagnostics(folder / "racy.py", 2) == []


def test_syntax_errors_are_reported_without_an_earlier_version(client, folder):
    (folder / "racy.py").write_text(HALF_TYPED)
    client.initialize(folder)
    client.open(folder / "racy.py")
    (found,) = client.diagnostics(folder / "racy.py", 1)
    assert "code" not in found and found["severity"] == 1 and "was never closed" in found["message"]
    assert found["range"]["start"]["line"] == 7


# --- which files are checked -----------------------------------------------------------------------------------------

def test_other_languages_are_ignored(client, folder):
    client.initialize(folder)
    client.open(folder / "notes.md", "# @ct.kernel\n", language="markdown")
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    assert client.list_published(folder / "notes.md") == []
    assert client.hover(folder / "notes.md", 0, 3) is None and client.actions(folder / "notes.md", 0) is None
    client.change(folder / "notes.md", "", 2)
    client.close(folder / "notes.md")


def test_files_that_the_command_line_skips_are_skipped(client, folder):
    (folder / "pyproject.toml").write_text('[tool.tilecheck]\nexclude = ["racy.py"]\n')
    client.initialize(folder)
    client.open(folder / "racy.py")
    assert client.diagnostics(folder / "racy.py", 1) == []


def test_a_file_outside_of_all_folders_is_checked_by_itself(client, folder, tmp_path):
    (tmp_path / "other.py").write_text(RACY)
    client.initialize(folder)
    client.open(tmp_path / "other.py")
    client.wait_until(tmp_path / "other.py", _one("TC101"))
    client.close(tmp_path / "other.py")
    client.wait_until(tmp_path / "other.py", _is_empty)


def test_no_folder_need_be_open(client, folder):
    client.initialize()
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))


def test_a_text_that_was_never_saved(client, folder):
    client.initialize(folder)
    client.notify("textDocument/didOpen", {"textDocument": {
        "uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": RACY}})
    client.wait(lambda: [m for m in client.said if m["method"] == "textDocument/publishDiagnostics"
                         and m["params"]["uri"] == "untitled:Untitled-1"
                         and _codes(m["params"]["diagnostics"]) == ["TC101"]])


def test_several_folders_have_their_own_settings(client, folder, tmp_path):
    second = tmp_path / "second"
    second.mkdir()
    (second / "racy.py").write_text(RACY)
    (second / "unproven.py").write_text(UNPROVEN)
    (second / "pyproject.toml").write_text('[tool.tilecheck]\nignore = ["TC101"]\nstrict = true\n')
    client.initialize(folder, second)
    for path in (folder / "racy.py", second / "racy.py", folder / "unproven.py", second / "unproven.py"):
        client.open(path)
    client.wait_until(folder / "racy.py", _one("TC101"))
    assert client.diagnostics(second / "racy.py", 1) == []
    assert _severities(client.diagnostics(folder / "unproven.py", 1)) == {2}
    assert _severities(client.diagnostics(second / "unproven.py", 1)) == {1}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {
        "added": [], "removed": [{"uri": uri_of(second), "name": "second"}]}})
    client.change(second / "racy.py", RACY + "\n", 2)  # by itself, with the settings that lie above it
    assert client.diagnostics(second / "racy.py", 2) == []


def test_settings_are_read_again(client, folder):
    client.initialize(folder)
    client.open(folder / "unproven.py")
    client.wait_until(folder / "unproven.py", lambda found: _severities(found) == {2})
    settings = folder / "pyproject.toml"
    settings.write_text("[tool.tilecheck]\nstrict = true\n")
    changed = {"changes": [{"uri": uri_of(settings), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", changed)
    client.wait_until(folder / "unproven.py", lambda found: _severities(found) == {1})
    settings.write_text("[tool.tilecheck]\nstrickt = true\n")  # the settings before stay in force
    client.notify("workspace/didChangeWatchedFiles", changed)
    client.wait(lambda: [m for m in client.said if m["method"] == "window/showMessage"
                         and "unknown key 'strickt'" in m["params"]["message"]])
    client.change(folder / "unproven.py", UNPROVEN + "\n", 2)
    assert _severities(client.diagnostics(folder / "unproven.py", 2)) == {1}
    (folder / "contracts.toml").write_text('[contracts]\n"unproven.py::unproven" = ["injective(ids)"]\n')
    settings.write_text('[tool.tilecheck]\ncontracts = ["contracts.toml"]\n')
    client.notify("workspace/didChangeWatchedFiles", changed)
    client.wait_until(folder / "unproven.py", _is_empty)


def test_settings_of_the_editor(client, folder):
    client.initialize(folder)
    client.open(folder / "clean.py")
    client.diagnostics(folder / "clean.py", 1)
    client.notify("workspace/didChangeConfiguration", {"settings": {"tilecheck": {"diagnostics": "workspace"}}})
    client.wait_until(folder / "racy.py", _one("TC101"))


# --- places ----------------------------------------------------------------------------------------------------------

ASTRAL = RACY.replace('    ct.store(c, (i, 0), t)', '    "🍎🍏"; ct.store(c, (i, 0), t)  # 🍎')


@pytest.mark.parametrize(("encoding", "start", "end"), [("utf-16", 12, 34), ("utf-8", 16, 38), ("utf-32", 10, 32)])
def test_columns_use_the_unit_of_the_editor(client, folder, encoding, start, end):
    capabilities = {"general": {"positionEncodings": [encoding]}}
    client.initialize(folder, capabilities=capabilities)
    client.open(folder / "racy.py", ASTRAL)
    (found,) = client.diagnostics(folder / "racy.py", 1)
    assert found["range"] == {"start": {"line": 7, "character": start}, "end": {"line": 7, "character": end}}
    assert "writes tile" in client.hover(folder / "racy.py", 7, end - 1)["contents"]["value"]
    assert client.hover(folder / "racy.py", 7, 5) is None


def test_edits_use_the_unit_of_the_editor(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py", ASTRAL)
    client.diagnostics(folder / "racy.py", 1)
    (allow,) = [a for a in client.actions(folder / "racy.py", 7, 14) if a["title"] == "Allow TC101 here"]
    assert apply_edits(ASTRAL, allow["edit"]["documentChanges"][0]["edits"]).split("\n")[7] == (
        '    "🍎🍏"; ct.store(c, (i, 0), t)  # 🍎  # tilecheck: allow[TC101] say here why this is safe')


def test_line_ends_of_windows(client, folder):
    text = UNPROVEN.replace("\n", "\r\n")
    client.initialize(folder)
    client.open(folder / "unproven.py", text)
    (found,) = client.diagnostics(folder / "unproven.py", 1)
    assert found["range"]["start"]["line"] == 6
    assert client.hover(folder / "unproven.py", 6, 8) is not None


# --- hover -----------------------------------------------------------------------------------------------------------

def _read_hover(client: Client, path: Path, line: int, character: int) -> str:
    value: str = client.hover(path, line, character)["contents"]["value"]
    return value


def test_hover_on_an_access(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    text = _read_hover(client, folder / "racy.py", 7, 6)
    assert "`store`: each block writes tile `(bid(0), 0)` of `c`, of `T x T` elements" in text
    assert "line 8: disjoint `c`: **refuted**" in text and "both touch c[0, 0]" in text
    assert "`disjoint(c, a)` (structural, unseen)" in text


def test_hover_on_a_tile(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    assert _read_hover(client, folder / "racy.py", 6, 4).startswith("```python\nTile[a.dtype, T, T]\n```")
    assert "Tile[a.dtype, T, T]" in _read_hover(client, folder / "racy.py", 7, 24)


def test_hover_on_an_array(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    for line, character in ((4, 12), (7, 13)):  # the parameter, and where it is used
        text = _read_hover(client, folder / "racy.py", line, character)
        assert "**`c`**: array of `racy`, written" in text
        assert "line 8, `store`: each block writes tile `(bid(0), 0)` of `c`" in text
    assert "**`a`**: array of `racy`, read" in _read_hover(client, folder / "racy.py", 4, 9)


def test_hover_on_a_kernel(client, folder):
    client.initialize(folder)
    client.open(folder / "clean.py")
    text = _read_hover(client, folder / "clean.py", 4, 6)
    assert text.startswith("**clean**: proved") and "`grid[0] <= cdiv(c.shape[0], T)` (structural, unseen)" in text


def test_hover_on_elements_suggests_a_declaration(client, folder):
    client.initialize(folder)
    client.open(folder / "unproven.py")
    text = _read_hover(client, folder / "unproven.py", 6, 6)
    assert "would be proved with `injective(ids)`" in text


def test_hover_on_a_suppression(client, folder):
    client.initialize(folder)
    text = RACY.replace("(i, 0), t)", "(i, 0), t)  # tilecheck: allow[TC101] all blocks write the same")
    client.open(folder / "racy.py", text)
    place = text.split("\n")[7].index("TC101")
    assert _read_hover(client, folder / "racy.py", 7, place + 2) == (
        "**TC101** overlapping-write: two blocks write the same element")


def test_hover_is_of_the_text_as_it_is_now(client, folder):
    client.initialize(folder, options={"debounce": 2000 * PATIENCE})  # a question does not wait for the next edit
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    client.change(folder / "racy.py", RACY.replace("(i, 0)", "(i, j)"), 2)
    assert "writes tile `(bid(0), bid(1))`" in _read_hover(client, folder / "racy.py", 7, 6)


def test_hover_on_other_text_is_empty(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    assert client.hover(folder / "racy.py", 1, 0) is None
    assert client.hover(folder / "racy.py", 500, 3) is None
    client.change(folder / "racy.py", HALF_TYPED, 2)
    assert client.hover(folder / "racy.py", 7, 6) is None


# --- actions ---------------------------------------------------------------------------------------------------------

def _apply_action(text: str, action: dict) -> str:
    (change,) = action["edit"]["documentChanges"]
    return apply_edits(text, change["edits"])


def _check_text(text: str) -> list[tuple[str, int]]:
    report = check_source(text, "racy.py", Config(use_cache=False, jobs=1))
    assert not report.failures
    return [(d.code, d.span.line) for d in report.diagnostics]


def test_every_action_leaves_code_that_is_better(client, folder):
    client.initialize(folder)
    seen = set()
    for name, text in (("racy.py", RACY), ("unproven.py", UNPROVEN)):
        client.open(folder / name)
        (finding,) = client.diagnostics(folder / name, 1)
        before = _check_text(text)
        for action in client.actions(folder / name, finding["range"]["start"]["line"], 8):
            assert action["kind"] == "quickfix" and action["diagnostics"] == [finding]
            assert action["edit"]["documentChanges"][0]["textDocument"] == {"uri": uri_of(folder / name), "version": 1}
            after = _apply_action(text, action)
            assert before[0][0] not in {code for code, _ in _check_text(after)}, action["title"]
            seen.add(action["title"])
    assert "Index by `(0, i)`" not in seen  # it would be no better
    assert {"Write `j` in place of `0`", "Declare `injective(ids)`", "Allow TC101 here", "Allow TC101 in all of `racy`",
            "Allow TC102 here", "Allow TC102 in all of `unproven`"} <= seen


def _action(client: Client, path: Path, line: int, title: str, character: int = 8) -> dict:
    (found,) = [a for a in client.actions(path, line, character) if a["title"] == title]
    return found


def test_a_suppression_is_added_at_the_end_of_its_statement(client, folder):
    call = "ct.store(\n        c,\n        (i, 0),  # the first column\n        t)"
    text = RACY.replace("ct.store(c, (i, 0), t)", call)
    client.initialize(folder)
    client.open(folder / "racy.py", text)
    client.diagnostics(folder / "racy.py", 1)
    after = _apply_action(text, _action(client, folder / "racy.py", 7, "Allow TC101 here"))
    assert after == text.replace("        t)\n", "        t)  # tilecheck: allow[TC101] say here why this is safe\n")
    assert _check_text(after) == []


def test_an_existing_suppression_gets_one_more_code(client, folder):
    text = RACY.replace("(i, 0), t)", "(i, 0), t)  # tilecheck: allow[TC301] padding is zero")
    client.initialize(folder)
    client.open(folder / "racy.py", text)
    client.diagnostics(folder / "racy.py", 1)
    after = _apply_action(text, _action(client, folder / "racy.py", 7, "Allow TC101 here"))
    assert "# tilecheck: allow[TC301, TC101] padding is zero\n" in after
    assert "TC101" not in dict(_check_text(after))


def test_a_suppression_above_an_indented_kernel(client, folder):
    body = "".join(f"    {line}\n" if line else "\n" for line in RACY.split("\n\n\n", 1)[1].splitlines())
    text = f"import cuda.tile as ct\n\n\ndef make():\n{body}    return racy\n"
    client.initialize(folder)
    client.open(folder / "racy.py", text)
    (found,) = client.diagnostics(folder / "racy.py", 1)
    after = _apply_action(text, _action(client, folder / "racy.py", found["range"]["start"]["line"],
                                "Allow TC101 in all of `make.racy`", 12))
    assert "    # tilecheck: allow[TC101] say here why this is safe\n    @ct.kernel\n" in after
    assert _check_text(after) == []


def test_an_unused_suppression_is_removed(client, folder):
    text = CLEAN.replace("    i = ct.bid(0)\n", "    i = ct.bid(0)  # tilecheck: allow[TC101] no reason\n")
    client.initialize(folder)
    client.open(folder / "clean.py", text)
    (found,) = client.wait_until(folder / "clean.py", _one("TC901"))
    assert found["tags"] == [1]
    action = _action(client, folder / "clean.py", 5, "Remove the suppression", 24)
    assert action["isPreferred"] and _apply_action(text, action) == CLEAN


def test_editors_that_know_no_versions(client, folder):
    client.initialize(folder, capabilities={})
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    action = _action(client, folder / "racy.py", 7, "Allow TC101 here")
    assert list(action["edit"]["changes"]) == [uri_of(folder / "racy.py")]


def test_requests_for_other_kinds_of_actions_get_no_answer(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.diagnostics(folder / "racy.py", 1)
    assert client.request("textDocument/codeAction", {
        "textDocument": {"uri": uri_of(folder / "racy.py")}, "context": {"diagnostics": [], "only": ["refactor"]},
        "range": {"start": {"line": 7, "character": 8}, "end": {"line": 7, "character": 8}}}) is None
    assert client.actions(folder / "racy.py", 4) == []


# --- beginning and end -----------------------------------------------------------------------------------------------

def test_the_server_reports_the_first_check_of_a_folder(client, folder):
    for number in range(12):
        shutil.copy(FOLDER / "raw_bad.py", folder / f"more{number}.py")
    client.initialize(folder, capabilities={"window": {"workDoneProgress": True}})
    told = client.wait(lambda: [m["params"]["value"]["kind"] for m in client.said if m["method"] == "$/progress"][1:])
    assert told == ["end"]


def test_the_server_exits_on_request(folder):
    client = start(folder)
    client.initialize(folder)
    assert client.stop() == 0


def test_the_server_exits_when_the_editor_does(folder):
    client = start(folder)
    client.initialize(folder)
    client.open(folder / "racy.py")
    child = _children(client)
    assert client.process is not None
    client.writer.close()
    assert client.process.wait(30) == 1
    _wait_for_the_end(child)


def test_over_tcp(folder):
    client = start_tcp(folder)
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    assert client.stop() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_an_analysis_that_dies_is_started_again(client, folder):
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    (child,) = _children(client)
    os.kill(child, signal.SIGKILL)
    client.wait(lambda: [m for m in client.said if m["method"] == "window/showMessage"])
    client.change(folder / "racy.py", RACY.replace("(i, 0)", "(i, j)"), 2)
    assert client.diagnostics(folder / "racy.py", 2) == []
    assert client.hover(folder / "racy.py", 7, 6) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_the_server_leaves_no_process(folder):
    client = start(folder)
    client.initialize(folder)
    client.open(folder / "racy.py")
    client.wait_until(folder / "racy.py", _one("TC101"))
    children = _children(client)
    assert children
    client.stop()
    _wait_for_the_end(children)


def _children(client: Client) -> list[int]:
    """The analysing processes of a server."""
    assert client.process is not None
    found = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children")
    pids = [int(pid) for pid in found.read_text().split()] if found.exists() else []
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _wait_for_the_end(pids: list[int]) -> None:
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end, "a process is left"
        time.sleep(0.05)


def test_a_missing_dependency_is_reported(folder, monkeypatch, capsys):
    from tilecheck.cli.app import main

    monkeypatch.setattr("tilecheck.cli.commands.server.find_spec", lambda name: None)
    assert main(["server"]) == 2
    assert "pip install 'tilecheck[server]'" in capsys.readouterr().err


def test_contradictory_options(capsys):
    from tilecheck.cli.app import main

    assert main(["server", "--stdio", "--tcp"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_used_port_is_reported(folder, capsys):
    import socket

    from tilecheck.cli.app import main

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["server", "--tcp", "--port", str(taken.getsockname()[1])]) == 2
    assert "127.0.0.1" in capsys.readouterr().err


def test_a_folder_with_the_name_of_a_command_does_not_hide_it(folder):
    (folder / "server").mkdir()
    client = start(folder)
    client.initialize(folder)
    assert client.stop() == 0


def test_the_server_announces_its_capabilities(client, folder):
    capabilities = client.initialize(folder)["capabilities"]
    assert capabilities["hoverProvider"] and capabilities["codeActionProvider"] == {"codeActionKinds": ["quickfix"]}
    assert capabilities["positionEncoding"] == "utf-16"
    assert json.dumps(capabilities)
