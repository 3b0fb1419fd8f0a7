"""The fixes of each rule: alternatives, and none where the change cannot be determined."""

from __future__ import annotations

import textwrap
from importlib import import_module

import pytest

from tests.repair.helpers import findings, fix_text, kernel, lines_changed, options, text_of
from tilecheck.repair.apply.original_bytes import change_bytes
from tilecheck.repair.fixers.registry import fixes_for
from tilecheck.rules.catalog import RULES


def test_modules_that_rules_name_have_fixes() -> None:
    for rule in RULES.values():
        for name in rule.fixes:
            assert callable(import_module(f"tilecheck.repair.fixers.{name}").fixes)


def test_a_text_that_cannot_be_parsed_has_no_fixes() -> None:
    text = kernel("i = ct.bid(0)\nct.store(c, (0,), ct.load(a, (i,), (T,)))", "a, c, T: Int")
    (finding,) = findings(text, "TC101")
    assert fixes_for(text, finding) != ()
    assert fixes_for(text + "    )\n", finding) == ()
    assert fixes_for("", finding) == fixes_for("x = 1\n", finding) == ()


# --- TC101 -----------------------------------------------------------------------------------------------------------

def test_a_store_gets_the_coordinate_that_it_lacks() -> None:
    text = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(a, (i, j), (S, T))\nct.store(c, (0, j), t)",
                  "a, c, S: Int, T: Int")
    assert "ct.store(c, (i, j), t)" in text_of(fix_text(text), text)


def test_a_repeated_coordinate_is_replaced_by_that_of_the_load() -> None:
    text = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(a, (i, j), (T, T))\nct.store(c, (i, i), t)",
                  "a, c, T: Int")
    assert "ct.store(c, (i, j), t)" in text_of(fix_text(text), text)


def test_an_ambiguous_guess_is_not_applied() -> None:
    # two loads count the axis in different ways, and either way keeps blocks disjoint
    text = kernel("i, j = ct.bid(0), ct.bid(1)\nk = 2 * j\nt = ct.load(a, (i, j), (T, T))\n"
                  "ct.store(c, (i, 0), t + ct.load(b, (i, k), (T, T)))", "a, b, c, T: Int")
    outcome = fix_text(text)
    assert outcome.applied == ()
    assert {r.why for r in outcome.refused} >= {
        "several fixes are possible: 'write `j` in place of `0`' and 'write `k` in place of `0`'"}


@pytest.mark.parametrize("body", [
    # a flag: what the blocks should do is not in the text
    "i = ct.bid(0)\nif i >= 0:\n    ct.store(c, (0,), ct.full((T,), 1, ct.int32))",
    # the axis of the head is elsewhere in the output than in the input
    "b, h = ct.bid(0) // H, ct.bid(0) % H\nplace = ct.bid(1)\nfor m in range(ct.num_tiles(a, 2, (1, 1, T, T))):\n"
    "    t = ct.load(a, (b, h, m, 0), (1, 1, T, T))\n    ct.store(c, (b, m, place, 0), ct.permute(t, (0, 2, 1, 3)))",
])
def test_coordinates_missing_from_the_loads_are_not_guessed(body: str) -> None:
    text = kernel(body, "a, c, H: Int, T: Int")
    assert findings(text, "TC101") and options(text, "TC101") == ()


def test_the_call_is_named_where_no_name_holds_the_coordinate() -> None:
    text = kernel("t = ct.load(a, (ct.bid(0), ct.bid(1)), (T, T))\nct.store(c, (ct.bid(0), 0), t)", "a, c, T: Int")
    assert "ct.store(c, (ct.bid(0), ct.bid(1)), t)" in text_of(fix_text(text), text)


