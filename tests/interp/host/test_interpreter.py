"""Host expressions and statements as terms."""

from __future__ import annotations

import pytest

from tests.interp.host.hosts import evaluate_grid_extent, launch, launches

CDIV = "(n - 1)//(m) + 1"


@pytest.mark.parametrize(("expression", "expected"), [
    ("n", "n"),
    ("n * m + 2", "m*n + 2"),
    ("ct.cdiv(n, m)", CDIV),
    ("math.ceil(n / m)", CDIV),
    ("(n + m - 1) // m", CDIV),
    ("-(-n // m)", CDIV),
    ("math.floor(n / m)", "(n)//(m)"),
    ("n // 4 // 2", "(n)//(8)"),
    ("1 << (n - 1).bit_length()", "next_pow2(n)"),
    ("2 ** math.ceil(math.log2(n))", "next_pow2(n)"),
    ("triton.next_power_of_2(n)", "next_pow2(n)"),
    ("min(n, m)", "min(m, n)"),
    ("max(n, 1, m)", "max(1, m, n)"),
    ("n if m > 4 else 2", "ite(m - 5 >= 0, n, 2)"),
    ("n if True else 2", "n"),
    ("int(m == 3)", "ite(m - 3 == 0, 1, 0)"),
    ("x.shape[0]", "x.shape[0]"),
    ("x.size(1)", "x.shape[1]"),
    ("x.size()[1]", "x.shape[1]"),
    ("len(x.view(n, m))", "n"),
    ("x.numel()", "x.shape[-1]*x.shape[:-1]"),
    ("x.view(-1, x.shape[-1]).shape[0]", "x.shape[:-1]"),
    ("x.reshape(n, m).numel()", "m*n"),
    ("x.view(n, -1, 2).size(1)", "(x.shape[-1]*x.shape[:-1])//(2*n)"),
    ("math.prod(x.shape[:-1])", "x.shape[:-1]"),
    ("functools.reduce(operator.mul, x.shape, 1)", "x.shape[-1]*x.shape[:-1]"),
    ("torch.empty_like(x).shape[2]", "x.shape[2]"),
    ("torch.empty((n, m)).shape[1]", "m"),
    ("torch.zeros(n, m, 4).numel()", "4*m*n"),
    ("x.new_empty(n, 3).stride(0)", "3"),
    ("x.view(n, m).transpose(0, 1).shape[0]", "m"),
    ("x.view(n, m, 2).permute(2, 0, 1).shape[0]", "2"),
    ("x.view(n, m).unsqueeze(0).shape[2]", "m"),
    ("torch.empty((n, m)).t().stride(0)", "1"),
    ("x.view(n, m).flatten().shape[0]", "m*n"),
    ("x.view(n, m)[:3].shape[1]", "m"),
    ("torch.cuda.get_device_properties('cuda').multi_processor_count", "NUM_SMS"),
    ("sum([n, m, 1])", "m + n + 1"),
    ("(n, m)[1]", "m"),
    ("[n, m][-1]", "m"),
    ("{'a': n, 'b': m}['b']", "m"),
    ("divmod(n, m)[0]", "(n)//(m)"),
    ("SimpleNamespace(a=n).a", "n"),
    ("(lambda v: v + 1)(n)", "n + 1"),
    ("functools.partial(lambda a, b: a * b, n)(m)", "m*n"),
    ("sum(v for v in (n, m))", "m + n"),
    ("max(a * b for a in (1, 2) for b in (3, 4))", "8"),
])
def test_expressions(expression: str, expected: str) -> None:
    assert evaluate_grid_extent(expression) == expected


