"""Memory operations become accesses with the right element regions."""

from __future__ import annotations

import pytest

from tests.interp.kernel.harness import guard, index, kernel, models, writes


def test_tile_store_scales_by_the_tile() -> None:
    k = kernel("ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (T,)))")
    assert index(k) == ["T*bid(0) + lane0<T>"]
    assert guard(k) == {"-T*bid(0) - lane0<T> + y.shape[0] - 1 >= 0"}
    access = writes(k)[0]
    assert [t.key for t in access.tile] == ["T"]
    assert [t.key for t in access.tile_index] == ["bid(0)"]
    assert access.region.exact
    assert access.checked
    assert [(p.name, p.kind) for p in k.params] == [
        ("x", "array"), ("y", "array"), ("n", "scalar"), ("T", "constant")]
    assert k.axes_read == frozenset({0})
    assert {str(a): rank for a, rank in k.ranks} == {"x": 1, "y": 1}


def test_keywords_and_bare_index() -> None:
    k = kernel("ct.store(y, tile=ct.zeros(T, ct.float32), index=ct.bid(1))")
    assert index(k) == ["T*bid(1) + lane0<T>"]


def test_order_permutes_array_axes() -> None:
    k = kernel("ct.store(y, (ct.bid(0), 2), ct.zeros((T, 8), ct.float32), order=(1, 0))")
    assert index(k) == ["lane0<8> + 16", "T*bid(0) + lane1<T>"]
    k = kernel("ct.store(y, (ct.bid(0), 2), ct.zeros((T, 8), ct.float32), order='F')")
    assert index(k) == ["lane0<8> + 16", "T*bid(0) + lane1<T>"]


def test_scalar_store_is_one_element() -> None:
    k = kernel("ct.store(y, (ct.bid(0), 1), 3)")
    assert index(k) == ["bid(0)", "1"]


def test_slice_moves_and_bounds() -> None:
    k = kernel("ct.store(y.slice(0, n, n + 64).slice(0, 4, 8), (0,), ct.zeros((T,), ct.float32))")
    assert index(k) == ["lane0<T> + n + 4"]
    assert guard(k) == {"-lane0<T> + 3 >= 0", "lane0<T> >= 0"}


def test_tiled_view_steps() -> None:
    k = kernel("""
        v = y.tiled_view((T, 8), traversal_steps=(T // 2, 8))
        v.store((ct.bid(0), 0), ct.zeros((T, 8), ct.float32))
        v.atomic_store_add((0, 1), ct.zeros((T, 8), ct.float32))
    """)
    assert index(k) == ["(T)//(2)*bid(0) + lane1<T>", "lane0<8>"]
    assert [a.mode for a in writes(k)] == ["write", "atomic"]
    assert (writes(k)[1].order, writes(k)[1].scope) == ("relaxed", "device")


def test_scatter_mask_and_bounds() -> None:
    k = kernel("""
        offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
        ct.scatter(y, offs, 0.0, mask=(offs < n) & (offs >= 2))
    """)
    assert index(k) == ["T*bid(0) + lane0<T>"]
    assert guard(k) == {
        "-T*bid(0) - lane0<T> + n - 1 >= 0", "T*bid(0) + lane0<T> - 2 >= 0", "T*bid(0) + lane0<T> >= 0",
        "-T*bid(0) - lane0<T> + y.shape[0] - 1 >= 0"}
    assert [t.key for t in writes(k)[0].elements] == ["T"]


def test_unchecked_scatter_implies_no_bounds() -> None:
    k = kernel("ct.scatter(y, ct.arange(T, dtype=ct.int32), 0.0, check_bounds=False)")
    assert guard(k) == {"true"}
    assert not writes(k)[0].checked


def test_one_arange_on_two_axes_is_two_lanes() -> None:
    k = kernel("""
        o = ct.arange(T, dtype=ct.int32)
        ct.scatter(y, (o[:, None], o[None, :]), 0.0)
        ct.scatter(y, (ct.expand_dims(o, 1), ct.reshape(o, (1, T))), 0.0)
    """)
    assert index(k) == ["lane1<T>", "lane0<T>"] == index(k, 1)


