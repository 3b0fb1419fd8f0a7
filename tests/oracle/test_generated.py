"""A fixed sample of random kernels against brute force: no verdict is contradicted, and few are left open.

`test_fresh_kernels.py` tries kernels that differ from change to change.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.oracle.aspects import COMPLETE
from tests.oracle.figures import Figures, Shares, contradictions, measure, shares
from tests.oracle.generate import from_seed
from tests.oracle.judging import examine, explain
from tests.oracle.truth import brute_force

KERNELS = 400
RULES = ("factor", "merge", "solve", "peel", "inverse", "quotient", "congruent", "reduce", "exact", "range",
         "exclusive", "squeeze", "split", "data", "segment", "ticket")
FIRED = 0.01
"""Of all kernels, the share in which a rule is used, at least."""


REACHING = ("bounds", "padding")


def _print_report(report: str, made: Figures) -> None:
    print(f"\n{report}")
    if path := os.environ.get("TILECHECK_ORACLE_REPORT"):
        Path(f"{path}.{made.subject}").write_text(f"{report}\n{contradictions(made, 1000)}", encoding="utf-8")


@pytest.fixture(scope="module")
def figures() -> Figures:
    made = measure(range(KERNELS), workers=1)
    _print_report(f"{made.summary()}\n{made.list_missed()}", made)
    return made


@pytest.fixture(scope="module", params=REACHING)
def reaching(request) -> Figures:
    """Kernels made to reach past the end of their arrays."""
    made = measure(range(KERNELS // 2), workers=1, subject=request.param)
    found = shares(made, request.param)
    _print_report(f"{found.summary()}\n{found.list_missed()}", made)
    return made


def _shares(made: Figures) -> Shares:
    kind = made.subject
    assert kind != "races"
    return shares(made, kind)


@pytest.mark.slow
def test_no_verdict_is_contradicted(figures):
    assert not figures.contradicted, contradictions(figures)


@pytest.mark.slow
def test_the_sample_has_enough_safe_and_colliding_kernels(figures):
    total = len(figures.outcomes)
    assert len(figures.of("safe")) >= 0.3 * total, figures.summary()
    assert len(figures.of("colliding")) >= 0.3 * total, figures.summary()


@pytest.mark.slow
def test_most_safe_kernels_are_decided(figures):
    assert figures.safe_decided >= 0.85, f"{figures.summary()}\n{figures.list_missed()}"


@pytest.mark.slow
def test_most_colliding_kernels_are_refuted(figures):
    assert figures.colliding_refuted >= 0.85, f"{figures.summary()}\n{figures.list_missed()}"


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_fires(figures, rule):
    assert figures.rules[rule] >= FIRED * len(figures.outcomes), figures.rules


@pytest.mark.slow
def test_no_verdict_on_bounds_or_padding_is_contradicted(reaching):
    assert not reaching.contradicted, contradictions(reaching)


@pytest.mark.slow
def test_the_sample_has_enough_safe_and_faulty_kernels(reaching):
    found, total = _shares(reaching), len(reaching.outcomes)
    assert len(found.of("safe")) >= 0.3 * total, found.summary()
    assert len(found.of("faulty")) >= 0.2 * total, found.summary()


@pytest.mark.slow
def test_most_bounds_and_padding_are_decided(reaching):
    found = _shares(reaching)
    if reaching.subject in COMPLETE:
        assert found.safe_decided >= 0.85, f"{found.summary()}\n{found.list_missed()}"
        assert found.faulty_noticed >= 0.85, f"{found.summary()}\n{found.list_missed()}"


def test_kernels_depend_on_the_seed_alone():
    assert from_seed(11) == from_seed(11)
    assert from_seed(11) != from_seed(12)


def test_brute_force_finds_both_kinds():
    kinds = [brute_force(from_seed(seed), 16).kind for seed in range(60)]
    assert kinds.count("safe") >= 18
    assert kinds.count("colliding") >= 18


def test_a_small_sample_is_not_contradicted():
    outcomes = [(seed, examine(from_seed(seed), f"seed {seed}", count=12)) for seed in range(5_000, 5_012)]
    assert not [explain(from_seed(seed), o) for seed, o in outcomes if o.contradictions]


@pytest.mark.parametrize("subject", REACHING)
def test_a_small_sample_that_reaches_past_the_end_is_not_contradicted(subject):
    kernels = [(seed, from_seed(seed, subject)) for seed in range(5_000, 5_012)]
    outcomes = [(kernel, examine(kernel, f"seed {seed}", count=12)) for seed, kernel in kernels]
    assert not [explain(kernel, o) for kernel, o in outcomes if o.contradictions]
    assert len({a.truth for _, o in outcomes for a in o.aspects if a.kind == subject}) > 1
