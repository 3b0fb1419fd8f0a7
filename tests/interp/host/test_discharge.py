"""Clauses at launches."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.interp.host.hosts import PARAMS, launch, launches
from tilecheck.contracts import parse
from tilecheck.interp.host.clause_substitution import numbers_of
from tilecheck.interp.host.discharge import Discharge, discharge
from tilecheck.interp.host.entailment import follows, is_entailed
from tilecheck.symbolic import Array, ArrayParam, conj, eq, ge, symbol


def at(body: str, clause: str, semantic: bool = False, params: str = "x, y, n, m") -> Discharge:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    found = launch(f"def run({params}):\n{lines}")
    (parsed,) = parse(clause)
    parsed = replace(parsed, kind="semantic" if semantic else "structural") if parsed.cond is not None else parsed
    return discharge(parsed, PARAMS, found, {ArrayParam("x"): 2, ArrayParam("y"): 2})


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.launch(0, (n,), k, (x, y, n, m))", "grid[1] == 1 and grid[0] == n"),
    ("ct.launch(0, (x.shape[0],), k, (x, y, n, m))", "grid[0] <= x.shape[0]"),
    ("assert n <= m\nct.launch(0, (n,), k, (x, y, n, m))", "n <= T"),
    ("ct.launch(0, (n // 64,), k, (x, y, n, m))", "grid[0] <= cdiv(n, 64)"),
    ("ct.launch(0, (n // 64,), k, (x, y, n, m))", "grid[0] <= cdiv(n, 64) or T != 0"),
    ("if n > m:\n    raise ValueError\nct.launch(0, (n,), k, (x, y, n, m))", "n <= T"),
    ("ct.launch(0, (ct.cdiv(n, m),), k, (x, torch.empty((n, 2)), n, m))", "grid[0] <= cdiv(y.shape[0], T)"),
    ("ct.launch(0, (1,), k, (x, y, n, 1 << (n - 1).bit_length()))", "n <= T"),
    ("T = 1 if n == 0 else 2 ** (n - 1).bit_length()\nct.launch(0, (1,), k, (x, y, n, T))", "n <= T"),
    ("T = 1\nif n > 1:\n    T = 1 << (n - 1).bit_length()\nct.launch(0, (ct.cdiv(n, T),), k, (x, y, n, T))",
     "T != 1 or grid[0] <= 1"),
    ("ct.launch(0, (1,), k, (x, y, n, n // 4 * 4))", "T <= n"),
    ("ct.launch(0, (1,), k, (x, y, n, ct.cdiv(n, 4) * 4))", "n <= T"),
    ("ct.launch(0, (min(n, m),), k, (x, y, n, m))", "grid[0] <= n and grid[0] <= T"),
    ("ct.launch(0, (1,), k, (x, y, n, n if m > 2 else n + 1))", "n <= T"),
    ("assert n >= 1\nct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T >= 1 and T < 2*n"),
    ("ct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(max(n, 1))))", "T >= 1"),
    ("a, b = triton.next_power_of_2(n), triton.next_power_of_2(m)\nct.launch(0, (1,), k, (x, y, a, b))",
     "n >= 0 and T >= 0"),
    ("a, b = triton.next_power_of_2(x.shape[0]), triton.next_power_of_2(x.shape[1])\n"
     "ct.launch(0, (1,), k, (x, y, a, b))", "n >= 1 and T < 2*x.shape[1]"),
    ("a, b = x.shape\nct.launch(0, (1,), k, (x.contiguous(), y, n, b))", "x.strides[0] == T and x.strides[1] == 1"),
    ("assert x.shape == y.shape\nct.launch(0, (1,), k, (x, y, n, m))", "x.shape[1] == y.shape[1]"),
    ("ct.launch(0, (1,), k, (x, torch.empty_like(x), n, m))", "x.shape[1] == y.shape[1]"),
    ("v = x.view(-1, x.shape[-1])\nct.launch(0, (v.shape[0],), k, (v, y, n, m))", "grid[0] <= x.shape[0]"),
    ("*lead, d = x.shape\nct.launch(0, (math.prod(lead),), k, (x, y, n, m))", "grid[0] == x.shape[0]"),
    ("b = 64\nwhile b > n:\n    b //= 2\nct.launch(0, (1,), k, (x, y, n, b))", "T <= n"),
    ("ct.launch(0, (1,), k, (x, torch.empty(4), n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (1,), k, (x.contiguous(), x.new_empty(4), n, m))", "disjoint(x, y)"),
    ("assert x.shape == (n, 128)\nct.launch(0, (n,), k, (x, y, n, 128))", "T <= x.shape[1] and grid[0] == x.shape[0]"),
    ("if x.shape[1:] != (m,):\n    raise ValueError\nct.launch(0, (n,), k, (x, y, n, m))", "T <= x.shape[1]"),
    ("assert x.shape == y.shape and x.shape[1] == 128\nct.launch(0, (n,), k, (x, y, n, 128))", "T <= y.shape[1]"),
    ("assert x.shape[1] == y.shape[0] and x.shape[1] % 64 == 0\nct.launch(0, (n,), k, (x, y, n, 32))",
     "y.shape[0] % T == 0"),
    ("assert n % 128 == 0\nct.launch(0, (1,), k, (x, torch.empty(ct.cdiv(n, 128)), n, 128))", "T*y.shape[0] <= n"),
    ("assert n == 4 * m and m == 32\nct.launch(0, (n,), k, (x, y, n, 128))", "T <= n"),
    ("h = x.shape[1] // 2\nassert h > 0\nct.launch(0, (1,), k, (x, y, x.shape[1], triton.next_power_of_2(h)))",
     "T <= n"),
    # the shape of another array of any rank
    ("z = torch.zeros(n, m).view(*x.shape)\nct.launch(0, (x.shape[0],), k, (z, y, n, m))", "grid[0] <= x.shape[0]"),
    ("z = y.reshape(x.shape)\nct.launch(0, (x.shape[0],), k, (z, y, n, m))", "grid[0] <= x.shape[0]"),
    # a text that is one of several
    ("assert m in ('ab', 'ba')\nct.launch(0, (x.shape[m.find('a')],), k, (x, y, n, 1)) if m == 'ab' else None",
     "grid[0] <= x.shape[0]"),
    # sizes and kernels that conditions chose, where the conditions hold
    ("z = torch.empty((n, m) if m > 2 else (n,))\nif m > 2:\n    ct.launch(0, (m,), k, (z, y, n, m))",
     "grid[0] <= x.shape[1]"),
    ("if m > 2:\n    z = torch.empty(n, 4)\nelse:\n    z = y\nif m > 2:\n    ct.launch(0, (n,), k, (z, y, n, m))",
     "grid[0] <= x.shape[0]"),
    # facts with choices that other facts make
    ("a = x.shape[0] if m else x.shape[1]\nassert a == n\nif not m:\n    ct.launch(0, (n,), k, (x, y, n, 1))",
     "grid[0] <= x.shape[1]"),
    # a passed array is not empty
    ("h = x.shape[1] // 2\nct.launch(0, (1,), k, (torch.empty(n, h), y, n, m))", "x.shape[1] >= 1"),
    ("z = torch.empty(1, 1) if x is None else x\nct.launch(0, (1,), k, (z, y, n, m))", "x.shape[1] >= 1"),
    # powers of two, multiples
    ("if n >= 1 and (n & (n - 1)) == 0:\n    ct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= n"),
    ("if n >= 1 and n % m == 0 and m >= 1:\n    ct.launch(0, (1,), k, (x, y, n, m))", "T <= n"),
    # a quotient that is a number is one inside another quotient too
    ("one = 1 if m == 1 and n > 1 else 0\nct.launch(0, (1,), k, (x, y, n // m, one))", "n != 1 or T == 0"),
    # the rank that the kernel shows
    ("h = 1 if x.ndim == 2 else x.shape[1]\nct.launch(0, (1,), k, (x, y, n, h))", "T == 1"),
    # what no truth values of its parts make true
    ("h = n + 1 if (m is None or (m is not None and n is None)) and (m is None or n is not None) and m is not None "
     "else n\nct.launch(0, (1,), k, (x, y, n, h))", "T <= n"),
    # few values that are allowed
    ("assert n in {16, 64, 256}\nct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= n"),
    # blocks of a size that is positive: there is something to do
    ("ct.launch(0, (ct.cdiv(n, triton.next_power_of_2(m)),), k, (x, y, n, m))", "n >= 1"),
    # a number, whichever it is
    ("b = n if m > 2 else m\nct.launch(0, (int(b),), k, (x, y, b, m))", "grid[0] <= n"),
    ("b = m\nif n > 2:\n    b = n\nct.launch(0, (int(b),), k, (x, y, int(b), m))", "grid[0] <= n"),
])
def test_clauses_are_discharged(body: str, clause: str) -> None:
    for part in clause.split(" and "):
        assert at(body, part).state == "discharged", part


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.launch(0, (n,), k, (x, y, n, m))", "n <= T"),
    ("assert n <= m\nct.launch(0, (n,), k, (x, y, n, m))", "T <= n"),
    ("assert m <= n\nct.launch(0, (n,), k, (x, y, n, m))", "n <= T"),
    ("ct.launch(0, (n,), k, (x, y, n, m))", "grid[0] == 1"),
    ("ct.launch(0, (n,), k, (x, y, n, foo()))", "n <= T"),
    ("ct.launch(0, (n,), k, (x, y, n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (n,), k, (x[:4], x[4:], n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (n,), k, (x, foo(x), n, m))", "disjoint(x, y)"),
    ("z = torch.empty(4)\nct.launch(0, (n,), k, (z, foo(z), n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (n,), k, (x, x.contiguous(), n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (n,), k, (x, y, n, m))", "x.shape[0] == y.shape[0]"),
    ("assert n < m and m < n\nct.launch(0, (2,), k, (x, y, n, m))", "n == T"),
    ("assert n % 64 == 0\nct.launch(0, (1,), k, (x, torch.empty(ct.cdiv(n, 128)), n, 128))", "T*y.shape[0] <= n"),
    ("assert x.shape == (n, 64)\nct.launch(0, (n,), k, (x, y, n, 128))", "T <= y.shape[1]"),
    ("assert x.shape[1] == y.shape[0] or x.shape[1] % 64 == 0\nct.launch(0, (n,), k, (x, y, n, 32))",
     "y.shape[0] % T == 0"),
    ("if x.shape != (n, 128):\n    m = 1\nct.launch(0, (n,), k, (x, y, n, 128))", "T <= x.shape[1]"),
    ("assert x.shape[1] == y.shape[0] and x.shape[1] % 48 == 0\nct.launch(0, (n,), k, (x, y, n, 32))",
     "y.shape[0] % T == 0"),
    ("for i in range(n):\n    pass\nct.launch(0, (2,), k, (x, y, n, m))", "n >= 1"),
    ("z = torch.zeros(n, m).view(*x.shape, 1)\nct.launch(0, (x.shape[1],), k, (z, y, n, m))", "grid[0] <= x.shape[1]"),
    ("z = y.reshape(x.shape[1:])\nct.launch(0, (x.shape[0],), k, (z, y, n, m))", "grid[0] <= x.shape[0]"),
    ("assert m in ('ab', 'ba')\nct.launch(0, (x.shape[m.find('a')],), k, (x, y, n, 1))", "grid[0] <= x.shape[0]"),
    ("assert m in ('ab', n)\nct.launch(0, (x.shape[m.find('a')],), k, (x, y, n, 1)) if m == 'ab' else None",
     "grid[0] <= x.shape[0]"),
    ("z = torch.empty((n, m) if m > 2 else (n, 1))\nif n > 2:\n    ct.launch(0, (foo(),), k, (z, y, n, m))",
     "grid[0] <= x.shape[1]"),
    ("if m > 2:\n    z = torch.empty(n, 4)\nelse:\n    z = y\nif m > 1:\n    ct.launch(0, (n,), k, (z, y, n, m))",
     "grid[0] <= x.shape[0]"),
    ("a = x.shape[0] if m else x.shape[1]\nassert a == n\nif m:\n    ct.launch(0, (n,), k, (x, y, n, 1))",
     "grid[0] <= x.shape[1]"),
    # one that is empty for sure may be the one
    ("z = torch.empty(0, 0) if x is None else x\nct.launch(0, (1,), k, (z, y, n, m))", "x.shape[1] >= 1"),
    ("z = x if m else torch.empty(0, 0)\nct.launch(0, (1,), k, (z, y, n, m))", "T != 0"),
    ("if (n & (n - 1)) == 0:\n    ct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= n"),
    ("if n % m == 0:\n    ct.launch(0, (1,), k, (x, y, n, m))", "T <= n"),
    ("assert n in {16, 48}\nct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= 2*m"),
    # rounded up, 0 is 2 here
    ("T = 1 << (n - 1).bit_length()\nct.launch(0, (1,), k, (x, y, n, T))", "n >= 1 or T <= 1"),
    ("T = triton.next_power_of_2(n)\nct.launch(0, (1,), k, (x, y, n, T))", "T >= 1"),
    ("T = triton.next_power_of_2(n)\nassert T <= 0\nct.launch(0, (1,), k, (x, y, n, m))", "n >= 1"),
    ("if triton.next_power_of_2(n) == 1:\n    ct.launch(0, (1,), k, (x, y, n, m))", "n >= 0"),
    ("if triton.next_power_of_2(n) == 2:\n    ct.launch(0, (1,), k, (x, y, n, m))", "n >= 1"),
    ("T = triton.next_power_of_2(min(n, m))\nct.launch(0, (1,), k, (x, y, n, T))", "T >= 1"),
    ("h = x.shape[1] // 2\nct.launch(0, (1,), k, (x, y, x.shape[1], 1 << (h - 1).bit_length()))", "T <= n"),
    ("a, b = triton.next_power_of_2(n), triton.next_power_of_2(m)\nct.launch(0, (1,), k, (x, y, a, b))",
     "n >= 1 or T >= 1"),
    ("a, b = triton.next_power_of_2(n), triton.next_power_of_2(m)\n"
     "assert n >= 1\nct.launch(0, (1,), k, (x, y, a, b))", "T >= 1"),
    ("a, b, c = triton.next_power_of_2(n), triton.next_power_of_2(m), triton.next_power_of_2(n + m)\n"
     "d = triton.next_power_of_2(n - m)\nct.launch(0, (1,), k, (x, y, n, a + b + c + d))", "T >= 1"),
    ("h = 1 if x.ndim == 3 else x.shape[1]\nct.launch(0, (1,), k, (x, y, n, h))", "T == 1"),
    ("h = n + 1 if (m is None or n is None) and (m is None or n is not None) else n\n"
     "ct.launch(0, (1,), k, (x, y, n, h))", "T <= n"),
    ("assert n in {16, m}\nct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= 2*m"),
    ("ct.launch(0, (ct.cdiv(n, m),), k, (x, y, n, m))", "n >= 1"),
])
def test_clauses_stay_open(body: str, clause: str) -> None:
    assert at(body, clause).state == "open"
    assert at(body, clause, semantic=True).state in ("open",)


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.launch(0, (n, 2), k, (x, y, n, m))", "grid[1] == 1"),
    ("ct.launch(0, (n,), k, (x, y, 4, 8))", "T <= n"),
    ("ct.launch(0, (1,), k, (x, y, n, n + 1))", "T <= n"),
    ("ct.launch(0, (1,), k, (x, x, n, m))", "disjoint(x, y)"),
    ("ct.launch(0, (1,), k, (x, x.view(-1), n, m))", "disjoint(x, y)"),
])
def test_clauses_are_violated(body: str, clause: str) -> None:
    assert at(body, clause).state == "broken"


def test_a_tile_rounded_up_violates_a_semantic_clause_for_some_size() -> None:
    body = "T = 1 << (n // 2 - 1).bit_length()\nct.launch(0, (m,), k, (x, y, n, T))"
    assert at(body, "n // 2 + T <= n").state == "open"
    found = at(body, "n // 2 + T <= n", semantic=True)
    assert (found.state, found.values) == ("violated", (("n", 96),))
    assert found.text in ("n // 2 + next_pow2(n // 2) <= n", "next_pow2(n // 2) + n // 2 <= n")


@pytest.mark.parametrize("clause", ["grid[0] <= x.shape[0]", "2*grid[0] <= x.shape[0]"])
def test_a_count_passed_with_an_array_may_agree_with_it(clause: str) -> None:
    assert at("ct.launch(0, (m + 1,), k, (x, y, n, 1))", clause, semantic=True).state == "open"


def test_quotients_may_differ_more_than_their_dividends() -> None:
    assert at("ct.launch(0, (n // 64,), k, (x, y, n, m))", "grid[0] <= (n - 2) // 64").state == "open"


def test_a_guard_rules_the_violation_out() -> None:
    body = "T = 1 << (n // 2 - 1).bit_length()\nassert n == 2 * T\nct.launch(0, (m,), k, (x, y, n, T))"
    assert at(body, "n // 2 + T <= n", semantic=True).state == "discharged"


def test_unknown_values_show_no_violation() -> None:
    body = "n = foo()\nct.launch(0, (m,), k, (x, y, n, triton.next_power_of_2(n)))"
    assert at(body, "T <= n", semantic=True).state == "open"


def test_every_configuration_counts() -> None:
    source = """
