"""Undefined lanes: followed through operations, reported where something depends on them, and only once."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np
import pytest

from tests.runtime.kernels import codes, floats, run, zeros

ZERO = ct.PaddingMode.ZERO


def sum_tile(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.store(o, (0,), ct.reshape(ct.sum(t * 0), (1,)))  # used


def stored_wider(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.store(o, (0,), ct.exp(t))  # used


def scatter_tile(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.scatter(o, ct.arange(T, dtype=ct.int32), t)  # used


def branch_on_tile(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    if ct.extract(t, (T - 1,), (1,)).item() > 0:  # used
        ct.store(o, (0,), ct.zeros((T,), ct.float32))


def index_by_tile(x, o, T: ct.Constant[int]):
    t = ct.astype(ct.load(x, (0,), (T,)), ct.int32)
    ct.store(o, (0,), ct.gather(o, t % 2))  # used


def scanned_back(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    c = ct.cumsum(t, 0, reverse=True)  # used
    ct.scatter(o, ct.arange(T, dtype=ct.int32), c, mask=ct.arange(T, dtype=ct.int32) < 3)


def multiply_tiles(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    p = ct.mma(t[None, :], ct.ones((T, 1), ct.float32), ct.zeros((1, 1), ct.float32))  # used
    ct.store(o, (0,), p.reshape((1,)))


def added_atomically(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.atomic_add(o, ct.arange(T, dtype=ct.int32), t)  # used


def argmax_of_padding(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.store(o, (0,), ct.astype(ct.argmax(t, 0), ct.float32).reshape((1,)))  # used


def reduced_by_hand(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.store(o, (0,), ct.reduce(t, 0, lambda a, b: a + b, 0).reshape((1,)))  # used


def masked_by_product(x, o, T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    t = ct.load(x, (0,), (T,)) * ct.astype(lanes < 3, ct.float32)
    ct.store(o, (0,), ct.sum(t).reshape((1,)))  # used


WRONG = [
    sum_tile,
    stored_wider,
    scatter_tile,
    branch_on_tile,
    index_by_tile,
    scanned_back,
    multiply_tiles,
    added_atomically,
    argmax_of_padding,
    reduced_by_hand,
    masked_by_product,
]


@pytest.mark.parametrize("kernel", WRONG)
def test_uses_of_undefined_lanes(kernel):
    report = run(kernel, floats(3), zeros(4), 4)
    found = codes(report)
    assert len(found) == 1
    (code, line), = found
    assert code == "TC301" and line.endswith("# used")
    (event,) = report.events
    assert event.other is not None and event.other.site.span.line < event.line + 1


def clip_store(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.exp(ct.load(x, (0,), (T,))))


def select_lanes(x, o, T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    t = ct.where(lanes < 3, ct.load(x, (0,), (T,)), 0)
    ct.store(o, (0,), ct.sum(t).reshape((1,)))


def masked_condition(x, o, T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    keep = (ct.load(x, (0,), (T,)) > 0) & (lanes < 3)
    ct.store(o, (0,), ct.sum(ct.where(keep, 1.0, 0.0)).reshape((1,)))


def scanned_forward(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.cumsum(ct.load(x, (0,), (T,)), 0))


def padded(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.sum(ct.load(x, (0,), (T,), padding_mode=ZERO)).reshape((1,)))


def rows_that_are_dropped(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    m = ct.broadcast_to(t.reshape((T, 1)), (T, 2))
    p = ct.mma(m, ct.ones((2, 2), ct.float32), ct.zeros((T, 2), ct.float32))
    ct.store(o, (0,), ct.sum(p, axis=1))


def inserted_over(x, o, T: ct.Constant[int]):
    t = ct.insert(ct.load(x, (0,), (T,)), (T - 1,), ct.zeros((1,), ct.float32))
    ct.store(o, (0,), ct.sum(t).reshape((1,)))


def rows_summed_past_the_end(x, o, T: ct.Constant[int]):
    t = ct.load(x.slice(0, 0, 3), (0,), (T,))
    m = ct.where(ct.arange(2, dtype=ct.int32)[None, :] < 1, t[:, None], 0.0)
    ct.store(o, (0,), ct.sum(m, axis=1))


def scanned_rows_past_the_end(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    m = ct.where(ct.arange(2, dtype=ct.int32)[None, :] < 1, t[:, None], 0.0)
    s = ct.cumsum(m, 1, reverse=True)
    ct.store(o, (0,), ct.extract(s, (0, 0), (T, 1)).reshape((T,)))


def multiplied_rows_past_the_end(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    m = ct.where(ct.arange(2, dtype=ct.int32)[None, :] < 1, t[:, None], 0.0)
    p = ct.mma(m, ct.ones((2, 2), ct.float32), ct.zeros((T, 2), ct.float32))
    ct.store(o, (0,), ct.matmul(p, ct.ones((2,), ct.float32)))


def summed_for_nothing(x, o, T: ct.Constant[int]):
    total = ct.sum(ct.load(x, (0,), (T,)))
    ct.store(o, (0,), ct.where(ct.arange(T, dtype=ct.int32) < T, 1.0, total))


RIGHT = [clip_store, select_lanes, masked_condition, scanned_forward, padded, rows_that_are_dropped, inserted_over,
         rows_summed_past_the_end, scanned_rows_past_the_end, multiplied_rows_past_the_end, summed_for_nothing]


@pytest.mark.parametrize("kernel", RIGHT)
def test_undefined_lanes_that_nothing_depends_on(kernel):
    report = run(kernel, floats(3), zeros(3), 4)
    assert report.clean, str(report)


def sum_that_decides(x, o, T: ct.Constant[int]):
    total = ct.sum(ct.load(x, (0,), (T,)))  # used
    scaled = total * 2
    ct.store(o, (0,), ct.zeros((T,), ct.float32) + scaled)


def test_the_use_of_a_combination_is_reported():
    (event,) = run(sum_that_decides, floats(3), zeros(3), 4).events
    first = sum_that_decides.__code__.co_firstlineno
    assert event.message == "ct.sum uses lanes that the padding of a load of 'x' leaves undefined"
    assert event.line == first + 1
    assert event.notes == (f"line {first + 3} uses the result, and puts it into element [0] of 'o'",)


def vector_product(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    ct.store(o, (0,), ct.matmul(t, ct.ones((T,), ct.float32)).reshape((1,)))  # used


def test_products_of_vectors():
    assert {line.endswith("# used") for _, line in codes(run(vector_product, floats(3), zeros(1), 4))} == {True}
    assert run(vector_product, floats(4), zeros(1), 4).clean


def counted_by_padding(n, o):
    stop = ct.extract(ct.load(n, (0,), (4,)), (3,), (1,)).item()
    for i in range(stop):
        ct.store(o, (i,), ct.zeros((1,), ct.float32))


def outside_throughout(n, o):
    for i in range(ct.load(n, (9,), (1,)).item()):
        ct.store(o, (i,), ct.zeros((1,), ct.float32))


@pytest.mark.parametrize(("kernel", "code"), [(counted_by_padding, "TC301"), (outside_throughout, "TC201")])
def test_loops_over_undefined_bounds_end(kernel, code):
    assert {c for c, _ in codes(run(kernel, np.array([2, 2, 2], np.int32), zeros(4)))} == {code}


def used_twice(x, o, T: ct.Constant[int]):
    t = ct.load(x, (0,), (T,))
    s = t - ct.max(t, keepdims=True)  # used
    ct.store(o, (0,), ct.sum(s).reshape((1,)))


def test_a_source_is_reported_once():
    assert {line.endswith("# used") for _, line in codes(run(used_twice, floats(3), zeros(3), 4))} == {True}


def divide_tile(x, o):
    q = 7 // ct.load(x, (0,), (4,))
    ct.store(o, (0,), q)  # used


def test_integer_division_by_zero_is_undefined():
    x = np.array([1, 2, 0, 4], np.int32)
    (event,) = run(divide_tile, x, zeros(4, dtype=np.int32)).events
    assert event.code == "TC301" and "an integer division by zero" in event.message and event.element == (2,)


def result_outside(c, o):
    old = ct.atomic_add(c, ct.arange(4, dtype=ct.int32), 1)
    ct.store(o, (0,), old)  # used


def test_results_of_atomics_outside_the_array_are_undefined():
    report = run(result_outside, zeros(3, dtype=np.int32), zeros(4, dtype=np.int32))
    (event,) = report.events
    assert event.code == "TC301" and "atomic_add outside the array" in event.message and event.element == (3,)
