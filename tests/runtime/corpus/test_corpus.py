"""Kernels of the corpus run and compute the right results, and the findings on them are expected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.runtime.corpus import (
    activations,
    attention,
    liger,
    models,
    products,
    rotations,
    routing,
    rows,
    sequences,
    unsloth,
)
from tests.runtime.corpus.examples import EXAMPLES, to_double
from tests.runtime.corpus.loading import kernel
from tilecheck_runtime.cpu.execution.execute import sanitize

FAMILIES = (activations, attention, liger, models, products, rotations, routing, rows, sequences, unsloth)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_kernels_of_the_corpus_compute_the_expected_values(name: str, corpus: Path) -> None:
    module, function, build = EXAMPLES[name]
    run = build(np.random.default_rng(7))
    report = sanitize(kernel(corpus, module, function), run.grid, run.args, seed=1)
    assert report.codes() == run.findings, str(report)
    for place, wanted in run.expected.items():
        found = run.args[place]
        pairs = zip(found, wanted, strict=True) if isinstance(found, list) else ((found, wanted),)
        for actual, desired in pairs:
            np.testing.assert_allclose(to_double(actual), to_double(desired), rtol=run.tolerance, atol=run.tolerance)


def test_enough_kernels_run() -> None:
    assert len({(module, function) for module, function, _ in EXAMPLES.values()}) >= 60 and FAMILIES
