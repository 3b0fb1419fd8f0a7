"""Padding of arrays of a list: one clause speaks of all of them."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = """import cuda.tile as ct
from tilecheck import requires
Int = ct.Constant[int]

"""
KERNEL = """@ct.kernel
def k(xs, out, T: Int):
    i = ct.bid(0)
    for g in range(len(xs)):
        x = xs[g]
        s = ct.zeros((1, 1), ct.float32)
        for j in range(ct.num_tiles(x, 1, (1, T))):
            s = s + ct.sum(ct.load(x, (0, j), (1, T)), axis=1, keepdims=True)
        ct.store(out, (g, i), s)
"""
WHOLE = "xs[*].shape[1] % T == 0"


def _padding(text: str):
    report = check_source(HEAD + text)
    (kernel,) = report.kernels
    return next(o for o in kernel.obligations if o.kind == "padding"), report


def test_a_use_beyond_an_array_of_a_list_is_found():
    found, report = _padding(KERNEL)
    assert (found.verdict, found.clauses) == ("conditional", (WHOLE,))
    (said,) = [d for d in report.diagnostics if d.code == "TC301"]
    assert said.severity == "warning" and f"unless `{WHOLE}`" in said.message


def test_a_declaration_for_every_array_discharges_the_clause():
    found, report = _padding(f'@requires("{WHOLE}")\n{KERNEL}')
    assert found.verdict in ("proved", "conditional")
    assert not [d for d in report.diagnostics if d.code == "TC301"]


@pytest.mark.parametrize("declared", ["xs[0].shape[1] % T == 0", "xs[*].shape[0] % T == 0", "out.shape[1] % T == 0"])
def test_a_declaration_for_another_array_does_not_discharge(declared):
    _, report = _padding(f'@requires("{declared}")\n{KERNEL}')
    assert [d.code for d in report.diagnostics if d.code == "TC301"] == ["TC301"]


@pytest.mark.parametrize(("arrays", "told"), [
    ("[x, x]", False),
    ("[x, torch.empty((4, x.shape[1]))]", False),
    ("[x, torch.empty((4, 100))]", True),
    ("[y, y]", True),
    ("many", True),
])
def test_a_seen_launch_decides_the_clause(arrays, told):
    _, report = _padding(KERNEL + f"""
import torch
def run(x, y, many, out):
    assert x.shape[1] % 64 == 0
    ct.launch(0, (out.shape[1],), k, ({arrays}, out, 64))
""")
    assert ("TC301" in {d.code for d in report.diagnostics}) is told
