"""Clauses on bounds are those of a kernel: each is reported once, and none follows from the others."""

from __future__ import annotations

import textwrap

from tests.obligations.test_bounds import HEAD
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import KernelReport


def kernel(body: str, params: str = "a, b, c, n: int, F: Int, T: Int") -> KernelReport:
    text = f"{HEAD}@ct.kernel\ndef k({params}):\n    i = ct.bid(0)\n" + textwrap.indent(body, "    ")
    report = check_source(text, "k.py", Config(use_cache=False))
    assert report.failures == ()
    return report.kernels[0]


def clauses(body: str) -> list[str]:
    return sorted({c for o in kernel(body).obligations if o.kind == "bounds" for c in o.clauses})


def test_variants_that_ask_for_the_same_are_one() -> None:
    body = ("if F:\n    x = ct.load(a, (i,), (T,))\nelse:\n    x = ct.load(a, (i,), (T,)) + 1\n"
            "ct.store(c, (i,), x)")
    assert clauses(body) == ["grid[0] <= cdiv(a.shape[0], T)", "grid[0] <= cdiv(c.shape[0], T)"]


def test_a_variant_of_a_needed_clause_is_dropped() -> None:
    body = "x = ct.load(a, (i,), (T,))\nif F:\n    x = x + ct.load(a, (i,), (T,))\nct.store(c, (i,), x)"
    assert clauses(body) == ["grid[0] <= cdiv(a.shape[0], T)", "grid[0] <= cdiv(c.shape[0], T)"]


def test_a_clause_of_one_variant_stays_conditional() -> None:
    body = "x = ct.load(a, (i,), (T,))\nif F:\n    x = x + ct.load(b, (i,), (T,))\nct.store(c, (i,), x)"
    assert "grid[0] <= cdiv(b.shape[0], T) or F == 0" in clauses(body)


def test_clauses_implied_by_a_constant_are_dropped() -> None:
    body = "x = ct.load(a, (1,), (1,)) + ct.load(a, (2,), (1,))\nct.store(c, (i,), x)"
    found = [c for c in clauses(body) if c.startswith("a.shape")]
    assert found == ["a.shape[0] >= 3"]


def test_every_obligation_names_its_clauses() -> None:
    found = kernel("x = ct.load(a, (1,), (1,)) + ct.load(a, (2,), (1,))\nct.store(c, (i,), x)")
    listed = {c.clause for c in found.contract}
    bounds = [o for o in found.obligations if o.kind == "bounds"]
    assert all(o.clauses and set(o.clauses) <= listed for o in bounds)