@pytest.mark.parametrize(("body", "new"), [
    # the coordinate is there, and shortened
    ("i = ct.bid(0)\nct.store(c, (i // 2,), ct.load(a, (i,), (T,)))", "ct.store(c, (i,), ct.load(a, (i,), (T,)))"),
    # decoded wrongly: more of it on another axis is not what is missing
    ("p = ct.bid(0)\nb, h = p // H, p % (H - 1)\nct.store(c, (b, h, 0), ct.load(a, (b, h, 0), (1, 1, T)))",
     "b, h = p // H, p % H"),
    ("o = ct.bid(0) * (T // 2) + ct.arange(T, dtype=ct.int32)\nct.scatter(c, o, ct.gather(a, o))",
     "o = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)"),
    ("i = ct.bid(0)\nv = c.tiled_view((T,), traversal_steps=(T // 2,))\nv.store((i,), ct.load(a, (i,), (T,)))",
     "v = c.tiled_view((T,), traversal_steps=(T,))"),
    ("i = ct.bid(0)\nt = ct.load(a, (i,), (T,))\nct.store(c, (2 * i,), t)\nct.store(c, (i + 1,), t)",
     "ct.store(c, (2 * i + 1,), t)"),
])
def test_a_wrong_part_of_an_index_is_fixed_at_its_definition(body: str, new: str) -> None:
    text = kernel(body, "a, c, H: Int, T: Int")
    (fix,) = options(text, "TC101")
    assert fix.only and fix.applicability == "unsafe"
    assert lines_changed(text, fix) == [new]
    assert findings(text_of(fix_text(text), text), "TC101") == ()


def test_store_axes_that_are_swapped_are_put_in_order() -> None:
    # two statements that meet on mirrored tiles, and a block that reads what its mirror writes
    two = kernel("i, j = ct.bid(0), ct.bid(1)\nct.store(c, (i, j), ct.load(a, (i, j), (T, T)))\n"
                 "ct.store(c, (j, i), ct.load(b, (i, j), (T, T)))", "a, b, c, T: Int")
    assert "ct.store(c, (i, j), ct.load(b, (i, j), (T, T)))" in text_of(fix_text(two), two)
    place = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(x, (i, j), (T, T))\nct.store(x, (j, i), t * 2)",
                   "x, T: Int")
    assert "ct.store(x, (i, j), t * 2)" in text_of(fix_text(place), place)


def test_a_transposition_in_place_is_not_reordered() -> None:
    text = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(x, (i, j), (T, T))\nct.store(x, (j, i), ct.transpose(t))",
                  "x, T: Int")
    assert findings(text, "TC103") and options(text, "TC103") == ()


def test_a_stencil_index_is_not_replaced() -> None:
    text = kernel("i = ct.bid(0)\nt = ct.load(c, (i + 1,), (T,))\nct.store(c, (i,), ct.exp(t))", "c, T: Int")
    assert findings(text, "TC103") and options(text, "TC103") == ()


# --- TC201 -----------------------------------------------------------------------------------------------------------

def test_a_loop_ends_with_the_last_tile() -> None:
    text = kernel("i = ct.bid(0)\nacc = ct.zeros((1, T), ct.float32)\n"
                  "for k in range(ct.num_tiles(a, 1, (1, T)) + 1):\n"
                  "    acc = acc + ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)\n"
                  "ct.store(c, (i, 0), acc)", "a, c, T: Int")
    (fix,) = options(text, "TC201")
    assert lines_changed(text, fix) == ["for k in range(ct.num_tiles(a, 1, (1, T))):"]
    assert findings(text_of(fix_text(text), text), "TC201") == ()


def test_a_tile_before_the_first_one_is_not_guessed() -> None:
    text = kernel("i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i - 1,), (T,)))", "a, c, T: Int")
    assert findings(text, "TC201") and options(text, "TC201") == ()


def test_a_store_of_a_helper_is_not_guessed() -> None:
    text = "import cuda.tile as ct\n\n\ndef put(c, i, j, t):\n    ct.store(c, (i, 0), t)\n" + kernel(
        "put(c, ct.bid(0), ct.bid(1), ct.load(a, (ct.bid(0), ct.bid(1)), (T, T)))", "a, c, T: Int").replace(
            "import cuda.tile as ct\n", "")
    assert options(text, "TC101") == ()
    read = text.replace("def put(c, i, j, t):\n", "def put(c, i, j, t):\n    t = ct.load(c, (i, j), (4, 4))\n")
    assert options(read, "TC101") == ()  # `j` is a parameter there: nothing shows that it is a coordinate


@pytest.mark.parametrize("bounds", ["start, n", "start, n, 1", "ct.bid(0), n", "ct.bid(0), n, 2"])
def test_a_persistent_loop_gets_its_step(bounds: str) -> None:
    text = kernel(f"start = ct.bid(0)\nfor i in range({bounds}):\n    ct.store(c, (i,), ct.load(a, (i,), (T,)))",
                  "a, c, n: int, T: Int")
    start = bounds.split(",")[0]
    assert f"for i in range({start}, n, ct.num_blocks(0)):" in text_of(fix_text(text), text)


