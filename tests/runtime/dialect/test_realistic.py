"""Right kernels of many kinds: each is proved without a word, compiles, and computes what NumPy does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.runtime.dialect import realistic
from tests.runtime.dialect.references import ALL
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck_runtime.dialect.plan import Output, Plan

KERNELS = sorted(ALL)
VALUES = {"rope": {"H": 4}, "rope_in_place": {"H": 4}}


@pytest.fixture(scope="module")
def report() -> Report:
    return check_source(Path(realistic.__file__).read_text(), "realistic.py", Config(use_cache=False, jobs=1))


def test_nothing_is_reported(report):
    assert report.diagnostics == () and report.failures == ()


def test_every_kernel_is_launched(report):
    assert sorted(k.name for k in report.kernels) == KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_a_right_kernel_is_proved(report, name):
    (found,) = [k for k in report.kernels if k.name == name]
    assert found.verdict == "proved"


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_computes_the_same_as_numpy(name):
    found, wanted = ALL[name]()
    assert len(found) == len(wanted)
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles(name, compact):
    pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")
    from tests.runtime.dialect.tileir import export_bytecode, parameters

    kernel = getattr(realistic, name)
    known = kernel.signature
    values = {**dict.fromkeys(known.variables, 8), **VALUES.get(name, {})}
    outputs = tuple(Output(tuple(values[e] if isinstance(e, str) else e for e in p.extents)) for p in known.outputs)
    entry = kernel.entry(Plan(tuple(sorted(values.items())), outputs, frozenset(), compact))
    assert export_bytecode(entry.function, parameters(entry, known))
