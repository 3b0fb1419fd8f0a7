"""The corpus: external kernels, which are downloaded and never copied into the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.patience import PATIENCE

__all__ = ["WHEEL", "CorpusError", "corpus_folder"]

WHEEL = "tilegym==1.5.1"
CACHE = Path(__file__).parents[2] / ".corpus"


class CorpusError(Exception):
    """The wheel cannot be had; says why."""


def corpus_folder() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download cached in `.corpus/`."""
    given = os.environ.get("TILECHECK_CORPUS")
    folder = Path(given) if given else CACHE
    if not any(folder.glob("tilegym*")):
        if given:
            raise CorpusError(f"no tilegym in TILECHECK_CORPUS={given}")
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        _download(folder)
    return folder


def _download(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", WHEEL, "--no-deps", "--only-binary", ":all:", "-q",
               "-d", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        fault = (done.stderr.strip().splitlines() or ["nothing was downloaded"])[-1]
        raise CorpusError(f"{WHEEL} could not be downloaded: {fault}")
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(folder)
