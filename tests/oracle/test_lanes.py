"""The executor on what lies outside arrays: which accesses stray, and which undefined lanes matter."""

from __future__ import annotations

import pytest

from tests.oracle.loading import load_text
from tests.oracle.memory import array
from tests.oracle.run import run
from tests.oracle.values import DTYPES

HEADER = "import cuda.tile as ct\nZERO = ct.PaddingMode.ZERO\n@ct.kernel\ndef kernel(x, y, o, n, T):\n"
SHAPES = {"x": (3, 5), "y": (5, 3), "o": (3, 5)}


def _run(body: str, grid=(1,), values=None, dtype: str = "float32", **shapes):
    text = HEADER + "".join(f"    {line}\n" for line in body.splitlines())
    made = {n: array(n, s, DTYPES[dtype], (values or {}).get(n, 0)) for n, s in {**SHAPES, **shapes}.items()}
    return run(load_text(text)["kernel"], grid, {**made, "n": 5, "T": 4})


def _list_observed(body: str, **more) -> set[tuple[int, str]]:
    """(line of the body, how) of each observation of a run without any other fault."""
    log = _run(body, **more)
    assert log.valid, (log.error, log.undefined)
    return {(o.line - 4, o.how) for o in log.observed}


ROW = "t = ct.load(x, (0, 0), (1, 8))\n"


@pytest.mark.parametrize(("body", "expected"), [
    ("ct.store(o, (0, 0), t * 2)", set()),
    ("ct.store(o, (0, 0), ct.sum(t, axis=1, keepdims=True))", {(2, "reduction")}),
    ("ct.store(o, (0, 0), ct.max(t, axis=0, keepdims=True))", set()),
    ("ct.scatter(o, (0, 0), ct.sum(t))", {(2, "reduction")}),
    ("ct.store(o, (0, 0), ct.cumsum(t, axis=1))", set()),
    ("ct.store(o, (0, 0), ct.cumsum(t, axis=1, reverse=True))", {(2, "scan")}),
    ("ct.scatter(o, (0, ct.argmax(t)), 1.0)", {(2, "reduction"), (2, "index")}),
    ("t = ct.where(ct.arange(8, dtype=ct.int32)[None, :] < n, t, 0.0)\nct.scatter(o, (0, 0), ct.sum(t))", set()),
    ("t = ct.where(ct.arange(8, dtype=ct.int32)[None, :] <= n, t, 0.0)\nct.scatter(o, (0, 0), ct.sum(t))",
     {(3, "reduction")}),
    ("t = ct.where(t > 1, 0.0, 1.0)\nct.scatter(o, (0, 0), ct.sum(t))", {(3, "reduction")}),
    ("m = (ct.arange(8, dtype=ct.int32)[None, :] < n) & (t > 1)\nt = ct.where(m, t, 0.0)\n"
     "ct.scatter(o, (0, 0), ct.sum(t))", set()),
    ("m = (ct.arange(8, dtype=ct.int32)[None, :] < n) | (t > 1)\nt = ct.where(m, t, 0.0)\n"
     "ct.scatter(o, (0, 0), ct.sum(t))", {(4, "reduction")}),
    ("t = t * ct.astype(ct.arange(8, dtype=ct.int32)[None, :] < n, ct.float32)\nct.scatter(o, (0, 0), ct.sum(t))",
     {(3, "reduction")}),
    ("t = ct.reshape(ct.permute(t, (1, 0)), (2, 4))\nct.store(o, (0, 0), ct.sum(t, axis=1, keepdims=True))",
     {(3, "reduction")}),
    ("t = ct.extract(t, (0, 0), (1, 4))\nct.scatter(o, (0, 0), ct.sum(t))", set()),
    ("t = ct.extract(t, (0, 1), (1, 4))\nct.scatter(o, (0, 0), ct.sum(t))", {(3, "reduction")}),
    ("a = ct.extract(t, (0, 0), (1, 4))\nct.store(o, (0, 0), ct.cat((ct.extract(t, (0, 1), (1, 4)), a), 1))",
     {(3, "store")}),
    ("if ct.extract(t, (0, 7), (1, 1)).item() > 0:\n    ct.scatter(o, (0, 0), 1.0)", {(2, "branch")}),
    ("v = ct.load(y, (0, 0), (8, 4), padding_mode=ZERO)\nct.store(o, (0, 0), ct.matmul(t, v))", {(3, "mma")}),
    ("v = ct.load(y, (0, 0), (8, 4))\nz = ct.load(x, (0, 0), (1, 8), padding_mode=ZERO)\n"
     "ct.store(o, (0, 0), ct.mma(z, v, ct.zeros((1, 4), ct.float32)))", {(4, "mma"), (4, "store")}),
    ("r = ct.load(x, (0, 0), (4, 4))\np = ct.matmul(r, ct.full((4, 4), 1, ct.float32))\nct.store(o, (0, 0), p)", set()),
    ("ct.scatter(o, (0, ct.arange(8, dtype=ct.int32)), ct.reshape(t, (8,)))", set()),
    ("ct.scatter(o, (0, ct.arange(8, dtype=ct.int32) // 2), ct.reshape(t, (8,)))", {(2, "store")}),
    ("k = ct.astype(ct.reshape(t, (8,)), ct.int32)\ng = ct.gather(x, (0, k))\nct.scatter(o, (1, k), g)",
     {(3, "index"), (4, "index"), (4, "store")}),
    ("k = ct.astype(ct.reshape(t, (8,)), ct.int32)\nm = ct.arange(8, dtype=ct.int32) < n\n"
     "g = ct.gather(x, (0, k), mask=m)\nct.scatter(o, (0, k), g, mask=m)", set()),
    ("k = ct.astype(ct.reshape(t, (8,)), ct.int32)\nct.atomic_add(o, (0, k), 1)", {(3, "index")}),
    ("ct.atomic_add(o, (0, ct.arange(8, dtype=ct.int32)), ct.reshape(t, (8,)))", set()),
    ("r = ct.reduce(t, 1, lambda a, b: a + b, 0.0)\nct.store(o, (0, 0), r[:, None])", {(2, "reduction"), (3, "store")}),
])
def test_undefined_lanes(body, expected):
    found = _list_observed(ROW + body)
    # a value that was observed stays undefined, and is observed again where it is stored
    assert {(line, how) for line, how in found if how != "store"} == {e for e in expected if e[1] != "store"}
    assert {e for e in expected if e[1] == "store"} <= found
    assert found or not expected


