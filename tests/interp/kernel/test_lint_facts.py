"""Facts beside accesses: values that are never used, and waits that come too late."""

from __future__ import annotations

import textwrap

import pytest

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.kernel_model.driver import execute
from tilecheck.project.project import Project

HEADER = "import cuda.tile as ct\nInt = ct.Constant[int]\n"


def model_of(text: str) -> KernelModel:
    project = Project(("k.py",), (), {"k.py": (HEADER + textwrap.dedent(text)).encode()})
    (site,) = project.module("k.py").kernels()
    return execute(project, site)


def kernel(*lines: str) -> KernelModel:
    body = "\n".join(f"    {line}" for line in lines)
    return model_of(f"@ct.kernel\ndef k(x, o, w, n: int, FLAG: Int, T: Int):\n    i = ct.bid(0)\n{body}\n")


STORE = "ct.store(o, (i,), ct.load(x, (i,), (T,)))"


@pytest.mark.parametrize(("lines", "names"), [
    (("a = ct.load(w, (i,), (T,))",), {"a"}),
    # of a chain the last one
    (("a = ct.load(w, (i,), (T,))", "b = a + 1", "c = b * b"), {"c"}),
    # two ends of one chain
    (("a = ct.load(w, (i,), (T,))", "b = a + 1", "c = a * 2"), {"b", "c"}),
    # computed from itself
    (("a = ct.zeros((T,), ct.float32)", "for k in range(n):", "    a += ct.load(w, (k,), (T,))"), {"a"}),
    # computed from each other
    (("a = ct.zeros((T,), ct.float32)", "b = a", "for k in range(n):", "    a = b + 1", "    b = a + 1"), {"a"}),
    # scalars that are not loads, names of unused values, items of a tuple
    (("a = n + 1", "_b = ct.load(w, (i,), (T,))", "c, d = ct.load(w, (i,), (T,)), 1"), set()),
    (("a = ct.load(w, (i,), (1,)).item()",), {"a"}),
    # used by a condition, a loop, a nested function, in one variant
    (("a = ct.load(w, (i,), (1,)).item()", "if a > 0:", "    " + STORE), set()),
    (("a = ct.load(w, (i,), (1,)).item()", "for k in range(a):", "    " + STORE), set()),
    (("a = ct.load(w, (i,), (T,))", "def f(t):", "    return t + a", "ct.store(o, (i,), f(a))"), set()),
    (("a = ct.load(w, (i,), (T,))", "f = lambda t: t + a", "ct.store(o, (i,), f(1))"), set()),
    (("a = ct.load(w, (i,), (T,))", "if FLAG:", "    ct.store(o, (i,), a)"), set()),
    # it does more
    (("a = ct.atomic_add(w, (0,), 1)",), set()),
    (("a = ct.load(w, (0,), (1,), memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.DEVICE)",), set()),
    (("a = unknown(w)",), set()),
    # what an unknown call gets is used
    (("a = ct.load(w, (i,), (T,))", "b = unknown(a)"), set()),
    (("a = i * T + ct.arange(T, dtype=ct.int32) < n",), {"a"}),
])
def test_unused_values_are_noted(lines: tuple[str, ...], names: set[str]) -> None:
    assert {u.name for u in kernel(*lines, STORE).observed.unused} == names


def test_unused_values_have_a_kind() -> None:
    found = kernel("m = ct.arange(T, dtype=ct.int32) < n", "t = ct.ones((T,), ct.float32) * 2",
                   "s = ct.load(w, (i,), (T,))", STORE).observed.unused
    assert {u.name: u.kind for u in found} == {"m": "mask", "t": "tile", "s": "loaded"}


WAIT = "ct.grid_dependency_control_wait()"


@pytest.mark.parametrize(("lines", "early"), [
    ((WAIT, STORE), 0),
    ((STORE,), 2),
    ((STORE, WAIT), 2),
    (("if FLAG:", "    " + WAIT, STORE), 2),
    (("if FLAG:", "    " + WAIT, "else:", "    " + WAIT, STORE), 0),
    (("if FLAG:", "    " + WAIT, "    " + STORE), 0),
    (("if FLAG:", "    " + WAIT, "if FLAG:", "    " + STORE), 0),
    (("if FLAG:", "    " + WAIT, "if n > 0:", "    " + STORE), 2),
    (("if n == 0:", "    return", WAIT, STORE), 0),
    (("for k in range(n):", "    " + WAIT, STORE), 2),
    (("for k in range(n):", "    " + STORE, "    " + WAIT), 2),
    (("for k in range(n):", "    " + WAIT, "    " + STORE), 0),
    (("def f():", "    " + WAIT, "f()", STORE), 0),
    (("def f():", "    if FLAG:", "        return", "    " + WAIT, "f()", STORE), 2),
    (("a = 0", "while a < n:", "    " + WAIT, "    a += 1", STORE), 2),
])
def test_accesses_before_the_wait_are_noted(lines: tuple[str, ...], early: int) -> None:
    assert len(kernel(*lines).observed.early) == early