def run(x, y, n):
    exhaustive_search(
        [SimpleNamespace(T=8), SimpleNamespace(T={last})], 0, lambda c: (4,), k, lambda c: (x, y, 64, c.T), None)
"""
    (clause,) = parse("n % T == 0")
    assert discharge(clause, PARAMS, launches(source.format(last=16))[0]).state == "discharged"
    found = discharge(clause, PARAMS, launches(source.format(last=24))[0])
    assert (found.state, found.values) == ("broken", (("c.T", 24),))
    (other,) = parse("T < 4")
    assert discharge(other, PARAMS, launches(source.format(last=24))[0]).state == "broken"


STANDING = (ge(symbol("T"), 1),)


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.launch(0, (n // m,), k, (x, y, n, m))", "grid[0] <= cdiv(n, T)"),
    ("f = 1 if n % m == 0 else 0\nct.launch(0, (f,), k, (x, y, n, m))", "cdiv(n, T) <= n // T or grid[0] == 0"),
    ("f = n == m\nct.launch(0, (int(f),), k, (x, y, n, m))", "T <= n or grid[0] != 1"),
    ("a = triton.next_power_of_2(n)\nct.launch(0, (1 if a == n else 0,), k, (x, y, n, a))", "T <= n or grid[0] == 0"),
    ("ct.launch(0, (foo() or 3,), k, (x, y, n, m))", "x.shape[0] >= 1 or grid[0] == 7"),
    ("p = foo(n)\nc = m if p else n\nct.launch(0, (n // c,), k, (x, y, n, c))", "grid[0] <= cdiv(n, T)"),
    ("p = foo(n)\nct.launch(0, (n if p else m,), k, (x, y, n, n if p else m))", "grid[0] <= T"),
])
def test_discharged_where_tiles_have_elements(body: str, clause: str) -> None:
    assert discharge_clause(body, clause).state == "discharged"


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.launch(0, (n // m,), k, (x, y, n, m))", "grid[0] < cdiv(n, T)"),
    ("f = 1 if n % m == 1 else 0\nct.launch(0, (f,), k, (x, y, n, m))", "cdiv(n, T) <= n // T or grid[0] == 0"),
    ("f = 1 if n % m == 0 else 0\nct.launch(0, (f,), k, (x, y, n, m))", "n // T >= 1 or grid[0] == 0"),
    ("p = foo(n)\nct.launch(0, (n if p else m,), k, (x, y, n, m if p else n))", "grid[0] <= T"),
    ("p = foo(n)\nq = foo(m)\nct.launch(0, (n if p else m,), k, (x, y, n, n if q else m))", "grid[0] <= T"),
])
def test_open_although_tiles_have_elements(body: str, clause: str) -> None:
    assert discharge_clause(body, clause).state == "open"


def discharge_clause(body: str, clause: str) -> Discharge:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (parsed,) = parse(clause)
    found = launch(f"def run(x, y, n, m):\n{lines}")
    ranks: dict[Array, int] = {ArrayParam("x"): 2, ArrayParam("y"): 2}
    return discharge(replace(parsed, kind="structural"), PARAMS, found, ranks, STANDING)


def test_impossible_arguments_show_no_violation() -> None:
    assert discharge_clause("ct.launch(0, (5,), k, (x, y, n, 0))", "grid[0] <= T").state != "discharged"


@pytest.mark.parametrize("body", [
    "a, b = x.shape[-2:]\nct.launch(0, (a,), k, (x, y, n, m))",
    "a, b = x.shape[:2]\nct.launch(0, (a,), k, (x, y, n, m))",
    "a, = x.shape[:-1]\nct.launch(0, (a,), k, (x, y, n, m))",
])
def test_a_slice_of_a_shape_is_split_into_extents(body: str) -> None:
    assert at(body, "grid[0] <= x.shape[0]").state == "discharged"


def test_the_last_extents_are_not_the_first() -> None:
    assert at("a, b = x.shape[-2:]\nct.launch(0, (b,), k, (x, y, n, m))", "grid[0] <= x.shape[0]").state == "open"


def test_the_argument_list_is_the_one_that_fits() -> None:
    source = """
