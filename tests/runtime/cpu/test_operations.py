"""Operations against NumPy."""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.kernels import run
from tilecheck_runtime.cpu.dtypes import DTYPES, common_dtype, promote
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.cpu.execution.namespace import OPERATIONS as ops
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import TileTypeError

QUIET = settings(max_examples=60, deadline=None)
EXTENTS = st.sampled_from([1, 2, 4, 8])
NUMPY = {"float32": np.float32, "float16": np.float16, "int32": np.int32, "int8": np.int8, "uint8": np.uint8}


def tile(data: Any) -> Tile:
    array = np.asarray(data)
    return Tile(array, next(d for d in DTYPES.values() if d.storage == array.dtype))


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...], kind: str = "float32") -> Any:
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    if kind.startswith("float"):
        return rng.standard_normal(shape).astype(kind)
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(kind)


@st.composite
def broadcastable(draw: st.DrawFn, kind: str = "float32") -> tuple[Any, Any]:
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=3)))
    other = tuple(1 if draw(st.booleans()) else n for n in shape)[draw(st.integers(0, len(shape))):]
    return draw(arrays(shape, kind)), draw(arrays(other, kind))


@QUIET
@given(broadcastable())
def test_arithmetic_broadcasts_like_numpy(pair):
    x, y = pair
    for name, expected in (("add", x + y), ("sub", x - y), ("mul", x * y), ("maximum", np.maximum(x, y)),
                           ("less", x < y), ("truediv", x / np.where(y == 0, 1, y))):
        right = np.where(y == 0, 1, y).astype(np.float32) if name == "truediv" else y
        found = ops[name](tile(x), tile(right))
        np.testing.assert_array_equal(found.data, expected)
        assert found.shape == expected.shape