def test_reshape_splits_and_merges() -> None:
    k = kernel("""
        o = ct.arange(T, dtype=ct.int32)
        flat = ct.reshape(o[:, None] * 16 + ct.arange(16, dtype=ct.int32)[None, :], (T * 16,))
        ct.scatter(y, flat, 0.0)
        both = ct.reshape(ct.arange(32, dtype=ct.int32), (4, 8))
        ct.scatter(y, both, 0.0)
        ct.scatter(y, ct.transpose(both), 0.0)
    """)
    assert index(k) == ["lane0<16*T>"]
    assert index(k, 1) == ["lane0<8> + 8*lane1<4>"]
    assert index(k, 2) == ["8*lane0<4> + lane1<8>"]


def test_extract_is_a_window() -> None:
    k = kernel("ct.scatter(y, ct.extract(ct.arange(64, dtype=ct.int32), (ct.bid(0),), (16,)), 0.0)")
    assert index(k) == ["16*bid(0) + lane0<16>"]


def test_reductions_are_not_followed_but_functional() -> None:
    k = kernel("ct.scatter(y, ct.sum(ct.arange(T, dtype=ct.int32)) + ct.max(ct.full((T,), n, ct.int32)), 0.0)")
    region = writes(k)[0].region
    assert not region.index[0].varying
    assert not region.exact


def test_an_index_at_the_end_of_the_array_is_a_mask() -> None:
    k = kernel("""
        o = ct.arange(T, dtype=ct.int32)
        ct.scatter(y, ct.where(o < n, o + ct.bid(0) * n, y.shape[0]), 0.0)
    """)
    assert index(k) == ["bid(0)*n + lane0<T>"]
    assert "-lane0<T> + n - 1 >= 0" in guard(k)


def test_a_mask_decides_the_choices_of_its_index() -> None:
    k = kernel("""
        o = ct.arange(T, dtype=ct.int32)
        ct.scatter(y, ct.where(o < n, o, 7), 0.0, mask=o < n)
    """)
    assert index(k) == ["lane0<T>"]


def test_raw_memory() -> None:
    k = kernel("""
        r = y.get_raw_memory()
        o = ct.arange(T, dtype=ct.int32)
        r.store_offset(ct.bid(0) * T + o, 1.0, mask=o < n)
        r.atomic_add_offset(0, 1)
    """)
    assert index(k) == ["T*bid(0) + lane0<T>"]
    assert guard(k) == {"-lane0<T> + n - 1 >= 0"}
    assert [(a.mode, a.checked) for a in writes(k)] == [("write", False), ("atomic", False)]


def test_raw_and_indexed_accesses_are_not_compared() -> None:
    k = kernel("""
        y.get_raw_memory().store_offset(0, 1.0)
        ct.scatter(y, 0, 1.0)
    """)
    assert [tuple(map(str, g.arrays)) for g in k.gaps] == [("y",)]


def test_advanced_indexing() -> None:
    k = kernel("""
        rows = ct.arange(T, dtype=ct.int32) * 2
        ct.store_advanced_indexing(y, (rows, ct.Slice(8, 16)), ct.zeros((T, 16), ct.float32))
    """)
    assert index(k) == ["2*lane1<T>", "lane0<16> + 8"]


def test_atomics_have_orders() -> None:
    k = kernel("""
        ct.atomic_add(y, ct.bid(0), 1)
        ct.atomic_xchg(y, (0,), 1, memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.BLOCK)
    """)
    assert [(a.mode, a.op, a.order, a.scope) for a in k.accesses] == [
        ("atomic", "atomic_add", "acq_rel", "device"), ("atomic", "atomic_xchg", "relaxed", "block")]


def test_lists_of_arrays() -> None:
    k = kernel("""
        for g in range(len(xs)):
            m, w = xs[g].shape
            ct.store(ys[g], (ct.bid(0), 0), ct.load(xs[g], (0, 0), (T, 8)))
        ct.load(zs[1], (0,), (T,))
    """, params="xs, ys, zs, T: Int")
    write = writes(k)[0]
    assert write.array.text == "ys[*]"
    assert index(k)[0] == "#g@7"
    assert write.tile_index[0].key == "#g@7"
    assert k.accesses[-1].array.text == "zs[1]"
    assert {p.name: p.kind for p in k.params}["zs"] == "list"
    assert {str(a): rank for a, rank in k.ranks}["ys[*]"] == 2


