"""Launches that break a clause in a way that no one proof shows: by cases of the host, or for all values tried."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

_HEAD = """
import cuda.tile as ct
import torch
Int = ct.Constant[int]


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()

"""

_SPLIT = _HEAD + """
@ct.kernel
def k(x, out, N: Int, SHARE: Int, T: Int):
    b, s = ct.bid(0), ct.bid(1)
    acc = ct.zeros((1, T), ct.float32)
    first = s * SHARE
    for n in range(first, first + SHARE{more}, SHARE):
        acc = acc + ct.load(x, (b, n // SHARE), (1, SHARE), padding_mode=ct.PaddingMode.ZERO)[:, :T]
    ct.store(out, (b, s, 0), ct.reshape(acc, (1, 1, T)))


def run(q, x, share=None):
    rows, n = q.shape[0], x.shape[1]
    q = q.view(rows, n)
    if share is None:
        sms = torch.cuda.get_device_properties("cuda").multi_processor_count
        shares = max(1, sms // rows)
        size = max(128, next_power_of_2((n + shares - 1) // shares))
        shares = (n + size - 1) // size
    else:
        shares = (n + share - 1) // share
        size = share
    x = x.view(rows, n)
    out = torch.empty((rows, shares, 64), device=q.device)
    ct.launch(torch.cuda.current_stream(), (rows, shares, 1), k, (x, out, n, size, 64))
"""

_COUNTED = _HEAD + """
@ct.kernel
def k(w, sizes, out, COUNT: Int, T: Int):
    i = ct.bid(0)
    total = 0
    for e in range(COUNT{more}):
        total = total + ct.load(sizes, (e,), (1,)).item()
    ct.store(out, (i,), ct.full((T,), total, ct.int32))


def run(w, sizes):
    if w.ndim == 3:
        count = w.shape[0]
    else:
        count = sizes.shape[0]
    out = torch.empty((1024,), dtype=torch.int32, device=w.device)
    ct.launch(torch.cuda.current_stream(), (8, 1, 1), k, (w, sizes, out, count, 128))
"""


def find_diagnostics(text: str) -> list[Diagnostic]:
    report = check_source(text, "k.py", Config(use_cache=False, jobs=1))
    assert report.failures == ()
    return [d for d in report.diagnostics if d.severity != "note" and d.code in ("TC205", "TC405")]


def test_shares_that_the_host_computes_in_two_ways():
    assert find_diagnostics(_SPLIT.format(more="")) == []
    (finding,) = find_diagnostics(_SPLIT.format(more=" + 1"))
    assert finding.code == "TC205" and "`x` has tiles for" in finding.message


def test_a_count_that_is_too_large_on_one_of_two_ways():
    assert find_diagnostics(_COUNTED.format(more="")) == []
    (finding,) = find_diagnostics(_COUNTED.format(more=" + 1"))
    assert finding.code == "TC405" and finding.severity == "warning"
    assert finding.message == "this launch breaks `COUNT < sizes.shape[0]`, which `k` requires"
    assert finding.notes[0].message == (
        "at this launch the clause is (w.shape[0] if w.ndim == 3 else sizes.shape[0]) < sizes.shape[0]")


@pytest.mark.parametrize("count", ["w.shape[0]", "sizes.shape[0] - 1"])
def test_a_count_that_may_be_right_is_not_found(count):
    text = _COUNTED.format(more=" + 1").replace("count = sizes.shape[0]", f"count = {count}")
    assert find_diagnostics(text) == []



_GROUPED = _HEAD + """
@ct.kernel
def k(q, x, out, H: Int, GROUP: Int, TILES: Int, T: Int):
    b = ct.bid(0)
    row = (b % TILES) * T // GROUP if GROUP > 0 else (b % TILES) * T
    ct.store(out, (b, 0), ct.load(x, (row, 0), (1, T)))


def run(q, x, tiles, tile):
    heads, kept = q.shape[0], x.shape[0]
    group = 0 if heads == kept else heads // kept
    out = torch.empty((heads, 64), device=q.device)
    ct.launch(torch.cuda.current_stream(), (heads, 1, 1), k, (q, x, out, heads, group, tiles, tile))
"""


def test_a_number_that_chooses_a_variant_is_not_a_way():
    assert find_diagnostics(_GROUPED) == []


_REST = _HEAD + """
@ct.kernel
def k(x, out, N: Int, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for n in range(N // T{more}):
        acc = acc + ct.load(x, (i, n), (1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (i, 0), acc)


def run(x{also}):
    out = torch.empty((x.shape[0], 64), device=x.device)
    ct.launch(torch.cuda.current_stream(), (x.shape[0], 1, 1), k, (x, out, {count}, 64))
"""


def test_a_loop_for_the_remainder_that_also_runs_without_one():
    assert find_diagnostics(_REST.format(more="", also="", count="x.shape[1]")) == []
    (finding,) = find_diagnostics(_REST.format(more=" + 1", also="", count="x.shape[1]"))
    assert finding.code == "TC405" and finding.severity == "warning"
    assert finding.message == ("this launch breaks `N // T < cdiv(x.shape[1], T)`, which `k` requires: for "
                               "x.shape[1] = "
                               "1024, 16 < 16 is false")


@pytest.mark.parametrize("count", ["x.shape[1] - 1", "y.shape[0]", "at"])
def test_one_that_may_end_before_the_array_does_is_not_found(count):
    assert find_diagnostics(_REST.format(more=" + 1", also=", y, at", count=count)) == []


_FEWER = _HEAD + """
@ct.kernel
def k(x, out, T: Int):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (T,)))


def run(out):
    x = torch.ones((64,), device=out.device)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(out.shape[0], 16), 1, 1), k, (x, out, 16))
"""


def test_an_array_large_enough_for_few_blocks_needs_no_divisibility():
    assert find_diagnostics(_FEWER) == []


_VARIANT = _HEAD + """
@ct.kernel
def k(x, y, N: Int, LOADED: Int):
    i, j = ct.bid(0), ct.bid(1)
    one = ct.full((1, 16), 1.0, ct.float32)
    if {condition}:
        one = one + ct.reshape(ct.load(x, (0, 0, 0), (1, 1, 1)), (1, 1))
    ct.store(y, (i, j * N), one)


def run(x, y, loaded):
    y = torch.empty((8, 64))
    ct.launch(torch.cuda.current_stream(), (8, 4), k, (x, y, 1 if x.ndim == 3 else 0, loaded))
"""


@pytest.mark.parametrize(("condition", "proved"), [
    ("LOADED", False), ("i < 7", True), ("True", True), ("ct.num_blocks(0) > 2", True),
    ("(ct.num_blocks(0) > 2 and LOADED) or LOADED > 2", False), ("LOADED > 2 or LOADED <= 2", True),
])
def test_a_variant_that_is_not_compiled_shows_no_rank(condition, proved):
    """Where nothing is loaded, `x` may be a matrix: all blocks of a row write the same tile then."""
    report = check_source(_VARIANT.format(condition=condition), "k.py", Config(use_cache=False, jobs=1))
    (kernel,) = report.kernels
    (clause,) = [c for c in kernel.contract if c.clause == "N >= 1"]
    assert (clause.state == "discharged") is proved


@pytest.mark.parametrize(("run", "proved"), [("ct.static_iter(range(LOADED))", False), ("range(LOADED)", True)])
def test_a_loop_body_that_may_not_run_shows_no_rank(run, proved):
    text = _VARIANT.format(condition="LOADED").replace("if LOADED:", f"for _ in {run}:")
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    (clause,) = [c for c in kernel.contract if c.clause == "N >= 1"]
    assert (clause.state == "discharged") is proved


def test_a_rank_common_to_all_variants_is_known():
    other = "    else:\n        one = one * ct.reshape(ct.load(x, (0, 0, 1), (1, 1, 1)), (1, 1))\n"
    both = _VARIANT.format(condition="LOADED").replace("    ct.store(", other + "    ct.store(", 1)
    (kernel,) = check_source(both, "k.py", Config(use_cache=False, jobs=1)).kernels
    assert [c.state for c in kernel.contract if c.clause == "N >= 1"] == ["discharged"]


@pytest.mark.parametrize("condition", [
    "FLAG", "lib.FLAG", "lib.chosen(LOADED)", "LOADED == 'a'", "ct.static_eval(str(LOADED) == 'a')",
    "x.ndim == 3", "len(x.shape) > 2", "i < 7 and FLAG",
])
def test_an_unknown_condition_may_choose_a_variant(condition):
    text = "import lib\nfrom lib import FLAG\n" + _VARIANT.format(condition=condition)
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    assert [c.state for c in kernel.contract if c.clause == "N >= 1"] == ["open"]


_ASKING = _HEAD + """
@ct.kernel
def k(x, y):
    i = ct.bid(0)
    one = ct.full((1,), 1.0, ct.float32)
    if {condition}:
        ct.store(y, (i,), one + ct.reshape(ct.load(x, (0, 0, 0), (1, 1, 1)), (1,)))
    else:
        ct.store(y, ({other},), one)


def run(x, y):
    ct.launch(torch.cuda.current_stream(), (y.shape[0],), k, (x, y))
"""


@pytest.mark.parametrize("condition", ["x.ndim == 3", "len(x.shape) == 3", "len(x.shape) > 2"])
def test_code_for_another_rank_is_looked_at(condition):
    report = check_source(_ASKING.format(condition=condition, other="0"), "k.py", Config(use_cache=False, jobs=1))
    assert "TC101" in {d.code for d in report.diagnostics}
    report = check_source(_ASKING.format(condition=condition, other="i"), "k.py", Config(use_cache=False, jobs=1))
    assert not {d.code for d in report.diagnostics}


def test_code_for_another_rank_is_not_checked():
    text = _ASKING.format(condition="x.ndim == 3", other="0").replace("    one =", "    a, b, c = x.shape\n    one =")
    assert not check_source(text, "k.py", Config(use_cache=False, jobs=1)).diagnostics


_PADDED = _HEAD + """
@ct.kernel
def k(x, out, N: Int, T: Int):
    i = ct.bid(0)
    for j in range(N):
        ct.store(out, (i, j), ct.load(x, (i, j), (1, T)))


def run(x, out, pad):
    n = x.shape[1] // 64
    assert x.shape[1] % 64 == 0
    ct.launch(torch.cuda.current_stream(), (x.shape[0],), k, (x, out, n + {pad}, 64))
"""


def test_a_number_that_may_be_zero_breaks_nothing():
    assert find_diagnostics(_PADDED.format(pad="pad")) == []
    (finding,) = find_diagnostics(_PADDED.format(pad="1"))
    assert finding.code == "TC405" and finding.severity == "error"
