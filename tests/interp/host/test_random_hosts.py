"""Random host functions against their executions: each report on a clause at a launch holds in all executions."""

from __future__ import annotations

import os

import pytest

from tests.interp.host.random_hosts import execute_host, find_wrong_reports, generate_host, number_lines
from tests.seeds import VARIABLE, source_seed

HOSTS = int(os.environ.get("TILECHECK_HOSTS", "24"))
KNOWN = (169, 185, 246, 439, 502)
"""Host functions that an analysis easily reports wrongly, each for a different reason."""


def report_wrong_clauses(seed: int) -> str:
    return "\n".join((*map(str, find_wrong_reports(seed)), *number_lines(generate_host(seed))))


@pytest.fixture(autouse=True)
def raising(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILECHECK_DEBUG", "1")


@pytest.mark.parametrize("seed", KNOWN)
def test_known_difficult_hosts_are_understood(seed: int) -> None:
    assert not find_wrong_reports(seed), report_wrong_clauses(seed)


def test_clause_states_at_launches_are_true() -> None:
    first = source_seed()
    bad = [seed for seed in range(first, first + HOSTS) if find_wrong_reports(seed, 60)]
    assert not bad, "\n\n".join((f"{VARIABLE}={first}", *map(report_wrong_clauses, bad[:2])))


def test_hosts_launch() -> None:
    """The comparison is meaningful: most of the functions launch for some of the arguments."""
    from random import Random

    from tests.interp.host.random_hosts import draw_arguments

    rng = Random(1)
    inputs = [draw_arguments(rng) for _ in range(20)]
    assert sum(bool(execute_host(generate_host(seed), inputs, seed)) for seed in range(1000, 1012)) >= 8
