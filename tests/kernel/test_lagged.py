"""Variables that hold in one iteration what the one before read for the next."""

from __future__ import annotations

from tests.kernel.harness import index, kernel

PARAMS = "y, starts, n: int, T: ct.Constant[int]"
LOOP = """
first = ct.load(starts, ({first},), (1,)).item()
for p in range(n):
    last = ct.load(starts, (p + 1,), (1,)).item()
    if ct.bid(0) < last:
        ct.store(y, (first,), ct.zeros((T,), ct.float32))
    {tail}
"""


def _index(first: str = "0", tail: str = "first = last") -> str:
    return index(kernel(LOOP.format(first=first, tail=tail), params=PARAMS))[0]


def test_the_end_of_one_part_is_the_start_of_the_next() -> None:
    assert _index() == "T*starts[#p@6] + lane0<T>"


def test_another_start_is_a_function_of_the_iteration() -> None:
    assert "carry:first" in _index(first="1")


def test_a_start_that_only_some_iterations_set() -> None:
    text = _index(tail="if n > 3:\n        first = last")
    assert "starts[#p@6]" not in text


def test_a_step_that_adds() -> None:
    assert "carry:first" in _index(tail="first = first + last")


def test_after_the_loop() -> None:
    k = kernel("""
        first = ct.load(starts, (0,), (1,)).item()
        for p in range(n):
            first = ct.load(starts, (p + 1,), (1,)).item()
        ct.store(y, (first,), ct.zeros((T,), ct.float32))
    """, params=PARAMS)
    assert index(k) == ["T*starts[max(0, n)] + lane0<T>"]
