"""An error is what goes wrong in numbers at a launch that the program makes."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

HEAD = """\
import cuda.tile as ct
import torch


"""
OVERLAP = """\
@ct.kernel
def k(x):
    ct.scatter(x, ct.bid(0) % 4, 1.0)


"""
TOO_FAR = """\
@ct.kernel
def k(x, y):
    ct.store(y, (ct.bid(0) + 1,), ct.load(x, (ct.bid(0),), (16,)))


"""


def check(text: str) -> Report:
    report = check_source(HEAD + text, "program.py", Config(use_cache=False, jobs=1))
    assert not report.failures, report.failures
    return report


def find_codes(text: str) -> set[tuple[str, str]]:
    return {(d.code, d.severity) for d in check(text).diagnostics}


def test_a_race_without_a_launch_is_an_error():
    assert find_codes(OVERLAP) == {("TC101", "error")}


def test_a_race_at_a_seen_launch_is_an_error_with_the_numbers_of_the_launch():
    (d,) = check(OVERLAP + "ct.launch(None, (9,), k, (torch.zeros(64),))").diagnostics
    assert (d.code, d.severity) == ("TC101", "error")
    assert d.witness is not None
    assert d.witness.grid == (9, 1, 1)
    assert {a.key: n for a, n in d.witness.scalars} == {"x.shape[0]": 64}


def test_a_race_that_no_seen_launch_has_is_a_condition():
    report = check(OVERLAP + "ct.launch(None, (4,), k, (torch.zeros(64),))")
    assert report.diagnostics == ()
    (kernel,) = report.kernels
    assert kernel.verdict == "conditional"
    assert ("grid[0] == 4 and x.shape[0] == 64", "discharged") in {(c.clause, c.state) for c in kernel.contract}


@pytest.mark.parametrize("launch", [
    "ct.launch(None, (4,), k, (torch.zeros(64),))\nct.launch(None, (8,), k, (torch.zeros(64),))",
    "ct.launch(None, (300_000,), k, (torch.zeros(64),))",
])
def test_one_launch_that_goes_wrong_is_enough(launch):
    assert find_codes(OVERLAP + launch) == {("TC101", "error")}


@pytest.mark.parametrize("launch", [
    "def host(compute, x):\n    ct.launch(None, (compute(x),), k, (x,))",
])
def test_a_launch_that_is_not_followed_makes_no_error(launch):
    assert {severity for _, severity in find_codes(OVERLAP + launch)} <= {"warning"}


@pytest.mark.parametrize("launch", [
    "def host(arguments):\n    ct.launch(None, *arguments)\n\n\nimport other\nhost(other.prepare(k))",
    "TABLE = {}\n\n\ndef register(f):\n    TABLE[f] = f\n\n\nimport other\nother.run(k)",
])
def test_a_kernel_that_other_code_gets_counts_as_one_without_a_launch(launch):
    assert find_codes(OVERLAP + launch) == find_codes(OVERLAP)


def test_a_size_of_any_value_may_go_wrong():
    text = "def host(x):\n    ct.launch(None, (ct.cdiv(x.shape[0], 2),), k, (x,))"
    assert find_codes(OVERLAP + text) == {("TC101", "error")}


def test_sizes_that_the_code_does_not_relate_make_no_error():
    """Where the grid does not exceed the array, all is well, and callers may ensure that."""
    kernel = "@ct.kernel\ndef k(x):\n    ct.scatter(x, ct.bid(0) % x.shape[0], 1.0)\n\n\n"
    text = "def host(x, n):\n    ct.launch(None, (n,), k, (x,))"
    assert {severity for _, severity in find_codes(kernel + text)} == {"warning"}


def test_a_clause_that_is_only_sufficient_is_not_an_error():
    """The proof needs 3 tiles in `y`; the launch has them although it does not say so in the form of the clause."""
    assert find_codes(TOO_FAR + "ct.launch(None, (2,), k, (torch.zeros(32), torch.zeros(48)))") == set()
    assert {("TC205", "error")} == find_codes(
        TOO_FAR + "ct.launch(None, (3,), k, (torch.zeros(48), torch.zeros(48)))")


def test_a_statement_is_clean_only_if_all_of_its_accesses_are():
    """The helper is inlined twice, and the second copy goes wrong."""
    kernel = """\
def put(x, at):
    ct.scatter(x, at, 1.0)


