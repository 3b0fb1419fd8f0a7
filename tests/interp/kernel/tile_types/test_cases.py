"""Findings and their absence, code by code, in kernels with constants, helpers, branches and launches."""

from __future__ import annotations

import pytest

from tests.interp.kernel.tile_types.kernels import CODES, findings

KERNEL = """\
import cuda.tile as ct

WIDE = 96


@ct.function
def halves(t):
    return ct.reshape(t, (2, -1))


def scaled(t, factor):
    return t * factor


@ct.kernel
def k(a, b, c, n, BM: ct.Constant[int], BK: ct.Constant[int], F: ct.Constant[bool]):
    i = ct.bid(0)
{body}
"""

CASES: dict[str, tuple[tuple[str, bool], ...]] = {
    "TC501": (
        # wrong
        ("x = ct.load(a, (i, 0), (BM, BK)); y = ct.load(b, (0, i), (2 * BK, BM)); z = ct.matmul(x, y)", True),
        ("x = ct.load(a, (i, 0), (BM, 16)); y = ct.load(b, (i, 0), (32, BM)); z = x @ y", True),
        ("x = ct.zeros((16, 32), ct.float32); z = scaled(x, ct.zeros((16, 16), ct.float32))", True),
        ("x = halves(ct.zeros((64,), ct.float32)); z = x + ct.zeros((64,), ct.float32)", True),
        ("x = ct.zeros((BM, 16), ct.float32); z = ct.reshape(x, (BM, 32))", True),
        ("x = ct.zeros((32,), ct.float32)[:, None]; z = ct.broadcast_to(x, (16, 64))", True),
        ("x = ct.zeros((8, 8), ct.float32)\nif i > 0:\n    x = x + ct.zeros((4, 8), ct.float32)", True),
        ("acc = ct.zeros((BM, 16), ct.float32)\nfor j in range(n):\n    acc = ct.zeros((BM, 32), ct.float32)", True),
        # right
        ("x = ct.load(a, (i, 0), (BM, BK)); y = ct.load(b, (0, i), (BK, BM)); z = ct.matmul(x, y)", False),
        ("x = ct.zeros((BM, 16), ct.float32); z = x + ct.zeros((BK, 16), ct.float32)", False),
        ("x = ct.zeros((BM, BK), ct.float32); z = ct.reshape(x, (BM * BK,))", False),
        ("x = ct.zeros((BM, BK), ct.float32); z = ct.reshape(x, (-1, 2)) if F else x", False),
        ("x = ct.zeros((16, 32), ct.float32); z = x + ct.sum(x, axis=1, keepdims=True)", False),
        ("x = ct.zeros((16,), ct.float32)\nif F:\n    x = x + ct.zeros((8,), ct.float32)", False),
        ("x = ct.zeros((BM,), ct.float32)\nif BM == 16:\n    x = x + ct.zeros((16,), ct.float32)", False),
        ("x = ct.zeros((8,), ct.float32)\nfor j in ct.static_iter(range(2)):\n    x = ct.cat((x, x), 0)", False),
        ("for j in range(n):\n    x = ct.zeros((8,), ct.float32)\nfor j in range(n):\n"
         "    x = ct.zeros((16,), ct.int32)", False),
        ("if i > 2:\n    x = ct.zeros((8,), ct.float32)\nfor j in range(n):\n    x = ct.zeros((16,), ct.int32)", False),
        ("x = ct.zeros((8,), ct.float32)\nif i > 2:\n    x = ct.zeros((8,), ct.int32)\nfor j in range(n):\n"
         "    x = ct.zeros((16,), ct.int32)", False),
        ("x = ct.zeros((8,), ct.float32)\nfor j in range(n):\n    x = ct.sum(x[:, None], axis=1)", False),
    ),
    "TC502": (
        ("x = ct.zeros((BM,), ct.float16) + ct.zeros((BM,), ct.bfloat16)", True),
        ("x = ct.zeros((BM,), ct.int32) * ct.zeros((BM,), ct.uint8)", True),
        ("x = ct.arange(BM, dtype=ct.int32).astype(ct.float32) & 1", True),
        ("x = ct.gather(a, (i, ct.arange(16, dtype=ct.int32)), mask=ct.arange(16, dtype=ct.int32))", True),
        ("x = ct.zeros((BM,), ct.float16)\nfor j in range(n):\n    x = x + ct.zeros((BM,), ct.float32)", True),
        ("x = ct.bitcast(ct.zeros((BM,), ct.float16), ct.int32)", True),
        ("m = ct.arange(16, dtype=ct.int32) < 3; x = m + m", True),
        ("x = ct.load(a, (i * 0.5, 0), (16, 16))", True),
        ("x = ct.load(a, (i, 0), (BM, BK)) + ct.load(b, (i, 0), (BM, BK))", False),
        ("x = ct.zeros((BM,), ct.float16) + 1.5", False),
        ("x = ct.zeros((BM,), ct.int8) + 1", False),
        ("x = ct.zeros((BM,), ct.float16) + ct.zeros((BM,), ct.float32)", False),
        ("m = ct.arange(16, dtype=ct.int32) < 3; x = m & (m | ~m)", False),
        ("x = ct.zeros((BM,), ct.float32)\nfor j in range(n):\n    x = x + ct.zeros((BM,), ct.float16)", False),
        ("x = ct.load(a, (i, 0), (BM, BK)).astype(c.dtype) + ct.load(c, (i, 0), (BM, BK))", False),
        ("x = ct.zeros((BM,), ct.float16) + n", False),
    ),
    "TC503": (
        ("x = ct.load(a, (i, 0), (BM,))", True),
        ("x = ct.sum(ct.load(a, (i, 0), (BM, BK)), axis=2)", True),
        ("x = ct.transpose(ct.arange(BM, dtype=ct.int32))", True),
        ("x = ct.permute(ct.load(a, (i, 0), (BM, BK)), (0, 1, 2))", True),
        ("x = ct.expand_dims(ct.arange(BM, dtype=ct.int32), 2)", True),
        ("x = ct.load(a, (ct.arange(BM, dtype=ct.int32), 0), (BM, BK))", True),
        ("ct.store(c, (i, 0), ct.arange(BM, dtype=ct.int32))", True),
        ("x = ct.max(ct.zeros((8, 8), ct.float32), axis=(0, -2))", True),
        ("x = ct.load(a, (i, 0), (BM, BK)); y = ct.load(a, (i, 0), ())", False),
        ("x = ct.sum(ct.load(a, (i, 0), (BM, BK)), axis=-2)", False),
        ("x = ct.transpose(ct.arange(BM, dtype=ct.int32)[None, :])", False),
        ("x = ct.permute(ct.load(a, (i, 0, 0), (1, BM, BK)), (-1, 0, 1))", False),
        ("x = ct.expand_dims(ct.arange(BM, dtype=ct.int32), -2)", False),
        ("x = ct.gather(a, (ct.arange(BM, dtype=ct.int32), 0))", False),
        ("ct.store(c, (i, 0), 0.5)", False),
        ("x = ct.load(a, (i, 0), (BM, BK))\nif F:\n    x = ct.sum(x, axis=3)", False),
    ),
    "TC504": (
        ("x = ct.load(a, (i, 0), (BM, WIDE))", True),
        ("x = ct.zeros((3 * BM,), ct.float32)", True),
        ("x = ct.arange(100, dtype=ct.int32)", True),
        ("x = ct.full((BM, 12), 1.0, ct.float32)", True),
        ("x = ct.cat((ct.zeros((4, 8), ct.float32), ct.zeros((2, 8), ct.float32)), 0)", True),
        ("x = ct.broadcast_to(ct.zeros((1,), ct.float32), (24,))", True),
        ("x = ct.num_tiles(a, 0, (6, 8))", True),
        ("x = ct.zeros((BM, 0), ct.float32)", True),
        ("x = ct.load(a, (i, 0), (BM, BK))", False),
        ("x = ct.zeros((2 * BM,), ct.float32)", False),
        ("x = ct.zeros((BM + BK,), ct.float32)", False),
        ("x = ct.zeros((BM // 3,), ct.float32)", False),
        ("x = ct.cat((ct.zeros((BM,), ct.float32), ct.zeros((BM,), ct.float32)), 0)", False),
        ("x = a.slice(0, 3, 12)", False),
        ("x = ct.cdiv(n, 48)", False),
        ("x = i\nif F:\n    x = ct.zeros((12,), ct.float32)", False),
    ),
    "TC505": (
        ("x = ct.zeros((BM, BK), ct.float16); z = ct.mma(x, x.astype(ct.float32).transpose(), ct.zeros((BM, BM), "
         "ct.float32))", True),
        ("x = ct.zeros((BM, BK), ct.bfloat16); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float16))", True),
        ("x = ct.zeros((BM, BK), ct.int32); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.int32))", True),
        ("x = ct.zeros((BM, BK), ct.int8); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float32))", True),
        ("x = ct.zeros((BM,), ct.float16); z = ct.mma(x, x[:, None], ct.zeros((1, 1), ct.float32))", True),
        ("x = ct.zeros((BM, BK), ct.float16); z = x @ x.transpose().astype(ct.bfloat16)", True),
        ("x = ct.zeros((BM, BK), ct.int16); z = ct.matmul(x, x.transpose())", True),
        ("x = ct.zeros((BM, BK), ct.float64); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float32))", True),
        ("x = ct.zeros((BM, BK), ct.float16); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float16))", False),
        ("x = ct.zeros((BM, BK), ct.bfloat16); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float32))", False),
        ("x = ct.zeros((BM, BK), ct.int8); y = x.transpose().astype(ct.uint8); z = ct.mma(x, y, ct.zeros((BM, BM), "
         "ct.int32))", False),
        ("x = ct.load(a, (i, 0), (BM, BK)); y = ct.load(b, (0, i), (BK, BM)); z = ct.mma(x, y, ct.zeros((BM, BM), "
         "ct.float32))", False),
        ("x = ct.zeros((BM,), ct.float16); z = ct.matmul(x, x)", False),
        ("x = ct.zeros((BM, BK), ct.float16); z = x @ x.transpose().astype(ct.float32)", False),
        ("x = ct.zeros((BM, BK), ct.tfloat32); z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.float32))", False),
        ("x = ct.zeros((BM, BK), ct.int32)\nif F:\n    z = ct.mma(x, x.transpose(), ct.zeros((BM, BM), ct.int32))",
         False),
    ),
}