@QUIET
@given(broadcastable("int32"))
def test_integers_wrap_and_floor_like_numpy(pair):
    x, y = pair
    divisor = np.where(y == 0, 3, y).astype(np.int32)
    with np.errstate(over="ignore"):
        for found, expected in ((tile(x) + tile(y), x + y), (tile(x) * tile(y), x * y),
                                (tile(x) // tile(divisor), x // divisor), (tile(x) % tile(divisor), x % divisor),
                                (tile(x) ^ tile(y), x ^ y), (-tile(x), -x)):
            np.testing.assert_array_equal(found.data, expected)
            assert found.dtype == DTYPES["int32"]


@QUIET
@given(st.integers(0, 2), EXTENTS, EXTENTS, EXTENTS, st.booleans(), st.data())
def test_reductions_and_scans(axis, a, b, c, keep, data):
    x = data.draw(arrays((a, b, c)))
    for name, numpy in (("sum", np.sum), ("max", np.max), ("min", np.min), ("prod", np.prod)):
        np.testing.assert_allclose(ops[name](tile(x), axis, keepdims=keep).data, numpy(x, axis=axis, keepdims=keep),
                                   rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ops["sum"](tile(x), (0, 2)).data, x.sum(axis=(0, 2)), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(ops["argmax"](tile(x), axis).data, x.argmax(axis=axis))
    np.testing.assert_allclose(ops["cumsum"](tile(x), axis).data, x.cumsum(axis=axis), rtol=1e-4, atol=1e-5)
    back = np.flip(np.flip(x, axis).cumsum(axis=axis), axis)
    np.testing.assert_allclose(ops["cumsum"](tile(x), axis, reverse=True).data, back, rtol=1e-4, atol=1e-5)
    folded = ops["reduce"](tile(x), axis, lambda u, v: u + v, 0, keepdims=keep)
    np.testing.assert_allclose(folded.data, x.sum(axis=axis, keepdims=keep), rtol=1e-4, atol=1e-4)
    scanned = ops["scan"](tile(x), axis, lambda u, v: u + v, 0, reverse=keep)
    np.testing.assert_allclose(scanned.data, back if keep else x.cumsum(axis=axis), rtol=1e-4, atol=1e-4)


def test_a_reduction_of_pairs():
    x = np.array([3, 9, 1, 9], np.float32)

    def select_better(u, i, v, j):
        first = (u > v) | ((u == v) & (i < j))
        return ops["where"](first, u, v), ops["where"](first, i, j)

    value, place = ops["reduce"]((tile(x), tile(np.arange(4, dtype=np.int32))), 0, select_better, (0.0, 0))
    assert (value.data, place.data) == (9, 1)


def test_nan_is_ignored_by_default():
    x = np.array([1, np.nan], np.float32)
    assert ops["max"](tile(x)).data == 1 and np.isnan(ops["max"](tile(x), propagate_nan=True).data)
    assert ops["argmax"](tile(x)).data == 0
    assert ops["maximum"](tile(x), 0.5).data.tolist() == [1, 0.5]


@QUIET
@given(st.sampled_from(["float32", "float16", "int8"]), st.data())
def test_products(kind, data):
    m, k, n = (data.draw(EXTENTS) for _ in range(3))
    x, y = data.draw(arrays((m, k), kind)), data.draw(arrays((k, n), kind))
    acc = np.ones((m, n), np.int32 if kind == "int8" else np.float32)
    found = ops["mma"](tile(x), tile(y), tile(acc))
    np.testing.assert_allclose(found.data, x.astype(np.float64) @ y.astype(np.float64) + 1, rtol=1e-3, atol=1e-3)
    assert found.data.dtype == acc.dtype


def test_scaled_products():
    x = np.ones((2, 32), ml_dtypes.float8_e4m3fn)
    scale = np.array([[2.0], [4.0]]).astype(ml_dtypes.float8_e8m0fnu)
    y, unit = np.ones((32, 2), ml_dtypes.float8_e4m3fn), np.ones((1, 2)).astype(ml_dtypes.float8_e8m0fnu)
    found = ops["mma_scaled"](tile(x), tile(scale), tile(y), tile(unit), tile(np.zeros((2, 2), np.float32)))
    assert found.data.tolist() == [[64, 64], [128, 128]]


@QUIET
@given(st.sampled_from(["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32"]), st.data())
def test_conversions_round_to_nearest(name, data):
    x = data.draw(arrays((8,)))
    dtype = DTYPES[name]
    np.testing.assert_array_equal(ops["astype"](tile(x), dtype).data, x.astype(dtype.storage))


def test_conversions_to_integers_truncate_and_saturate():
    x = np.array([1.9, -1.9, 1e20, -1e20, np.nan], np.float32)
    found = ops["astype"](tile(x), ct.int32).data.tolist()
    assert found == [1, -1, 2**31 - 1, -(2**31), 0]
    assert ops["astype"](tile(np.array([300, -1], np.int32)), ct.uint8).data.tolist() == [44, 255]
    assert ops["astype"](tile(np.array([1e9], np.float32)), ct.float8_e4m3fn).data.astype(float).tolist() == [448.0]


@QUIET
@given(st.sampled_from(["RZ", "RP", "RM"]), st.data())
def test_directed_rounding(mode, data):
    x = data.draw(arrays((8,)))
    found = ops["astype"](tile(x), ct.bfloat16, rounding_mode=ct.RoundingMode[mode]).data.astype(np.float64)
    nearest = x.astype(ml_dtypes.bfloat16).astype(np.float64)
    assert (np.abs(found - x) <= np.abs(nearest - x) * 4 + np.abs(x) * 2**-7).all()
    assert {"RZ": np.abs(found) <= np.abs(x), "RP": found >= x, "RM": found <= x}[mode].all()


@pytest.mark.parametrize("a", [d for d in DTYPES.values() if d.storage is not None], ids=str)
def test_promotion_is_that_of_cutile(a):
    theirs = getattr(pytest.importorskip("cuda.tile._cext"), "_promote_dtypes", None)
    if theirs is None:
        pytest.skip("cuda-tile is not installed")
    for b in (d for d in DTYPES.values() if d.storage is not None):
        real = theirs(getattr(ct, a.name), getattr(ct, b.name))
        if real is None:
            with pytest.raises(TileTypeError):
                promote(a, b)
        else:
            assert promote(a, b).name == real.name


def test_numbers_adapt_to_tiles():
    half = DTYPES["float16"]
    assert common_dtype(half, 3) is half and common_dtype(half, 2.5) is half
    assert common_dtype(DTYPES["int8"], 2.5) is DTYPES["float32"] and common_dtype(DTYPES["bool_"],
                                                                                   3) is DTYPES["int32"]
    assert (tile(np.ones(2, np.float16)) * 0.5).dtype is half
    assert (1 / tile(np.ones(2, np.int32))).dtype is DTYPES["float32"]


@QUIET
@given(st.permutations(range(3)), st.data())
def test_moves(axes, data):
    x = data.draw(arrays((2, 4, 8)))
    assert (ops["permute"](tile(x), tuple(axes)).data == x.transpose(axes)).all()
    assert (ops["transpose"](tile(x), 0, 2).data == x.swapaxes(0, 2)).all()
    assert (ops["reshape"](tile(x), (8, -1)).data == x.reshape(8, 8)).all()
    assert (ops["cat"]((tile(x), tile(x)), 1).data == np.concatenate([x, x], 1)).all()
    piece = ops["extract"](tile(x), (1, 1, 3), (1, 2, 2))
    assert (piece.data == x[1:2, 2:4, 6:8]).all()
    back = ops["insert"](tile(np.zeros_like(x)), (1, 1, 3), piece)
    assert (ops["extract"](back, (1, 1, 3), (1, 2, 2)).data == piece.data).all()
    assert np.count_nonzero(back.data) == np.count_nonzero(piece.data)
    assert (tile(x)[:, None].data == x[:, None]).all()


def test_bits_and_bytes():
    x = np.array([1.5, -2.0], np.float32)
    assert (ops["bitcast"](tile(x), ct.int32).data == x.view(np.int32)).all()
    assert (ops["pack_to_bytes"](tile(x)).data == x.view(np.uint8)).all()
    assert (ops["unpack_from_bytes"](ops["pack_to_bytes"](tile(x)), ct.float32).data == x).all()
    nibbles = tile(np.array([0.5, 6.0, -1.0, 0.0]).astype(ml_dtypes.float4_e2m1fn))
    assert ops["pack_to_bytes"](nibbles).data.tolist() == [0x71, 0x0A]
    again = ops["unpack_from_bytes"](ops["pack_to_bytes"](nibbles), ct.float4_e2m1fn)
    assert again.data.astype(float).tolist() == [0.5, 6.0, -1.0, 0.0]


MATHS = ("exp", "exp2", "log", "log2", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "abs")


@pytest.mark.parametrize("name", MATHS)
def test_mathematics(name):
    x = np.linspace(0.1, 3, 16, dtype=np.float32)
    np.testing.assert_allclose(ops[name](tile(x)).data, getattr(np, name)(x.astype(np.float64)), rtol=1e-5)
    half = ops[name](tile(x.astype(np.float16)))
    assert half.dtype is DTYPES["float16"]


def test_other_mathematics():
    x = np.array([-7, 7, 8], np.int32)
    assert ops["cdiv"](tile(x), 4).data.tolist() == [-1, 2, 2]
    assert ops["pow"](tile(x), 2).data.tolist() == [49, 49, 64]
    assert [part.data.tolist() for part in ops["divmod"](tile(x), 4)] == [[-2, 1, 2], [1, 3, 0]]
    assert ops["rsqrt"](tile(np.array([4.0], np.float32))).data.tolist() == [0.5]
    assert ops["atan2"](tile(np.array([1.0], np.float32)), 1.0).data[0] == pytest.approx(np.pi / 4)
    assert ops["isnan"](tile(np.array([np.nan, 1], np.float32))).data.tolist() == [True, False]
    assert ops["cdiv"](7, 4) == 2 and ops["minimum"](7, 4) == 4


# ---- loads, in kernels


def copies(x, y, order: ct.Constant[int], T: ct.Constant[int], U: ct.Constant[int], mode: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    modes = (ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF, ct.PaddingMode.NAN)
    if order == 0:
        t = ct.load(x, (i, j), (T, U), padding_mode=ct.static_eval(modes[mode]))
    elif order == 1:
        t = ct.load(x, (i, j), (T, U), order="F", padding_mode=ct.static_eval(modes[mode]))
    else:
        t = ct.load(x, (i, j), (T, U), order=(1, 0), padding_mode=ct.static_eval(modes[mode]))
    ct.store(y, (i, j), t)


@QUIET
@given(st.integers(1, 9), st.integers(1, 9), EXTENTS, EXTENTS, st.integers(0, 2), st.integers(0, 2), st.booleans())
def test_tiles_cover_an_array(m, n, t, u, order, mode, strided):
    x = np.arange(1, m * n + 1, dtype=np.float32).reshape(m, n)
    x = np.repeat(x, 2, axis=1)[:, ::2] if strided else x
    seen = x if order == 0 else x.T
    tiles = -(-seen.shape[0] // t), -(-seen.shape[1] // u)
    y = np.zeros((tiles[0] * t, tiles[1] * u), np.float32)
    report = run(copies, x, y, order, t, u, mode, grid=tiles)
    assert report.clean, str(report)
    fill = (0, -np.inf, np.nan)[mode]
    wanted = np.full_like(y, fill)
    wanted[:seen.shape[0], :seen.shape[1]] = seen
    np.testing.assert_array_equal(y, wanted)


def gathers(x, o, T: ct.Constant[int], U: ct.Constant[int], low, high):
    rows = ct.arange(T, dtype=ct.int32)[:, None] + low
    columns = ct.arange(U, dtype=ct.int32)[None, :] + low
    t = ct.gather(x, (rows, columns), mask=columns < high, padding_value=-1)
    ct.scatter(o, (rows - low, columns - low), t, mask=rows >= 0)


@QUIET
@given(st.integers(1, 6), st.integers(1, 6), EXTENTS, EXTENTS, st.integers(-3, 3), st.integers(-2, 8))
def test_gathers_and_scatters(m, n, t, u, low, high):
    x, o = np.arange(1, m * n + 1, dtype=np.int32).reshape(m, n), np.zeros((t, u), np.int32)
    assert run(gathers, x, o, t, u, low, high).clean
    for i in range(t):
        for j in range(u):
            row, column = i + low, j + low
            inside = 0 <= row < m and 0 <= column < n and column < high
            assert o[i, j] == (0 if row < 0 else x[row, column] if inside else -1)


def updates(c, keys, values, out, T: ct.Constant[int]):
    k, v = ct.load(keys, (0,), (T,)), ct.load(values, (0,), (T,))
    ct.store(out, (0,), ct.atomic_add(c, k, v))


@QUIET
@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.data())
def test_atomics_apply_lane_after_lane(keys, data):
    values = data.draw(arrays((8,), "int32")) % 100
    c, out = np.zeros(4, np.int32), np.zeros(8, np.int32)
    run(updates, c, np.array(keys, np.int32), values, out, 8)
    state = np.zeros(4, np.int64)
    for lane, key in enumerate(keys):
        assert out[lane] == state[key]
        state[key] += values[lane]
    assert c.tolist() == state.tolist()


def every_atomic(c):
    ct.atomic_add(c, 0, 5)
    ct.atomic_max(c, 1, 5)
    ct.atomic_min(c, 2, -5)
    ct.atomic_and(c, 3, 6)
    ct.atomic_or(c, 4, 6)
    ct.atomic_xor(c, 5, 6)
    ct.atomic_xchg(c, 6, 9)
    ct.atomic_cas(c, 7, 3, 8)
    ct.atomic_cas(c, 8, 4, 8)
    memory = c.get_raw_memory()
    memory.atomic_add_offset(9, 5)
    memory.atomic_cas_offset(10, 3, 8)
    memory.store_offset(11, memory.load_offset(0) + 1)
    view = c.tiled_view((1,))
    view.atomic_store_add(12, ct.full((1,), 2, ct.int32))
    view.atomic_store_max(13, ct.full((1,), 2, ct.int32))


def test_every_atomic():
    c = np.full(14, 3, np.int32)
    assert run(every_atomic, c).clean
    assert c.tolist() == [8, 5, -5, 2, 7, 5, 9, 8, 3, 8, 8, 9, 5, 3]


def half_precision(x, y, T: ct.Constant[int]):
    ct.store(y, (0,), ct.load(x, (0,), (T,)) * 3 + 1)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.int64, np.uint8])
def test_element_types_of_arrays(dtype):
    x = np.arange(4).astype(dtype)
    y = np.zeros_like(x)
    sanitize(ct.kernel(half_precision), (1,), (x, y, 4))
    assert y.astype(float).tolist() == [1, 4, 7, 10]