def test_the_name_of_the_number_of_blocks_is_used() -> None:
    text = kernel("blocks = ct.num_blocks(0)\nfor i in range(ct.bid(0), n):\n"
                  "    ct.store(c, (i,), ct.load(a, (i,), (T,)))", "a, c, n: int, T: Int")
    assert "range(ct.bid(0), n, blocks)" in text_of(fix_text(text), text)


def test_a_loop_with_another_start_is_not_persistent() -> None:
    text = kernel("for i in range(0, n):\n    ct.store(c, (i,), ct.load(a, (ct.bid(0),), (T,)))",
                  "a, c, n: int, T: Int")
    assert all("num_blocks" not in fix.title for fix in options(text, "TC101"))


# --- launches --------------------------------------------------------------------------------------------------------

COPY = "i, j = ct.bid(0), ct.bid(1)\nct.store(c, {}, ct.load(a, (i, j), (T, U)))"
LINE = "i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))"
LAUNCH = """

def run(stream, n: int):
    import torch

    {}
    ct.launch(stream, {}, k, (a, c, 64, 128))
"""
WIDE = "a, c = torch.ones((256, 1024)), torch.zeros((256, 1024))"


def _with_launch(body: str, grid: str, arrays: str = WIDE) -> str:
    return kernel(body, "a, c, T: Int, U: Int") + LAUNCH.format(arrays, grid)


def _changes(text: str) -> list[str]:
    """The lines that are new when everything is fixed."""
    before = [line.strip() for line in text.split("\n")]
    return [line.strip() for line in text_of(fix_text(text), text).split("\n") if line.strip() not in before]


def test_swapped_axes_of_a_store_are_reordered_to_match_the_launch() -> None:
    text = _with_launch(COPY.format("(j, i)"), "(4, 8)")
    assert findings(text, "TC205")
    assert _changes(text) == ["ct.store(c, (i, j), ct.load(a, (i, j), (T, U)))"]


def test_a_grid_whose_axes_are_swapped_is_put_in_order() -> None:
    text = _with_launch(COPY.format("(i, j)"), "(8, 4)")
    assert findings(text, "TC205")
    assert _changes(text) == ["ct.launch(stream, (4, 8), k, (a, c, 64, 128))"]


def test_a_transposition_is_not_a_swapped_store() -> None:
    text = _with_launch("i, j = ct.bid(0), ct.bid(1)\nct.store(c, (j, i), ct.transpose(ct.load(a, (i, j), (T, U))))",
                     "(4, 8)", "a, c = torch.ones((256, 1024)), torch.zeros((1024, 256))")
    assert findings(text, "TC205") == () and _changes(text) == []


def test_a_grid_that_is_too_large_either_way_is_not_guessed() -> None:
    text = _with_launch(COPY.format("(i, j)"), "(32, 32)")
    assert findings(text, "TC205") and _changes(text) == []


@pytest.mark.parametrize("grid", ["(n // 64,)", "grid"])
def test_a_quotient_in_a_grid_is_rounded_up(grid: str) -> None:
    arrays = "a, c = torch.ones((n,)), torch.empty((n,))" + ("\n    grid = (n // 64, 1, 1)" if grid == "grid" else "")
    text = _with_launch(LINE, grid, arrays)
    assert findings(text, "TC205")
    (line,) = _changes(text)
    assert "(ct.cdiv(n, 64)" in line


def test_a_quotient_is_left_alone_where_all_is_covered() -> None:
    text = _with_launch(LINE, "(n // 64,)", "n = 64 * n\n    a, c = torch.ones((n,)), torch.empty((n,))")
    assert findings(text, "TC205") == () and _changes(text) == []


OPERATION = """from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def double(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) * 2)


def run(x: tcr.Tensor, now: bool) -> None:
    {}
"""


def test_an_operation_that_is_dropped_is_run() -> None:
    text = OPERATION.format("double(tcr.zeros((64,), f32).partition(16), x).grid(4)")
    (fix,) = options(text, "TC404")
    assert (fix.title, fix.applicability) == ("run it with `.sync()`", "unsafe")
    assert lines_changed(text, fix) == ["double(tcr.zeros((64,), f32).partition(16), x).grid(4).sync()"]
    assert findings(text_of(fix_text(text), text), "TC404") == ()


