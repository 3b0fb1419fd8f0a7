"""Undefined lanes that may be overwritten or left out before they are used: no launch is known to use them."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = "import cuda.tile as ct\nimport torch\n"
LOAD = "x = ct.load(a, (i, 0), (2, 2))\n"
ROWS = "torch.zeros(3, 4)"
FOUR = "x = ct.load(a, (i,), (4,))\n"
SIX = "torch.zeros(6)"


def severities(body: str, array: str) -> set[tuple[str, str]]:
    lines = "".join(f"    {line}\n" for line in ("i = ct.bid(0)", *body.splitlines()))
    text = f"{HEAD}@ct.kernel\ndef k(a, b, n: int):\n{lines}ct.launch(None, (2,), k, ({array}, torch.zeros(64), 2))\n"
    report = check_source(text)
    assert not report.failures
    return {(d.code, d.severity) for d in report.diagnostics}


@pytest.mark.parametrize(("body", "array"), [
    # the columns of the part are not those that are extracted
    (LOAD + "y = ct.insert(ct.zeros((4, 4), ct.float32), (0, 0), x)\n"
     "ct.scatter(b, i, ct.sum(ct.extract(y, (1, 1), (1, 2))))", ROWS),
    (LOAD + "y = ct.cat((ct.zeros((2, 2), ct.float32), x), 1)\n"
     "ct.scatter(b, i, ct.sum(ct.extract(y, (1, 0), (1, 2))))", ROWS),
    # defined lanes lie over them
    (FOUR + "x = ct.insert(x, (1,), ct.zeros((2,), ct.float32))\nct.scatter(b, i, ct.sum(x))", SIX),
    (FOUR + "for k in range(2):\n    x = ct.insert(x, (k,), ct.load(a, (k,), (2,)))\nct.scatter(b, i, ct.sum(x))", SIX),
    # the first iteration replaces them
    (FOUR + "for k in range(2):\n    m = k * 4 + ct.arange(4, dtype=ct.int32) < a.shape[0]\n"
     "    x = ct.where(m, ct.load(a, (k,), (4,)), x)\nct.scatter(b, i, ct.sum(x))", SIX),
])
def test_a_launch_that_uses_no_undefined_lane_has_no_error(body: str, array: str) -> None:
    assert not any(severity == "error" for _, severity in severities(body, array))


@pytest.mark.parametrize(("body", "array"), [
    (LOAD + "y = ct.insert(ct.zeros((4, 4), ct.float32), (0, 0), x)\n"
     "ct.scatter(b, i, ct.sum(ct.extract(y, (1, 0), (1, 2))))", ROWS),
    (FOUR + "x = ct.insert(x, (0,), ct.zeros((2,), ct.float32))\nct.scatter(b, i, ct.sum(x))", SIX),
    # an accumulator keeps what it has
    (FOUR + "for k in range(2):\n    x = x + 1\nct.scatter(b, i, ct.sum(x))", SIX),
    ("x = ct.zeros((4,), ct.float32)\nfor k in range(2):\n    x = x + ct.load(a, (k,), (4,))\n"
     "ct.scatter(b, i, ct.sum(x))", SIX),
])
def test_a_launch_that_uses_one_is_an_error(body: str, array: str) -> None:
    assert any(severity == "error" for _, severity in severities(body, array))


def test_lanes_whose_conditions_exclude_each_other_are_used_nowhere() -> None:
    body = (FOUR + "x = ct.cat((ct.extract(x, (0,), (2,)), ct.zeros((2,), ct.float32)), 0)\n"
            "x = ct.insert(x, (0,), ct.zeros((2,), ct.float32))\nct.scatter(b, i, ct.sum(x))")
    assert not severities(body, SIX)
