"""Effects of host code that an analysis easily overlooks: a clause that holds only without such an effect is not
discharged."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.interp.host.hosts import PARAMS, all_launches, launches
from tilecheck.contracts import parse
from tilecheck.interp.host.discharge import discharge

_LAUNCH = "ct.launch(0, (4,), k, (x, y, {}, 1))"


def states(source: str, clause: str, ranks: dict[str, int]) -> list[str]:
    (parsed,) = parse(clause)
    parsed = replace(parsed, kind="semantic") if parsed.cond is not None else parsed
    return [discharge(parsed, PARAMS, found, ranks).state for found in launches(source)]


def source(body: str, before: str = "", params: str = "x, y, n, m") -> str:
    return f"{before}\n\ndef run({params}):\n" + "".join(f"    {line}\n" for line in body.splitlines())


NUMBERS: dict[str, tuple[str, str]] = {
    # name: what stands before the launch, and before the function; `n` may be 2 at the launch
    "a return behind an exception": (
        "def f():\n    try:\n        risky()\n        return 4\n    except ValueError:\n        return m\nn = f()", ""),
    "a return behind an exception, in a helper": (
        "n = f(m)", "def f(m):\n    try:\n        risky()\n        return 4\n    except ValueError:\n        return m"),
    "a return behind what is suppressed": (
        "n = f(m)", "def f(m):\n    with suppress(ValueError):\n        risky()\n        return 4\n    return m"),
    "a return at last": ("n = f(m)", "def f(m):\n    try:\n        return 8\n    finally:\n        return m"),
    "what is assigned at last": (
        "n = 8\nfor i in range(m):\n    try:\n        continue\n    finally:\n        n = 2", ""),
    "a function that stops half way": (
        "n = 8\ndef f():\n    nonlocal n\n    n = m\n    risky()\n    n = 8\n"
        "try:\n    f()\nexcept ValueError:\n    pass", ""),
    "an assignment in a comprehension": ("n = 8\n[n := v for v in (1, 2)]", ""),
    "an append where a condition holds": (
        "a = []\n[a.append(4) for v in (1, 2) if v < m]\nn = 4 if len(a) == 2 else 2", ""),
    "appends, as many as there are": ("a = []\n[a.append(4) for v in m]\nn = 4 if len(a) == 1 else 2", ""),
    "a view where a condition holds": (
        "[x.view(4, n) for v in (1, 2) if v < m]\nassert x.shape == (4, 8)", ""),
    "a sum that begins with a number": ("n = sum([8, 1], -7)", ""),
    "a product that begins with a number": ("n = math.prod([8, 1], start=0)", ""),
    "a set of equal numbers": ("n = len({m, 2, 3, 4})", ""),
    "a set of a list": ("n = len(set([m, 2, 3, 4]))", ""),
    "a set by a comprehension": ("n = len({v for v in (m, 2, 3, 4)})", ""),
    "a set in any order": ("for n in {1, 16, 2, 8}:\n    pass", ""),
    "a count that does not begin with 0": ("for i, a in enumerate([1, 2, 3], start=-3):\n    n = i + 3", ""),
    "a product of one list with itself": (
        "n = 8\nfor a in itertools.product((1, 2), repeat=2):\n    n -= 2", "import itertools"),
    "a generator that was gone through": (
        "g = (v for v in (1, 1))\nlist(g)\nn = 2\nfor v in g:\n    n = 8", ""),
    "pairs that were gone through": ("g = zip((1, 1), (1, 1))\nlist(g)\nn = 2\nfor v in g:\n    n = 8", ""),
    "a generator that sees what is assigned later": (
        "n = 8\ng = (n for i in (1, 2))\nn = 2\nfor n in g:\n    pass", ""),
    "values of a dict that changed": ("d = {'a': 4}\nvs = d.values()\nd['a'] = 2\nn = sum(vs)", ""),
    "attributes as a dict": ("c = SimpleNamespace(n=8)\nc.n = m\nn = vars(c)['n']", ""),
    "attributes through a dict": ("c = SimpleNamespace(n=8)\nvars(c)['n'] = m\nn = c.n", ""),
    "keys that may be equal": ("d = {m: 8, y: 2}\nn = d[m]", ""),
    "an assigned key that may be equal": ("d = {}\nd[m] = 8\nd[y] = 2\nn = d[m]", ""),
    "a key that is assigned twice": ("d = {'a': 2}\nd['a'] = 2\nn = sum(d.values())", ""),
    "a key that is gone through once": ("d = {'a': 2}\nd['a'] = 2\nn = 0\nfor a, v in d.items():\n    n += v", ""),
    "a key that is written twice": ("d = {'a': 2, 'a': 2}\nn = sum(d.values())", ""),
    "a list that is repeated": ("a = [2, 2]\nb = a\na *= 2\nn = 8 if len(b) == 2 else 2", ""),
    "one of two lists grows": (
        "a = []\nb = []\nc = a if m > 2 else b\nc.append(1)\nn = 8 if len(a) == 1 else 2", ""),
    "one of two objects changes": ("assert m.n >= 8 and y.n >= 8\nc = m if x else y\nc.change()\nn = m.n", ""),
    "an object that finishes itself": (
        "n = Cfg(8).n", "@dataclass\nclass Cfg:\n    n: int\n    def __post_init__(self):\n        self.n = 2"),
    "an object that makes itself": (
        "n = Cfg(8).n", "@dataclass\nclass Cfg:\n    n: int\n    def __init__(self, n):\n        self.n = 2"),
    "an object with fields of a base": (
        "n = Cfg(2, 8).n",
        "@dataclass\nclass Base:\n    n: int\n\n\n@dataclass\nclass Cfg(Base):\n    a: int\n    n: int = 3"),
    "a default that is kept": (
        "f(1)\nf(1)\nn = 8 if f(1) == 1 else 2", "def f(v, acc=[]):\n    acc.append(v)\n    return len(acc)"),
    "a list that a cache keeps": (
        "z = buf(4)\nz.append(1)\nn = 2 if len(buf(4)) else 8", "@functools.lru_cache\ndef buf(n):\n    return []"),
    "a helper with the name of another": (
        "n = next_power_of_2(3)", "def next_power_of_2(a):\n    return 1 << (a.bit_length() - 1)"),
    "a helper with one argument more": (
        "n = next_pow2(5, 2)", "def next_pow2(a, most):\n    return min(most, 1 << (a - 1).bit_length())"),
    "a helper with names": ("n = cdiv(b=32, a=4)", "def cdiv(a, b):\n    return (a + b - 1) // b"),
    "a local helper with the name of another": (
        "def cdiv(a, b):\n    return a // b\nn = cdiv(11, 4)", ""),
    "extents without the first": ("n = 8 if len(x.shape[1:]) == x.ndim else 2", ""),
    "extents without the last": ("*lead, d = x.shape\nn = 8 if len(lead) == x.ndim else 2", ""),
    "a place behind extents": ("n = (*x.shape, 8)[1]", ""),
    "a place behind extents that are added": ("n = (x.shape + (8,))[1]", ""),
    "the number of extents and more": ("n = 8 if len((*x.shape, 8)) == 2 else 2", ""),
    "extents taken apart": ("a, n = (*x.shape, 8)\nn = 2 if a == n else 8\na, n = (*x.shape, n)", ""),
    "extents in a list": ("s = [*x.shape]\ns.append(8)\nn = s[1]", ""),
    "a share, in two ways": ("assert 0 <= m < 1\nn = 2 if m > 0 else 8", ""),
    "a share, asked for": ("assert 0 <= m < 1\nn = 2 if m else 8", ""),
    "a share between two numbers": ("n = 8\nif 0 < m < 1:\n    n = 2", ""),
    "a share of an object": ("n = 8\nif y.p < 1 and not y.p <= 0:\n    n = 2", ""),
    "a table that is changed by a little": ("n = TABLE['a']", "TABLE = {'a': 8}\n\n\ndef ch():\n    TABLE['a'] -= 6"),
    "a table that is changed at an item": (
        "n = TABLE['a']", "TABLE = {'a': 8}\nKEYS = ['a']\n\n\ndef ch():\n    TABLE[KEYS[0]] = 2"),
    "a table that is changed inside": (
        "n = TABLE['a']['n']", "TABLE = {'a': {'n': 8}}\n\n\ndef ch():\n    TABLE['a']['n'] = 2"),
    "a table under another name": (
        "n = TABLE['a']", "TABLE = {'a': 8}\n\n\ndef ch():\n    t = TABLE\n    t['a'] = 2"),
    "a table that is passed on": ("n = TABLE['a']", "TABLE = {'a': 8}\n\n\ndef ch():\n    change(TABLE)"),
    "a table that something else fills": (
        "TABLE['a'] = 8\nn = TABLE[m]", "TABLE = {}\n\n\ndef ch():\n    TABLE['b'] = 2"),
    "an attribute of a class that is set by name": (
        "n = C.n", "class C:\n    n = 8\n\n\ndef ch(v):\n    setattr(C, 'n', v)"),
    "an attribute of a class under a condition": ("n = C.n", "class C:\n    n = 8\n    if risky():\n        n = 2"),
    "an attribute of an object of a module": (
        "n = CFG.n", "CFG = SimpleNamespace(n=8)\n\n\ndef ch():\n    CFG.n = 2"),
    "an attribute of an object of a class": (
        "n = CFG.n", "@dataclass\nclass K:\n    n: int = 8\n\n\nCFG = K()\n\n\ndef ch():\n    CFG.n = 2"),
    "a function that is kept assigns": (
        "n = 8\ndef f():\n    nonlocal n\n    n = 2\nm.call = f\nrisky()", ""),
    "a function that is decorated assigns": ("n = 8\n@keep\ndef f():\n    nonlocal n\n    n = 2", ""),
    "a function in a function assigns": (
        "n = 8\ndef f():\n    def g():\n        nonlocal n\n        n = 2\n    g()\nrisky(f)", ""),
    "a function assigns under a condition": (
        "n = 8\ndef f():\n    if m:\n        nonlocal n\n        n = 2\nrisky(f)", ""),
    "a function that another calls assigns": (
        "n = 8\ndef f():\n    nonlocal n\n    n = 2\nrisky(lambda: f())", ""),
    "a function that is decorated": ("@keep\ndef f():\n    return 8\nn = f()", ""),
    "a list that a function sees": ("a = [8]\ndef f():\n    a[0] = 2\nrisky(f)\nn = a[0]", ""),
    "a list that an expression sees": ("a = [8]\nrisky(lambda: a.__setitem__(0, 2))\nn = a[0]", ""),
    "a list in an object": ("a = [8]\nc = SimpleNamespace(a=a)\nrisky(c)\nn = a[0]", ""),
    "a list of an object": ("a = [8]\nm.a = a\nrisky(m)\nn = a[0]", ""),
    "a list at an item": ("a = [8]\nm[0] = a\nrisky(m)\nn = a[0]", ""),
    "an attribute through its dict": ("c = SimpleNamespace(n=8)\nc.__dict__.update(n=2)\nn = c.n", ""),
    "a range that is none": ("for n in range(8):\n    pass", "def range(n):\n    return [2]"),
    "a return where a loop was not left": (
        "n = f(m)", "def f(m):\n    for i in (1, 2):\n        if m == i:\n            break\n    else:\n"
        "        return 8\n    return 2"),
    "a context that goes on": ("n = 8\nwith lib.swallow():\n    n = m\n    risky()\n    n = 8", "import lib"),
    "a return in a context that goes on": (
        "n = f(m)",
        "import lib\n\n\ndef f(m):\n    with lib.swallow():\n        risky()\n        return 8\n    return m"),
    "a context of the module that goes on": (
        "n = 8\nwith keep():\n    n = m\n    risky()\n    n = 8",
        "import contextlib\n\n\n@contextlib.contextmanager\ndef keep():\n    try:\n        yield\n"
        "    except ValueError:\n        pass"),
    "a generator that is not gone through to its end": ("any((n := v) > 1 for v in (1, 2, 8))", ""),
    "a method that is something else": (
        "n = A.f()", "class A:\n    @staticmethod\n    def f():\n        return 8\n    f = risky(f)"),
    "a flag from elsewhere": ("n = 8 if FLAG else 2", "from lib import FLAG"),
    "a flag of another module": ("n = 8\nif not lib.FLAG:\n    n = 2", "import lib"),
    "an object that says when it is true": (
        "n = 8 if K(0) else 2", "@dataclass\nclass K:\n    n: int\n    def __bool__(self):\n        return False"),
    "a list that is equal to another": ("n = 8 if [m] is [m] else 2", ""),
    "a number that is equal to another": ("a = 2 if m is n else 8\nn = a if m == n else 8", ""),
    "a list that is no tuple": ("n = 8 if [1, 2] == (1, 2) else 2", ""),
    "a shape that is no list": ("n = 8 if x.view(2, 2).shape == [2, 2] else 2", ""),
    "an item of one of two lists": ("a = [8]\nb = [9]\nc = a if m else b\nc[0] = 2\nn = a[0]", ""),
    "the items of one of two lists": ("a = [8]\nb = [9]\nc = a if m else b\nc[:] = [2]\nn = a[0]", ""),
    "an item less of one of two lists": ("a = [8, 2]\nb = [9]\nc = a if m else b\ndel c[0]\nn = a[0]", ""),
    "an item more of one of two lists": (
        "a = [8]\nb = [9]\nc = a if m else b\nc += [1]\nn = 8 if len(a) == 1 else 2", ""),
    "an item of one of many lists": ("a = [[8], [9]]\nc = a[m]\nc[0] = 2\nn = a[0][0]", ""),
    "an item more of one of many lists": ("a = [[8], [9]]\nc = a[m]\nc.append(1)\nn = 8 if len(a[0]) == 1 else 2", ""),
    "a key of one of many dicts": ("a = [{'n': 8}, {'n': 9}]\nc = a[m]\nc['n'] = 2\nn = a[0]['n']", ""),
    "an object of many that changes": (
        "a = [SimpleNamespace(n=8), SimpleNamespace(n=9)]\nc = a[m]\nrisky(c)\nn = c.n", ""),
    "an object of many that all change": (
        "a = [SimpleNamespace(n=8), SimpleNamespace(n=9)]\nc = a[m]\nfor o in a:\n    o.n = 2\nn = c.n", ""),
    "an object of a module's objects": (
        "n = CFGS[0].n", "CFGS = (SimpleNamespace(n=8),)\n\n\ndef ch():\n    CFGS[0].n = 2"),
    "one case of several": ("n = 8\nmatch m:\n    case 1:\n        n = 2", ""),
}
"""Values that are 8 for an analysis that overlooks an effect, and that may be 2 or anything."""


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_may_be_another(name):
    body, before = NUMBERS[name]
    found = states(source(f"{body}\n{_LAUNCH.format('n')}", before), "grid[0] <= n", {"x": 2, "y": 2})
    assert found and "discharged" not in found


SHAPES: dict[str, tuple[str, str, str]] = {
    "the last extents are equal": (
        "assert x.shape[-2:] == y.shape[-2:]\nct.launch(0, (x.shape[0],), k, (x, y, m, 1))", "grid[0] <= y.shape[0]",
        ""),
    "the middle extents are equal": (
        "assert x.shape[-3:2] == y.shape[-3:2]\nct.launch(0, (x.shape[0],), k, (x, y, m, 1))", "grid[0] <= y.shape[0]",
        ""),
    "another shape": (
        "z = torch.empty(8, 4)\nz.shape = (4, 8)\nct.launch(0, (8,), k, (z, y, m, 1))", "grid[0] <= x.shape[0]", ""),
    "another shape of what was given": (
        "r = x.shape[0]\nx.shape = (4, -1)\nct.launch(0, (r,), k, (x, y, m, 1))", "grid[0] <= x.shape[0]", ""),
    "axes that are swapped in place": (
        "r = x.shape[0]\nx.swapdims_(0, 1)\nct.launch(0, (r,), k, (x, y, m, 1))", "grid[0] <= x.shape[0]", ""),
    "another layout in place": (
        "z = torch.empty(8, 4)\nz.as_strided_((4, 8), (8, 1))\nct.launch(0, (8,), k, (z, y, m, 1))",
        "grid[0] <= x.shape[0]", ""),
    "another size in place": (
        "z = torch.empty(8, 4)\nz.resize((4, 8))\nct.launch(0, (8,), k, (z, y, m, 1))", "grid[0] <= x.shape[0]", ""),
    "one of two arrays turned in place": (
        "r = x.shape[0]\nc = x if m > 2 else y\nc.t_()\nct.launch(0, (r,), k, (x, y, m, 1))", "grid[0] <= x.shape[0]",
        ""),
    "what may be the array that is turned": (
        "r = x.shape[0]\ny.t_()\nct.launch(0, (r,), k, (x, y, m, 1))", "grid[0] <= x.shape[0]", ""),
    "what is written into": (
        "z = torch.zeros(8, 4)\nw = torch.empty(8, 4, out=z)\nct.launch(0, (4,), k, (w, z, n, 1))", "disjoint(x, y)",
        ""),
    "an array of an array": (
        "z = np.zeros((8, 4))\nct.launch(0, (4,), k, (np.array(z, copy=False), z, n, 1))", "disjoint(x, y)",
        "import numpy as np"),
    "a layout that is asked for": (
        "z = x.contiguous(memory_format=torch.channels_last)\nct.launch(0, (4,), k, (z, y, n, 1))",
        "x.strides[1] == 1", ""),
    "a layout that something is converted to": (
        "z = x.contiguous().to(memory_format=torch.channels_last)\nct.launch(0, (4,), k, (z, y, n, 1))",
        "x.strides[1] == 1", ""),
    "the order of an allocation": (
        "z = np.empty((8, 4), order='F')\nct.launch(0, (4,), k, (z, y, n, 1))", "x.strides[1] == 1",
        "import numpy as np"),
    "the order of an allocation, by its place": (
        "z = np.zeros((8, 4), np.float32, 'F')\nct.launch(0, (4,), k, (z, y, n, 1))", "x.strides[1] == 1",
        "import numpy as np"),
    "the order of a copy": (
        "z = x.contiguous().copy(order='F')\nct.launch(0, (4,), k, (z, y, n, 1))", "x.strides[1] == 1", ""),
    "a grid behind extents": (
        "*lead, d = x.shape\nct.launch(0, (*lead, 4), k, (x, y, n, 1))", "grid[1] == 4", ""),
    "a grid as long as the extents": (
        "*lead, d = x.shape\nct.launch(0, (*lead, 4), k, (x, y, n, 1))", "grid[2] == 1", ""),
    "arguments behind extents": (
        "*lead, d = x.shape\nct.launch(0, (4,), k, (x, y, *lead, 8, 4))", "T == 8", ""),
    "an array that a cache keeps": (
        "z = buf(4)\nw = buf(4)\nct.launch(0, (4,), k, (z, w, n, 1))", "disjoint(x, y)",
        "@functools.lru_cache\ndef buf(n):\n    return torch.empty(n)"),
    "arrays that a cache keeps": (
        "z, _ = buf(4)\nw, _ = buf(4)\nct.launch(0, (4,), k, (z, w, n, 1))", "disjoint(x, y)",
        "@functools.cache\ndef buf(n):\n    return torch.empty(n), torch.empty(n)"),
    "a sum in place": (
        "z = torch.empty(4)\nw = z\nz += 1\nct.launch(0, (4,), k, (z, w, n, 1))", "disjoint(x, y)", ""),
    "a list that grows": ("a = len(m)\nm.append(3)\nct.launch(0, (len(m),), k, (x, y, a, 1))", "grid[0] <= n", ""),
    "a list that something makes longer": (
        "a = len(m)\nb = m\nb += [3]\nct.launch(0, (len(m),), k, (x, y, a, 1))", "grid[0] <= n", ""),
    "a helper that rounds down": (
        "ct.launch(0, (ct.cdiv(m, 4),), k, (x, y, cdiv(m, 4), 1))", "grid[0] <= n",
        "def cdiv(a, b):\n    return a // b"),
    "a range that was given": (
        "for n in range(m):\n    ct.launch(0, (n + 1,), k, (x, y, m, 1))", "grid[0] <= n", "range = risky()"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_clauses_on_arrays_and_grids(name):
    body, clause, before = SHAPES[name]
    found = states(source(body, before), clause, {"x": 3, "y": 3})
    assert found and "discharged" not in found


@pytest.mark.parametrize(("body", "clause"), [
    ("n = sum([8, 1])", "n == 9"),
    ("n = len({'a': 1, 'b': 2}.keys())", "n >= 0"),
    ("d = {'a': 2}\nd['a'] = 8\nd['b'] = 1\nn = d['a']", "n == 8"),
    ("d = {1: 2, 2: 8}\nn = d[2]", "n == 8"),
    ("n = 8\nif n in {2, 8}:\n    n = 7", "n == 7"),
    ("with torch.no_grad():\n    n = 8", "n == 8"),
    ("n = 8\ntry:\n    risky()\nfinally:\n    done()", "n == 8"),
    ("try:\n    n = int(8)\nexcept ValueError:\n    raise", "n == 8"),
    ("a = []\n[a.append(v) for v in (1, 2)]\nn = len(a)", "n == 2"),
    ("n = (8, *x.shape)[0]", "n == 8"),
    ("n = (*x.shape, 8)[-1]", "n == 8"),
    ("z = torch.empty((*x.shape[:-1], 4) + (8,))\nn = 8", "n == 8"),
    ("def cdiv(a, b):\n    return -(-a // b)\nn = cdiv(32, 4)", "n == 8"),
    ("def next_power_of_2(a):\n    a -= 1\n    a |= a >> 1\n    a |= a >> 2\n    a |= a >> 4\n    a |= a >> 8\n"
     "    a |= a >> 16\n    return a + 1\nassert m >= 1\nn = next_power_of_2(m)", "n >= 1"),
    ("def next_power_of_2(a):\n    p = 1\n    while p < a:\n        p *= 2\n    return p\nassert m >= 1\n"
     "n = next_power_of_2(m)", "n >= 1"),
    ("def next_power_of_2(a):\n    return 1 << (a - 1).bit_length()\nn = next_power_of_2(m)", "n >= 0"),
    ("match m:\n    case 1:\n        n = 8\n    case _:\n        n = 9", "n >= 8"),
    ("match m:\n    case 1:\n        n = 8\n    case _:\n        raise ValueError", "n == 8"),
])
def test_indirect_values_are_followed(body, clause):
    assert states(source(f"{body}\n{_LAUNCH.format('n')}"), clause, {"x": 2, "y": 2}) == ["discharged"]


def test_a_helper_that_rounds_up_to_no_negative_number_is_not_pow2():
    body = ("def next_pow2(a):\n    if a < 1:\n        return -1\n    return 1 << (a - 1).bit_length()\n"
            "n = next_pow2(m)")
    assert "discharged" not in states(source(f"{body}\n{_LAUNCH.format('n')}"), "n >= 0", {"x": 2, "y": 2})


def test_values_declared_as_integers_are_integers():
    body = f"assert 0 <= m < 1\nn = 2 if m > 0 else 8\n{_LAUNCH.format('n')}"
    assert states(source(body, params="x, y, n, m: int"), "n == 8", {}) == ["discharged"]


_GO = """def _go(x, y, a, n):
    ct.launch(0, (a,), k, (x, y, n, 1))