def test_an_operation_that_some_path_stores_is_not_run() -> None:
    text = OPERATION.format("todo = double(tcr.zeros((64,), f32).partition(16), x)\n    if now:\n        todo.sync()")
    assert findings(text, "TC404") and options(text, "TC404") == ()


# --- declarations ----------------------------------------------------------------------------------------------------

DATA = "i = ct.load(ids, (ct.bid(0),), (1,)).item()\nct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)))"


def test_a_declaration_goes_above_the_decorators_with_its_import() -> None:
    text = kernel(DATA, "a, ids, c, T: Int")
    (fix,) = options(text, "TC102")
    assert (fix.title, fix.applicability) == ("declare `injective(ids)`", "unsafe")
    assert lines_changed(text, fix) == ["from tilecheck import requires", '@requires("injective(ids)")']


@pytest.mark.parametrize(("imported", "spelled"), [
    ("from tilecheck import requires", "requires"), ("from tilecheck_runtime import requires, unsafe", "requires"),
    ("import tilecheck", "tilecheck.requires"), ("import tilecheck as tc", "tc.requires"),
    ("from tilecheck import requires as need", "need"),
])
def test_an_existing_import_is_used(imported: str, spelled: str) -> None:
    text = kernel(DATA, "a, ids, c, T: Int").replace("as ct\n", f"as ct\n{imported}\n", 1)
    (fix,) = options(text, "TC102")
    assert lines_changed(text, fix) == [f'@{spelled}("injective(ids)")']
    assert findings(text_of(fix_text(text), text), "TC102") == ()


def test_a_declaration_joins_the_one_that_is_there() -> None:
    text = kernel(DATA, "a, ids, c, T: Int").replace("as ct\n", "as ct\nfrom tilecheck import requires\n", 1)
    text = text.replace("@ct.kernel", '@requires("T >= 2")\n@ct.kernel')
    (fix,) = options(text, "TC102")
    assert lines_changed(text, fix) == ['@requires("T >= 2", "injective(ids)")']


def test_a_declaration_joins_one_under_another_name() -> None:
    text = kernel(DATA, "a, ids, c, T: Int").replace("as ct\n", "as ct\nfrom tilecheck import requires as need\n", 1)
    text = text.replace("@ct.kernel", '@need("T >= 2")\n@ct.kernel')
    (fix,) = options(text, "TC102")
    assert lines_changed(text, fix) == ['@need("T >= 2", "injective(ids)")']


def test_a_declaration_does_not_join_a_decorator_of_another_module() -> None:
    text = kernel(DATA, "a, ids, c, T: Int").replace("as ct\n", "as ct\nimport contracts\n", 1)
    text = text.replace("@ct.kernel", '@contracts.requires("T >= 2")\n@ct.kernel')
    for fix in options(text, "TC102"):
        assert "from tilecheck import requires" in lines_changed(text, fix)


def test_no_declaration_is_added_where_its_name_is_taken() -> None:
    text = kernel(DATA, "a, ids, c, T: Int") + "\n\ndef requires():\n    return 1\n"
    assert options(text, "TC102") == ()


def test_the_import_goes_below_those_of_the_future() -> None:
    text = '"""Text."""\nfrom __future__ import annotations\n' + kernel(DATA, "a, ids, c, T: Int")
    after = text_of(fix_text(text), text)
    assert after.startswith('"""Text."""\nfrom __future__ import annotations\nimport cuda.tile as ct\n'
                            "from tilecheck import requires\n")


def test_a_nested_kernel_is_declared_with_its_indentation() -> None:
    body = "".join(f"        {line}\n" for line in DATA.split("\n"))
    text = ("import cuda.tile as ct\n\n\ndef make():\n    @ct.kernel\n"
            f"    def k(a, ids, c, T: ct.Constant[int]):\n{body}    return k\n")
    after = text_of(fix_text(text), text)
    assert '    @requires("injective(ids)")\n    @ct.kernel\n    def k(' in after


