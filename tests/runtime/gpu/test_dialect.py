"""Kernels of the dialect on a GPU, against references in double precision, and against the CPU's sanitizer."""

from __future__ import annotations

import secrets

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases import dialect
from tests.runtime.compile.kernels import add
from tests.runtime.dialect import kernels
from tests.runtime.gpu.both import Poisoned, on_both
from tilecheck_runtime import Grouped, Linear, Range, Walk, f16, f32, i32
from tilecheck_runtime.backends.selection.select import current

SEED = secrets.randbits(32)


def put(values):
    return tcr.from_numpy(np.ascontiguousarray(values))


def floats(random, *shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def test_a_kernel_is_compiled_ahead_for_the_gpu_that_its_arguments_are_on():
    z, x, y = (tcr.ones((4096,), f32) for _ in range(3))
    parts = z.partition(128)
    made = add.compile(parts, x, y)
    assert made.arch == current().arch
    assert add.compile(parts, x, y, arch=made.arch) is made


@pytest.fixture(autouse=True)
def _print_seed():
    print(f"seed {SEED}")  # shown when a test fails


@pytest.mark.parametrize(("n", "tile", "shift"), [
    (1024, 128, 0), (1000, 128, 0), (1000, 64, 1), (7, 128, 3), (1, 1, 0),
])
def test_add(n, tile, shift):
    def program(random):
        x, y = floats(random, n), floats(random, n + 3)
        z = Poisoned((n,), f32, shift)
        dialect.add(z.tensor.partition(tile), put(x), put(y)).sync()
        return [(z.check(), x.astype(np.float64) + y[:n], 1e-6)]

    on_both(program, SEED)


@pytest.mark.parametrize(("schedule", "blocks"), [
    (None, 0), (Linear(), 1), (Linear(), 5), (Grouped(2), 3), (Walk(0), 2), (Walk(1), 3),
])
@pytest.mark.parametrize("shape", [(64, 64, 64), (60, 44, 40), (45, 50, 70)])
def test_gemm(schedule, blocks, shape):
    m, n, k = shape

    def program(random):
        x, y = floats(random, m, k, dtype=np.float16), floats(random, k, n, dtype=np.float16)
        z = Poisoned((m, n), f32)
        p = z.tensor.partition(16, 16)
        dialect.gemm(p if schedule is None else p.map(schedule, blocks), put(x), put(y), 16).sync()
        return [(z.check(), x.astype(np.float64) @ y.astype(np.float64), 1e-5)]

    on_both(program, SEED)


def test_part_of_a_product():
    def program(random):
        x, y = floats(random, 64, 32, dtype=np.float16), floats(random, 32, 64, dtype=np.float16)
        z = tcr.zeros((64, 64), f32).partition(16, 16).map(Range(Linear(), 4, 8), 2)
        made = dialect.gemm(z, put(x), put(y), 16).sync().numpy().astype(np.float64)
        wanted = np.zeros((64, 64))
        wanted[16:32] = x[16:32].astype(np.float64) @ y.astype(np.float64)
        return [(made, wanted, 1e-5)]

    on_both(program, SEED)


@pytest.mark.parametrize("length", [16, 40, 100, 1000])
def test_rms_norm(length):
    def program(random):
        x, w = floats(random, 6, length, dtype=np.float16), floats(random, length, dtype=np.float16)
        z = Poisoned((6, length), f16)
        dialect.rms_norm(z.tensor.partition(1, 1 << (length - 1).bit_length()), put(x), put(w), 1e-5).sync()
        wide = x.astype(np.float64)
        wanted = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * w.astype(np.float64)
        return [(z.check(), wanted, 2e-3)]

    on_both(program, SEED)


def test_gathers_rows():
    def program(random):
        x, rows = floats(random, 9, 20), np.array([3, 8, -1, 0, 9, 1_000_000], np.int32)
        z = Poisoned((6, 20), f32)
        dialect.gathers_rows(z.tensor.partition(1, 32), put(x), put(rows)).sync()
        wanted = np.stack([x[r] if 0 <= r < 9 else np.zeros(20) for r in rows])
        return [(z.check(), wanted, 0)]

    on_both(program, SEED)


@pytest.mark.parametrize(("schedule", "blocks"), [(None, 0), (Linear(), 3), (Walk(0), 1)])
def test_two_outputs(schedule, blocks):
    def program(random):
        x, a, b = floats(random, 100), Poisoned((100,), f32), Poisoned((100,), f32)
        parts = [p.tensor.partition(16) for p in (a, b)]
        dialect.two_outputs(*(p if schedule is None else p.map(schedule, blocks) for p in parts), put(x)).sync()
        return [(a.check(), x, 0), (b.check(), 2 * x.astype(np.float64), 0)]

    on_both(program, SEED)


SHAPES = [((37,), (8,)), ((19, 33), (4, 8)), ((5, 9, 10), (2, 4, 4)), ((3, 5, 6, 7), (2, 2, 4, 4)),
          ((2, 3, 3, 5, 6), (1, 2, 2, 2, 4))]


@pytest.mark.parametrize(("shape", "tile"), SHAPES)
@pytest.mark.parametrize("mapped", [None, Linear(), Walk(0)])
def test_every_rank(shape, tile, mapped):
    def program(random):
        x, z = floats(random, *shape), Poisoned(shape, f32)
        p = z.tensor.partition(*tile)
        blocks = 1 if len(shape) == 1 else 2
        kernels.COPIES[len(shape) - 1](p if mapped is None else p.map(mapped, blocks), put(x)).sync()
        return [(z.check(), x, 0)]

    on_both(program, SEED)


def test_read_back_nested_and_in_place():
    def program(random):
        z, y = floats(random, 19, 33), floats(random, 19, 33)
        out, other = put(z), put(y)
        made = kernels.in_place(out.partition(4, 8)).sync().numpy().astype(np.float64)
        nested = kernels.nested(put(z).partition(8, 16), 4, 8).sync().numpy().astype(np.float64)
        a, _ = kernels.in_place_by_cell(put(z).partition(4, 8), other.partition(4, 8)).sync()
        return [(made, z.astype(np.float64) + 1, 1e-6), (nested, (z.astype(np.float64) + 1) * 2, 1e-6),
                (a.numpy().astype(np.float64), z.astype(np.float64) + y, 1e-6)]

    on_both(program, SEED)


def test_appended_scattered_and_turned():
    def program(random):
        new, position = floats(random, 4, 8, dtype=np.float16), np.array([0, 5, 6, -1], np.int32)
        cache = kernels.append(tcr.zeros((4, 6, 8), f16).partition(1, 6, 8), put(new), put(position)).sync()
        wanted = np.zeros((4, 6, 8))
        wanted[0, 0], wanted[1, 5] = new[0], new[1]
        x = floats(random, 8, 16)
        flipped = kernels.transposed(tcr.zeros((16, 8), f32).partition(4, 4), put(x)).sync()
        labels = np.array([3, 0, 7, 2], np.int32)
        hot = kernels.one_hot(tcr.zeros((4, 8), f32).partition(2, 8), put(labels)).sync()
        return [(cache.numpy().astype(np.float64), wanted, 0), (flipped.numpy().astype(np.float64), x.T, 0),
                (hot.numpy().astype(np.float64), np.eye(8)[labels], 0)]

    on_both(program, SEED)


def test_atomics():
    def program(random):
        x = floats(random, 32, 16)
        total, z = tcr.zeros((16,), f32), Poisoned((32, 16), f32)
        kernels.column_sums(total, z.tensor.partition(4, 8), put(x)).sync()
        return [(total.numpy().astype(np.float64), x.astype(np.float64).sum(0), 1e-5), (z.check(), x, 0)]

    on_both(program, SEED)


def test_integers_of_the_dialect_reach_the_device():
    x = put(np.arange(5, dtype=np.int32))
    assert x.dtype is i32 and x.numpy().tolist() == [0, 1, 2, 3, 4]
