"""Launches that are not seen: no clause is discharged at all launches where there may be one."""

from __future__ import annotations

import pytest

from tests.interp.host.hosts import PRELUDE, all_launches
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.interp.host.launches import find_launches
from tilecheck.project.project import Project

SEEN = "def seen(x, y, n):\n    ct.launch(0, (n,), k, (x, y, n, 1))\n\n\n"


def unseen(source: str) -> list[str]:
    return [found.kernel[1] for found in all_launches(SEEN + source) if found.how == "unseen"]


@pytest.mark.parametrize("source", [
    "def run(xs, y):\n    list(map(lambda x: ct.launch(0, (5,), k, (x, y, 3, 1)), xs))\n",
    "def run(xs, y):\n    def one(x):\n        ct.launch(0, (5,), k, (x, y, 3, 1))\n    list(map(one, xs))\n",
    "KS = [k, k]\n\n\ndef run(x, y):\n    [ct.launch(0, (5,), q, (x, y, 3, 1)) for q in KS]\n",
    "T = {}\nfor name, q in (('a', k), ('b', k)):\n    T[name] = q\n\n\n"
    "def run(x, y, m):\n    ct.launch(0, (5,), T[m], (x, y, 3, 1))\n",
    "T = {}\n\n\ndef fill():\n    T['a'] = k\n\n\ndef run(x, y, m):\n    ct.launch(0, (5,), T[m], (x, y, 3, 1))\n",
    "def run(x, y):\n    go = functools.partial(ct.launch, 0, (5,), k)\n    go((x, y, 3, 1))\n",
    "def run(x, y):\n    go = functools.partial(ct.launch, 0)\n    go((5,), k, (x, y, 3, 1))\n",
    "def run(x, y, pool):\n    pool.submit(ct.launch, 0, (5,), k, (x, y, 3, 1))\n",
    "class M:\n    def __init__(self):\n        self.k = k\n\n    def run(self, x, y):\n"
    "        ct.launch(0, (5,), self.k, (x, y, 3, 1))\n",
    "def run(x, y, name):\n    ct.launch(0, (5,), globals()[name], (x, y, 3, 1))\n",
    "def run(x, y):\n    return lambda: ct.launch(0, (5,), k, (x, y, 3, 1))\n",
    "def run(x, y, q=k):\n    ct.launch(0, (5,), q, (x, y, 3, 1))\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench(k, x, y)\n",
    "import lib\n\nlib.register('k', k)\n",
    "import lib\n\n\ndef run(x, y):\n    with lib.launching(k, x, y):\n        pass\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench((k, x), y)\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench(y, kernels=[x, k])\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench({'k': k}, *[x, y])\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench(k.replace_hints(occupancy=2), x, y)\n",
    "import lib\n\n\ndef run(x, y):\n    lib.bench(k if x else None, x, y)\n",
    "import lib\n\n\n@lib.launching(k)\ndef run(x, y):\n    return x, y, 3, 1\n",
    "go = ct.launch\n\n\ndef run(xs, y):\n    list(map(lambda x: go(0, (5,), k, (x, y, 3, 1)), xs))\n",
])
def test_a_kernel_that_escapes_may_be_launched_by_unseen_code(source: str) -> None:
    assert unseen(source) == ["k"]


@pytest.mark.parametrize("source", [
    "",
    "def run(xs, y):\n    [ct.launch(0, (5,), k, (x, y, 3, 1)) for x in xs]\n",
    "def run(x, y):\n    [ct.launch(0, (5,), q, (x, y, 3, 1)) for q in [k, other]]\n",
    "def go(kernel, x, y):\n    ct.launch(0, (5,), kernel, (x, y, 3, 1))\n\n\ndef run(x, y):\n    go(k, x, y)\n",
    "T = {'a': k, 'b': other}\n\n\ndef run(x, y, m):\n    ct.launch(0, (5,), T[m], (x, y, 3, 1))\n",
    "def run(x, y):\n    print(k)\n    ct.launch(0, (5,), k.replace_hints(occupancy=2), (x, y, 3, 1))\n",
    "def run(x, y):\n    ks = []\n    ks.append(k)\n    for q in ks:\n        ct.launch(0, (5,), q, (x, y, 3, 1))\n",
    "def run(x, y, n):\n    run = ct.launch\n    run(0, (n,), k, (x, y, n, 1))\n",
    "def run(x, y, n):\n    exhaustive_search([1], 0, lambda c: (n,), k, lambda c: (x, y, n, 1))\n",
    "def run(x, y):\n    list(map(lambda x: ct.launch(0, (5,), other, (x, y, 3, 1)), [x]))\n",
    "import lib\n\n\ndef run(x, y):\n    lib.log(k.name, seen(x, y, 5))\n",
])
def test_a_kernel_whose_launches_are_all_seen(source: str) -> None:
    assert "k" not in unseen(source)


