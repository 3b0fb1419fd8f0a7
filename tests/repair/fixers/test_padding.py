"""TC301: which padding is neutral for the values computed from a tile, and that no wrong one is offered."""

from __future__ import annotations

import pytest

from tests.repair.helpers import findings, fix_text, kernel, options, text_of
from tilecheck.repair.fixers.registry import fixes_for

ROW = "i = ct.bid(0)\nrow = ct.load(x, (i, 0), (1, T))\n"
OUT = "ct.store(o, (i, 0), r)"

NEUTRAL = {
    "sum": ("r = ct.sum(row, axis=1, keepdims=True)", "ZERO"),
    "sum of squares": ("r = ct.sum(row * row, axis=1, keepdims=True)", "ZERO"),
    "in another type": ("f = ct.astype(row, ct.float32)\nr = ct.sum(f * 2.0, axis=1, keepdims=True)", "ZERO"),
    "weighted": ("w = ct.load(v, (0, 0), (1, T), padding_mode=ct.PaddingMode.ZERO)\n"
                 "r = ct.sum(row * w, axis=1, keepdims=True)", "ZERO"),
    "softmax": ("m = ct.max(row, axis=1, keepdims=True)\ne = ct.exp(row - m)\nr = e / ct.sum(e, axis=1, keepdims=True)",
                "NEG_INF"),
    "log of the sum of exponentials": (
        "m = ct.max(row, axis=-1, keepdims=True)\nr = m + ct.log(ct.sum(ct.exp(row - m), axis=-1, keepdims=True))",
        "NEG_INF"),
    "sum of exponentials": ("r = ct.sum(ct.exp(row), axis=1, keepdims=True)", "NEG_INF"),
    "minimum of logarithms": ("r = ct.min(ct.exp(-row), axis=1, keepdims=True)", None),
    "accumulated": ("acc = ct.zeros((1, T), ct.float32)\nfor j in range(4):\n    acc += row * j\n"
                    "r = ct.sum(acc, axis=1, keepdims=True)", None),
}
WRONG = {
    "what Python's max leaves of it": "m = ct.sum(max(ct.exp(row), 1.0e-3), axis=1, keepdims=True)\nr = m",
    "what Python's max of two leaves of it": "z = ct.zeros((1, T), ct.float32)\n"
                                             "r = ct.sum(max(z, ct.exp(row) + 1.0), axis=1, keepdims=True)",
    "variance": "m = ct.sum(row, axis=1, keepdims=True) / n\nd = row - m\nr = ct.sum(d * d, axis=1, keepdims=True)",
    "sum plus one": "r = ct.sum(row + 1.0, axis=1, keepdims=True)",
    "sum with bias": "b = ct.load(v, (0, 0), (1, T), padding_mode=ct.PaddingMode.ZERO)\n"
                     "r = ct.sum(row + b, axis=1, keepdims=True)",
    "exponentials and values": "r = ct.sum(ct.exp(row), axis=1, keepdims=True) + ct.sum(row, axis=1, keepdims=True)",
    "largest of squares": "r = ct.max(row * row, axis=1, keepdims=True)",
}
UNKNOWN = {
    "largest, which may be an integer": ("r = ct.max(row, axis=1, keepdims=True)", "NEG_INF"),
    "through a helper": ("r = ct.sum(helper(row), axis=1, keepdims=True)", "ZERO"),
}
HELPER = "\n\ndef helper(t):\n    return t * 2.0\n"


def text(body: str) -> str:
    return kernel(f"{ROW}{body}\n{OUT}", "x, v, o, n: int, T: Int") + HELPER


@pytest.mark.parametrize("body", [
    "r = ct.sum(ct.exp(ct.astype(row, ct.float32)), axis=1, keepdims=True)",
    "f = row.astype(ct.float32)\nr = ct.sum(ct.exp(f), axis=1, keepdims=True)",
])
def test_an_infinity_is_not_safe_for_an_array_that_is_cast(body: str) -> None:
    """It may hold integers, which have none."""
    before = text(body)
    assert options(before, "TC301") and not any(fix.applicability == "safe" for fix in options(before, "TC301"))
    assert fix_text(before, unsafe=False).applied == ()


