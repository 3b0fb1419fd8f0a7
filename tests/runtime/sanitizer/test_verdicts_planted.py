"""A test of the test: where the sanitizer or the prover is wrong, holding one against the other shows it."""

from __future__ import annotations

import multiprocessing

import pytest

from tests.memos import clear_memos
from tests.oracle import faults, reaching_faults, sanitizer_faults
from tests.oracle.closing import close
from tests.oracle.generate import Subject, from_seed
from tests.runtime.sanitizer.test_verdicts import missing

HERE = multiprocessing.get_context("fork")
POOL = range(20_000, 20_400)
TRIED = 150
IN_THE_PROVER = ("peel", "merge", "solve", "inverse", "clauses")
PAST_THE_END = ("upper end", "limits", "tiles", "where", "moves", "divides")


def _hunt(where: str, name: str) -> tuple[Subject, int, str]:
    """Plants a fault, and looks for a kernel on which the two sides disagree. Runs in a process of its own."""
    subject: Subject
    if where == "sanitizer":
        plant, subject, constructs = sanitizer_faults.FAULTS[name]
    elif where == "prover":
        plant, constructs = faults.FAULTS[name]
        subject = "races"
    else:
        fault = reaching_faults.FAULTS[name]
        plant, subject, constructs = fault.plant, fault.subject, fault.constructs
    clear_memos()
    plant()
    made = [(seed, from_seed(seed, subject)) for seed in POOL]
    made.sort(key=lambda item: not set(constructs) & {*item[1].features, *item[1].slips})
    for seed, _ in made[:TRIED]:
        found = close([seed], subject)
        if found.faults:
            return subject, seed, found.explain_faults(1)
    return subject, -1, ""


CASES = [*(("sanitizer", name) for name in sanitizer_faults.FAULTS), *(("prover", name) for name in IN_THE_PROVER),
         *(("past the end", name) for name in PAST_THE_END)]


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Every module is loaded before a process is made that plants a fault in one."""
    close([1], "races", 2)
    missing("raw_bad")


@pytest.mark.slow
@pytest.mark.parametrize(("where", "name"), CASES)
def test_a_planted_fault_is_seen(where: str, name: str) -> None:
    with HERE.Pool(1) as pool:
        subject, seed, found = pool.apply(_hunt, (where, name))
    assert found, f"a fault in {name} of the {where} went unnoticed"
    sound = close([seed], subject)
    assert not sound.faults, sound.explain_faults(1)


def _missing(name: str) -> list[tuple[str, str | None, str]]:
    plant, file = sanitizer_faults.IN_CASES[name]
    clear_memos()
    plant()
    return missing(file)


@pytest.mark.parametrize("name", sanitizer_faults.IN_CASES)
def test_a_planted_fault_is_seen_in_the_cases(name: str) -> None:
    with HERE.Pool(1) as pool:
        assert len(pool.apply(_missing, (name,))) == 1