def test_conditional_arrays_stand_for_each_array() -> None:
    k = kernel("""
        z = x if n > 3 else y
        ct.store(z, (ct.bid(0),), ct.zeros((T,), ct.float32))
    """)
    found = writes(k)
    assert [(a.array.text, tuple(map(str, a.may)), a.site) for a in found] == [("x", ("y",), 0), ("y", ("x",), 0)]
    assert "n - 4 >= 0" in guard(k)
    assert "-n + 3 >= 0" in guard(k, 1)


def test_integers_read_from_arrays_are_functions_of_the_place() -> None:
    k = kernel("""
        a = ct.load(x, (ct.bid(0),), (1,)).item()
        b = ct.gather(x, ct.bid(0) + 1)
        ct.store(y.slice(0, a, b), (0,), ct.zeros((T,), ct.float32))
    """)
    assert index(k) == ["lane0<T> + x[bid(0)]"]
    assert guard(k) == {"-lane0<T> + x[bid(0) + 1] - x[bid(0)] - 1 >= 0", "lane0<T> >= 0"}
    assert writes(k)[0].region.exact


def test_masked_reads_yield_their_padding() -> None:
    k = kernel("""
        o = ct.arange(T, dtype=ct.int32)
        ct.scatter(y, ct.gather(x, o, mask=o < n, padding_value=3), 0.0)
    """)
    assert index(k) == ["ite(-lane0<T> + n - 1 >= 0, x[lane0<T>], 3)"]


def test_reads_of_written_arrays_are_unknown() -> None:
    k = kernel("""
        a = ct.gather(y, ct.arange(T, dtype=ct.int32))
        ct.scatter(y, a[:, None] * n + a[None, :], 0.0)
    """)
    region = writes(k)[0].region
    assert not region.exact
    assert "lane0<T>" in region.index[0].key
    assert "lane1<T>" in region.index[0].key


def test_comparisons_of_data_are_not_comparisons_of_integers() -> None:
    k = kernel("""
        d = ct.gather(x, ct.bid(0))
        if d > 0:
            if d < 1:
                ct.scatter(y, 0, 1.0)
    """)
    assert len(writes(k)) == 1
    assert writes(k)[0].region.guard.op != "false"


def test_an_unknown_tile_shape_has_unknown_extents() -> None:
    k = kernel("ct.store(y, (ct.bid(0),), ct.pack_to_bytes(ct.load(x, (0,), (T,))))")
    assert not writes(k)[0].region.exact


def test_unknown_calls_lose_the_verdicts_of_their_arrays() -> None:
    k = kernel("""
        mystery(x, 3)
        other(n)
        x.reshape((3,))
        ct.store(y, (0,), ct.zeros((T,), ct.float32))
    """)
    assert {tuple(map(str, g.arrays)) for g in k.gaps} == {("x",)}


def test_declared_clauses() -> None:
    found = models('''
        from tilecheck import requires

        @requires("n <= x.shape[0]", "T > 0")
        @ct.kernel
        def k(x, n: int, T: Int):
            # tilecheck: requires n >= 4
            ct.store(x, (0,), ct.zeros((T,), ct.float32))
    ''')
    assert [(d.text, d.origin) for d in found["k"].declared] == [
        ("n <= x.shape[0]", "requires"), ("T > 0", "requires"), ("n >= 4", "comment")]


def test_static_asserts_are_guards() -> None:
    k = kernel("ct.static_assert(T >= 8)\nct.store(y, (0,), ct.zeros((T,), ct.float32))")
    assert k.guards.key == "T - 8 >= 0"
    assert "T - 8 >= 0" in guard(k)


@pytest.mark.parametrize("place", ["ct.where(offs < n, offs, -1)", "ct.where(offs >= n, -1, offs)"])
def test_an_index_before_the_array_is_a_mask(place: str) -> None:
    k = kernel(f"""
        offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
        ct.scatter(y, {place}, 1.0)
    """)
    assert index(k) == ["T*bid(0) + lane0<T>"]
    assert "-T*bid(0) - lane0<T> + n - 1 >= 0" in guard(k)


def test_an_index_that_may_be_inside_is_not_a_mask() -> None:
    k = kernel("""
        offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
        ct.scatter(y, ct.where(offs < n, offs, 0), 1.0)
    """)
    assert index(k)[0].startswith("ite(")
