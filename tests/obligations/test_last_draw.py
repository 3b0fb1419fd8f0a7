"""The finding on a read by the block that draws the last number of a counter names the conditions for that."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

KERNEL = """\
import cuda.tile as ct


@ct.kernel
def total(x, parts, count, out, NB: ct.Constant[int], T: ct.Constant[int]):
    i = ct.bid(0)
    ct.scatter(parts, i, ct.sum(ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO)))
    drawn = ct.atomic_add(count, 0, 1)
    if CONDITION:
        ct.store(out, (0,), ct.sum(ct.load(parts, (0,), (NB,)), keepdims=True))
"""


def find_message(condition: str) -> str:
    report = check_source(KERNEL.replace("CONDITION", condition), "k.py", Config(use_cache=False))
    return next(d.message for d in report.diagnostics if d.code == "TC103")


@pytest.mark.parametrize(("condition", "number"), [
    ("drawn == NB - 1", "NB - 1"), ("NB - 1 == drawn", "NB - 1"), ("drawn + 1 == NB", "NB - 1"),
    ("drawn == ct.num_blocks(0) - 1", "grid[0] - 1")])
def test_the_number_and_the_counter_are_named(condition: str, number: str) -> None:
    message = find_message(condition)
    assert f"only the block that draws `{number}` from `count` reads" in message
    assert "`count` is 0 at the launch" in message


def test_a_number_that_differs_from_block_to_block_names_no_last_block() -> None:
    assert "only the block that draws" not in find_message("drawn == i")
