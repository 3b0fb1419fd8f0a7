"""Launches of real size in seconds, not minutes. Processor time, so that a busy machine does not matter."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.cases.raw_good import grouped_gemm, vadd
from tilecheck_runtime.cpu.execution.execute import sanitize

pytestmark = pytest.mark.slow


def test_a_product_of_1024() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((1024, 1024), dtype=np.float32) for _ in range(2))
    c = np.zeros((1024, 1024), np.float32)
    began = time.process_time()
    assert sanitize(grouped_gemm, (256,), (a, b, c, 64, 64, 64)).clean
    assert time.process_time() - began < 20
    np.testing.assert_allclose(c, a @ b, atol=1e-3)


def test_a_sum_of_16_million() -> None:
    count = 1 << 24
    a, b = np.arange(count, dtype=np.float32), np.ones(count, np.float32)
    c = np.zeros(count, np.float32)
    began = time.process_time()
    assert sanitize(vadd, (count // 1024,), (a, b, c, 1024)).clean
    assert time.process_time() - began < 5
    assert (c == a + b).all()