@pytest.mark.parametrize("source", [
    "def run(x):\n    q = k\n    lib.bench(q, x)\n",
    "def run(x):\n    q: object = k\n    lib.bench(x, kernel=q)\n",
    "def run(x):\n    q, n = k, 1\n    lib.bench(q, x)\n",
    "def run(x):\n    n, *q = 1, k\n    lib.bench(q[0], x)\n",
    "def run(x):\n    q = (k, x)[0]\n    lib.bench(q, x)\n",
    "def run(x):\n    q = k if x else None\n    lib.bench(q, x)\n",
    "def run(x):\n    q = x or k\n    lib.bench(q, x)\n",
    "def run(x):\n    qs = [None, k]\n    lib.bench(qs[1], x)\n",
    "def run(x):\n    qs = []\n    qs.append(k)\n    lib.bench(qs, x)\n",
    "def run(x):\n    qs = {}\n    qs['a'] = k\n    lib.bench(*qs.values())\n",
    "def run(x):\n    qs = [None]\n    qs += [k]\n    lib.bench(qs, x)\n",
    "def run(x):\n    if (q := k) is not None:\n        lib.bench(q, x)\n",
    "def run(x):\n    for q in [k]:\n        lib.bench(q, x)\n",
    "def run(x):\n    for n, q in enumerate([k]):\n        lib.bench(q, x)\n",
    "def run(x):\n    return [lib.bench(q, x) for q in (k,)]\n",
    "def run(x):\n    match k:\n        case q:\n            lib.bench(q, x)\n",
    "def run(x):\n    q = k.replace_hints(occupancy=2)\n    lib.bench(q, x)\n",
    "def run(x):\n    get = lambda: k\n    lib.bench(get(), x)\n",
    "def run(x):\n    lib.bench(lambda: k, x)\n",
    "def run(x):\n    q = functools.partial(k)\n    lib.bench(q, x)\n",
    "def run(x):\n    def get():\n        return k\n    lib.bench(get(), x)\n",
    "def run(x):\n    def go(q):\n        lib.bench(q, x)\n    go(k)\n",
    "def run(x):\n    q = k\n\n    def go():\n        lib.bench(q, x)\n    go()\n",
    "def get():\n    return k\n\n\ndef run(x):\n    lib.bench(get(), x)\n",
    "def get():\n    yield k\n\n\ndef run(x):\n    for q in get():\n        lib.bench(q, x)\n",
    "def get():\n    return k\n\n\ndef run(x):\n    lib.bench(get, x)\n",
    "def same(q):\n    return q\n\n\ndef run(x):\n    lib.bench(same(k), x)\n",
    "def go(x, q):\n    lib.bench(q, x)\n\n\ndef run(x):\n    go(x, k)\n",
    "def go(x, **more):\n    lib.bench(x, **more)\n\n\ndef run(x):\n    go(x, q=k)\n",
    "def go(x, *more):\n    lib.bench(x, *more)\n\n\ndef run(x):\n    go(x, k)\n",
    "def go(c):\n    lib.bench(c[0])\n\n\ndef run(x):\n    go((k, x))\n",
    "def go(c):\n    c.append(k)\n\n\ndef run(x):\n    go(x)\n",
    "def run(bench, x):\n    bench(k, x)\n",
    "def run(benches, x):\n    benches[0](k, x)\n",
    "def run(x):\n    list(map(lib.bench, [k]))\n",
    "def run(x):\n    x.q = k\n",
    "def run(x):\n    x.qs[0] = k\n",
    "def run(x):\n    setattr(x, 'q', k)\n",
    "import lib\n\nlib.K = k\n",
    "class A:\n    q = k\n",
    "class A:\n    @property\n    def q(self):\n        return k\n",
    "Q = None\n\n\ndef keep():\n    global Q\n    Q = k\n\n\ndef run(x):\n    lib.bench(Q, x)\n",
    "QS = []\n\n\ndef keep():\n    QS.append(k)\n\n\ndef run(x):\n    lib.bench(QS, x)\n",
    "QS = {'a': k}\n\n\ndef run(x):\n    lib.bench(QS['a'], x)\n",
    "Q = k\n\n\ndef run(x):\n    q = Q\n    lib.bench(q, x)\n",
    "def run(x):\n    raise lib.Failed(k)\n",
    "@dataclass\nclass A:\n    q: object\n\n\ndef run(x):\n    a = A(k)\n    lib.bench(a, x)\n",
    "class A:\n    def __init__(self, q):\n        lib.bench(q)\n\n\ndef run(x):\n    A(k)\n",
    "class A(lib.B):\n    pass\n\n\ndef run(x):\n    A(k)\n",
    "@dataclass\nclass A:\n    q: object\n\n\ndef run(x):\n    a = A(k)\n    lib.bench(a.q, x)\n",
])
def test_a_kernel_escapes_under_another_name(source: str) -> None:
    assert unseen("import lib\n\n\n" + source) == ["k"]


