"""Tensors of one value, filled on the device."""

from __future__ import annotations

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tilecheck_runtime import bf16, bool_, f16, f32, f64, i8, i16, i32, i64, u8

N = 1 << 20


@pytest.mark.parametrize("dtype, value", [
    (f32, 0), (f32, 1), (f32, 1 / 3), (f64, 0), (f64, 1 / 3), (f16, 1 / 3), (bf16, -2.5), (bool_, True), (u8, 200),
    (i8, -3), (i16, -300), (i32, 70_000), (i32, 0x10001), (i64, 1 << 40), (i64, -1)])
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (N + 3,)])
def test_every_element_is_the_value(dtype, value, shape):
    held = tcr.full((64,), 7, u8)
    found = tcr.full(shape, value, dtype).numpy()
    assert found.shape == shape and (found == np.full(shape, value).astype(found.dtype)).all()
    assert (held.numpy() == 7).all()


def test_a_loop_that_makes_its_output():
    x, kept = tcr.ones((N,), f32), []
    for n in range(300):
        y = tcr.full((N,), float(n), f32)
        z = add(tcr.zeros((N,), f32).partition(1024), x, y).start().take_early()
        if n % 50 == 0:
            kept.append((n, z))
    for n, z in kept:
        assert (z.numpy() == 1 + n).all()


def test_tensors_are_filled_on_other_streams():
    sides = [tcr.stream(f"side {n}") for n in range(3)]
    x = tcr.ones((N,), f32)
    for n in range(60):
        y = tcr.full((N,), float(n), f32)
        flight = add(tcr.zeros((N,), f32).partition(1024), x, y).start(sides[n % 3])
        if n % 7 == 0:
            assert (flight.wait().numpy() == 1 + n).all()
        else:
            del flight