def test_requested_padding_is_defined():
    assert not _list_observed("ct.scatter(o, (0, 0), ct.sum(ct.load(x, (0, 0), (1, 8), padding_mode=ZERO)))")
    assert not _list_observed(
        "v = x.tiled_view((1, 8), padding_mode=ZERO)\nct.scatter(o, (0, 0), ct.sum(v.load((0, 0))))"
    )
    assert _list_observed("v = x.tiled_view((1, 8))\nct.scatter(o, (0, 0), ct.sum(v.load((0, 0))))")


def test_an_output_that_is_larger_than_the_input():
    assert _list_observed("ct.store(o, (0, 0), ct.load(x, (0, 0), (1, 8)))", o=(3, 7)) == {(1, "store")}


def test_padding_is_that_of_the_slice():
    assert _list_observed("s = x.slice(1, 0, 3)\nct.store(o, (0, 0), ct.load(s, (0, 0), (1, 4)))") == {(2, "store")}


def _strays(body: str, **more) -> set[tuple[str, int]]:
    log = _run(body, **more)
    assert log.error is None, log.error
    return {(o.array, o.line - 4) for o in log.outside}


@pytest.mark.parametrize(("body", "expected"), [
    ("t = ct.load(x, (0, 1), (1, 4))", set()),
    ("t = ct.load(x, (0, 2), (1, 4))", {("x", 1)}),
    ("t = ct.load(x, (-1, 0), (1, 4))", {("x", 1)}),
    ("ct.store(o, (1, 0), ct.zeros((4, 4), ct.float32))", {("o", 1)}),
    ("s = x.slice(1, 0, 2)\nt = ct.load(s, (0, 1), (1, 2))", {("x", 2)}),
    ("s = x.slice(1, 4, 5)\nt = ct.load(s, (0, 0), (1, 2))", set()),
    ("t = x.tiled_view((1, 4), traversal_steps=(1, 2)).load((0, 2))", set()),
    ("t = x.tiled_view((1, 4), traversal_steps=(1, 2)).load((0, 3))", {("x", 1)}),
    ("t = ct.load(x, (0, 1), (1, 4), check_bounds=False)", {("x", 1)}),
    ("t = ct.gather(x, (0, ct.arange(8, dtype=ct.int32)))", set()),
    ("t = ct.gather(x, (0, ct.arange(8, dtype=ct.int32)), check_bounds=False)", {("x", 1)}),
    ("i = ct.arange(8, dtype=ct.int32)\nt = ct.gather(x, (0, i), mask=i < n, check_bounds=False)", set()),
    ("ct.atomic_add(o, (0, 5), 1, check_bounds=False)", {("o", 1)}),
    ("t = x.get_raw_memory().load_offset(ct.arange(16, dtype=ct.int32))", {("x", 1)}),
    ("i = ct.arange(16, dtype=ct.int32)\nt = x.get_raw_memory().load_offset(i, mask=i < 15)", set()),
    ("t = ct.load_advanced_indexing(x, (ct.arange(4, dtype=ct.int32), ct.Slice(5, 4)))", {("x", 1)}),
])
def test_accesses_outside(body, expected):
    assert _strays(body) == expected


def test_a_slice_outside_its_array_is_not_an_access_outside():
    log = _run("s = x.slice(1, 0, 9)\nt = ct.load(s, (0, 1), (1, 8))")
    assert log.undefined
    assert not log.outside