@pytest.mark.parametrize(("setup", "expression", "expected"), [
    ("a, b = x.shape", "a * b", "x.shape[0]*x.shape[1]"),
    ("*lead, last = x.shape", "last", "x.shape[-1]"),
    ("*lead, last = x.shape", "math.prod(lead)", "x.shape[:-1]"),
    ("a, b = x.shape\nc = x.shape[-1]", "c", "x.shape[1]"),
    ("a = n\nif m > 2:\n    a = 7", "a", "ite(m - 3 >= 0, 7, n)"),
    ("if m > 2:\n    a = 1\nelse:\n    a = 1", "a", "1"),
    ("a = [n]\na.append(m)", "a[1]", "m"),
    ("a = n\na *= m", "a", "m*n"),
    ("for i in (1, 2, 3):\n    n += i", "n", "n + 6"),
    ("a = SimpleNamespace(b=n)\na.b = 3", "a.b", "3"),
    ("def f(v):\n    return v * m", "f(n)", "m*n"),
    ("def f(v):\n    if v > m:\n        return m\n    return v", "f(n)", "ite(-m + n - 1 >= 0, m, n)"),
    ("if (a := n + 1) > 2:\n    pass", "a", "n + 1"),
    ("x = x.contiguous() if not x.is_contiguous() else x", "torch.empty_like(x).shape[0]", "x.shape[0]"),
    ("with torch.no_grad():\n    a = n", "a", "n"),
    ("try:\n    a = n\nfinally:\n    pass", "a", "n"),
])
def test_statements(setup: str, expression: str, expected: str) -> None:
    assert evaluate_grid_extent(expression, setup) == expected


@pytest.mark.parametrize(("setup", "expression"), [
    ("for i in range(m):\n    n = n + i", "n"),
    ("while n > m:\n    n = foo(n)", "n"),
    ("n = foo(n)", "n"),
    ("a = [n]\nfoo(a)", "a[0]"),
    ("a = SimpleNamespace(b=n)\nfoo(a)", "a.b"),
    ("a = [n]\nfor i in range(m):\n    a[0] = i", "a[0]"),
    ("a = n\nfor i in range(m):\n    if i > 3:\n        a = 1\n        break", "a"),
    ("try:\n    n = 1\n    foo()\nexcept ValueError:\n    pass", "n"),
    ("match m:\n    case 1:\n        n = 2", "n"),
])
def test_unknown_statements_forget_earlier_values(setup: str, expression: str) -> None:
    assert evaluate_grid_extent(expression, setup) not in ("n", "1", "2")


def test_an_attribute_that_may_have_changed_is_another_symbol() -> None:
    source = """
class C:
    def run(self, x, y):
        a = self.n
        self.foo()
        ct.launch(0, (a, self.n), k, (x, y, 1, 1))
"""
    a, b, _ = launch(source).grid
    assert a is not None and b is not None and a != b


def test_an_attribute_has_its_assigned_value() -> None:
    source = """
def run(cfg, x, y, n):
    cfg.block = n
    ct.launch(0, (cfg.block, cfg.other), k, (x, y, 1, 1))
"""
    assert [t.key for t in launch(source).grid if t is not None] == ["n", "cfg.other", "1"]


def test_guards_become_facts() -> None:
    source = """
def run(x, y, n, m):
    assert n % 16 == 0
    if m < 3:
        raise ValueError
    if n == m:
        ct.launch(0, (n, m), k, (x, y, n, m))
"""
    keys = {fact.key for fact in launch(source).facts.args}
    assert {"(n)%(16) == 0", "m - 3 >= 0", "m - n == 0"} <= keys


def test_a_loop_that_halves_more_often_than_is_followed_still_ends() -> None:
    source = """
def run(x, y):
    n = 2**30
    while n > 4:
        n //= 2
    ct.launch(0, (n,), k, (x, y, n, n))
"""
    (fact,) = [fact for fact in launch(source).facts.args if fact.key == "-n + 4 >= 0"]
    assert fact.op != "false"


def test_a_loop_that_halves_keeps_its_bounds() -> None:
    source = """
def run(x, y, n):
    block = 256
    while block > n:
        block //= 2
    ct.launch(0, (block,), k, (x, y, n, block))
"""
    found = launch(source)
    assert any(fact.op == "or" and "256" in fact.key for fact in found.facts.args)
    assert any(fact.key == "-block + n >= 0" for fact in found.facts.args)


