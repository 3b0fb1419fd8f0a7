"""A project folder with kernels, and a way to run the command line in it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tilecheck.cli.app import main

RACY = """\
import cuda.tile as ct


@ct.kernel
def racy(a, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(a, (i, j), (T, T))
    ct.store(c, (i, 0), t)
"""

CLEAN = """\
import cuda.tile as ct


@ct.kernel
def clean(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))
"""

UNPROVEN = """\
import cuda.tile as ct


@ct.kernel
def unproven(a, ids, c, T: ct.Constant[int]):
    row = ct.load(ids, (ct.bid(0),), (1,)).item()
    ct.store(c, (row, 0), ct.load(a, (ct.bid(0), 0), (1, T)))
"""


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in a fresh folder that holds racy.py, clean.py and unproven.py."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "racy.py").write_text(RACY)
    (project / "clean.py").write_text(CLEAN)
    (project / "unproven.py").write_text(UNPROVEN)
    monkeypatch.chdir(project)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    for name in ("TILECHECK_CACHE_DIR", "TILECHECK_OUTPUT_FORMAT", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capsys.readouterr()
        status = main(arguments)
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call
