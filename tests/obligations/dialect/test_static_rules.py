"""The ownership rules that are decided without running anything, one test or more for each.

The numbers are those of the rules of cuTile Rust that the dialect keeps: its conformance table.
"""

from __future__ import annotations

import pytest

from tests.interp.kernel.dialect.build import model
from tests.runtime.dialect.schedules.kernels import KERNELS
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import equivalent, parse
from tilecheck.diagnostics import KernelReport, Report
from tilecheck.pipeline.run import analyse_text
from tilecheck.symbolic import bid, const

HEAD = """\
from __future__ import annotations
from typing import Literal, TypeVar
import cuda.tile as ct
from elsewhere import anything
from tilecheck_runtime import Dyn, Mut, Ref, Shared, deny_residual, f16, f32, i32, kernel, requires, unsafe
B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
"""
CONFIG = Config(use_cache=False, jobs=1)
ONE = "def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:\n"
TWO = "def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:\n"
MATRIX = "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:\n"


def check(text: str, above: str = "@kernel") -> Report:
    report = check_source(f"{HEAD}{above}\n{text}", "k.py", CONFIG)
    assert not report.failures
    return report


def codes(text: str, above: str = "@kernel") -> list[str]:
    return [d.code for d in check(text, above).diagnostics]


def only_report(text: str, above: str = "@kernel") -> KernelReport:
    (found,) = check(text, above).kernels
    return found


def asks(found: KernelReport, clause: str) -> bool:
    """Whether the contract has a clause, in any form."""
    (wanted,) = parse(clause)
    assert wanted.cond is not None
    said = (p.cond for c in found.contract for p in parse(c.clause) if p.cond is not None)
    return any(equivalent(wanted.cond, cond) for cond in said)


# 1: a tensor enters as shared input or as mutable output, never by value

@pytest.mark.parametrize("annotation", ["ct.Array", "'ct.Array'", "list", "Mut", "Ref[f32]", "Mut[f32, Dyn]",
    "Mut[f32, 48]", "Mut[f32, Literal[16, 32]]", "Ref[f32, Literal[0]]", "Ref[f32, Literal[-1]]", "Mut[f32, SIZES]",
    "Ref[f32, SIZE]", "Ref[int, Dyn]", "Mut[f32, B, B, B, B, B, B]",
])
def test_rule_01_an_array_is_owned_or_borrowed(annotation):
    above = "SIZE = 16\nSIZES = Literal[16, 32]\n@kernel"
    assert codes(f"def k(z: {annotation}) -> None:\n    pass\n", above) == ["TC110"]


@pytest.mark.parametrize("rest", ["*z", "*z: Ref[f32, Dyn]", "**z"])
def test_rule_01_the_number_of_arrays_is_fixed(rest):
    assert codes(f"def k({rest}) -> None:\n    pass\n") == ["TC110"]


def test_rule_01_scalars_and_constants_need_no_owner():
    assert codes("def k(z: Mut[f32, B], s: float, n: int, on: bool, b: B) -> None:\n    z.store(ct.full(z.tile, s, "
                 "ct.float32))\n") == []


# 2: a store exists only on the mutable kinds

@pytest.mark.parametrize("store", [
    "x.store(t)", "x[0] = t", "x.partition(b)[0] = t", "x.scatter((0,), t)", "ct.store(x.array, (0,), t)",
    "ct.atomic_add(x.array, (0,), t)", "x.padded(ct.PaddingMode.NAN).store(t)",
])
def test_rule_02_a_store_to_an_input_is_refused(store):
    assert codes(f"{ONE}    (b,) = z.tile\n    t = z.load()\n    {store}\n") == ["TC104"]


# 5: outputs of one launch agree on its grid, axis by axis

