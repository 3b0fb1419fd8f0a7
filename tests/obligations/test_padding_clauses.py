"""The preconditions under which no unspecified value of a load is used."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = "import cuda.tile as ct\nInt = ct.Constant[int]\n\n"
WHOLE = {"n % T == 0 or x.shape[1] % T == 0": "semantic", "x.shape[1] % T == 0 or n <= x.shape[1]": "semantic"}
SUM = """@ct.kernel
def k(x, o, n: int, m: int, T: Int):
    i = ct.bid(0)
    s = ct.zeros((1, 1), ct.float32)
    for k in range({over}):
        t = ct.load(x, (i, {at}), (1, T))
        s = s + ct.sum(t, axis=1, keepdims=True)
    ct.store(o, (i, 0), s)
"""


def _clauses(text: str) -> tuple[dict[str, str], str]:
    report = check_source(HEAD + text)
    (kernel,) = report.kernels
    (found,) = [o for o in kernel.obligations if o.kind == "padding"]
    return {c.clause: c.kind for c in kernel.contract if c.clause in found.clauses}, found.verdict


@pytest.mark.parametrize("over", ["ct.cdiv(n, T)", "0, ct.cdiv(n, T)"])
def test_whole_tiles_up_to_the_end_of_the_loop_suffice(over):
    clauses, verdict = _clauses(SUM.format(over=over, at="k"))
    assert clauses == WHOLE
    assert verdict == "conditional"


def test_elements_counted_in_steps_of_a_tile_are_the_same():
    clauses, _ = _clauses(SUM.format(over="0, n, T", at="k // T"))
    assert clauses == WHOLE


@pytest.mark.parametrize(("over", "at"), [
    # the tile that is loaded is not the one that begins below n
    ("ct.cdiv(n, T)", "k + m"),
    ("ct.cdiv(n, T)", "m"),
    # it may be the one after n
    ("ct.cdiv(n, T) + 1", "k"),
    # an end that is the array's own says nothing else
    ("ct.num_tiles(x, 1, (1, T))", "k"),
])
def test_a_bound_of_another_tile_does_not_help(over, at):
    clauses, _ = _clauses(SUM.format(over=over, at=at))
    assert not any("n % T" in c for c in clauses)


def test_an_end_rounded_up_by_the_host_may_cut_a_tile():
    launch = """
def run(x, o):
    T = 128
    ct.launch(0, (x.shape[0],), k, (x, o, ct.cdiv(x.shape[1], T) * T, 0, T))
"""
    report = check_source(HEAD + SUM.format(over="ct.cdiv(n, T)", at="k") + launch)
    assert {d.code for d in report.diagnostics} >= {"TC301"}


def test_an_end_equal_to_that_of_an_array_of_the_same_size_is_inside():
    launch = """
def run(x, y, o):
    T = 128
    assert y.shape[1] % T == 0
    ct.launch(0, (x.shape[0],), k, (x, o, y.shape[1], 0, T))
"""
    report = check_source(HEAD + SUM.format(over="ct.cdiv(n, T)", at="k") + launch)
    assert "TC301" not in {d.code for d in report.diagnostics}


def test_the_message_names_both():
    report = check_source(HEAD + SUM.format(over="ct.cdiv(n, T)", at="k"))
    (found,) = [d for d in report.diagnostics if d.code == "TC301"]
    assert "unless `n % T == 0 or x.shape[1] % T == 0`" in found.message
