"""Bounds on external kernels: the share of decided obligations, and that no correct access is refuted."""

from __future__ import annotations

from tests.corpus.bounds_figures import bounds_figures

DECIDED = 0.85
DISCHARGED = 0.6
"""Of the rest many belong to kernels that host code may launch unseen."""


def test_most_bounds_are_decided(corpus_report):
    found = bounds_figures(corpus_report)
    assert found.decided >= DECIDED * found.total, str(found)
    assert found.discharged >= DISCHARGED * found.clauses, str(found)


def test_no_bound_is_refuted(corpus_report):
    refuted = [(k["file"], o["line"]) for k in corpus_report["kernels"] for o in k["obligations"]
               if o["kind"] == "bounds" and o["verdict"] == "refuted"]
    assert refuted == []