def test_rule_05_outputs_agree_axis_by_axis():
    found = only_report("def k(a: Mut[f32, BM, BN], b: Mut[f32, BN, BM]) -> None:\n    a.store(a.load())\n"
                 "    b.store(b.load())\n")
    assert asks(found, "cdiv(a.shape[0], BM) == cdiv(b.shape[0], BN)")
    assert asks(found, "cdiv(a.shape[1], BN) == cdiv(b.shape[1], BM)")


def test_rule_05_the_leading_ones_of_four_axes_share_a_grid_axis():
    found = only_report("def k(a: Mut[f32, B, B, BM, BN], b: Mut[f32, BK]) -> None:\n    a.store(a.load())\n"
                 "    b.store(b.load())\n")
    assert asks(found, "cdiv(a.shape[0], B) * cdiv(a.shape[1], B) == cdiv(b.shape[0], BK)")
    assert asks(found, "cdiv(a.shape[2], BM) == 1") and asks(found, "cdiv(a.shape[3], BN) == 1")


def test_rule_05_an_unknown_output_agrees():
    """It is read at the place of the other, so both have as many pieces."""
    found = only_report("def k(a: Mut[f32, B], b: Mut[f32, B]) -> None:\n    a.store(a.load_like(b))\n")
    assert asks(found, "cdiv(a.shape[0], B) == cdiv(b.shape[0], B)")


# 8: a store needs an index issued by a walk over that partition

@pytest.mark.parametrize("index", [
    "ct.bid(0), ct.bid(1)", "0, 0", "m, n", "n, m", "z.coords(cell)", "cell + 1", "(cell, 0)", "m",
])
def test_rule_08_only_a_cell_selects_a_piece(index):
    body = f"    for cell in z.cells():\n        m, n = z.coords(cell)\n        z[{index}] = x.load_like(z)\n"
    assert codes(MATRIX + body) == ["TC105"]


def test_rule_08_a_cell_of_another_partition_is_refused():
    assert codes(TWO + "    for cell in a.cells():\n        b[cell] = x.load_like(a)\n") == ["TC105"]


@pytest.mark.parametrize("lines", [
    "if flag > 0:\n        cell = b.cell()",
    "cell = b.cell() if flag > 0 else cell",
    "for _ in range(flag):\n        cell = b.cell()",
    "while flag > 0:\n        cell = b.cell()",
    "cell, other = (b.cell(), cell) if flag > 0 else (cell, b.cell())",
    "cell = anything(cell)",
    "cell = 0",
])
def test_rule_08_provenance_dies_at_joins_and_reassignments(lines):
    assert codes(f"{TWO}    cell = a.cell()\n    {lines}\n    a[cell] = x.load_like(a)\n") == ["TC105"]


@pytest.mark.parametrize("lines", [
    "same = cell\n    cell = b.cell()\n    cell = same",
    "pair = (b.cell(), cell)\n    cell = pair[1]",
    "if flag > 0:\n        cell = a.cell()",
    "for _ in range(flag):\n        cell = cell",
])
def test_rule_08_provenance_survives_copies_and_constant_branches(lines):
    assert codes(f"{TWO}    cell = a.cell()\n    {lines}\n    a[cell] = x.load_like(a)\n") == []


# 9: two outputs are walked together when they share tile, map and grid

def test_rule_09_walking_together_needs_equal_grids():
    found = only_report("def k(a: Mut[f32, BM], b: Mut[f16, BM]) -> None:\n    for cell in a.cells(b):\n"
                 "        a[cell] = ct.zeros(a.tile, ct.float32)\n        b[cell] = ct.zeros(b.tile, ct.float16)\n")
    assert found.verdict == "proved"
    assert asks(found, "cdiv(a.shape[0], BM) == cdiv(b.shape[0], BM)")


@pytest.mark.parametrize("other", ["BM, BN", "BN", "Literal[16]"])
def test_rule_09_outputs_that_are_cut_differently_are_not_walked_together(other):
    assert codes(f"def k(a: Mut[f32, B], b: Mut[f32, {other}]) -> None:\n    for cell in a.cells(b):\n"
                 "        b[cell] = b.load()\n") == ["TC501", "TC105"]


