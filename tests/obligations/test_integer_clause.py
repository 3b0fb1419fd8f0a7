"""A proof that follows a number as an integer asks in the contract that launches pass one."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

KERNEL = """import math
import operator

import cuda.tile as ct
import numpy as np
import torch
from tilecheck import requires


@ct.kernel
def k(out, p):
    i = ct.bid(0)
    if p > 0 and p < 1:
        i = i // 2
    ct.scatter(out, i, 1.0)
"""

LAUNCH = """

def run(x, n, m: int, y: float, z=0.5, flag=True):
    {before}
    ct.launch(0, (x.shape[0],), k, (x, {value}))
"""


def check(text: str) -> Report:
    return check_source(text, "k.py", Config(use_cache=False, jobs=1))


def check_launch(value: str, before: str = "pass") -> tuple[str, str | None]:
    """The verdict of the kernel, and the state of the clause; None where the contract has no such clause."""
    (kernel,) = check(KERNEL + LAUNCH.format(value=value, before=before)).kernels
    return kernel.verdict, {c.clause: c.state for c in kernel.contract}.get("integer(p)")


def test_a_proof_that_needs_an_integer_is_conditional():
    report = check(KERNEL)
    (kernel,) = report.kernels
    assert kernel.verdict == "conditional"
    assert [(c.clause, c.kind, c.state) for c in kernel.contract if c.kind == "semantic"] == [
        ("integer(p)", "semantic", "unseen")]
    (found,) = report.diagnostics
    assert found.code == "TC102" and found.severity == "warning" and "only if `integer(p)`" in found.message


@pytest.mark.parametrize("value", [
    "3", "-3", "x.shape[0]", "x.shape[0] // 2", "-x.shape[0] + 1", "x.size(0)", "x.numel()", "x.stride(0)", "len(x)",
    "int(n)", "int(n) + 1", "int(y)", "int(2 * n)", "int(x.shape[0] / 2)", "m", "m * m - 1", "m // 3", "m % 3",
    "max(m, 1)", "min(x.shape[0], 7)", "abs(m)", "m if x.shape[0] > m else 4", "math.ceil(x.shape[0] / 2)",
    "math.floor(m / 2)", "(m + 3) // 4 * 4", "1 << 4", "m & 7", "int(x.sum().item())", "int(np.ceil(m / 4))",
    "int(flag)", "m ** 2", "abs(int(n))", "max(int(n), 1)", "sum([m, int(n)])", "int(n) - int(n)",
    "x.shape[0] * int(n)", "ct.cdiv(m, 4)", "1 if flag else 0", "int(n) if flag else m",
])
def test_an_integer_discharges_it(value):
    assert check_launch(value) == ("conditional", "discharged")
    assert not check(KERNEL + LAUNCH.format(value=value, before="pass")).diagnostics


@pytest.mark.parametrize("value", [
    "n", "x.sum().item()", "n * 2", "n + 1", "x.shape[0] * n", "n // 2", "max(n, 1)", "m * n", "y", "z", "y // 1",
    "float(m)", "np.float32(m)", "np.int64(m)", "np.ceil(m / 4)", "np.floor(x.shape[0] / 4)", "2 ** m", "m ** -1",
    "math.pow(m, 2)", "m * 0.5", "x.shape[0] * 2.0", "x.shape[0] // 2.0", "n if flag else m", "0.5 if flag else 1",
    "x.mean()", "round(y, 1)", "flag", "x.shape[0] > 3", "abs(n)", "sum([n, 1])", "min(1, y)",
    "n and m", "m or 0.5", "x.shape[0] / 2 if flag else 2", "divmod(n, 2)[0]", "math.log2(m)", "unknown(m)",
    "x.shape[0] / 1", "np.ceil(m / 4) * 2", "max(1, np.ceil(m / 4))", "(m / 2) // 1", "-y", "-(m / 2)", "+n",
    "math.sqrt(m)", "n - n", "int(n) - n", "n * 0", "sum([n, -n])", "max(n - n, 3)", "(n + 1) - n", "(n - n) ** 2",
    "0 * y", "min(not m, 3)", "max(m, flag)", "(not m) if flag else m", "True if flag else 3",
    "operator.truediv(m, 2)", "torch.tensor(m)", "eval('m')", "True", "not flag",
])
def test_another_value_does_not(value):
    verdict, state = check_launch(value)
    assert verdict in ("conditional", "unproven", "refuted") and state in (None, "open")


@pytest.mark.parametrize("value", ["0.5", "2.0", "-0.5", "x.shape[0] / 2", "1e3", "5 / 2"])
def test_nothing_is_assumed_where_a_launch_breaks_it(value):
    verdict, state = check_launch(value)
    assert verdict in ("conditional", "unproven", "refuted") and state is None


@pytest.mark.parametrize(("before", "value"), [
    ("m = m / 2", "m"), ("m = 0.5", "m"), ("m *= 0.5", "m"), ("m /= 2", "m"),
    ("for m in (0.5, 1.5): pass", "m"), ("for m in np.linspace(0, 1): pass", "m"),
    ("for m in np.arange(0, 1, 0.25): pass", "m"), ("m = y if flag else m", "m"), ("m, q = y, 1", "m"),
    ("int = float", "int(n)"), ("len = np.mean", "len(x)"), ("q = int(n); q = q + n", "q"), ("q = int(n)", "n"),
    ("q = int(n); r = n + 0", "r"), ("m = unknown()", "m"), ("def f(a: int): return a / 2\n    q = f(m)", "q"),
    ("def f(a: int = 0.5): return a\n    q = f()", "q"), ("def f(a: int): return a\n    q = f(0.5)", "q"),
    ("def f(a: int): return a\n    q = f(n)", "q"), ("q = [m, 0.5]", "q[n]"), ("q = {1: m, 2: 0.5}", "q[n]"),
    ("while m > 1: m = m / 2", "m"), ("with unknown() as m: pass", "m"), ("global m; m = 0.5", "m"),
    ("try:\n        m = y\n    except Exception: pass", "m"), ("class C: m = 0.5\n    m = C.m", "m"),
    ("q = lambda a: a * 0.5", "q(m)"), ("q = int(n) - n", "q"), ("q = int(n) if flag else n", "q"),
    ("class S: shape = (0.5,)\n    q = S()", "q.shape[0]"), ("q = [m, 2]; q[0] = 0.5", "q[0]"),
    ("def g():\n        nonlocal m\n        m = 0.5\n    g()", "m"), ("m = x.shape[0] if flag else y", "m"),
    ("q = 1\n    while q < m: q *= 2.0", "q"), ("q = 1\n    while q < m: q = 2.0 * q", "q"),
    ("q = True\n    while q < m: q *= 2", "q"),
])
def test_a_variable_that_changes_does_not(before, value):
    verdict, state = check_launch(value, before)
    assert verdict in ("conditional", "unproven", "refuted") and state in (None, "open")


@pytest.mark.parametrize(("before", "value"), [
    ("q = m * 2", "q"), ("q = int(y)", "q"), ("q = int(2 * n)", "q"), ("q = int(n) if flag else int(y)", "q"),
    ("q, r = m, 0.5", "q"),
    ("def f(a: int): return a * 2\n    q = f(m)", "q"), ("q = x.shape[0]; r = q - 1", "r"), ("a, b = x.shape", "b"),
    ("q = 0\n    while q < m: q = q + 1\n    q = 3", "q"),
])
def test_a_variable_that_is_an_integer_does(before, value):
    assert check_launch(value, before) == ("conditional", "discharged")


@pytest.mark.parametrize("top", ["int = float", "from numbers import Real as int"])
def test_an_annotation_of_another_name_does_not(top):
    text = KERNEL.replace("import math", f"{top}\nimport math") + LAUNCH.format(value="m", before="pass")
    (kernel,) = check(text).kernels
    assert {c.clause: c.state for c in kernel.contract}["integer(p)"] == "open"


def test_every_launch_counts():
    text = KERNEL + LAUNCH.format(value="m", before="pass") + LAUNCH.replace("run", "other").format(
        value="n", before="pass")
    (kernel,) = check(text).kernels
    assert {c.clause: c.state for c in kernel.contract}["integer(p)"] == "open"


@pytest.mark.parametrize("declared", [
    '@requires("integer(p)")\n@ct.kernel', "@ct.kernel  # tilecheck: requires integer(p)"])
def test_a_declaration_is_believed_and_checked_at_launches(declared):
    text = KERNEL.replace("@ct.kernel", declared)
    (kernel,) = check(text).kernels
    assert kernel.verdict == "proved"
    report = check(text + LAUNCH.format(value="0.5", before="pass"))
    (found,) = report.diagnostics
    assert found.code == "TC405" and found.severity == "error" and "integer(p)" in found.message


def test_only_the_numbers_that_a_proof_needs_are_in_its_contract():
    text = KERNEL.replace("(out, p)", "(out, p, q, r)").replace(
        "ct.scatter(out, i, 1.0)", "s = 1.0 if q > 0 and q < 1 else 2.0\n    ct.scatter(out, i, s * r)")
    (kernel,) = check(text).kernels
    assert [c.clause for c in kernel.contract if c.clause.startswith("integer")] == ["integer(p)"]


def test_a_proof_that_needs_no_integer_has_no_clause():
    text = KERNEL.replace("i = i // 2", "pass")
    (kernel,) = check(text).kernels
    assert kernel.verdict == "proved" and not any(c.clause.startswith("integer") for c in kernel.contract)


def test_a_counter_of_a_loop_is_an_integer():
    text = KERNEL + """

