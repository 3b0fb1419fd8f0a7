"""Fixtures of more than one part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus.wheel import CorpusError, corpus_folder

os.environ.setdefault("TILECHECK_BACKEND", "cpu")  # also where there is a GPU, but for the tests of it
os.environ.setdefault("TILECHECK_KERNEL_CACHE", "off")  # no test finds what another run kept, unless it asks for that


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download kept in `.corpus/`."""
    try:
        return corpus_folder()
    except CorpusError as error:
        pytest.skip(str(error))
