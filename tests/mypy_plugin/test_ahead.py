"""Findings that another process computes: they arrive, a failure is noticed, and the process does not outlive mypy."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from mypy import api

from tilecheck.mypy_plugin import ahead

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is forked on Linux only")

RACE = """\
import cuda.tile as ct


@ct.kernel
def halves(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i // 2,), ct.load(x, (i,), (T,)))
"""


def fail() -> int:
    os._exit(3)


def test_a_result_arrives():
    started = ahead.start({"a.py": "a"}, lambda: {"found": os.getpid()})
    assert started is not None
    assert started.modules == {"a.py": "a"}
    value = started.take()
    assert value is not None and value["found"] != os.getpid()


def test_a_process_that_dies_has_no_result():
    started = ahead.start({}, fail)
    assert started is not None
    assert started.take() is None


@pytest.mark.parametrize("leave", ["os._exit(0)", "sys.exit(0)", "raise RuntimeError"])
def test_the_process_ends_with_the_one_that_started_it(tmp_path: Path, leave: str):
    """In any way that the parent ends, and without a delay."""
    marker = tmp_path / "pid"
    program = textwrap.dedent(f"""
        import os, sys, time
        from pathlib import Path
        from tilecheck.mypy_plugin import ahead

        def compute():
            Path({str(marker)!r}).write_text(str(os.getpid()))
            time.sleep(600)

        started = ahead.start({{}}, compute)
        while not (os.path.exists({str(marker)!r}) and Path({str(marker)!r}).read_text()):
            time.sleep(0.01)
        {leave}
    """)
    subprocess.run([sys.executable, "-c", program], check=False, stderr=subprocess.DEVNULL, timeout=60)
    process = Path("/proc") / marker.read_text()
    deadline = time.monotonic() + 60
    while process.exists() and "Z" not in (process / "stat").read_text().rpartition(")")[2].split()[0]:
        assert time.monotonic() < deadline, "the process still runs"
        time.sleep(0.02)


@pytest.mark.parametrize("dies", [False, True])
def test_mypy_reports_the_same_with_and_without_the_process(tmp_path: Path, monkeypatch, dies: bool):
    (tmp_path / "kernels.py").write_text(RACE)
    started = []

    def start(modules, compute):
        started.append(True)
        return real(modules, fail if dies else compute)

    real = ahead.start
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ahead, "start", start)
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = tilecheck.mypy_plugin\nignore_missing_imports = True\n")
    monkeypatch.setattr(sys, "setrecursionlimit", lambda limit: None)  # mypy would raise that of all later tests
    out, _, status = api.run(["--config-file", "mypy.ini", "--cache-dir", "cache", "kernels.py"])
    assert started and status == 1
    assert "kernels.py:7: error: TC101 blocks 0 and 1 both write out[0]" in out
