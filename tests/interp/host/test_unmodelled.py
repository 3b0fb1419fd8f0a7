"""Calls whose arguments change what a function means: an argument that no model reads makes the result unknown."""

from __future__ import annotations

import pytest

from tests.interp.host.hosts import PARAMS, launches
from tilecheck.contracts import parse
from tilecheck.interp.host.discharge import discharge

_IMPORTS = "import numpy as np\n"


def states(body: str, clause: str, before: str = "", params: str = "x, y, n, m") -> list[str]:
    """How a clause fares at the launches of a function with this body."""
    (parsed,) = parse(clause)
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    found = launches(f"{_IMPORTS}{before}\n\ndef run({params}):\n{lines}")
    return [discharge(parsed, PARAMS, launch).state for launch in found]


def states_of_array(expression: str, setup: str, clause: str) -> list[str]:
    """The same, for a launch with one array as `x`, where `y` stands for itself."""
    return states(f"{setup}\nz = {expression}\nct.launch(0, (4, 8), k, (z, y, n, 1))", clause)


MATRIX = "a = np.zeros((8, 4))"
GIVEN = "b, c = m.shape\nassert b == 8 and c == 4"

ARRAYS: dict[str, tuple[str, str, str]] = {
    "the step of a range": ("np.arange(16, step=4)", "", "x.shape[0] == 16"),
    "the start of a range": ("torch.arange(16, start=4)", "", "x.shape[0] == 16"),
    "the start of a range by its place": ("torch.arange(2, 16, n)", "", "x.shape[0] == 16"),
    "the element type of a view": ("m.view(dtype=np.int16)", GIVEN, "x.shape[1] == 4"),
    "the element type of a view by its place": ("m.view(np.int16)", GIVEN, "x.shape[1] == 4"),
    "the element type of a view as text": ("m.view('i2')", GIVEN, "x.shape[1] == 4"),
    "the order of axes": ("np.transpose(a, (0, 1))", MATRIX, "x.shape[0] == 4"),
    "the order of axes by its name": ("np.transpose(a, axes=(0, 1))", MATRIX, "x.shape[0] == 4"),
    "the order of axes as a method": ("m.transpose(0, 1)", GIVEN, "x.shape[0] == 4"),
    "all axes": ("np.transpose(a)", "a = np.zeros((2, 3, 4))", "x.shape[1] == 4"),
    "all axes as an attribute": ("a.T", "a = np.zeros((2, 3, 4))", "x.shape[1] == 4"),
    "the shape of an array like another": ("np.zeros_like(a, shape=(2, 2))", MATRIX, "x.shape[0] == 8"),
    "the shape of an array by its name": ("torch.reshape(m, shape=(8, n))", "", "x.shape[0] == 4"),
    "the type of an allocation as text": ("np.zeros(4, 'i2')", "", "x.shape[1] == 8"),
    "an argument that nobody knows": ("torch.zeros(8, 4, transposed=True)", "", "x.shape[0] == 8"),
    "a function of another package": ("other.zeros(8, 4)", "import other", "x.shape[0] == 8"),
    "an axis of a product": ("np.zeros(np.prod((2, 4), axis=n))", "", "x.shape[0] == 8"),
    "the remainder of a power": ("torch.zeros(pow(2, 3, mod=5))", "", "x.shape[0] == 8"),
    "what another function fills": ("torch.arange(9, out=a)", "a = torch.zeros(8)", "x.shape[0] == 8"),
    "what another function filled": ("a", "a = torch.zeros(8)\ntorch.arange(9, out=a)", "x.shape[0] == 8"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_argument_changes_the_extents(name):
    expression, setup, clause = ARRAYS[name]
    found = states_of_array(expression, setup, clause)
    assert found and "discharged" not in found


@pytest.mark.parametrize(("expression", "setup", "clause"), [
    ("np.arange(16)", "", "x.shape[0] == 16"),
    ("np.arange(0, 16, 4)", "", "x.shape[0] == 4"),
    ("np.arange(16, dtype=np.int32)", "", "x.shape[0] == 16"),
    ("torch.arange(n, device='cuda')", "assert n == 4", "x.shape[0] == 4"),
    ("m.view(4, 8)", GIVEN, "x.shape[1] == 8"),
    ("m.view(-1)", GIVEN, "x.shape[0] == 32"),
    ("np.transpose(a, (0, 1))", MATRIX, "x.shape[0] == 8"),
    ("np.transpose(a)", MATRIX, "x.shape[0] == 4"),
    ("torch.transpose(m, 0, 1)", GIVEN, "x.shape[0] == 4"),
    ("torch.transpose(m, dim0=0, dim1=1)", GIVEN, "x.shape[0] == 4"),
    ("m.transpose(1, 0)", GIVEN, "x.shape[0] == 4"),
    ("m.transpose(1, 2)", "b, c, d = m.shape\nassert d == 4", "x.shape[1] == 4"),
    ("a.T", "a = np.zeros((2, 3, 4))", "x.shape[0] == 4"),
    ("torch.reshape(m, shape=(4, 8))", GIVEN, "x.shape[0] == 4"),
    ("m.reshape((4, 8))", GIVEN, "x.shape[0] == 4"),
    ("np.zeros_like(a, np.float32)", MATRIX, "x.shape[0] == 8"),
    ("torch.zeros(8, 4, dtype=torch.float32, device='cuda')", "", "x.shape[0] == 8"),
    ("np.zeros((8, 4), np.float32)", "", "x.shape[0] == 8"),
    ("torch.full((8, 4), fill_value=1.0)", "", "x.shape[0] == 8"),
    ("m.to(device='cuda', non_blocking=True)", GIVEN, "x.shape[0] == 8"),
    ("m.new_empty(size=(4, 8))", "", "x.shape[0] == 4"),
])
def test_arguments_that_are_understood(expression, setup, clause):
    assert states_of_array(expression, setup, clause) == ["discharged"]


_LAUNCH = "ct.launch(0, (8,), k, (x, y, n, 1))"
_LATER: dict[str, tuple[str, str]] = {
    "a context in a variable": (
        f"with quiet:\n    assert n >= 8\n{_LAUNCH}",
        "from contextlib import suppress\nquiet = suppress(AssertionError)"),
    "a context with the name of another": (
        f"with open():\n    assert n >= 8\n{_LAUNCH}",
        "class open:\n    def __enter__(self):\n        pass\n    def __exit__(self, *a):\n        return True"),
    "a generator that was not asked to its end": (
        f"next(check(n))\n{_LAUNCH}", "def check(n):\n    yield n\n    assert n >= 8"),
    "a generator that was not asked": (f"check(n)\n{_LAUNCH}", "def check(n):\n    assert n >= 8\n    yield n"),
    "a generator in the function": (
        f"def check():\n    yield n\n    assert n >= 8\nnext(check())\n{_LAUNCH}", ""),
    "what stands behind the body of a context": (
        f"with checked(n):\n    {_LAUNCH}",
        "import contextlib\n\n\n@contextlib.contextmanager\ndef checked(n):\n    yield\n    assert n >= 8"),
    "a change that a generator has not made": (
        f"a = [4]\ng = fill(a)\nn = a[0]\n{_LAUNCH}", "def fill(a):\n    yield 1\n    a[0] = 8"),
    "a result that is kept": (
        f"c = SimpleNamespace(n=4)\nsize(c)\nc.n = 8\nn = size(c)\n{_LAUNCH}",
        "@functools.lru_cache\ndef size(c):\n    return c.n"),
    "a result that is kept, of an object from elsewhere": (
        f"assert m.n >= 8\nn = size(m)\n{_LAUNCH}", "@functools.lru_cache\ndef size(c):\n    return c.n"),
    "a check that is kept": (
        f"c = SimpleNamespace(n=n)\ncheck(c)\n{_LAUNCH}",
        "@functools.cache\ndef check(c):\n    assert c.n >= 8"),
}


@pytest.mark.parametrize("name", _LATER)
def test_an_assertion_that_does_not_hold_at_the_launch(name):
    body, before = _LATER[name]
    found = states(body, "grid[0] <= n", before)
    assert found and "discharged" not in found


@pytest.mark.parametrize("body", [
    f"assert n >= 8\nwith quiet:\n    {_LAUNCH}", f"with quiet:\n    assert n >= 8\n    {_LAUNCH}",
    f"with open('a'):\n    assert n >= 8\n{_LAUNCH}", f"with torch.no_grad():\n    assert n >= 8\n{_LAUNCH}",
    f"n = size(n)\n{_LAUNCH}", f"for n in all_sizes():\n    {_LAUNCH}",
])
def test_an_assertion_that_holds_at_the_launch(body):
    before = ("from contextlib import suppress\nquiet = suppress(AssertionError)\n\n\n"
              "@functools.lru_cache\ndef size(c):\n    assert c >= 8\n    return c\n\n\n"
              "def all_sizes():\n    yield 8\n    yield 16")
    assert set(states(body, "grid[0] <= n", before)) == {"discharged"}


_CLASS = "class A:\n    def n(self):\n        return 8\n\n    def run(self, x, y):\n" \
         "        ct.launch(0, (8,), k, (x, y, self.n(), 1))\n\n\n"


@pytest.mark.parametrize(("change", "expected"), [
    ("A.n = lambda self: 4", False), ("setattr(A, 'n', lambda self: 4)", False), ("A.m = 4", True),
])
def test_a_method_that_other_code_assigns(change, expected):
    (parsed,) = parse("grid[0] <= n")
    found = [discharge(parsed, PARAMS, launch).state for launch in launches(f"{_CLASS}{change}\n")]
    assert found and ("discharged" in found) is expected


_CLAMPED = "def next_power_of_2(a):\n    return min(1024, 1 << (a - 1).bit_length())"
_SMEARED = "def f(a):\n    a -= 1\n" + "".join(f"    a |= a >> {s}\n" for s in (1, 2, 4, 8, 16)) + "    return a + 1"


@pytest.mark.parametrize(("helper", "call", "expected"), [
    (_CLAMPED, "next_power_of_2(m)", False),
    ("def cdiv(a, b):\n    return min(64, -(-a // b))", "cdiv(m, 1)", False),
    (_SMEARED.replace("    a |= a >> 16\n", ""), "f(m)", False),
    (_SMEARED, "f(m)", True),
    ("def f(a):\n    return 1 << (a - 1).bit_length()", "f(m)", True),
    ("def f(a, b):\n    return (a + b - 1) // b", "f(m, 1)", True),
])
def test_a_helper_does_what_its_body_says(helper, call, expected):
    body = f"assert m >= 1\nct.launch(0, (m,), k, (x, y, {call}, 1))"
    assert ("discharged" in states(body, "grid[0] <= n", helper)) is expected


@pytest.mark.parametrize(("imports", "expected"), [
    ("D = 8\nfrom consts import *", False), ("from consts import *\nD = 8", True),
    ("D = 8\nif m:\n    from consts import *", False),
])
def test_a_star_import_binds_in_its_place(imports, expected):
    (parsed,) = parse("n == 8")
    found = launches(f"{imports}\n\n\ndef run(x, y):\n    ct.launch(0, (4,), k, (x, y, D, 1))\n", consts="D = 2\n")
    assert ("discharged" in [discharge(parsed, PARAMS, launch).state for launch in found]) is expected


@pytest.mark.parametrize(("body", "expected"), [
    ("D = 2\n    @staticmethod\n    def f(d=D):\n        return d", False),
    ("D = 2\n    E = D", False), ("E = 8", True),
    ("@staticmethod\n    def f(d=D):\n        return d", True),
])
def test_code_of_a_class_sees_the_names_of_the_class(body, expected):
    value = "A.f()" if "def f" in body else "A.E"
    assert ("discharged" in states(f"n = {value}\n{_LAUNCH}", "n == 8", f"D = 8\n\n\nclass A:\n    {body}")) is expected
