"""Arrays of a list take part in the search for arguments that share storage."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

KERNELS = """import cuda.tile as ct
import torch


@ct.kernel
def fill(outs, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(len(outs)):
        ct.store(outs[k], (i,), ct.full((T,), 1.0, ct.float32))


@ct.kernel
def each(outs, T: ct.Constant[int]):
    ct.store(outs[ct.bid(1)], (ct.bid(0),), ct.full((T,), 1.0, ct.float32))


@ct.kernel
def two(outs, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(outs[0], (i,), ct.load(outs[1], (i,), (T,)))


@ct.kernel
def shifted(outs, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(outs[0], (i,), ct.full((T,), 1.0, ct.float32))
    ct.store(outs[1], (i + 1,), ct.full((T,), 1.0, ct.float32))


@ct.kernel
def total(ins, out, T: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((T,), ct.float32)
    for k in range(len(ins)):
        acc = acc + ct.load(ins[k], (i,), (T,))
    ct.store(out, (i,), acc)


@ct.kernel
def sums(ins, out, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(len(ins)):
        ct.store(out, (i,), ct.load(ins[k], (i,), (T,)) + 1)


@ct.kernel
def moved(ins, outs, T: ct.Constant[int]):
    i, k = ct.bid(0), ct.bid(1)
    ct.store(outs[k], (i,), ct.load(ins[k], (i,), (T,)))


@ct.kernel
def square(outs, T: ct.Constant[int]):
    ct.store(outs[ct.bid(1)], (ct.bid(0), 0), ct.full((1, T), 1.0, ct.float32))


@ct.kernel
def some(outs, T: ct.Constant[int]):
    i = ct.bid(0)
    if i < 2:
        ct.store(outs[0], (i,), ct.full((T,), 1.0, ct.float32))
    else:
        ct.store(outs[1], (i,), ct.full((T,), 1.0, ct.float32))


@ct.kernel
def copies(ins, outs, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(len(ins)):
        ct.store(outs[k], (i,), ct.load(ins[k], (i,), (T,)))


@ct.kernel
def first(outs, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(outs[0], (i,), ct.load(out, (i,), (T,)))

"""


def find(host: str) -> tuple[Diagnostic, ...]:
    text = KERNELS + "\ndef run(a, b, c, n):\n    " + host + "\n"
    report = check_source(text, "k.py", Config(use_cache=False, jobs=1))
    assert not report.failures
    return tuple(d for d in report.diagnostics if d.code == "TC401")


@pytest.mark.parametrize(("host", "severity", "names"), [
    # two blocks write one element: executed
    ("x = torch.zeros(64)\n    ct.launch(0, (4, 2), each, ([x, x], 16))", "error", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16, 2), each, ([a, a], 16))", "error", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16, 3), each, ([a, b, a], 16))", "error", ("outs[0]", "outs[2]")),
    ("x = torch.zeros(80)\n    ct.launch(0, (4,), shifted, ([x, x], 16))", "error", ("outs[0]", "outs[1]")),
    ("xs = [a, b]\n    xs.append(a)\n    ct.launch(0, (a.shape[0] // 16, 3), each, (xs, 16))", "error",
     ("outs[0]", "outs[2]")),
    ("xs = [a] * 2\n    ct.launch(0, (a.shape[0] // 16, 2), each, (xs, 16))", "error", ("outs[0]", "outs[1]")),
    # one block writes the element twice: no race, and undefined by the specification
    ("ct.launch(0, (a.shape[0] // 16,), fill, ([a, a], 16))", "warning", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16,), fill, ([a, a.view(-1)], 16))", "warning", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (n,), fill, ([a[:8], a[4:12]], 16))", "warning", ("outs[0]", "outs[1]")),
    ("x = torch.zeros(64)\n    ct.launch(0, (4,), some, ([x, x], 16))", "warning", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16,), two, ([a, a], 16))", "warning", ("outs[0]", "outs[1]")),
    # an array of a list and another parameter: the compiler assumes that they are disjoint
    ("ct.launch(0, (a.shape[0] // 16,), sums, ([a, b], b, 16))", "error", ("ins[1]", "out")),
    ("ct.launch(0, (a.shape[0] // 16, 2), moved, ([a, b], [c, a], 16))", "error", ("ins[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16,), copies, ([a, b], [c, a], 16))", "error", ("ins[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16,), first, ([a, b], a, 16))", "warning", ("outs[0]", "out")),
    # in place
    ("ct.launch(0, (a.shape[0] // 16,), total, ([a, b], b, 16))", "warning", ("ins[1]", "out")),
    ("ct.launch(0, (a.shape[0] // 16, 2), moved, ([a, b], [a, c], 16))", "warning", ("ins[0]", "outs[0]")),
    # the elements of a transposed view are in another order
    ("ct.launch(0, (a.shape[0] // 16, 2), square, ([a, a.transpose(0, 1)], 16))", "warning", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (a.shape[0] // 16,), copies, ([a, b], [a, c], 16))", "warning", ("ins[0]", "outs[0]")),
    # it is not known whether the array is used
    ("ct.launch(0, (a.shape[0] // 16, n), each, ([a, a], 16))", "warning", ("outs[0]", "outs[1]")),
    ("ct.launch(0, (4, 1), each, ([a, a], 16))", "warning", ("outs[0]", "outs[1]")),
])
def test_arrays_that_share_storage(host, severity, names):
    (found,) = find(host)
    assert found.severity == severity, found.message
    assert all(f"`{name}`" in found.message for name in names)


@pytest.mark.parametrize("host", [
    "ct.launch(0, (4,), fill, ([a, b], 16))",
    "ct.launch(0, (4,), fill, ([a[:8], a[8:]], 16))",
    "ct.launch(0, (4,), fill, ([a.clone(), a], 16))",
    "ct.launch(0, (4,), total, ([a, a], b, 16))",
    "ct.launch(0, (4,), total, ([a, a, b], c, 16))",
    "ct.launch(0, (4,), first, ([a, b], b, 16))",
    "ct.launch(0, (4,), first, ([a, b, b], c, 16))",
    "ct.launch(0, (4,), two, ([a, b, a], 16))",
    "ct.launch(0, (4,), copies, ([a, a], [b, c], 16))",
    "ct.launch(0, (4,), fill, ([torch.empty(4) for _ in range(2)], 16))",
    "xs = [a, b]\n    ct.launch(0, (4,), fill, (xs, 16))",
    "xs = [a, b]\n    xs[1] = c\n    ct.launch(0, (4,), fill, (xs, 16))",
    "xs = [a, a]\n    xs[1] = c\n    ct.launch(0, (4,), fill, (xs, 16))",
    "xs = [a, a]\n    xs.pop()\n    ct.launch(0, (4,), fill, (xs, 16))",
    "xs = [a, a]\n    n(xs)\n    ct.launch(0, (4,), fill, (xs, 16))",
    "x = torch.zeros(64)\n    ct.launch(0, (4, 1), each, ([x, x], 16))",
    "x = torch.zeros(64)\n    ct.launch(0, (2,), some, ([x, x], 16))",
    "xs = [a, a if n else b]\n    ct.launch(0, (4,), fill, (xs, 16))",
])
def test_other_arrays(host):
    assert not find(host)


def test_each_pair_is_found_once_for_a_list():
    found = find("ct.launch(0, (a.shape[0] // 16, 4), each, ([a, a, a, a], 16))")
    assert len(found) == 1 and found[0].severity == "error"


@pytest.mark.parametrize(("host", "state"), [
    ("ct.launch(0, (4,), two, ([a, b, b], 16))", "discharged"), ("ct.launch(0, (4,), two, ([a, a], 16))", "broken"),
    ("ct.launch(0, (4,), two, ([a, b, a], 16))", "discharged"), ("ct.launch(0, (4,), fill, ([a, b, a], 16))", "broken"),
    ("ct.launch(0, (4,), two, ([torch.empty(64), torch.empty(64)], 16))", "discharged"),
    ("ct.launch(0, (4,), two, ([a, b], 16))", "open"), ("ct.launch(0, (4,), two, (n, 16))", "open"),
])
def test_the_clause_at_a_launch(host, state):
    text = KERNELS + "\ndef run(a, b, c, n):\n    " + host + "\n"
    kernels = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    (found,) = [c.state for k in kernels if f" {k.name}, (" in host for c in k.contract if c.clause == "disjoint(outs)"]
    assert found == state


@pytest.mark.parametrize(("host", "state"), [
    ("ct.launch(0, (4,), total, ([a, b], b, 16))", "broken"), ("ct.launch(0, (4,), total, ([a, b], c, 16))", "open"),
    ("ct.launch(0, (4,), total, ([a, b], torch.empty_like(a), 16))", "discharged"),
    ("ct.launch(0, (4,), total, ([a, b], a[:8], 16))", "broken"),
    ("ct.launch(0, (4,), total, ([a[:8], b], a[8:], 16))", "open"),
])
def test_a_clause_on_a_list_and_another_array(host, state):
    text = KERNELS + "\ndef run(a, b, c, n):\n    " + host + "\n"
    kernels = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    (found,) = [c.state for k in kernels if k.name == "total" for c in k.contract if c.clause == "disjoint(out, ins)"]
    assert found == state
