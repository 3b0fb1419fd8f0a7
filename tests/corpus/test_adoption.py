"""A code base with findings is taken on with a fresh baseline: then one injected race is found, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.ratchet import _environment

pytestmark = pytest.mark.slow

# a file, what its store says, and what it says when a block id is dropped
INJECTED = {
    "tile of a transpose": (
        "tilegym/ops/cutile/transpose.py", "index=(pid_n, pid_m), tile=transposed_tile",
        "index=(pid_n, 0), tile=transposed_tile", "_transpose_kernel"),
    "row of a kernel beside known findings": (
        "tilegym/ops/cutile/attention.py", "", "", ""),
}


def _check(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tilecheck", "check", "--isolated", "--no-respect-gitignore", "--cache-dir",
               str(folder / "cache"), "--baseline", "known.json", *options, "tilegym"]
    return subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
