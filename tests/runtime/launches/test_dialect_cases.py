"""The right kernels of the dialect's cases, launched from host code: their contracts hold and the values are right."""

from __future__ import annotations

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases import dialect
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import ContractError, Grouped, Linear, Range, Walk, f16, f32, i32
from tilecheck_runtime.contracts.contract import contract_of

pytestmark = pytest.mark.filterwarnings("error")

RIGHT = ("add", "gemm", "rms_norm", "gathers_rows", "two_outputs")


@pytest.mark.parametrize("name", RIGHT)
def test_the_checker_decides_the_cases(name):
    assert contract_of(getattr(dialect, name)._pyfunc).verdict == "proved"


@pytest.mark.parametrize(("schedule", "blocks"), [
    (None, 0), (Linear(), 1), (Linear(), 5), (Grouped(2), 3), (Walk(0), 2), (Walk(1), 4), (Linear(), 12),
])
def test_a_product_with_every_schedule(schedule, blocks):
    x, y = tcr.randn((60, 40), f16, seed=1), tcr.randn((40, 44), f16, seed=2)
    z = tcr.zeros((60, 44), f32).partition(16, 16)
    z = z if schedule is None else z.map(schedule, blocks)
    made = dialect.gemm(z, x, y, 8).sync()
    assert made.numpy() == pytest.approx(x.numpy().astype(np.float32) @ y.numpy().astype(np.float32), abs=1e-3)


def test_part_of_a_product():
    x, y = tcr.ones((64, 32), f16), tcr.ones((32, 64), f16)
    z = tcr.zeros((64, 64), f32).partition(16, 16).map(Range(Linear(), 4, 8), 2)
    made = dialect.gemm(z, x, y, 16).sync().numpy()
    assert (made[16:32] == 32).all() and not made[:16].any() and not made[32:].any()


@pytest.mark.parametrize("length", [16, 40, 100])
def test_rows_are_normalized(length):
    x, w = tcr.randn((6, length), f16, seed=3), tcr.rand((length,), f16, seed=4)
    tile = 1 << (length - 1).bit_length()
    made = dialect.rms_norm(tcr.zeros((6, length), f16).partition(1, tile), x, w, 1e-5).sync().numpy()
    values = x.numpy().astype(np.float32)
    wanted = values / np.sqrt((values**2).mean(axis=1, keepdims=True) + 1e-5) * w.numpy().astype(np.float32)
    assert made.astype(np.float32) == pytest.approx(wanted, rel=2e-3, abs=2e-3)


def test_pieces_of_one_row_are_declared():
    x, w = tcr.ones((6, 16), f16), tcr.ones((16,), f16)
    p = tcr.zeros((6, 16), f16).partition(2, 16)
    error = check_refused(ContractError, lambda: dialect.rms_norm(p, x, w, 1e-5))
    assert error.summary == "`z` (here `p`) is partitioned into pieces of (2, 16), where `rms_norm` declares (1, N)"


def test_rows_are_gathered_and_missing_ones_are_zero():
    x, rows = tcr.arange(40, dtype=f32).reshape(5, 8), tcr.from_numpy(np.array([4, 0, 7, 2], np.int32))
    made = dialect.gathers_rows(tcr.zeros((4, 8), f32).partition(1, 8), x, rows).sync().numpy()
    assert rows.dtype is i32
    assert (made == np.stack([x.numpy()[4], x.numpy()[0], np.zeros(8), x.numpy()[2]])).all()


def test_two_outputs_are_walked_together():
    x = tcr.arange(32, dtype=f32)
    a, b = (tcr.zeros((32,), f32).partition(4).map(Linear(), 3) for _ in range(2))
    a, b = dialect.two_outputs(a, b, x).sync()
    assert (a.numpy() == x.numpy()).all() and (b.numpy() == 2 * x.numpy()).all()
    c = tcr.zeros((16,), f32).partition(4).map(Linear(), 3)
    error = check_refused(ContractError, lambda: dialect.two_outputs(a, c, x))
    assert "a.shape[0] = 32" in error.summary and "b.shape[0] = 16" in error.summary
