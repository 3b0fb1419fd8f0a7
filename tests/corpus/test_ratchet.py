"""Verdicts on external kernels do not get worse, and improvements are stored."""

from __future__ import annotations

from tests.corpus.ratchet import ANNOTATIONS, Change, compare, decided_statements, decided_writes, figures, load, run
from tests.corpus.wheel import WHEEL

HINT = "if this is meant: python -m tests.corpus.regenerate"


def _assert_unchanged(kept, found):
    changes = compare(kept, found)
    worse = [str(c) for c in changes if c.worse]
    better = [str(c) for c in changes if not c.worse]
    assert not worse, "\n".join(["lost:", *worse, *(["gained:", *better] if better else []), HINT])
    assert not better, "\n".join(["better than what is kept:", *better, "keep it: python -m tests.corpus.regenerate"])


def test_verdicts_equal_the_recorded_ones(corpus_report):
    kept = load()
    assert kept["wheel"] == WHEEL
    _assert_unchanged(kept["kernels"], figures(corpus_report))


def test_no_file_fails(corpus_report):
    assert corpus_report["failures"] == []


def test_writes_are_decided_without_annotations(corpus_report):
    decided, total = decided_statements(corpus_report)
    assert decided >= 0.95 * total, f"{decided} of {total} statements that write are decided"


def test_annotations_decide_the_recorded_kernels(corpus):
    kept = load()
    found = figures(run(corpus, "--contracts", str(ANNOTATIONS)))
    _assert_unchanged({**kept["kernels"], **kept["annotated"]}, found)
    decided, total = decided_writes(found)
    assert decided >= 0.99 * total, f"{decided} of {total} writes decided"


def test_a_lost_proof_is_worse_and_a_new_one_is_not():
    def change(kept, found, what="disjoint"):
        return Change("file::kernel", what, kept, found).worse

    assert change({"proved": 2}, {"proved": 1, "unproven": 1})
    assert change({"unproven": 1}, {"refuted": 1})
    assert change({"proved": 1}, {"conditional": 1})
    assert change({"proved": 2}, {"proved": 1})
    assert not change({"unproven": 1}, {"proved": 1})
    assert not change({"atomic": 1}, {"proved": 1})
    assert change({"TC102": 1}, {"TC102": 2}, "findings")
    assert change({}, {"TC401": 1}, "findings")
    assert not change({"TC102": 1}, {}, "findings")