# --- TC202 -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("given", "left"), [
    ("ct.gather(a, j, check_bounds=False)", "ct.gather(a, j)"),
    ("ct.gather(a, j, check_bounds=False, latency=2)", "ct.gather(a, j, latency=2)"),
    ("ct.gather(a, j, mask=m, check_bounds=False)", "ct.gather(a, j, mask=m)"),
    ("ct.gather(\n        a,\n        j,\n        check_bounds=False,\n    )",
     "ct.gather(\n        a,\n        j,\n    )"),
])
def test_a_bounds_check_comes_back(given: str, left: str) -> None:
    text = kernel("i = ct.bid(0)\nj = ct.gather(idx, i * T + ct.arange(T, dtype=ct.int32))\nm = j < n\n"
                  "ct.store(c, (i,), CALL)", "a, idx, c, n: int, T: Int").replace("CALL", given)
    first, *_ = options(text, "TC202")
    assert (first.title, first.applicability) == ("check bounds", "unsafe")
    assert left in change_bytes(text.encode(), "k.py", first.edits).decode()


def test_a_comment_on_the_argument_stays() -> None:
    text = kernel("i = ct.bid(0)\nj = ct.gather(idx, i * T + ct.arange(T, dtype=ct.int32))\nct.store(c, (i,), CALL)",
                  "a, idx, c, T: Int").replace(
                      "CALL", "ct.gather(\n        a,\n        j,  # where\n        check_bounds=False,\n    )")
    assert "j,  # where\n        check_bounds=True,\n" in text_of(fix_text(text), text)


# --- TC203 -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("body", "line"), [
    ("s = ct.bid(0) * T\nct.store(c, (ct.bid(0),), ct.load(a, (s,), (T,)))", "ct.load(a, (ct.bid(0),), (T,))"),
    ("ct.store(c, (ct.bid(0),), ct.load(a, (T * ct.bid(0),), (T,)))", "ct.load(a, (ct.bid(0),), (T,))"),
    ("i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i * 16,), (16,)))", "ct.load(a, (i,), (16,))"),
    ("r = ct.zeros((1, T), ct.float32)\nfor k in range(0, K, T):\n    r = r + ct.load(a, (ct.bid(0), k), (1, T))\n"
     "ct.store(c, (ct.bid(0), 0), r)", "ct.load(a, (ct.bid(0), k // T), (1, T))"),
])
def test_an_index_counts_tiles(body: str, line: str) -> None:
    text = kernel(body, "a, c, K: int, T: Int")
    first, *_ = options(text, "TC203")
    assert first.applicability == "unsafe"
    assert any(line in changed for changed in lines_changed(text, first))


def test_both_indices_of_one_offset_count_tiles() -> None:
    body = "s = ct.bid(0) * T\nt = ct.load(a, (s,), (T,))\nu = t * 2\nct.store(c, (s,), u + 1)"
    text = kernel(body, "a, c, T: Int")
    outcome = fix_text(text)
    assert outcome.refused == () and len(outcome.applied) == 2
    after = text_of(outcome, text)
    assert "ct.load(a, (ct.bid(0),), (T,))" in after and "ct.store(c, (ct.bid(0),), u + 1)" in after


def test_a_name_that_is_bound_again_is_divided() -> None:
    text = kernel("i = ct.bid(0)\ns = i * T\ni = 0\nct.store(c, (ct.bid(0),), ct.load(a, (s,), (T,)))", "a, c, T: Int")
    assert [fix.title for fix in options(text, "TC203")] == ["count tiles: `s // T`"]


# --- TC303 -----------------------------------------------------------------------------------------------------------

def integers(read: str, made: str, dtype: str = "int32") -> str:
    body = f"i = ct.bid(0)\nt = {read}\nct.store(o, (i, 0), {made})"
    return kernel(body, "x, o, T: Int") + textwrap.dedent(f"""

        def run(stream):
            x = torch.zeros((64, 100), dtype=torch.{dtype})
            ct.launch(stream, (64,), k, (x, torch.zeros((64, 1), dtype=torch.{dtype}), 128))
    """) + "\nimport torch\n"


def test_integers_in_a_sum_are_padded_with_zero() -> None:
    text = integers("ct.load(x, (i, 0), (1, T), padding_mode=ct.PaddingMode.NAN)", "ct.sum(t, axis=1, keepdims=True)")
    (fix,) = options(text, "TC303")
    assert fix.applicability == "safe"
    assert "padding_mode=ct.PaddingMode.ZERO)" in text_of(fix_text(text, unsafe=False), text)


def test_a_tile_of_integers_in_a_maximum_is_for_its_author() -> None:
    text = integers("ct.load(x, (i, 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)",
                    "ct.max(t, axis=1, keepdims=True)")
    assert options(text, "TC303") == ()