def kernel(body: str) -> str:
    lines = body.replace("; ", "\n").split("\n")
    return KERNEL.format(body="\n".join(f"    {line}" for line in lines))


@pytest.mark.parametrize(("code", "body", "wrong"), [(c, *case) for c, cases in CASES.items() for case in cases])
def test_expected_findings_are_reported(code: str, body: str, wrong: bool) -> None:
    assert [d.code for d in findings(kernel(body))] == [code] * wrong


def test_both_kinds_have_enough_cases() -> None:
    assert tuple(CASES) == CODES
    for cases in CASES.values():
        wrong = sum(is_wrong for _, is_wrong in cases)
        assert wrong >= 8 and len(cases) - wrong >= 8


# --- launches --------------------------------------------------------------------------------------------------------

LAUNCHES = """
import torch


def host(stream, x):
    a = torch.zeros((64, 64), dtype=torch.float16)
    b = torch.zeros((64, 64), dtype=torch.bfloat16)
    {launches}
"""
ONE = "ct.launch(stream, (4,), k, ({}, {}, a, 3, {}, {}, {}))"


def check_launched(body: str, *launches: tuple[object, ...]) -> list[tuple[str, str, list[str]]]:
    text = kernel(body) + LAUNCHES.format(launches="\n    ".join(ONE.format(*given) for given in launches))
    return [(d.code, d.message, [n.message for n in d.notes]) for d in findings(text)]


