"""The corpus is checked once for all tests here."""

from __future__ import annotations

import pytest

from tests.corpus.ratchet import run


@pytest.fixture(scope="session")
def corpus_report(corpus):
    return run(corpus)