@pytest.mark.parametrize("name", [name for name, (_, mode) in NEUTRAL.items() if mode])
def test_a_neutral_padding_is_a_safe_fix(name: str) -> None:
    body, mode = NEUTRAL[name]
    before = text(body)
    first, *_ = options(before, "TC301")
    assert (first.title, first.applicability) == (f"load with padding_mode={mode}", "safe")
    outcome = fix_text(before, unsafe=False)
    assert f"row = ct.load(x, (i, 0), (1, T), padding_mode=ct.PaddingMode.{mode})" in text_of(outcome, before)
    assert outcome.refused == ()


@pytest.mark.parametrize("name", WRONG)
def test_a_padding_that_would_change_the_result_is_not_offered(name: str) -> None:
    before = text(WRONG[name])
    assert [fix.title for fix in options(before, "TC301")] == ["declare `T <= x.shape[1]`"]
    assert fix_text(before, unsafe=False).contents == {}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_padding_with_an_unknown_effect_is_unsafe(name: str) -> None:
    body, mode = UNKNOWN[name]
    before = text(body)
    first, *_ = options(before, "TC301")
    assert (first.title, first.applicability) == (f"load with padding_mode={mode}", "unsafe")
    assert fix_text(before, unsafe=False).contents == {}


def test_both_edges_of_a_tile_are_followed() -> None:
    # along axis 0 the lanes become a maximum, minus infinity; the sum of those over axis 0 is wrong
    body = ("t = ct.load(x, (ct.bid(0), 0), (S, T))\nm = ct.max(t, axis=1, keepdims=True)\n"
            "e = ct.sum(ct.exp(t - m), axis=1, keepdims=True)\n{}\nct.store(o, (ct.bid(0), 0), r)")
    clipped = kernel(body.format("r = m + e"), "x, o, S: Int, T: Int")
    assert options(clipped, "TC301")[0].applicability == "safe"
    summed = kernel(body.format("r = ct.sum(m + e, axis=0, keepdims=True)"), "x, o, S: Int, T: Int")
    assert "padding_mode" not in options(summed, "TC301")[0].title


def test_the_operands_of_a_product_are_padded_with_zero() -> None:
    before = kernel("""
i, j = ct.bid(0), ct.bid(1)
acc = ct.zeros((M, N), ct.float32)
for k in range(ct.num_tiles(a, 1, (M, K))):
    x = ct.load(a, (i, k), (M, K))
    y = ct.load(b, (k, j), (K, N))
    acc = ct.mma(x, y, acc)
ct.store(c, (i, j), acc)
""", "a, b, c, M: Int, N: Int, K: Int")
    outcome = fix_text(before, unsafe=False)
    assert text_of(outcome, before).count("padding_mode=ct.PaddingMode.ZERO") == 2
    assert len(outcome.applied) == 2 and outcome.refused == ()


def test_no_infinity_is_put_into_a_product() -> None:
    # the keys outside take part in the maximum, and minus infinity is neutral there, but not what comes of it
    before = kernel("""
i = ct.bid(0)
q = ct.load(a, (i, 0), (M, D), padding_mode=ct.PaddingMode.ZERO)
m = ct.full((M, 1), -1.0e30, ct.float32)
for j in range(ct.num_tiles(b, 1, (1, N, D))):
    k = ct.transpose(ct.reshape(ct.load(b, (0, j, 0), (1, N, D)), (N, D)))
    s = ct.mma(q, k, ct.zeros((M, N), ct.float32))
    m = ct.maximum(m, ct.max(ct.exp(s), axis=1, keepdims=True))
ct.store(o, (i, 0), m)
""", "a, b, o, M: Int, N: Int, D: Int")
    assert findings(before, "TC301")
    turned = before.replace("ct.transpose(ct.reshape(ct.load(b, (0, j, 0), (1, N, D)), (N, D)))",
                            "ct.reshape(ct.load(b, (0, 0, j), (1, D, N), order=(0, 2, 1)), (D, N))")
    assert findings(turned, "TC301")
    for text_ in (before, turned):
        for finding in findings(text_, "TC301"):
            assert all("_INF" not in fix.title for fix in fixes_for(text_, finding))


