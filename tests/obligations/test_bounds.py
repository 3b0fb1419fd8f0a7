"""Verdicts on bounds: what is right is proved, what is wrong is refuted, and nothing is proved that may be wrong."""

from __future__ import annotations

import textwrap

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

HEAD = "import cuda.tile as ct\nfrom tilecheck import requires\n\nInt = ct.Constant[int]\n\n\n"


def bounds(body: str, params: str = "a, c, n: int, T: Int", above: str = "") -> list[str]:
    """The verdicts of a kernel with this body, in the order of its accesses."""
    text = f"{HEAD}{above}\n@ct.kernel\ndef k({params}):\n    i = ct.bid(0)\n" + textwrap.indent(body, "    ")
    report = check_source(text, "k.py", Config(use_cache=False))
    assert report.failures == ()
    return [o.verdict for o in report.kernels[0].obligations if o.kind == "bounds"]


STORE = "\nct.store(c, (i,), ct.full((T,), 0, ct.float32))"

PROVED = {
    "clamp": "x = ct.load(a, (min(i + 1, ct.num_tiles(a, 0, (T,)) - 1),), (T,))",
    "clamp below": "x = ct.load(a, (max(i - 1, 0),), (T,))",
    "condition": "if i > 0:\n    x = ct.load(a, (i - 1,), (T,))",
    "loop": "for k in range(ct.num_tiles(a, 0, (T,))):\n    x = ct.load(a, (k,), (T,))",
    "persistent": "for k in range(i, ct.num_tiles(a, 0, (T,)), ct.num_blocks(0)):\n    x = ct.load(a, (k,), (T,))",
    "order": "x = ct.load(a, (i, 0), (T, 1), order=(1, 0))",
    "slice": "x = ct.load(a.slice(0, 0, n), (i,), (T,))",
    "view": "x = a.tiled_view((T,)).load((i,))",
    "masked": "o = i * T + ct.arange(T, dtype=ct.int32)\n"
              "x = ct.gather(a, o, mask=o < a.shape[0], check_bounds=False)",
    "split, clamped": "size = ct.cdiv(ct.num_tiles(a, 0, (T,)), ct.num_blocks(0))\n"
                      "for k in range(i * size, min(i * size + size, ct.num_tiles(a, 0, (T,)))):\n"
                      "    x = ct.load(a, (k,), (T,))",
}


@pytest.mark.parametrize("name", PROVED)
def test_an_access_that_stays_inside_is_proved(name):
    assert bounds(PROVED[name] + STORE) == ["proved", "proved"]


REFUTED = {
    "below": "x = ct.load(a, (i - 1,), (T,))",
    "beyond": "for k in range(ct.num_tiles(a, 0, (T,)) + 1):\n    x = ct.load(a, (k,), (T,))",
    "constant below": "x = ct.load(a, (-1,), (T,))",
    "under a flag": "if n == 3:\n    x = ct.load(a, (i - 1,), (T,))",
    "only where negative": "if n < 0:\n    x = ct.load(a, (n,), (T,))",
    "slice below": "x = ct.load(a.slice(0, T, 2 * T), (i - 1,), (T,))",
    "unchecked": "o = i * T + ct.arange(T, dtype=ct.int32)\nx = ct.gather(a, o - 1, check_bounds=False)",
}


@pytest.mark.parametrize("name", REFUTED)
def test_an_access_that_never_stays_inside_is_refuted(name):
    assert bounds(REFUTED[name] + STORE) == ["refuted", "proved"]


UNPROVEN = {
    "data": "j = ct.load(a, (i,), (1,)).item()\nx = ct.load(c, (j,), (T,))",
    "unknown": "j = int(ct.load(a, (i,), (1,)).item() * 0.5)\nx = ct.load(c, (j,), (T,))",
}


@pytest.mark.parametrize("name", UNPROVEN)
def test_an_unknown_access_is_not_proved(name):
    assert bounds(UNPROVEN[name] + STORE) == ["proved", "unproven", "proved"]


def test_a_declared_extent_refutes_a_constant_index():
    above = '@requires("a.shape[0] == 4 * T")'
    assert bounds("x = ct.load(a, (4,), (T,))" + STORE, above=above) == ["refuted", "proved"]
    assert bounds("x = ct.load(a, (3,), (T,))" + STORE, above=above) == ["proved", "proved"]


def test_a_declared_range_decides_an_index_from_data():
    above = '@requires("range(a, 0, cdiv(c.shape[0], T))")'
    assert bounds(UNPROVEN["data"] + STORE, above=above) == ["proved", "proved", "proved"]


def test_a_requirement_holds_under_the_condition_of_its_access():
    text = HEAD + textwrap.dedent("""
        @ct.kernel
        def k(a, c, FLAG: Int, T: Int):
            i = ct.bid(0)
            if FLAG:
                x = ct.load(a, (i,), (T,))
            ct.store(c, (i,), ct.full((T,), 0, ct.float32))
    """)
    contract = [c.clause for c in check_source(text, "k.py", Config(use_cache=False)).kernels[0].contract]
    assert "grid[0] <= cdiv(a.shape[0], T) or FLAG == 0" in contract


def test_a_launch_too_large_on_two_axes_names_both() -> None:
    text = f"""{HEAD}@ct.kernel
def k(a, c, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, (i, j), ct.load(a, (i, j), (T, U)))


def run(stream):
    import torch

    a, c = torch.ones((256, 1024)), torch.zeros((256, 1024))
    ct.launch(stream, (32, 32), k, (a, c, 64, 128))
"""
    found = check_source(text, "k.py", Config(use_cache=False)).diagnostics
    assert {(d.code, d.message.partition(",")[0]) for d in found} == {
        ("TC205", "this launch has 32 blocks on axis 0"), ("TC205", "this launch has 32 blocks on axis 1")}


LISTS = {
    "all of a list": ("for j in range(len(a)):\n    x = ct.load(a[j], (i, 0), (T, T))", "proved"),
    "at the block": ("if i < len(a):\n    x = ct.load(a[i], (0, 0), (T, T))", "proved"),
    # the number of tiles of one array says nothing of another
    "of another array": (
        "if i + 1 < len(a):\n    x = ct.load(a[i], (ct.num_tiles(a[i + 1], 0, (T, T)) - 1, 0), (T, T))", "unproven"),
    "of its own": ("if i < len(a):\n    x = ct.load(a[i], (ct.num_tiles(a[i], 0, (T, T)) - 1, 0), (T, T))", "proved"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_clause_on_all_arrays_of_a_list_holds_at_each_position(name: str) -> None:
    body, verdict = LISTS[name]
    found = bounds(body, "a, n: int, T: Int")
    assert found[-1:] == [verdict] and set(found) <= {verdict, "proved"}
