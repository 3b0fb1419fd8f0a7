"""New tensors, random numbers, conversions and views."""

from __future__ import annotations

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

import tilecheck_runtime as tcr
from tilecheck_runtime import bf16, bool_, f8e4m3, f8e5m2, f16, f32, f64, i8, i32, i64, u8, u64

FLOATS = (f64, f32, f16, bf16, f8e4m3)


def test_tensors_have_the_given_contents():
    assert tcr.zeros((2, 3), f32).numpy().tolist() == [[0] * 3] * 2
    assert tcr.ones(3, i8).numpy().tolist() == [1] * 3
    assert tcr.full((2,), 2.5, bf16).numpy().tolist() == [2.5] * 2
    assert tcr.full((), True, bool_).item() is True
    assert tcr.arange(3, dtype=i32).numpy().tolist() == [0, 1, 2]
    assert tcr.arange(1, 4, dtype=f16).numpy().tolist() == [1, 2, 3]
    assert tcr.arange(1, 9, 3, dtype=u8).numpy().tolist() == [1, 4, 7]
    assert tcr.linspace(0, 1, 5, f32).numpy().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert tcr.eye(2, 3, dtype=f32).numpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert tcr.zeros((0, 4), f32).numpy().shape == (0, 4)


def test_element_types_by_any_name():
    ct = pytest.importorskip("cuda.tile")
    for dtype in (f32, np.float32, np.dtype("f4"), "float32", ct.float32):
        assert tcr.zeros(1, dtype).dtype is f32
    assert tcr.zeros(1, ml_dtypes.bfloat16).dtype is bf16
    with pytest.raises(TypeError, match=r"arrays of complex64 are not supported: write one of the dialect's"):
        tcr.zeros(1, "complex64")
    with pytest.raises(TypeError, match=r"'f33' is not an element type: write one of the dialect's, such as `f32`"):
        tcr.zeros(1, "f33")


def test_invalid_shapes_are_refused():
    with pytest.raises(ValueError, match=r"shape \(2, -1\): extents are not negative"):
        tcr.zeros((2, -1), f32)
    with pytest.raises(TypeError, match=r"a shape is an integer or a tuple of integers, not 2.5"):
        tcr.zeros(2.5, f32)


def test_unfilled_memory_needs_a_reason():
    assert tcr.empty((4,), f32, unsafe="every element is written by `add`").shape == (4,)
    for reason in ("", "  ", None):
        with pytest.raises(TypeError, match=r'needs a reason: write `empty\(shape, dtype, unsafe="why"\)` or `zeros`'):
            tcr.empty((4,), f32, unsafe=reason)
    with pytest.raises(TypeError):
        tcr.empty((4,), f32)


def test_memory_is_aligned_for_every_load():
    for size in (1, 3, 1000):
        assert tcr.zeros(size, u8).region.address % 128 == 0


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("make", [tcr.rand, tcr.randn])
def test_a_seed_gives_the_same_numbers(make, dtype):
    first, again, other = (make((64, 3), dtype, seed=seed).numpy() for seed in (7, 7, 8))
    assert (first == again).all() and (first != other).any()
    assert (make((64, 3), dtype).numpy() == make((64, 3), dtype, seed=0).numpy()).all()