@ct.kernel
def longer(x, y, n: ct.Constant[int], T: ct.Constant[int], more: ct.Constant[int]):
    pass


def run(x, y, n, m):
    args = (x, y, n, m)
    if n == 64:
        kernel, args = longer, args + (3,)
    else:
        kernel = k
    ct.launch(0, (n,), kernel, args)
"""
    (clause,) = parse("grid[0] <= n")
    (other,) = parse("grid[0] <= T")
    found = [x for x in launches(source) if x.kernel[1] == "k"]
    assert [discharge(clause, PARAMS, x).state for x in found] == ["discharged"]
    assert [discharge(other, PARAMS, x).state for x in found] == ["open"]


def test_the_opposite_of_a_fact_does_not_follow() -> None:
    n, m = symbol("n"), symbol("m")
    assert not follows(ge(m, n), ge(n, m))
    assert not is_entailed(conj(ge(n, 1), ge(m, n)), ge(n, m))
    assert follows(ge(m, n), ge(m * 2, n * 2)) and follows(ge(m, n + 1), ge(m, n)) and follows(eq(m, n), ge(n, m))


def test_a_number_rounded_up_is_not_below_it() -> None:
    assert at("ct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))", "T <= n").state == "open"


def test_one_failing_value_among_few_is_not_enough() -> None:
    body = "assert n in {16, 48}\nct.launch(0, (1,), k, (x, y, n, triton.next_power_of_2(n)))"
    assert at(body, "T <= n", semantic=True).state != "discharged"


def test_a_non_empty_product_does_not_relate_two_arrays() -> None:
    body = ("assert x.shape[1] <= y.shape[0]\nT = triton.next_power_of_2(x.shape[0])\n"
            "ct.launch(0, (x.shape[0] * x.shape[1],), k, (x, y, x.shape[0], T))")
    found = at(body, "T <= n", semantic=True)
    assert (found.state, found.values) == ("violated", (("x.shape[0]", 96),))


def test_extents_of_two_arrays_that_something_else_relates_are_left_open() -> None:
    body = ("assert x.shape[0] <= y.shape[0]\nT = triton.next_power_of_2(x.shape[0])\n"
            "ct.launch(0, (x.shape[0] * x.shape[1],), k, (x, y, x.shape[0], T))")
    assert at(body, "T <= n", semantic=True).state == "open"


def test_launches_with_the_same_numbers_are_equal() -> None:
    lines = (f"    ct.launch(0, (n,), k, (x, y, n, {m}))\n" for m in ("m", "(m)", "m + 1"))
    one, same, other = launches(f"def run(x, y, n, m):\n{''.join(lines)}")
    assert one.span != same.span and numbers_of(one) == numbers_of(same) != numbers_of(other)
    assert one.arguments is not None
    first, *rest = one.arguments
    for changed in (
            replace(first, term=symbol("z")), replace(first, shape=(symbol("z"),)),
            replace(first, strides=(symbol("z"),)),
            replace(first, name="z"), replace(first, strided="z"), replace(first, dense=not first.dense),
            replace(first, elements=(first,)), replace(first, options=((ge(symbol("z"), 0), first),))):
        assert numbers_of(replace(one, arguments=(changed, *rest))) != numbers_of(one)
    for part in (
            replace(one, facts=ge(symbol("z"), 0)), replace(one, grid=(symbol("z"), *one.grid[1:])),
            replace(one, cases=((("z", 1),),)), replace(one, every=not one.every), replace(one, free=frozenset("z")),
            replace(one, variables=(("T", symbol("z")),)), replace(one, arguments=None)):
        assert numbers_of(part) != numbers_of(one)


@pytest.mark.parametrize(("body", "clause", "params"), [
    # the grid is computed from `n` by a function that is not followed
    ("g = other(n)\nct.launch(0, (g,), k, (x, y, 2 * n, 1))", "n <= 8", "x, y, n"),
    # callers pass no other number for a flag
    ("ct.launch(0, (4,), k, (x, y, int(flag) + 8, 1))", "n <= 9", "x, y, flag=False"),
    # the program ends before
    ("import sys\nif n > 8:\n    sys.exit()\nct.launch(0, (4,), k, (x, y, 2 * n, 1))", "n <= 16", "x, y, n"),
])
def test_no_launch_is_named_that_the_program_may_not_make(body: str, clause: str, params: str) -> None:
    assert at(body, clause, True, params).state in ("open", "discharged")


def test_a_launch_that_callers_can_make_is_named() -> None:
    assert at("ct.launch(0, (4,), k, (x, y, 2 * n, 1))", "n <= 8", True, "x, y, n").state == "violated"


def test_a_helper_is_believed_by_its_body_and_not_by_its_name() -> None:
    found = launches("""
def replace_hints(kernel, **hints):
    return other

def run(x, y, n):
    ct.launch(0, (n,), replace_hints(k, occupancy=2), (x, y, n, 1))
""")
    assert [each.kernel[1] for each in found] == ["other"]