SUM = "x = ct.load(a, (i, 0), (BM, 16)) + ct.load(b, (i, 0), (BK, 16))"


def test_constants_of_a_launch_are_put_in() -> None:
    assert check_launched(SUM, ("a", "a", 16, 16, True)) == []
    assert check_launched(SUM, ("a", "a", 16, 16, True), ("a", "a", 16, 8, False)) == [(
        "TC501", "`+` combines tiles of shapes (16, 16) and (8, 16); dim 0: 16 from line 18, 8 from line 18",
        ["in this launch BM = 16 and BK = 8"])]


def test_types_of_the_arrays_of_a_launch_are_put_in() -> None:
    assert check_launched(SUM, ("a", "x", 16, 16, True), ("b", "b", 16, 16, True)) == []
    assert check_launched(SUM, ("a", "b", 16, 16, True)) == [(
        "TC502", "`+` of float16 from line 18 and bfloat16 from line 18, which have no type in common",
        ["in this launch `a` holds float16 elements and `b` holds bfloat16 elements"])]


def test_an_extent_from_a_launch_is_reported_once() -> None:
    body = "x = ct.load(a, (i, 0), (BM, 16)); y = ct.load(b, (i, 0), (BM, 16))"
    assert [(code, notes) for code, _, notes in check_launched(body, ("a", "a", 48, 16, True))] == [
        ("TC504", ["in this launch BM = 48"])]


