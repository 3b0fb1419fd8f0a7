"""Looking into kernels on a GPU: what they print, and code that compute-sanitizer can read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tilecheck_runtime import f32

SANITIZER = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")


def program(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, **environment})


def test_output_of_a_kernel_is_printed():
    done = program(sys.executable, "-m", "tests.runtime.gpu.printing")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n"))[-2:] == [f"block {n} adds up to 32.000000" for n in range(2)]


def test_instrumented_code_computes_the_same():
    x = tcr.arange(1000, dtype=f32)
    watched = add.replace_hints(sanitize="memcheck")
    made = watched(tcr.zeros((1000,), f32).partition(128), x, x).sync().numpy()
    assert (made == 2 * x.numpy()).all()


def test_launches_are_logged():
    done = program(sys.executable, "-m", "tests.runtime.gpu.printing", TILECHECK_LOG="compile,guards")
    lines = [line for line in done.stderr.splitlines() if line.startswith("tilecheck: ")]
    assert any("`print_sum`" in line and " for sm_" in line for line in lines)
    assert any("guards of `print_sum`: `x` of shape (64,) may be read" in line for line in lines)
    assert any(
        "launch `print_sum` at" in line and "grid (2, 1, 1)" in line and "variant print_sum_K" in line for line in lines
    )


@pytest.mark.slow
@pytest.mark.skipif(SANITIZER is None, reason="compute-sanitizer is not installed")
def test_memcheck_finds_nothing_in_the_examples():
    assert SANITIZER is not None
    done = program(SANITIZER, "--tool", "memcheck", "--show-backtrace", "no", sys.executable, "-m",
                   "tests.runtime.gpu.sanitized")
    assert done.returncode == 0 and "ERROR SUMMARY: 0 errors" in done.stdout, done.stdout[-4000:] + done.stderr[-4000:]