# 10: a sub-range of a schedule lies in its grid

def test_rule_10_a_part_of_a_schedule_lies_in_it():
    (found,) = check_source(KERNELS["linear_part1"], "k.py", CONFIG).kernels
    assert found.verdict == "proved"
    assert asks(found, "I >= 0") and asks(found, "J <= cdiv(z.shape[0], T0)")


# 11: a permuted partition is read-only; a fact about one axis never discharges another

def test_rule_11_a_permuted_view_is_read_only():
    assert codes(MATRIX + "    x.permute(1, 0).store(z.load())\n") == ["TC104"]
    assert codes(MATRIX + "    x.permute(1, 0).partition(*z.tile)[0, 0] = z.load()\n") == ["TC104"]


def test_rule_11_each_axis_is_discharged_by_itself():
    straight, turned = only_report(MATRIX + "    z.store(x.load_like(z))\n"), only_report(
        MATRIX + "    z.store(x.permute(1, 0).load_like(z))\n")
    assert asks(straight, "z.shape[0] <= x.shape[0]") and asks(straight, "z.shape[1] <= x.shape[1]")
    assert not asks(straight, "z.shape[0] <= x.shape[1]")
    assert asks(turned, "z.shape[0] <= x.shape[1]") and asks(turned, "z.shape[1] <= x.shape[0]")
    assert not asks(turned, "z.shape[0] <= x.shape[0]")


def test_rule_11_a_coordinate_of_one_axis_does_not_bound_another():
    body = ("    px = x.partition(*z.tile)\n    for cell in z.cells():\n        m, n = z.coords(cell)\n"
            "        z[cell] = px[m, m]\n")
    found = only_report(MATRIX + body)
    assert asks(found, "cdiv(z.shape[0], BM) <= cdiv(x.shape[1], BN)")
    assert not asks(found, "cdiv(z.shape[1], BN) <= cdiv(x.shape[1], BN)")


def test_rule_11_tiles_of_a_view_are_those_of_its_axis():
    body = ("    px = x.permute(1, 0).partition(*z.tile)\n    acc = ct.zeros(z.tile, ct.float32)\n"
            "    for k in range(px.tiles({0})):\n        acc += px[{1}]\n    z.store(acc)\n")
    for axis, index, array in ((0, "k, 0", 1), (1, "0, k", 0)):
        found = only_report(MATRIX + body.format(axis, index))
        assert found.verdict == "proved"
        assert [c.clause for c in found.contract if "shape" in c.clause] == [f"x.shape[{1 - array}] >= 1"]


def test_rule_11_elements_of_a_view_are_those_of_its_axes():
    text = "@kernel\n" + MATRIX + "    z.store(ct.full(z.tile, x.permute(1, 0).at(ct.bid(0), 7), ct.float32))\n"
    (read,) = [a for a in model(text).accesses if a.array.text == "x"]
    assert read.region.index == (const(7), bid(0))


# 12: stores inside the piece take no index, or a partition of the piece that divides it

def test_rule_12_a_nested_tile_divides_the_piece():
    text = "def k(z: Mut[f32, Literal[{0}]]) -> None:\n    for p in z.pieces({1}):\n        z[p] = ct.zeros(({1},), " \
           "ct.float32)\n"
    assert codes(text.format(48, 16)) == []
    assert codes(text.format(48, 32)) == ["TC109"]


def test_rule_12_an_axis_with_one_piece_needs_no_divisor():
    found = only_report(
        "def k(z: Mut[f32, B], b: BK) -> None:\n    for p in z.pieces(b):\n        z[p] = ct.zeros((b,), ct.float32)\n"
    )
    assert asks(found, "B % b == 0 or z.shape[0] <= B")


