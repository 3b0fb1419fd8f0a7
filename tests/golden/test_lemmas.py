"""The table of lemmas is complete, and a lemma that few results depend on says why it stays."""

from __future__ import annotations

import json

import pytest

from tests.golden.lemmas import LEMMAS, RESULTS, Lemma


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_has_users_or_a_reason(lemma: Lemma) -> None:
    users = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert users[lemma.name] > 1 or lemma.needed
