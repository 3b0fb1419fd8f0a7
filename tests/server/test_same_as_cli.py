"""The server shows the findings of a folder that the command line reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.corpus.part import part
from tests.server.client import Client, start, uri_of

pytest.importorskip("pygls")

ROOT = Path(__file__).parents[2]
_SEVERITIES = {1: "error", 2: "warning", 3: "note"}


def _run_command_line(folder: Path, home: Path) -> Counter[tuple[object, ...]]:
    """Runs the command line and returns the findings and failures that it reports."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "tilecheck", ".", "--format", "json", "--no-cache"], cwd=folder, env=environment,
        capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    found = Counter(
        (os.path.normpath(d["file"]), d["code"], d["severity"], d["line"], d["column"], d["end_line"], d["end_column"],
         d["message"]) for d in report["diagnostics"])
    return found + Counter((os.path.normpath(f["file"]), f["line"], f["message"]) for f in report["failures"])


def _collect_shown(client: Client, folder: Path) -> Counter[tuple[object, ...]]:
    """Returns the last diagnostics that the server shows for each file."""
    latest = {m["params"]["uri"]: m["params"]["diagnostics"] for m in client.said
              if m["method"] == "textDocument/publishDiagnostics"}
    found: Counter[tuple[object, ...]] = Counter()
    for path in folder.rglob("*.py"):
        for d in latest.get(uri_of(path), ()):
            name, start, end = str(path.relative_to(folder)), d["range"]["start"], d["range"]["end"]
            if "code" in d:
                message = d["message"].split("\nnote: ")[0].split("\nhelp: ")[0]
                found[name, d["code"], _SEVERITIES[d["severity"]], start["line"] + 1, start["character"] + 1,
                      end["line"] + 1, end["character"] + 1, message] += 1
            else:
                found[name, start["line"] + 1, d["message"]] += 1
    return found


def _compare(folder: Path, home: Path, patience: float, wanted: Counter[tuple[object, ...]] | None = None) -> int:
    wanted = _run_command_line(folder, home) if wanted is None else wanted
    client = start(folder, home=home)
    client.initialize(folder, options={"diagnostics": "workspace"}, capabilities={
        "general": {"positionEncodings": ["utf-32"]}, "window": {"workDoneProgress": True}})
    client.wait(lambda: [m for m in client.said if m["method"] == "$/progress"
                         and m["params"]["value"]["kind"] == "end"], patience)
    # what was on its way before this is here when this is
    client.open(folder / "end.py", "")
    client.diagnostics(folder / "end.py", 1)
    shown = _collect_shown(client, folder)
    assert client.stop() == 0
    assert shown - wanted == Counter() and wanted - shown == Counter()
    return sum(wanted.values())


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> Path:
    """All case files, and one that cannot be read."""
    folder = tmp_path_factory.mktemp("project") / "cases"
    shutil.copytree(FOLDER, folder)
    (folder / "broken.py").write_text("import cuda.tile as ct\n\n\ndef half(:\n")
    return folder


@pytest.fixture(scope="module")
def reported_by_command_line(cases, tmp_path_factory) -> Counter[tuple[object, ...]]:
    return _run_command_line(cases, tmp_path_factory.mktemp("home"))


def test_every_case_agrees(cases, reported_by_command_line, tmp_path):
    assert _compare(cases, tmp_path, 120, reported_by_command_line) > 250


def test_examples(tmp_path):
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    assert _compare(folder, tmp_path, 120) > 0


@pytest.mark.slow
def test_the_corpus(corpus, tmp_path):
    folder = tmp_path / "corpus"
    part(corpus, folder, "suites/unsloth", "ops/cutile/attention.py", "ops/cutile/mla.py")
    assert _compare(folder, tmp_path, 600) > 0


def test_every_case_file_that_is_open(cases, reported_by_command_line, tmp_path):
    """Findings of open files are the same as those of the folder, whichever is opened first."""
    names = ["host_bad.py", "raw_bad.py", "dialect_bad.py", "padding_bad.py", "lints_bad.py", "host.py"]
    client = start(cases, home=tmp_path)
    client.initialize(cases, capabilities={"general": {"positionEncodings": ["utf-32"]}})
    for name in names:
        client.open(cases / name)
    expected = Counter({key: count for key, count in reported_by_command_line.items() if key[0] in names})
    client.wait(lambda: _collect_shown(client, cases) == expected, 120)
    assert client.stop() == 0
