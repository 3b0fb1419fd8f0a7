"""A test of the test: a fault planted in any rule of the prover is found by the generated kernels."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from functools import lru_cache

import pytest

from tests.memos import clear_memos
from tests.oracle import reaching_faults
from tests.oracle.aspects import COMPLETE, events
from tests.oracle.faults import FAULTS
from tests.oracle.generate import Generated, Subject, from_seed
from tests.oracle.judging import examine
from tests.oracle.truth import brute_force

POOL = 1200
TRIED = 150


@lru_cache(maxsize=3)
def _pool(subject: Subject = "races") -> tuple[tuple[int, Generated], ...]:
    return tuple((seed, from_seed(seed, subject)) for seed in range(20_000, 20_000 + POOL))


def _order(constructs: tuple[str, ...], subject: Subject = "races") -> list[tuple[int, Generated]]:
    """Kernels with the constructs first."""
    return sorted(_pool(subject), key=lambda item: not set(constructs) & {*item[1].features, *item[1].slips})


def _hunt(rule: str) -> tuple[int, str]:
    """Plants the fault and looks for a contradiction: the seed of the kernel and the contradiction, or (-1, "").

    Runs in a process of its own, which the fault does not leave.
    """
    plant, constructs = FAULTS[rule]
    clear_memos()
    plant()
    tried = 0
    for seed, kernel in _order(constructs):
        truth = brute_force(kernel, 16)
        if not truth.ever_collides:
            continue
        tried += 1
        outcome = examine(kernel, f"seed {seed}", truth)
        if outcome.contradictions:
            return seed, f"after {tried} kernels: {outcome.contradictions[0]}"
        if tried == TRIED:
            break
    return -1, ""


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Every module is loaded, and the kernels are made, before a process is made that plants a fault."""
    for subject in ("races", "bounds", "padding"):
        examine(_pool(subject)[0][1], "first")


@pytest.mark.slow
@pytest.mark.parametrize("rule", FAULTS)
def test_planted_fault_is_caught(rule):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        seed, found = pool.apply(_hunt, (rule,))
    assert found, f"a fault in `{rule}` went unnoticed"
    sound = examine(from_seed(seed), f"seed {seed}")
    assert not sound.contradictions, f"contradicted without the fault as well: {sound.contradictions}"


def _hunt_past_the_end(name: str) -> tuple[int, str]:
    """The same for a fault in what decides about bounds or padding."""
    fault = reaching_faults.FAULTS[name]
    clear_memos()
    fault.plant()
    tried = 0
    for seed, kernel in _order(fault.constructs, fault.subject):
        truth = brute_force(kernel, 16)
        if not any(events(fault.subject, r, kernel) for r in truth.runs):
            continue
        tried += 1
        outcome = examine(kernel, f"seed {seed}", truth)
        if outcome.contradictions:
            return seed, f"after {tried} kernels: {outcome.contradictions[0]}"
        if tried == TRIED:
            break
    return -1, ""


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, f in reaching_faults.FAULTS.items() if f.subject in COMPLETE])
def test_planted_fault_past_the_end_is_caught(name):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        seed, found = pool.apply(_hunt_past_the_end, (name,))
    assert found, f"a fault in `{name}` went unnoticed"
    sound = examine(from_seed(seed, reaching_faults.FAULTS[name].subject), f"seed {seed}")
    assert not sound.contradictions, f"contradicted without the fault as well: {sound.contradictions}"


def _plant(plant: Callable[[], None]) -> None:
    plant()


@pytest.mark.parametrize("plant", [
    *(plant for plant, _ in FAULTS.values()), *(fault.plant for fault in reaching_faults.FAULTS.values())])
def test_faults_name_existing_functions(plant):
    """A change that renames a function of the prover fails here, without the search for kernels."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply(_plant, (plant,))


def test_each_subject_has_ten_faults():
    assert len(FAULTS) >= 10
    assert sum(f.subject == "bounds" for f in reaching_faults.FAULTS.values()) >= 10
    assert sum(f.subject == "padding" for f in reaching_faults.FAULTS.values()) >= 10