def test_rule_12_an_axis_declared_to_have_one_piece_needs_no_divisor():
    text = ("def k(z: Mut[f32, Literal[48]]) -> None:\n    for p in z.pieces(32):\n"
            "        z[p] = ct.zeros((32,), ct.float32)\n")
    found = only_report(text, '@requires("z.shape[0] <= 40")\n@kernel')
    assert found.verdict == "proved" and asks(found, "z.shape[0] <= 48")
    assert codes(text, '@requires("z.shape[0] <= 50")\n@kernel') == ["TC109"]


# 13: suppressions are named and have a reason

RAW = ONE + "    ct.store(z.array, (0,), x.load_like(z)){}\n"


def test_rule_13_a_store_past_the_pieces_is_a_suppression():
    assert codes(RAW.format("")) == ["TC105"]
    assert codes(RAW.format("  # tilecheck: allow[TC105] one block")) == []
    assert codes(RAW.format(""), '@kernel\n@unsafe("one block")') == []


def test_rule_13_a_suppression_gives_a_reason():
    assert codes(RAW.format("  # tilecheck: allow[TC105]")) == ["TC902"]
    assert codes(RAW.format(""), "@unsafe()\n@kernel") == ["TC902"]


def test_rule_13_an_unneeded_suppression_is_reported():
    assert codes(ONE + "    z.store(x.load_like(z))\n", '@unsafe("why")\n@kernel') == ["TC901"]


def test_rule_13_suppressions_are_listed_with_their_reasons():
    text = f'{HEAD}@unsafe("one block")\n@kernel\n{RAW.format("  # tilecheck: allow[TC105] one block, too")}'
    listed = analyse_text(text.encode(), "k.py", CONFIG).opt_outs
    assert [(o.what, o.reason) for o in listed] == [
        ("`@unsafe`", "one block"), ("`# tilecheck: allow[TC105]`", "one block, too")]


def test_rule_13_a_suppression_proves_nothing():
    assert only_report(RAW.format(""), '@kernel\n@unsafe("one block")').verdict == "unproven"


# 14: every access is discharged by the first of provenance, constants, block coordinates, declarations, the launch

def test_rule_14_provenance_needs_no_clause():
    found = only_report("def k(z: Mut[f32, B]) -> None:\n    for cell in z.cells():\n        z[cell] = z[cell] * 2.0\n")
    assert [c.clause for c in found.contract] == ["disjoint(z)"]


def test_rule_14_constants_are_folded():
    found = only_report(ONE + "    z.store(x.partition(*z.tile)[1 - 1])\n")
    assert [c.clause for c in found.contract if "shape" in c.clause] == ["x.shape[0] >= 1"]


def test_rule_14_block_coordinates_are_compared_with_the_grid():
    found = only_report(ONE + "    z.store(x.partition(*z.tile)[ct.bid(0)])\n")
    assert asks(found, "grid[0] <= cdiv(x.shape[0], B)")


def test_rule_14_a_piece_ends_where_its_array_does():
    found = only_report(ONE + "    last = z.coords(z.cell())[0] * z.tile[0] + z.extent(0) - 1\n"
                 "    z.store(ct.zeros(z.tile, ct.float32) + x.partition(1)[last])\n")
    assert asks(found, "z.shape[0] <= x.shape[0]")


def test_rule_14_declarations_discharge():
    found = only_report(ONE + "    z.store(x.load_like(z))\n", '@kernel\n@requires("z.shape[0] <= x.shape[0]")')
    assert [c.state for c in found.contract if "shape" in c.clause] == ["declared"]


def test_rule_14_a_condition_excuses_the_access_under_it():
    found = only_report(
        "def k(z: Mut[f32, B], x: Ref[f32, Dyn], on: int) -> None:\n    t = ct.zeros(z.tile, ct.float32)\n"
        "    if on != 0:\n        t = x.load_like(z)\n    z.store(t)\n"
    )
    assert asks(found, "on == 0 or z.shape[0] <= x.shape[0]")
    assert "z.shape[0] <= x.shape[0]" not in [c.clause for c in found.contract]


