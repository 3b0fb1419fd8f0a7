"""Every kernel of the corpus is found."""

from __future__ import annotations

from collections import Counter

from tests.corpus.census import by_pattern, by_syntax


def test_every_decorated_function_is_a_kernel_of_the_report(corpus, corpus_report):
    expected = by_syntax(corpus / "tilegym")
    found = {(k["file"], k["name"].rpartition(".")[2], k["line"]) for k in corpus_report["kernels"]}
    assert sorted(expected - found) == []
    assert sorted(found - expected) == []
    assert len(corpus_report["kernels"]) == len(expected)


def test_two_counts_agree(corpus):
    assert Counter(name for name, _, _ in by_syntax(corpus / "tilegym")) == by_pattern(corpus / "tilegym")