@pytest.mark.parametrize("source", [
    "def run(x):\n    q = k\n    lib.bench(q is None, q.name, f'{q}', x)\n",
    "def run(x):\n    q = k\n    q = x\n    print(q)\n",
    "def get():\n    return k\n\n\ndef run(x, y, n):\n    ct.launch(0, (n,), get(), (x, y, n, 1))\n    lib.bench(x)\n",
    "def go(x, q):\n    lib.bench(x)\n\n\ndef run(x):\n    go(x, k)\n",
    "def run(x):\n    qs = [k, 1]\n    lib.bench(len(qs) > 1, x)\n",
    "QS = {'a': k}\n\n\ndef run(x, y, n):\n    ct.launch(0, (n,), QS['a'], (x, y, n, 1))\n    lib.bench(x)\n",
])
def test_a_kernel_that_does_not_escape(source: str) -> None:
    assert "k" not in unseen("import lib\n\n\n" + source)


@pytest.mark.parametrize("source", [
    "from m import k\n\n\ndef run(x):\n    q = k\n    lib.bench(q, x)\n",
    "def run(x):\n    from m import k\n    lib.bench(k, x)\n",
    "def run(x):\n    import m\n    lib.bench(m.k, x)\n",
    "import m\n\n\ndef run(x):\n    lib.bench(m.k, x)\n",
    "import m\n\n\ndef run(x):\n    lib.bench(m.pick(), x)\n",
    "from m import choose\n\n\ndef run(x):\n    lib.bench(choose(1), x)\n",
    "from m import TABLE\n\n\ndef run(x):\n    lib.bench(TABLE['a'], x)\n",
    "import m\n\n\ndef run(x):\n    m.hand_over(m.k, x)\n",
])
def test_an_imported_kernel_escapes(source: str) -> None:
    kernels = PRELUDE + (
        "import lib\nTABLE = {'a': [k]}\n\n\ndef pick():\n    return k\n\n\ndef choose(i):\n    return pick()\n\n\n"
        "def hand_over(q, x):\n    lib.bench(q, x)\n")
    files = {"m.py": kernels, "o.py": "import lib\n" + source}
    project = Project(list(files), contents={name: text.encode() for name, text in files.items()})
    assert {("m.py", "k")} == {x.kernel for x in find_launches(project, project.module("o.py")) if x.how == "unseen"}


LAUNCH = "def run(xs, y):\n    list(map(lambda x: ct.launch(0, (5,), {}, (x, y, 3, 1)), xs))\n"


@pytest.mark.parametrize("source", [
    "import m\n" + LAUNCH.format("m.k"),
    "import m\n" + LAUNCH.format("m.pick()"),
    "from m import pick\n" + LAUNCH.format("pick()"),
    "from m import pick\n\n\nclass A:\n    def __init__(self):\n        self.k = pick()\n\n    def run(self, x, y):\n"
    "        ct.launch(0, (5,), self.k, (x, y, 3, 1))\n",
    "from m import TABLE\n" + LAUNCH.format("TABLE[len(xs)]"),
    "from m import choose\n" + LAUNCH.format("choose(1)"),
])
def test_a_kernel_that_another_module_launches(source: str) -> None:
    kernels = PRELUDE + "TABLE = {'a': [k]}\n\n\ndef pick():\n    return k\n\n\ndef choose(i):\n    return pick()\n"
    files = {"m.py": kernels, "o.py": "import cuda.tile as ct\n" + source}
    project = Project(list(files), contents={name: text.encode() for name, text in files.items()})
    assert {("m.py", "k")} == {x.kernel for x in find_launches(project, project.module("o.py")) if x.how == "unseen"}


