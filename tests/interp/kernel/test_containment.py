"""The real accesses of kernels lie in the regions of their models, and fill the regions that are declared exact."""

from __future__ import annotations

import random
import textwrap
from itertools import product
from typing import Any

import pytest

from tests.interp.kernel.bodies import BODIES, PRELUDE
from tests.interp.kernel.containment import Comparison, Launch, compare
from tests.oracle.generate import assignments, from_seed
from tests.oracle.loading import load_text
from tests.oracle.memory import array
from tests.oracle.run import run
from tests.oracle.truth import arguments
from tests.oracle.values import DTYPES
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.kernel_model.driver import execute
from tilecheck.project.project import Project


def _model(text: str) -> KernelModel:
    project = Project(["k.py"], contents={"k.py": text.encode()})
    (site,) = project.module("k.py").kernels()
    return execute(project, site)


def _arguments(n: int, size: int, flag: bool) -> dict[str, Any]:
    rng = random.Random(n * 100 + size)
    return {
        "x": array("x", (24,), DTYPES["int32"], [rng.randrange(20) for _ in range(24)]),
        "y": array("y", (50,)), "z": array("z", (16, 11)),
        "ys": [array("ys[0]", (24,)), array("ys[1]", (13,))], "n": n, "T": size, "FLAG": flag,
    }


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_written_kernels(body: str) -> None:
    text = PRELUDE + textwrap.indent(body, "    ") + "\n"
    model = _model(text)
    assert not model.gaps
    function = load_text(text)["kernel"]
    total = Comparison((), 0, 0, 0)
    for n, size, flag, blocks in product((1, 2, 5), (2, 4), (True, False), (1, 3)):
        log = run(function, (blocks, 1, 1), _arguments(n, size, flag))
        if log.valid:
            found = compare(model, Launch((blocks, 1, 1), _arguments(n, size, flag)), log)
            regions = [(a.region.index, a.region.guard) for a in model.accesses]
            assert found.faults == (), (n, size, flag, blocks, regions)
            total = Comparison((), total.compared + found.compared, total.exact + found.exact, total.open + found.open)
        else:
            assert log.error is None, log.error
    assert total.compared + total.open


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_generated_kernels(start: int) -> None:
    compared = 0
    for seed in range(start, start + 20):
        kernel = from_seed(seed)
        model = _model(kernel.text)
        function = load_text(kernel.text)["kernel"]
        for launch in assignments(kernel, 4):
            log = run(function, launch.grid, arguments(kernel, launch))
            if log.valid:
                found = compare(model, Launch(launch.grid, arguments(kernel, launch)), log)
                assert found.faults == (), (seed, kernel.text)
                compared += found.compared
    assert compared > 20
