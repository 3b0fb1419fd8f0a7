"""Random host functions against their executions: what is said of a clause at a launch is so in all of them."""

from __future__ import annotations

import os

import pytest

from tests.interp.host.random_hosts import executed, numbered, written, wrong
from tests.seeds import VARIABLE, source_seed

HOSTS = int(os.environ.get("TILECHECK_HOSTS", "24"))
KNOWN = (41, 81, 84)
"""Host functions of which something was said that is not so, each for a reason of its own."""


def told(seed: int) -> str:
    return "\n".join((*map(str, wrong(seed)), *numbered(written(seed))))


@pytest.fixture(autouse=True)
def raising(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILECHECK_DEBUG", "1")


@pytest.mark.parametrize("seed", KNOWN)
def test_known_difficult_hosts_are_understood(seed: int) -> None:
    assert not wrong(seed), told(seed)


def test_clause_states_at_launches_are_true() -> None:
    first = source_seed()
    bad = [seed for seed in range(first, first + HOSTS) if wrong(seed, 60)]
    assert not bad, "\n\n".join((f"{VARIABLE}={first}", *map(told, bad[:2])))


def test_hosts_launch() -> None:
    """What is compared says something: most of the functions launch for some of the arguments."""
    from random import Random

    from tests.interp.host.random_hosts import drawn

    rng = Random(1)
    inputs = [drawn(rng) for _ in range(20)]
    assert sum(bool(executed(written(seed), inputs, seed)) for seed in range(1000, 1012)) >= 8