KERNEL = """
import cuda.tile as ct


@ct.kernel
def k(x, y, n: ct.Constant[int], T: ct.Constant[int]):
    i = ct.bid(0)
    ct.scatter(y, i * n + ct.arange(T, dtype=ct.int32), 1.0)


def seen(x, y):
    ct.launch(0, (5,), k, (x, y, 4, 4))
"""


@pytest.mark.parametrize(("more", "state"), [
    ("", "discharged"),
    ("\n\ndef run(xs, y):\n    list(map(lambda x: ct.launch(0, (5,), k, (x, y, 2, 4)), xs))\n", "open"),
])
def test_a_clause_is_discharged_only_where_all_launches_are_seen(more: str, state: str) -> None:
    said = check_source(KERNEL + more, "m.py", Config(use_cache=False))
    (kernel,) = said.kernels
    assert {c.clause: c.state for c in kernel.contract}["T <= n"] == state
    told = [d.message for d in said.diagnostics if "T <= n" in d.message]
    assert bool(told) == (state == "open")


PADDED = """
import cuda.tile as ct


@ct.kernel
def k(x, y, n, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (0,), (T,))
    s = ct.sum(ct.where(ct.arange(T, dtype=ct.int32) < n, t, 0.0), keepdims=True)
    ct.store(y, (i,), s)


def seen(x, y, z):
    ct.launch(0, (5,), k, (x, y, z.shape[0], 64))
"""

NARROWED = """
import cuda.tile as ct


@ct.kernel
def k(x, y, n, T: ct.Constant[int]):
    j = ct.astype(ct.bid(0) % n, ct.int16)
    ct.scatter(y, ct.astype(j, ct.int32) + ct.arange(T, dtype=ct.int32), 1.0)


def seen(x, y):
    ct.launch(0, (5,), k, (x, y, 4, 64))
"""
UNSEEN = "\n\ndef run(xs, y):\n    list(map(lambda x: ct.launch(0, (5,), k, (x, y, 100000, 64)), xs))\n"


@pytest.mark.parametrize(("source", "code"), [(PADDED, "TC301"), (NARROWED, "TC207")])
def test_clauses_that_hold_at_seen_launches_are_listed(source: str, code: str) -> None:
    found = [[d.code for d in check_source(text, "m.py", Config(use_cache=False)).diagnostics].count(code)
             for text in (source, source + UNSEEN, source[:source.index("def seen")])]
    assert found == [0, 1, 1]


@pytest.mark.parametrize("source", [
    "from cuda.tile import launch as go\n\n\ndef run(x, y):\n    go(0, (5,), k, (x, y, 3, 1))\n",
    "go = ct.launch\n\n\ndef run(x, y):\n    go(0, (5,), k, (x, y, 3, 1))\n",
    "go = ct.launch\nthen = go\n\n\ndef run(x, y):\n    then(0, (5,), k, (x, y, 3, 1))\n",
    "from n import go\n\n\ndef run(x, y):\n    go(0, (5,), k, (x, y, 3, 1))\n",
    "import n\n\n\ndef run(x, y):\n    n.go(0, (5,), k, (x, y, 3, 1))\n",
])
def test_a_launch_by_another_name_is_seen(source: str) -> None:
    found = all_launches(source, n="import cuda.tile as ct\ngo = ct.launch\n")
    assert [(x.kernel[1], x.how, x.grid[0].key) for x in found if x.grid[0] is not None] == [("k", "launch", "5")]


@pytest.mark.parametrize("source", [
    "from m import _go\n\n\ndef run(x, y, pool):\n    pool.submit(_go, x, y, 8, 4)\n",
    "import m\n\n\ndef run(x, y, args):\n    m._go(*args)\n",
])
def test_a_private_function_of_another_module_that_is_called_unseen(source: str) -> None:
    kernels = PRELUDE + (
        "def _go(x, y, a, n):\n    ct.launch(0, (a,), k, (x, y, n, 1))\n\n\ndef seen(x, y):\n    _go(x, y, 2, 4)\n")
    files = {"m.py": kernels, "o.py": "import cuda.tile as ct\n" + source}
    project = Project(list(files), contents={name: text.encode() for name, text in files.items()})
    assert {("m.py", "k")} == {x.kernel for x in find_launches(project, project.module("o.py")) if x.how == "unseen"}