@ct.kernel
def k(x, y):
    put(x, ct.bid(0) % 4)
    put(y, ct.bid(0) % 2)


"""
    launch = "ct.launch(None, (4,), k, (torch.zeros(8), torch.zeros(8)))"
    assert ("TC101", "error") in find_codes(kernel + launch) or ("TC101", "warning") in find_codes(kernel + launch)


def test_undefined_lanes_at_a_launch_of_constants_are_an_error_where_no_clause_excludes_them():
    kernel = """\
@ct.kernel
def k(x, y):
    ct.store(y, (ct.bid(0), 0), ct.sum(ct.load(x, (ct.bid(0), 0), (1, 16)), axis=1, keepdims=True))


"""
    assert find_codes(kernel + "ct.launch(None, (2,), k, (torch.zeros((2, 16)), torch.zeros((2, 1))))") == set()
    ragged = kernel + "ct.launch(None, (2,), k, (torch.zeros((2, 9)), torch.zeros((2, 1))))"
    assert {code for code, _ in find_codes(ragged)} & {"TC301", "TC405"}


def test_a_kernel_under_a_lock_may_have_blocks_on_an_axis_that_it_does_not_read():
    text = (HEAD + "@ct.kernel\ndef k(x):\n    ct.atomic_add(x, 0, 1.0)\n\n\n"
            "ct.launch(None, (4,), k, (torch.zeros(1),))")
    report = check_source(text, "program.py", Config(use_cache=False, jobs=1))
    assert [d for d in report.diagnostics if d.severity == "error"] == []


SLICE = """\
@ct.kernel
def k(x, y, FLAG: ct.Constant[int]):
    s = x
    if FLAG:
        s = x.slice(0, -1, 8)
    ct.store(y, (0,), ct.load(s, (0,), (8,)))


"""


@pytest.mark.parametrize(("launch", "severities"), [
    ("", {"error"}),
    ("ct.launch(None, (1,), k, (torch.zeros(8), torch.zeros(8), 1))", {"error"}),
    ("ct.launch(None, (1,), k, (torch.zeros(8), torch.zeros(8), 0))", {"warning"}),
    ("def host(x, y, choose):\n    ct.launch(None, (1,), k, (x, y, choose()))", {"warning"}),
])
def test_a_slice_that_no_launch_is_known_to_take_is_not_certain(launch, severities):
    assert {severity for code, severity in find_codes(SLICE + launch) if code == "TC204"} == severities


UNKNOWN_PLACE = """\
@ct.kernel
def k(x):
    ct.store(x, (other.place(ct.bid(0)),), ct.full((4,), 1.0, ct.float32))


"""


@pytest.mark.parametrize(("grids", "verdict"), [
    (["(1,)"], "conditional"),
    (["(1,)", "(1, 1, 1)"], "conditional"),
    (["(1,)", "(2,)"], "unproven"),
    (["(1, 2)"], "unproven"),
    (["(n,)"], "unproven"),
    ([], "unproven"),
])
def test_launches_of_one_block_have_no_two_that_meet(grids: list[str], verdict: str) -> None:
    launches = "".join(f"    ct.launch(None, {grid}, k, (torch.zeros(64),))\n" for grid in grids)
    report = check(f"import other\n\n\n{UNKNOWN_PLACE}def run(n):\n    pass\n{launches}")
    (kernel,) = report.kernels
    assert {s.verdict for s in kernel.obligations if s.kind == "disjoint"} == {verdict}


@pytest.mark.parametrize("store", ["ct.scatter(a, 1, 1.0)", "ct.scatter(a, i * 0, ct.gather(a, i + 1))"])
@pytest.mark.parametrize(("grid", "pair"), [("(1, 2)", "(0, 0) and (0, 1)"), ("(1, 1, 2)", "(0, 0, 0) and (0, 0, 1)")])
def test_blocks_that_differ_along_an_axis_that_is_not_read_are_named_by_it(store: str, grid: str, pair: str) -> None:
    text = ("import cuda.tile as ct\nimport torch\n@ct.kernel\ndef k(a):\n    i = ct.bid(0)\n"
            f"    {store}\nct.launch(None, {grid}, k, (torch.zeros(8),))\n")
    report = check_source(text)
    assert not report.failures
    (found,) = (d for d in report.diagnostics if d.code == "TC101")
    assert found.message.startswith(f"blocks {pair} both write a[") and found.severity == "error"