def test_a_branch_that_a_launch_leaves_out_is_not_compiled() -> None:
    body = "x = ct.zeros((BM,), ct.float32)\nif F:\n    x = x + ct.zeros((8,), ct.float32)"
    assert check_launched(body, ("a", "a", 16, 16, False)) == []
    assert check_launched(body, ("a", "a", 8, 16, True)) == []
    assert [code for code, *_ in check_launched(body, ("a", "a", 16, 16, True))] == ["TC501"]


def test_an_assertion_is_not_a_branch() -> None:
    body = "ct.static_assert(BM == 16)\nx = ct.zeros((8,), ct.float32) + ct.zeros((4,), ct.float32)"
    assert [d.code for d in findings(kernel(body))] == ["TC501"]


def test_code_after_a_constant_return_may_not_be_compiled() -> None:
    assert findings(kernel("if F:\n    return\nx = ct.zeros((12,), ct.float32)")) == []
    assert [d.code for d in findings(kernel("if i > n:\n    return\nx = ct.zeros((12,), ct.float32)"))] == ["TC504"]


@pytest.mark.parametrize("allocation", [
    "np.zeros((64, 64), x.dtype)", "np.zeros((64, 64), np.float16)", "np.empty(shape=(64, 64))", "torch.zeros(64, 64)",
    "x.new_zeros((64, 64))", "torch.zeros_like(x)",
    "torch.zeros((64, 64)).view(torch.uint8)", "torch.zeros(64, 64).view(x.dtype)", "torch.zeros(4096).view(64, 64)",
])
def test_arrays_of_two_axes(allocation: str) -> None:
    text = kernel("x = ct.load(a, (i, 0), (BM, 16)); y = ct.load(b, (i, 0), (BM, 16))")
    host = ("\nimport numpy as np\nimport torch\n\n\ndef host(stream, x):\n"
            f"    {ONE.format(allocation, 'x', 16, 16, True)}\n")
    assert findings(text + host.replace(", a, 3,", ", x, 3,")) == []


@pytest.mark.parametrize("allocation", ["np.zeros(64, np.float16)", "np.empty((64,), x.dtype)", "torch.zeros(64)"])
def test_arrays_of_one_axis(allocation: str) -> None:
    text = kernel("x = ct.load(a, (i, 0), (BM, 16))")
    host = ("\nimport numpy as np\nimport torch\n\n\ndef host(stream, x):\n"
            f"    {ONE.format(allocation, 'x', 16, 16, True)}\n")
    assert [d.message for d in findings(text + host.replace(", a, 3,", ", x, 3,"))] == [
        "`a` has 1 axis, but the index has 2 entries"]
