"""How a process ends: its status says whether what it wrote was taken."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ENDS = {
    "taken": ("print('said')", 3),
    "closed": ("sys.stdout.close()", 3),
    "none": ("sys.stdout = None", 3),
    "both": ("sys.stdout.close(); sys.stderr.close()", 3),
    "a thread is there": ("threading.Thread(target=time.sleep, args=(0.1,)).start(); sys.stdout.close()", 3),
}


@pytest.mark.parametrize("before", ENDS)
def test_the_process_ends_with_the_given_status(before: str) -> None:
    code, status = ENDS[before]
    done = _run(f"import sys, threading, time; from tilecheck.cli.fast_exit import leave; {code}; leave(3, 4)")
    assert (done.returncode, done.stderr) == (status, "")


def test_unread_output_is_an_abnormal_end() -> None:
    """A pipe that is closed at the other end, with something still to be written."""
    done = _run("import os, sys; from tilecheck.cli.fast_exit import leave; out, into = os.pipe(); os.dup2(into, 1); "
                "os.close(into); os.close(out); print('said'); leave(3, 4)")
    assert (done.returncode, done.stderr) == (4, "")


def _run(code: str) -> subprocess.CompletedProcess[str]:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run([sys.executable, "-c", code], env=buffered, capture_output=True, text=True, check=False)