def test_rule_14_a_test_in_the_kernel_discharges():
    found = only_report(
        ONE + "    px = x.partition(*z.tile)\n    for cell in z.cells():\n        (i,) = z.coords(cell)\n"
        "        if i + 3 < px.tiles(0):\n            z[cell] = px[i + 3]\n"
    )
    assert found.verdict == "proved"
    assert not [c for c in found.contract if "shape" in c.clause]


# 15: nothing may be left to be checked

CONDITIONAL = ("def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:\n"
               "    t = x.padded(ct.PaddingMode.UNDETERMINED).load_like(z)\n    z.store(t / ct.sum(t))\n")


def test_rule_15_a_launch_condition_is_a_warning_unless_denied():
    assert [(d.code, d.severity) for d in check(CONDITIONAL).diagnostics] == [("TC301", "warning")]
    denied = check(CONDITIONAL, "@deny_residual\n@kernel").diagnostics
    assert [(d.code, d.severity) for d in denied] == [("TC301", "error")]


def test_rule_15_an_unproved_access_is_an_error_in_the_dialect():
    text = ONE + "    z.store(x.partition(*z.tile)[ct.bid(0) - 1])\n"
    assert {(d.code, d.severity) for d in check(text).diagnostics} == {("TC201", "error")}
    assert {(d.code, d.severity) for d in check(ONE + "    anything(z)\n").diagnostics} == {("TC102", "error")}


def test_rule_15_an_unproved_access_is_not_an_error_in_a_plain_kernel():
    text = "def k(a, c, n: int):\n    ct.store(c, (0,), ct.load(a, (ct.bid(0) % n,), (16,)))\n    anything(c)\n"
    assert "error" not in {d.severity for d in check(text, "@ct.kernel").diagnostics if d.code == "TC102"}


# 16: preconditions take the whole contract language

@pytest.mark.parametrize("clause", [
    "x.shape[0] == z.shape[0]", "z.shape[0] % 16 == 0 and x.shape[0] >= z.shape[0]", "B % 32 == 0",
    "grid[0] <= 8 or z.shape[0] <= 1024", "disjoint(z, x)", "range(rows, 0, x.shape[0])",
])
def test_rule_16_a_precondition_is_any_clause(clause):
    text = ("def k(z: Mut[f32, B], x: Ref[f32, Dyn], rows: Ref[i32, Dyn]) -> None:\n    z.store(x.load_like(z) + "
            "ct.astype(rows.load_like(z), ct.float32))\n")
    found = only_report(text, f'@requires("{clause}")\n@kernel')
    assert found.verdict == "proved"
    said = {c.clause for c in found.contract if c.state == "declared"}
    assert {c.text for c in parse(clause)} <= said


# 17: facts that may not hold are dropped

def test_rule_17_a_fact_of_one_branch_does_not_survive_the_join():
    body = ("    px = x.partition(*z.tile)\n    i = z.coords(z.cell())[0]\n    if flag > 0:\n        i = anything(i)\n"
            "    z.store(px[i])\n")
    text = "def k(z: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:\n" + body
    assert codes(text) == ["TC201"]


def test_rule_17_a_divisor_that_may_be_zero_needs_a_clause():
    text = ("def k(z: Mut[f32, B], x: Ref[f32, Dyn], n: int) -> None:\n    px = x.partition(*z.tile)\n"
            "    i = z.coords(z.cell())[0]\n    z.store(px[i // n])\n")
    found = only_report(text)
    assert found.verdict == "unproven" or asks(found, "n >= 1")


def test_rule_17_a_cell_that_a_loop_replaces_is_lost():
    assert codes(TWO + "    cell = a.cell()\n    for _ in range(flag):\n        a[cell] = x.load_like(a)\n"
                 "        cell = b.cell()\n") == ["TC105"]