@pytest.mark.parametrize(("dtype", "sign", "value"), [
    ("int32", "-", -(2**31)), ("int8", "-", -128), ("uint8", "-", 0), ("int64", "", 2**63 - 1), ("uint16", "", 65535),
])
def test_a_gather_of_integers_is_padded_with_the_end_of_their_range(dtype: str, sign: str, value: int) -> None:
    text = integers(f"ct.gather(x, (i, ct.arange(T, dtype=ct.int32)), padding_value={sign}float('inf'))",
                    "ct.reshape(ct.max(t), (1, 1))", dtype)
    assert f"padding_value={value})" in text_of(fix_text(text), text)


# --- TC302 and TC305 -------------------------------------------------------------------------------------------------

def test_a_mask_is_not_passed_where_one_is_passed_or_lanes_are_others() -> None:
    text = kernel("""
lanes = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
other = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
mask = lanes < n
x = ct.gather(a, lanes, mask=other < n)
y = ct.gather(a, other)
ct.scatter(c, lanes, x + y)
""", "a, c, n: int, T: Int")
    (fix,) = options(text, "TC302")
    assert lines_changed(text, fix) == ["ct.scatter(c, lanes, x + y, mask=mask)"]


def test_a_named_quotient_is_rounded_up_at_its_definition() -> None:
    text = kernel("""
i = ct.bid(0)
tiles = a.shape[1] // T
r = ct.zeros((1, 1), ct.float32)
for k in range(tiles):
    t = ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)
    r = r + ct.sum(t, axis=1, keepdims=True)
ct.store(c, (i, 0), r)
""", "a, c, T: Int")
    assert "tiles = ct.cdiv(a.shape[1], T)\n" in text_of(fix_text(text), text)


def test_a_remainder_that_no_padding_is_neutral_for_is_not_taken_along() -> None:
    text = kernel("""
i = ct.bid(0)
r = ct.zeros((1, 1), ct.float32)
for k in range(a.shape[1] // T):
    t = ct.load(a, (i, k), (1, T)) + 1.0
    r = r + ct.sum(t, axis=1, keepdims=True)
ct.store(c, (i, 0), r)
""", "a, c, T: Int")
    after = text_of(fix_text(text), text)
    assert "cdiv" not in after and '@requires("a.shape[1] % T == 0")' in after


# --- TC901 -----------------------------------------------------------------------------------------------------------

CLEAN = "i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))"
RACE = "i = ct.bid(0)\nct.store(c, (0,), ct.load(a, (i,), (T,)))"


@pytest.mark.parametrize(("text", "expected"), [
    (f"{CLEAN}  # tilecheck: allow[TC101] why", CLEAN),
    (f"{CLEAN}  # tilecheck: allow[TC101] why  # kept", f"{CLEAN}  # kept"),
    (f"{CLEAN}  # kept  # tilecheck: allow[TC101] why", f"{CLEAN}  # kept"),
    (f"# tilecheck: allow[TC101] why\n{CLEAN}", CLEAN),
    (f"{RACE}  # tilecheck: allow[TC101, TC103] why", f"{RACE}  # tilecheck: allow[TC101] why"),
    (f"{RACE}  # tilecheck: allow[TC103,TC101,TC2] why", f"{RACE}  # tilecheck: allow[TC101] why"),
])
def test_an_unused_suppression_is_removed_by_its_fix(text: str, expected: str) -> None:
    before, after = kernel(text, "a, c, T: Int"), kernel(expected, "a, c, T: Int")
    outcome = fix_text(before, unsafe=False)
    assert text_of(outcome, before) == after


def test_an_unused_decorator_is_removed() -> None:
    before = kernel(CLEAN, "a, c, T: Int").replace("as ct\n", "as ct\nfrom tilecheck import unsafe\n")
    before = before.replace("@ct.kernel\n", '@unsafe(\n    "why"\n)\n@ct.kernel\n')
    after = text_of(fix_text(before, unsafe=False), before)
    assert "@unsafe" not in after and "@ct.kernel\ndef k" in after


def test_a_suppression_without_a_rule_has_no_fix() -> None:
    before = kernel(f"{CLEAN}  # tilecheck: allow[TC1O1] why", "a, c, T: Int")
    assert options(before, "TC901") == ()
