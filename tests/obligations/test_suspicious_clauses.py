"""Clauses that indicate a mistake are findings, at the kernel or at the launch; those of correct kernels are not."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

_HEAD = "import cuda.tile as ct\nimport torch\nInt = ct.Constant[int]\n"

_SUMS = """
@ct.kernel
def k(a, c, K, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for j in range({end}):
        acc = acc + ct.load(a, (i, j), (1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), acc)
"""

_TURNED = """
@ct.kernel
def k(a, c, K, T: Int, TURNED: Int):
    i = ct.bid(0)
    acc = ct.zeros((T, T), ct.float32)
    for j in range(ct.cdiv(K, T){more}):
        if TURNED:
            acc = acc + ct.load(a, (j, i), (T, T), padding_mode=ct.PaddingMode.ZERO)
        else:
            acc = acc + ct.load(a, (i, j), (T, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), acc)

def f(a, turned: bool):
    K = a.shape[0] if turned else a.shape[1]
    M = a.shape[1] if turned else a.shape[0]
    c = torch.empty((M, 64), dtype=a.dtype, device=a.device)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(M, 64), 1, 1), k, (a, c, K, 64, turned))
"""

_WINDOW = """
@ct.kernel
def k(a, c, W, T: Int):
    i = ct.bid(0)
    first = {first}
    ct.store(c, (i,), ct.load(a, (first // T,), (T,), padding_mode=ct.PaddingMode.ZERO))
"""

_SECTIONS = """
@ct.kernel
def k(q, kv, qo, kvo, NQ: Int, NK: Int, D: Int):
    i, y = ct.bid(0), ct.bid(1)
    if y < NQ:
        ct.store(qo, (i, y, 0), ct.load(q, (i, y, 0), (1, 1, D)))
    elif y < NQ + NK:
        ct.store(kvo, (i, y - NQ, 0), ct.load(kv, (i, y - NQ, 0), (1, 1, D)))

def f(q, kv):
    qo, kvo = torch.empty_like(q), torch.empty_like(kv)
    ct.launch(torch.cuda.current_stream(), (q.shape[0], q.shape[1] + kv.shape[1], 1), k,
              (q, kv, qo, kvo, q.shape[1], kv.shape[1], 64))
"""

_MARKED = """
@ct.kernel
def k(a, marks, c, T: Int):
    i = ct.bid(0)
    m = ct.load(marks, (i,), (1,)).item()
    if m >= 0:
        ct.store(c, (i,), ct.load(a, (i,), (T,)))

def f(a, marks):
    c = torch.empty_like(a)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(a.shape[0], 64) + 1, 1, 1), k, (a, marks, c, 64))
"""

_OFFSETS = """
@ct.kernel
def k(offsets, c, N, T: Int):
    i = ct.bid(0)
    for j in range(N):
        low = ct.load(offsets, (j,), (1,)).item()
        high = ct.load(offsets, (j + 1,), (1,)).item()
        ct.store(c, (i,), ct.full((T,), high - low, ct.int32))
"""

_LAUNCHED = """
def f(a):
    c = torch.empty((a.shape[0], 64), dtype=a.dtype, device=a.device)
    ct.launch(torch.cuda.current_stream(), (a.shape[0], 1, 1), k, (a, c, {K}, 64))
"""


_PRODUCT = """
@ct.kernel
def k(a, b, c, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((T, T), ct.float32)
    for j in range(ct.num_tiles(a, 1, (T, T))):
        x = ct.load(a, (i, j), (T, T), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (j, 0), (T, T){padding})
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, 0), acc)
"""


def _find_diagnostics(text: str) -> list[tuple[str, str, str]]:
    report = check_source(_HEAD + text, "case.py", Config(use_cache=False, jobs=1))
    assert not report.failures
    return [(d.code, d.severity, d.message) for d in report.diagnostics]


def test_a_loop_past_the_tiles_of_its_length():
    assert _find_diagnostics(_SUMS.format(end="ct.cdiv(K, T) + 1")) == [(
        "TC201", "warning",
        "the index `j` along axis 1 of `a` continues past the last tile unless `cdiv(K, T) < cdiv(a.shape[1], T)`")]


def test_a_window_that_begins_before_the_array():
    (code, severity, message), = _find_diagnostics(_WINDOW.format(first="i * T - W + 1"))
    assert (code, severity) == ("TC201", "warning")
    assert "along axis 0 of `a` leaves the array unless `" in message


def test_a_variant_that_no_launch_keeps_inside():
    found = _find_diagnostics(_TURNED.format(more=" + 1"))
    assert [(c, s) for c, s, _ in found] == [("TC201", "warning")] * 2 + [("TC405", "error")]
    assert found[2][2] == ("this launch breaks `cdiv(K, T) < cdiv(a.shape[0], T) or TURNED == 0`, which `k` requires "
                           "(for example, with turned = 1)")


_SHIFTED = """
@ct.kernel
def k(a, c):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i + {shift},), (128,), padding_mode=ct.PaddingMode.ZERO))

def f(a, c):
    n = a.shape[0]
    ct.launch(torch.cuda.current_stream(), ({blocks}, 1, 1), k, (a, c))
"""


@pytest.mark.parametrize(("shift", "blocks", "severity"), [
    # large arrays have as many tiles
    (40, "4", None),
    (4000, "4", None),
    # a clause that fails for the tried sizes holds for n = 12345, and for n = 0, 385 and so on
    (0, "n // 128 + (0 if n == 12345 else 5)", "warning"),
    (0, "n // 128 + n % 7 + n % 5 + n % 11", "warning"),
    (0, "n // 128 + 2", "error"),
])
def test_a_clause_that_no_tried_size_satisfies_may_hold_for_others(shift: int, blocks: str, severity: str | None):
    found = [
        (c, s) for c, s, _ in _find_diagnostics(_SHIFTED.format(shift=shift, blocks=blocks)) if c in ("TC205", "TC405")
    ]
    assert found == ([] if severity is None else [("TC205", severity)])


def test_a_finding_that_is_not_proved_says_so():
    text = _HEAD + _SHIFTED.format(shift=0, blocks="n // 128 + (0 if n == 12345 else 5)")
    (d,) = [d for d in check_source(text, "case.py", Config(use_cache=False)).diagnostics if d.code == "TC205"]
    assert d.notes[-1].message == "that was seen for all sizes that were tried, and is not proved for others"


@pytest.mark.parametrize("text", [
    _SUMS.format(end="ct.cdiv(K, T)"),
    _SUMS.format(end="K // T") + _LAUNCHED.format(K="a.shape[1] // 64 * 64"),
    _SUMS.format(end="ct.cdiv(K, T) + 1") + _LAUNCHED.format(K="a.shape[1] - 64"),
    _TURNED.format(more=""),
    _WINDOW.format(first="max(i * T - W + 1, 0)"),
    _SECTIONS,
    _MARKED,
    _OFFSETS,
], ids=["sums", "whole tiles", "a tile more", "turned", "clamped", "sections", "marked", "offsets"])
def test_clauses_of_good_kernels_are_not_findings(text: str):
    assert [f for f in _find_diagnostics(text) if f[0] in ("TC201", "TC205", "TC405")] == []


def test_divisibility_does_not_relate_extents():
    found = _find_diagnostics(_PRODUCT.format(padding=""))
    assert [(c, s) for c, s, _ in found] == [("TC301", "warning")]
    assert not _find_diagnostics(_PRODUCT.format(padding=", padding_mode=ct.PaddingMode.ZERO"))