def test_lanes_that_are_stored_inside_the_array_are_for_the_author() -> None:
    before = kernel("""
i = ct.bid(0)
t = ct.load(x, (i, 0), (1, T))
ct.store(o, (i, 0), t)
ct.store(p, (i, 0), ct.reshape(t, (T, 1)))
""", "x, o, p, T: Int")
    for finding in findings(before, "TC301"):
        assert all(fix.applicability == "unsafe" for fix in fixes_for(before, finding))


def test_a_padding_that_is_named_as_undetermined_is_replaced() -> None:
    before = text(NEUTRAL["sum"][0]).replace("(1, T))\n", "(1, T), padding_mode=ct.PaddingMode.UNDETERMINED)\n", 1)
    assert "padding_mode=ct.PaddingMode.ZERO)" in text_of(fix_text(before, unsafe=False), before)


def test_a_padding_that_is_passed_in_is_left_alone() -> None:
    before = text(NEUTRAL["sum"][0]).replace("(1, T))\n", "(1, T), padding_mode=P)\n", 1)
    before = before.replace("T: Int", "T: Int, P: Int")
    assert "PaddingMode" not in text_of(fix_text(before), before)


@pytest.mark.parametrize(("imported", "spelled"), [
    ("from cuda import tile", "tile"), ("from cuda import tile as t", "t"), ("import cuda.tile as tl", "tl"),
])
def test_the_mode_is_spelled_as_the_file_spells_the_module(imported: str, spelled: str) -> None:
    before = text(NEUTRAL["sum"][0]).replace("import cuda.tile as ct", imported).replace("ct.", f"{spelled}.")
    assert f"padding_mode={spelled}.PaddingMode.ZERO)" in text_of(fix_text(before, unsafe=False), before)


def test_a_mode_that_the_file_cannot_name_is_not_offered() -> None:
    before = """\
from cuda.tile import Constant, bid, kernel, load, store
from cuda.tile import sum as total

@kernel
def k(x, o, T: Constant[int]):
    i = bid(0)
    store(o, (i, 0), total(load(x, (i, 0), (1, T)), axis=1, keepdims=True))
"""
    assert all("padding" not in fix.title for fix in options(before, "TC301"))
    named = before.replace("import Constant,", "import Constant, PaddingMode as PM,")
    assert "padding_mode=PM.ZERO" in text_of(fix_text(named), named)


def test_a_view_is_padded_at_its_definition() -> None:
    before = kernel("""
i = ct.bid(0)
view = x.tiled_view((1, T))
ct.store(o, (i, 0), ct.sum(view.load((i, 0)), axis=1, keepdims=True))
""", "x, o, T: Int")
    assert "view = x.tiled_view((1, T), padding_mode=ct.PaddingMode.ZERO)" in text_of(fix_text(before), before)


def test_an_argument_is_added_in_the_style_of_the_call() -> None:
    before = kernel("""
i = ct.bid(0)
row = ct.load(
    x,
    index=(i, 0),
    shape=(1, T),  # one row
)
ct.store(o, (i, 0), ct.sum(row, axis=1, keepdims=True))
""", "x, o, T: Int")
    after = text_of(fix_text(before, unsafe=False), before)
    assert """\
        index=(i, 0),
        shape=(1, T),
        padding_mode=ct.PaddingMode.ZERO,  # one row
    )
""" in after
