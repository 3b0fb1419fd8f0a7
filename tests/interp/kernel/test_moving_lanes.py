"""A loop that moves the lanes of a tile: its undefined lanes are blurred before their conditions grow without bound."""

from __future__ import annotations

import pytest

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.sources import LONG
from tilecheck.kernel_model.driver import execute
from tilecheck.project.project import Project

TEXT = """import cuda.tile as ct


@ct.kernel
def k(x, y, out, n):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (32, 32))
    u = ct.load(y, (i, 0), (32, 32))
    for j in range(n):
        {body}
    ct.store(out, (i, 0), t)
"""

STEP = """u = ct.reshape(ct.permute(ct.reshape(t, (4, 4, 8, 8)), (1, 3, 2, 0)), (32, 32)) + ct.reshape(
            ct.permute(ct.reshape(u, (4, 8, 32)), (1, 2, 0)), (32, 32))
        t = ct.reshape(ct.permute(ct.reshape(u, (16, 64)), (1, 0)), (32, 32)) * ct.reshape(
            ct.permute(ct.reshape(t, (64, 16)), (1, 0)), (32, 32)) * ct.permute(u, (1, 0))"""


def model(body: str) -> KernelModel:
    project = Project(["k.py"], contents={"k.py": TEXT.format(body=body).encode()})
    (site,) = project.module("k.py").kernels()
    return execute(project, site)


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_conditions_do_not_grow_without_bound(repeats):
    found = model("\n        ".join([STEP] * repeats))
    assert not found.gaps and found.paddings.observations
    assert all(len(o.undefined.cond.key) <= 2 * LONG for o in found.paddings.observations)
    assert {o.undefined.edge.array.text for o in found.paddings.observations if o.undefined.blurred} == {"x", "y"}


def test_lanes_that_change_places_are_followed():
    found = model("t = ct.permute(t, (1, 0))")
    assert found.paddings.observations and not any(o.undefined.blurred for o in found.paddings.observations)