@pytest.mark.parametrize(("loop", "expected"), [
    ("p = 1\nwhile p < n: p *= 2", "next_pow2(n)"),
    ("p = 1\nwhile p < n: p <<= 1", "next_pow2(n)"),
    ("p = 1\nwhile n > p: p = 2 * p", "next_pow2(n)"),
    ("p = 1\nwhile p < x.shape[0]: p += p", "next_pow2(x.shape[0])"),
    ("p = 16\nwhile p < n: p = p << 1", "max(16, next_pow2(n))"),
])
def test_a_loop_that_doubles_rounds_up(loop: str, expected: str) -> None:
    assert evaluate_grid_extent("p", loop) == expected


@pytest.mark.parametrize("loop", [
    "p = 3\nwhile p < n: p *= 2", "p = m\nwhile p < n: p *= 2", "p = 1\nwhile p < n: p *= 3",
    "p = 1\nwhile p <= n: p *= 2", "p = 1\nwhile p < n + p: p *= 2", "p = 1\nwhile p < f(p): p *= 2",
    "p = 1\nwhile p < n:\n    p *= 2\n    n += 1",
])
def test_other_loops_do_not_round_up(loop: str) -> None:
    assert "next_pow2" not in evaluate_grid_extent("p", loop)


def test_helpers_of_other_modules_are_followed() -> None:
    source = """
from helpers import blocks, LIMIT


def run(x, y, n):
    ct.launch(0, (blocks(n), LIMIT), k, (x, y, n, 1))
"""
    helpers = "LIMIT = 4\n\n\ndef blocks(v, size=32):\n    return (v + size - 1) // size\n"
    assert [t.key for t in launch(source, helpers=helpers).grid if t is not None] == ["(n + 31)//(32)", "4", "1"]


@pytest.mark.parametrize("source", [
    "def f(:\n", "def run(x):\n    ct.launch()\n", "def run():\n    ct.launch(*a, **b)\n",
    "def run(x):\n    return run(x)\n    ct.launch(0, (1,), k, (run(x), x, 1, 1))\n",
    "ct.launch(0, (1,), k, (1,))\n", "def run(*a, **b):\n    ct.launch(0, a, k, b)\n",
    "def run(x):\n    ct.launch(0, (x // 0,), k, (x % 0, x / 0, 1 << -1, 2 ** -1))\n",
    "def run(x):\n    yield ct.launch(0, (1,), k, (x,))\n",
    "async def run(x):\n    ct.launch(0, (1,), k, (x,))\n",
    "def run(x):\n    a = []\n    a.append(a)\n    ct.launch(0, a, k, a)\n",
    "x = x\nct.launch(0, (x,), k, (x, x, 1, 1))\n",
])
def test_arbitrary_host_code_does_not_fail(source: str) -> None:
    try:
        launches(source)
    except Exception as error:
        assert type(error).__name__ == "SourceError"


@pytest.mark.parametrize(("setup", "expression"), [
    ("a = n\ndef f():\n    nonlocal a\n    a = a + 1\nfor i in range(m):\n    f()", "a"),
    ("a = [n]\nb = a\nfor i in range(m):\n    b.append(1)\n    b[0] = i", "a[0]"),
    ("a = n\ndef f():\n    nonlocal a\n    a = 1\nfoo(f)", "a"),
    ("a = n\ndef f():\n    nonlocal a\n    a = 1\ntry:\n    f()\n    foo()\nexcept E:\n    pass", "a"),
    ("a = SimpleNamespace(b=n)\nc = a\nfor i in range(m):\n    c.b = i", "a.b"),
    ("a = SimpleNamespace(b=n)\nc = a\nc.b = foo()", "a.b"),
    ("a = [n, m]\na.sort()", "a[0]"),
])
def test_changes_from_afar_are_seen(setup: str, expression: str) -> None:
    assert evaluate_grid_extent(expression, setup) not in ("n", "1")


def test_a_module_variable_that_a_function_assigns_is_not_taken_for_one_value() -> None:
    source = """
BLOCK = 64


def tune():
    global BLOCK
    BLOCK = 128


def run(x, y, n):
    a = BLOCK
    tune()
    ct.launch(0, (a, BLOCK), k, (x, y, n, 1))
"""
    a, b, _ = launch(source).grid
    assert a is not None and b is not None and a != b and a.constant is None
