"""A loop that is one tile too long is found where nothing else of the access is understood; others are not."""

from __future__ import annotations

import textwrap

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

_LIST = """
import cuda.tile as ct
Int = ct.Constant[int]

@ct.kernel
def k(xs, ys, counts, BLOCKS: Int, TURNED: Int, T: Int):
    tile = ct.bid(0)
    done = 0
    for g in range(len(xs)):
        x, y = xs[g], ys[g]
        rows = ct.num_tiles(x, 0, (T, T))
        count = ct.load(counts, (g,), (1,)).item()
        while tile >= done and tile < done + rows:
            acc = ct.zeros((T, T), ct.float32)
{loop}
            ct.store(y, (tile - done, 0), acc)
            tile += BLOCKS
        done = done + rows
"""


def find_diagnostics(loop: str) -> list[Diagnostic]:
    text = _LIST.format(loop=textwrap.indent(textwrap.dedent(loop).strip("\n"), " " * 12))
    report = check_source(text, "k.py", Config(use_cache=False, jobs=1))
    assert report.failures == ()
    return [d for d in report.diagnostics if d.code == "TC201" and d.severity != "note"]


_LOAD = "acc = acc + ct.load(x, (tile - done, j), (T, T), padding_mode=ct.PaddingMode.ZERO)"

TOO_LONG = {
    "tiles": f"for j in range(ct.num_tiles(x, 1, (T, T)) + 1):\n    {_LOAD}",
    "counted": f"for j in range(ct.cdiv(x.shape[1], T) + 1):\n    {_LOAD}",
    "from one": f"for j in range(1, ct.num_tiles(x, 1, (T, T)) + 1):\n    {_LOAD}",
    "under data": f"for j in range(ct.num_tiles(x, 1, (T, T)) + 1):\n    if count > 0:\n        {_LOAD}",
    "choice": f"""
        end = ct.num_tiles(x, 0, (T, T)) if TURNED == 1 else ct.num_tiles(x, 1, (T, T))
        for j in range(end + 1):
            if TURNED != 1:
                {_LOAD}
        """,
}

LONG_ENOUGH = {
    "tiles": f"for j in range(ct.num_tiles(x, 1, (T, T))):\n    {_LOAD}",
    "condition": f"for j in range(ct.num_tiles(x, 1, (T, T)) + 1):\n    if j * T < x.shape[1]:\n        {_LOAD}",
    "condition on data": f"for j in range(ct.num_tiles(x, 1, (T, T)) + 1):\n    if j < count:\n        {_LOAD}",
    "another one's tiles": f"for j in range(ct.num_tiles(y, 1, (T, T)) + 1):\n    {_LOAD}",
    "tiles of another size": f"for j in range(ct.num_tiles(x, 1, (T, 2 * T)) + 1):\n    {_LOAD}",
    "left early": f"for j in range(ct.num_tiles(x, 1, (T, T)) + 1):\n    if j == count:\n        break\n    {_LOAD}",
    "another variant": f"""
        end = ct.num_tiles(x, 0, (T, T)) if TURNED == 1 else ct.num_tiles(x, 1, (T, T))
        for j in range(end + 1):
            if TURNED == 1:
                {_LOAD}
        """,
    "further by a number that may be 0": f"for j in range(ct.num_tiles(x, 1, (T, T)) + BLOCKS):\n    {_LOAD}",
    "a distance that may be negative": f"""
        for j in range(ct.num_tiles(x, 1, (T, T))):
            if j + TURNED >= 0:
                {_LOAD.replace("j)", "j + TURNED)")}
        """,
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_loop_that_is_one_tile_too_long_is_found(name):
    (finding,) = find_diagnostics(TOO_LONG[name])
    assert finding.severity == "warning"
    assert finding.message.endswith("begins past the end along axis 1 of `xs[*]`, in every launch")


@pytest.mark.parametrize("name", LONG_ENOUGH)
def test_an_access_that_need_not_leave_the_array_is_not_reported(name):
    assert find_diagnostics(LONG_ENOUGH[name]) == []


def test_the_message_says_where_the_loop_is():
    (finding,) = find_diagnostics(TOO_LONG["tiles"])
    assert finding.message == ("in the last iteration of the loop on line 15, the index `j` begins past the end along "
                               "axis 1 of `xs[*]`, in every launch")
    assert finding.span.line == 16
    assert [n.message for n in finding.notes] == [
        "the loop runs one iteration too far here",
        "an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks"]
    assert finding.notes[0].span is not None and finding.notes[0].span.line == 15
    assert finding.help == "end the loop at the number of tiles: `ct.num_tiles(...)`"


_SHARED = """
import cuda.tile as ct
Int = ct.Constant[int]

@ct.kernel
def k(x, y, rows, ROWS: Int, T: Int):
    tiles = ct.num_tiles(x, 1, (1, T))
    for p in range(ct.bid(0), {end}, ct.num_blocks(0)):
        row = ct.load(rows, (p // tiles,), (1,)).item()
        ct.store(y, (row, p % tiles), ct.load(x, (p // tiles, p % tiles), (1, T)))
"""


@pytest.mark.parametrize(("end", "lines"), [("x.shape[0] * tiles", []), ("x.shape[0] * tiles + 1", [10])])
def test_blocks_that_share_a_loop_take_every_value_of_it(end, lines):
    report = check_source(_SHARED.format(end=end), "k.py", Config(use_cache=False, jobs=1))
    told = {d.span.line for d in report.diagnostics if d.code == "TC201" and d.severity != "note"}
    assert told >= set(lines) and (lines or not told)
