"""mypy in a process of its own: inside this one it would raise the recursion limit for every test after it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

__all__ = ["mypy"]

ROOT = Path(__file__).resolve().parents[1]


def mypy(arguments: Sequence[str]) -> tuple[str, str, int]:
    """What it printed, what it printed as problems of its own, and its exit status. Skips where it is not installed."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    return done.stdout, done.stderr, done.returncode