def test_numbers_of_a_seed_are_fixed_for_good():
    assert tcr.rand((2,), f64, seed=1).numpy().tolist() == [0.3035680343067586, 0.8487087496857769]
    values = tcr.randn((2,), f64, seed=1).numpy().tolist()
    assert values == pytest.approx([-0.8284411203355836, -0.11253799207038442], rel=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_numbers_stay_below_one(dtype):
    values = tcr.rand((20_000,), dtype, seed=3).numpy().astype(np.float64)
    assert values.min() >= 0 and values.max() < 1 and abs(values.mean() - 0.5) < 0.05


@pytest.mark.parametrize("dtype", [f64, f32, f16, bf16])
def test_normal_numbers(dtype):
    values = tcr.randn((20_000,), dtype, seed=3).numpy().astype(np.float64)
    assert np.isfinite(values).all() and abs(values.mean()) < 0.05 and abs(values.std() - 1) < 0.05


@pytest.mark.parametrize("make", [tcr.rand, tcr.randn])
def test_random_integers_are_refused(make):
    with pytest.raises(TypeError, match=r"random numbers are float64, .*, not int32: convert them with `.astype"):
        make((4,), i32)


@pytest.mark.parametrize("dtype", [f32, f16, bf16, f8e4m3, i32])
def test_conversion_rounds_as_numpy_does(dtype):
    x = tcr.randn((100,), f64, seed=5)
    made = x.astype(dtype)
    assert made.dtype is dtype
    expected = x.numpy().astype(made.numpy().dtype)
    assert (made.numpy() == expected).all()


def test_a_copy_shares_no_memory():
    x = tcr.ones((4,), f32)
    y = x.copy()
    p = x.partition(2)
    assert y.numpy().tolist() == [1] * 4 and p.numpy().tolist() == [1] * 4
    assert y.region.address != p.region.address


def test_numpy_gets_copies():
    x = tcr.zeros((4,), f32)
    taken = x.numpy()
    taken[:] = 5
    assert x.numpy().tolist() == [0] * 4 and np.asarray(x, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match=r"NumPy gets a copy of a tensor; without one, write `x.numpy\(copy=False\)`"):
        np.asarray(x, copy=False)


def test_one_element_is_a_number():
    assert tcr.full((1, 1), 3, i32).item() == 3
    with pytest.raises(ValueError, match=r"a tensor of shape \(2,\) has 2 elements, not one"):
        tcr.zeros(2, f32).item()


X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize("index", [
    np.s_[1], np.s_[-1], np.s_[..., 2], np.s_[1:, ::2], np.s_[:, 1:3, 4], np.s_[::2, ..., ::3], np.s_[2, 3, 4],
    np.s_[5:], np.s_[..., -2:], np.s_[:, 3:1],
])
def test_views_are_those_of_numpy(index):
    view = tcr.from_numpy(X).view[index]
    assert view.shape == X[index].shape and (view.numpy() == X[index]).all()


@pytest.mark.parametrize(("index", "error", "text"), [
    (np.s_[3], IndexError, "index 3 is outside axis 0, which has extent 3"),
    (np.s_[0, 0, 0, 0], IndexError, "4 indices for 3 axes"),
    (np.s_[..., ...], IndexError, "an index has at most one `...`"),
    (np.s_[::-1], ValueError, "axis 0: step -1; a view goes forward, take a copy to turn an axis round"),
])
def test_invalid_views_are_refused(index, error, text):
    with pytest.raises(error) as caught:
        tcr.from_numpy(X).view[index]
    assert str(caught.value) == text


@pytest.mark.parametrize("shape", [(60,), (12, 5), (3, 20), (-1, 10), (3, 2, 2, 5), (1, 60, 1), (15, 4)])
def test_reshapes_are_those_of_numpy(shape):
    x = tcr.from_numpy(X)
    assert (x.reshape(shape).numpy() == X.reshape(shape)).all()
    assert (x.reshape(*shape).numpy() == X.reshape(shape)).all()


def test_reshapes_of_views():
    x = tcr.from_numpy(X)
    assert (x.view[:, 1:3].reshape(3, 10).numpy() == X[:, 1:3].reshape(3, 10)).all()
    assert (x.view[::2].reshape(2, 20).numpy() == X[::2].reshape(2, 20)).all()
    with pytest.raises(ValueError, match=r"strides \(20, 10, 1\) of shape \(3, 2, 5\) cannot be seen as \(5, 6\)"):
        x.view[:, ::2].reshape(5, 6)
    assert tcr.zeros((0, 3), f32).reshape(3, 0).shape == (3, 0)
    with pytest.raises(ValueError, match=r"shape \(3, 4, 5\) has 60 elements and cannot become \(7, 9\)"):
        x.reshape(7, 9)


def test_transpositions_are_those_of_numpy():
    x = tcr.from_numpy(X)
    assert (x.transposed().numpy() == X.T).all()
    assert (x.transposed(1, 0, 2).numpy() == X.transpose(1, 0, 2)).all()
    with pytest.raises(ValueError, match=r"\(0, 0, 1\) is not a permutation of the 3 axes"):
        x.transposed(0, 0, 1)


def test_seeds_of_64_bits_are_all_different():
    seeds = (0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
    assert len({tcr.rand((2,), f64, seed=seed).numpy().tobytes() for seed in seeds}) == len(seeds)


@pytest.mark.parametrize("make", [
    lambda: tcr.full((2,), 300, i8), lambda: tcr.full((2,), -1, u8), lambda: tcr.full((2,), float("nan"), i32),
    lambda: tcr.full((2,), 1e10, i32), lambda: tcr.full((2,), 1 << 64, u64), lambda: tcr.arange(300, dtype=i8),
    lambda: tcr.arange(-1, 3, dtype=u8), lambda: tcr.linspace(0, 1000, 3, i8),
])
def test_numbers_that_an_integer_type_does_not_have(make):
    with pytest.raises(OverflowError, match="is outside of"):
        make()


@pytest.mark.parametrize("value", [1 + 2j, None, "a", [1, 2]])
def test_a_tensor_is_filled_with_a_number(value):
    with pytest.raises(TypeError, match="a tensor is filled with one real number"):
        tcr.full((2,), value, f32)


def test_edges_of_integer_types():
    assert tcr.full((1,), (1 << 64) - 1, u64).item() == (1 << 64) - 1
    assert tcr.full((1,), (1 << 53) + 1, i64).item() == (1 << 53) + 1
    assert tcr.full((1,), -128, i8).item() == -128
    assert tcr.full((2,), -1.9, i8).numpy().tolist() == [-1, -1]
    assert tcr.linspace(-3, 3, 5, i32).numpy().tolist() == np.linspace(-3, 3, 5, dtype=np.int32).tolist()


def _convert(z, x):
    ct.store(z, (0,), ct.astype(ct.load(x, (0,), (16,)), z.dtype))


ODD = [np.nan, np.inf, -np.inf, 1e30, -1e30, 300.0, -1.7, 449.0, -0.0]


@pytest.mark.parametrize(("dtype", "wanted"), [
    (i8, [0, 127, -128, 127, -128, 127, -1, 127, 0]),
    (u8, [0, 255, 0, 255, 0, 255, 0, 255, 0]),
    (i32, [0, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 300, -1, 449, 0]),
    (u64, [0, 2**64 - 1, 0, 2**64 - 1, 0, 300, 0, 449, 0]),
    (f8e4m3, [np.nan, 448, -448, 448, -448, 288, -1.75, 448, -0.0]),
    (f8e5m2, [np.nan, 57344, -57344, 57344, -57344, 320, -1.75, 448, -0.0]),
    (bf16, [np.nan, np.inf, -np.inf, 1.0002555517425873e30, -1.0002555517425873e30, 300, -1.703125, 448, -0.0]),
    (f16, [np.nan, np.inf, -np.inf, np.inf, -np.inf, 300, -1.7001953125, 449, -0.0]),
])
@pytest.mark.parametrize("source", [f32, f64])
def test_conversions_are_those_of_kernels(source, dtype, wanted):
    values = np.array([*ODD, *[0] * 7])
    x = tcr.from_numpy(values).astype(source)
    found = x.astype(dtype).numpy()
    np.testing.assert_array_equal(found[:9].astype(object).astype(float), np.array(wanted, object).astype(float))
    assert np.array_equal(np.signbit(found[:9].astype(np.float64)), np.signbit(np.array(wanted, np.float64)))
    there = tcr.zeros((16,), dtype).numpy()
    assert not tcr.sanitize(_convert, (1,), (there, x.numpy())).events
    assert there.tobytes() == found.tobytes()
