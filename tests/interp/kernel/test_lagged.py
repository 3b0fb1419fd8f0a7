"""Variables that hold in one iteration what the one before read for the next."""

from __future__ import annotations

from tests.interp.kernel.harness import index, kernel

PARAMS = "y, starts, n: int, T: ct.Constant[int]"
LOOP = """
first = ct.load(starts, ({first},), (1,)).item()
for p in range(n):
    last = ct.load(starts, (p + 1,), (1,)).item()
    ct.store(y.slice(axis=0, start=first, stop=last), (ct.bid(0),), ct.zeros((T,), ct.float32))
    {tail}
"""


def _index(first: str = "0", tail: str = "first = last") -> str:
    return index(kernel(LOOP.format(first=first, tail=tail), params=PARAMS))[0]


def test_the_end_of_one_part_is_the_start_of_the_next() -> None:
    assert _index() == "T*bid(0) + lane0<T> + starts[#p@8]"


def test_another_start_is_a_function_of_the_iteration() -> None:
    assert "carry:first" in _index(first="1")


def test_a_start_that_only_some_iterations_set() -> None:
    text = _index(tail="if n > 3:\n        first = last")
    assert "starts[#p@8]" not in text


def test_a_step_that_adds() -> None:
    assert "carry:first" in _index(tail="first = first + last")


def test_after_the_loop() -> None:
    k = kernel(LOOP.format(first="0", tail="first = last") + """
ct.store(y.slice(axis=0, start=first, stop=first + 8), (ct.bid(0),), ct.zeros((T,), ct.float32))
""", params=PARAMS)
    assert index(k, 1) == ["T*bid(0) + lane0<T> + starts[max(0, n)]"]
