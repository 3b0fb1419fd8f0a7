"""Numbers become narrow floats by one rounding, to nearest and ties to even."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tilecheck_runtime.cpu.directed import compute_directed, flush
from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.cpu.tile import cast

NARROW = ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"]


def _values(name: str) -> np.ndarray:
    """All finite values of a type, ascending; zero once."""
    storage = DTYPES[name].storage
    count = 16 if name == "float4_e2m1fn" else 1 << 8 * storage.itemsize
    with np.errstate(invalid="ignore"):
        all_of_it = np.arange(count, dtype=f"u{storage.itemsize}").view(storage).astype(np.float64)
    return np.unique(all_of_it[np.isfinite(all_of_it)])


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("side", [-1, 0, 1])
def test_doubles_near_a_midpoint_round_correctly(name, side):
    found = _values(name)
    low, high = found[:-1], found[1:]
    middle = (low + high) / 2
    beside = middle if side == 0 else np.nextafter(middle, side * np.inf)
    got = np.asarray(cast(beside, DTYPES[name])).astype(np.float64)
    if side:
        assert np.array_equal(got, high if side > 0 else low)
    else:
        bits = np.abs(low).astype(DTYPES[name].storage).view(f"u{DTYPES[name].storage.itemsize}")
        assert np.array_equal(got, np.where(bits % 2 == 0, low, high))


def _round_to_nearest(number: int) -> float:
    """An integer in bfloat16, worked out exactly; not for ties."""
    rough = float(np.float32(number).astype(ml_dtypes.bfloat16))
    step = 2.0 ** (max(abs(number), 1).bit_length() - 8)
    return min((rough - step, rough, rough + step), key=lambda v: abs(Fraction(v) - number))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
def test_integers_near_a_midpoint_round_correctly(kind):
    top = np.iinfo(kind).bits - (2 if np.iinfo(kind).min < 0 else 1)
    numbers = [(1 << e) + (1 << e - 8) + d for e in range(10, top + 1) for d in (-1, 1)]
    if np.iinfo(kind).min < 0:
        numbers += [-n for n in numbers]
    got = cast(np.array(numbers, kind), DTYPES["bfloat16"]).astype(np.float64)
    assert got.tolist() == [_round_to_nearest(n) for n in numbers]


def test_the_least_and_the_largest_integer():
    got = cast(np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max], np.int64), DTYPES["bfloat16"])
    assert got.astype(np.float64).tolist() == [-(2.0**63), 2.0**63]


def test_small_floats_pass_through_single_precision():
    wide = np.array([1.75, -0.5, 448.0]).astype(ml_dtypes.float8_e4m3fn)
    with np.errstate(invalid="ignore"):
        assert np.isnan(cast(wide, DTYPES["float8_e8m0fnu"])[1].astype(np.float32))
    assert cast(wide, DTYPES["float8_e5m2"]).astype(np.float32).tolist() == [1.75, -0.5, 448.0]
    assert cast(np.array([2.0]).astype(ml_dtypes.float8_e4m3fn), DTYPES["float8_e8m0fnu"]).astype(float).tolist() == [2]


@pytest.mark.parametrize("storage", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("mode", ["RZ", "RM", "RP"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_directed_rounding_gives_the_neighbour_on_that_side(name, mode, storage):
    generator = np.random.default_rng(7)
    a, b = ((generator.standard_normal(400) * 2.0 ** generator.integers(-6, 6, 400)).astype(storage) for _ in range(2))
    b[:40] = a[:40]
    got = compute_directed(name, storage, mode, a, b)
    operation = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "truediv": "__truediv__"}[name]
    for x, y, z in zip(a.tolist(), b.tolist(), got, strict=True):
        exact = getattr(Fraction(x), operation)(Fraction(y))
        below = mode == "RM" or (mode == "RZ" and exact >= 0)
        beyond = np.nextafter(z, storage(np.inf if below else -np.inf))
        near = Fraction(float(z))
        assert near <= exact < Fraction(float(beyond)) if below else Fraction(float(beyond)) < exact <= near


@pytest.mark.parametrize("storage", [np.float32, np.float64])
def test_directed_roots(storage):
    values = np.abs(np.random.default_rng(8).standard_normal(200)).astype(storage)
    for value, low, high in zip(values.tolist(), compute_directed("sqrt", storage, "RM", values),
                                compute_directed("sqrt", storage, "RP", values), strict=True):
        assert Fraction(float(low)) ** 2 <= Fraction(value) <= Fraction(float(high)) ** 2
        assert high in (low, np.nextafter(low, storage(np.inf)))


def test_flushing_keeps_the_sign():
    tiny = np.float32(2.0**-127)
    got = flush(np.array([tiny, -tiny, 2.0**-126, 1], np.float32))
    assert got.tolist() == [0, 0, 2.0**-126, 1] and np.signbit(got).tolist() == [False, True, False, False]