def run(x, n):
    for q in range(n):
        ct.launch(0, (x.shape[0],), k, (x, q))
"""
    (kernel,) = check(text).kernels
    assert {c.clause: c.state for c in kernel.contract}["integer(p)"] == "discharged"


def test_an_array_with_a_race_for_all_integers_is_refuted():
    text = KERNEL.replace("(out, p)", "(out, other, p)") + "    ct.scatter(other, ct.bid(0) // 2, 1.0)\n"
    (kernel,) = check(text).kernels
    found = {o.array: o.verdict for o in kernel.obligations if o.kind == "disjoint"}
    assert found == {"out": "conditional", "other": "refuted"}


def test_an_obligation_that_needs_no_integer_has_no_clause():
    text = KERNEL.replace("(out, p)", "(out, other, p)") + "    ct.scatter(other, ct.bid(0), 1.0)\n"
    (kernel,) = check(text).kernels
    found = {o.array: (o.verdict, o.clauses) for o in kernel.obligations if o.kind == "disjoint"}
    assert found["out"] == ("conditional", ("integer(p)",)) and found["other"][0] == "proved"


UNREACHED = """import cuda.tile as ct
import torch


@ct.kernel
def k(out, p):
    i = ct.bid(0)
    if {condition}:
        {statement}


def run(x, n):
    ct.launch(0, (8,), k, (torch.zeros(64), {value}))
"""


@pytest.mark.parametrize("condition", ["p > 2 and p < 3", "2 * p == 5", "p // 1 != p"])
@pytest.mark.parametrize("statement", ["ct.scatter(out, 0, 1.0)", "unknown(out)"])
def test_a_statement_that_no_integer_reaches_asks_for_an_integer(condition, statement):
    found = {value: check(UNREACHED.format(condition=condition, statement=statement, value=value)).kernels[0]
             for value in ("n", "2.5", "3")}
    assert {c.clause: c.state for c in found["n"].contract}.get("integer(p)") == "open"
    assert found["n"].launches.holds == 0
    assert found["2.5"].verdict == "unproven"
    assert found["3"].verdict != "unproven" and found["3"].launches.holds == 1