def run(x, y, m):
    _go(x, y, 2, 4)
"""
CALLED: dict[str, str] = {
    "with arguments of which nothing is known": f"{_GO}    _go(*m)\n",
    "with names of which nothing is known": f"{_GO}    _go(x, y, **m)\n",
    "by other code": f"{_GO}    m.submit(_go, x, y, 8, 4)\n",
    "for each of them": f"{_GO}    list(map(_go, m))\n",
    "by who gets it": f"{_GO}    return _go\n",
    "by an object": f"{_GO}    m.go = _go\n",
    "from a table": f"{_GO}    TABLE[m](x, y, 8, 4)\n\n\nTABLE = {{'a': _go}}\n",
    "in part": f"{_GO}    m(functools.partial(_go, x, y))\n",
    "by an expression": f"{_GO}    m(lambda: _go(x, y, 8, 4))\n",
    "by a function": f"{_GO}    def f():\n        _go(x, y, 8, 4)\n    m(f)\n",
    "by a function that is given back": f"{_GO}    def f():\n        _go(x, y, 8, 4)\n    return f\n",
    "by what it is registered with": f"import lib\n\n\n@lib.register('go')\n{_GO}",
    "at last": f"{_GO}    try:\n        return 1\n    finally:\n        _go(x, y, 8, 4)\n",
    "behind an exception": f"{_GO}    try:\n        raise E\n    finally:\n        _go(x, y, 8, 4)\n",
    "behind one of several": f"{_GO}    try:\n        raise E\n    except* E:\n        _go(x, y, 8, 4)\n",
    "in one of two cases": f"{_GO}    match m:\n        case 1:\n            return\n        case 2:\n"
                           "            _go(x, y, 8, 4)\n",
    "by itself": "def _go(x, y, a, n):\n    ct.launch(0, (a,), k, (x, y, n, 1))\n    if risky():\n"
                 "        _go(x, y, a + 1, n)\n\n\ndef run(x, y, n):\n    _go(x, y, n - 1, n + 2)\n",
    "as a method of another": "class A:\n    def _go(self, x, y, a, n):\n"
                              "        ct.launch(0, (a,), k, (x, y, n, 1))\n\n"
                              "    def run(self, x, y):\n        self._go(x, y, 2, 4)\n\n\n"
                              "def other(a, x, y):\n    a._go(x, y, 8, 4)\n",
    "as a module": "class F(torch.nn.Module):\n    def forward(self, x, y, a, n):\n"
                   "        ct.launch(0, (a,), k, (x, y, n, 1))\n\n"
                   "    def run(self, x, y):\n        self.forward(x, y, 2, 4)\n\n\n"
                   "def other(f, x, y):\n    f(x, y, 8, 4)\n",
}


@pytest.mark.parametrize("name", CALLED)
def test_a_function_that_is_called_otherwise(name):
    """A private function is followed from its callers alone where all of them are seen."""
    (parsed,) = parse("grid[0] <= n")
    found = all_launches(CALLED[name])
    assert any(x.how == "unseen" or discharge(parsed, PARAMS, x).state != "discharged" for x in found)


def test_a_function_whose_calls_are_all_followed_is_not_looked_at_by_itself():
    (parsed,) = parse("grid[0] <= n")
    found = all_launches(_GO)
    assert [discharge(parsed, PARAMS, x).state for x in found] == ["discharged"]


@pytest.mark.parametrize("change", [
    "a[0].n = 2", "for c in a:\n    c.n = 2", "for c in a:\n    risky(c)", "a[m].n = 2",
])
def test_configurations_that_changed(change):
    body = (f"a = [SimpleNamespace(n=8)]\n{change}\n"
            "exhaustive_search(a, 0, lambda c: (4,), k, lambda c: (x, y, c.n, 1))")
    assert "discharged" not in states(source(body), "grid[0] <= n", {})


@pytest.mark.parametrize("fields, default, state", [
    ("n=8", "1", "discharged"),
    ("n=8, m=4", "1", "discharged"),
    ("n=8, m=[4]", "1", "open"),  # an item read from it may be that list, which can change
])
def test_reading_an_attribute_by_its_name_changes_no_configuration(fields, default, state):
    body = (f"a = [SimpleNamespace({fields}), SimpleNamespace({fields}, z=2)]\n"
            f"exhaustive_search(a, 0, lambda c: (min(4, getattr(c, 'z', {default})),), k, lambda c: (x, y, c.n, 1))")
    assert set(states(source(body), "n == 8", {})) == {state}
