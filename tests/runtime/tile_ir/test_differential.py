"""Accesses from the source and from the representation of cuda.tile are equal, over cases and generated kernels.

A difference is a fault of the source model, or of the front end.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.cases.expectations import FOLDER
from tests.cases.launches import BAD, GOOD, INTEGERS, Launch, scalars
from tests.oracle.generate import assignments, from_seed
from tests.runtime.tile_ir.compare import (
    describe_arguments,
    describe_difference,
    load_real,
    read_representation,
    read_source,
)
from tests.seeds import source_seed
from tilecheck.config import Config
from tilecheck.kernel_model.driver import execute
from tilecheck.pipeline.single_kernel import study
from tilecheck.project.project import Project
from tilecheck.visualize.setting import CannotDraw
from tilecheck_runtime.tile_ir.values import Undecided

ct = pytest.importorskip("cuda.tile")
pytest.importorskip("cuda.tile._compile", reason="the representation comes from the package cuda-tile")

CASES: Final = [("raw_bad.py", name, launch) for name, launches in BAD.items() for launch in launches] + [
    ("raw_good.py", name, launch) for name, launches in GOOD.items() for launch in launches]
COUNT: Final = int(os.environ.get("TILECHECK_COMPARED_KERNELS", "60"))


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("cases")
    files = ("raw_bad.py", "raw_good.py")
    return {file: load_real(folder, (FOLDER / file).read_text(encoding="utf-8")) for file in files}


@pytest.mark.parametrize(("file", "name", "launch"), CASES, ids=str)
def test_cases_have_equal_accesses(file: str, name: str, launch: Launch, modules: dict[str, object]) -> None:
    grid, spec = launch
    grid = (*grid, 1, 1)[:3]
    shapes = {k: v for k, v in spec.items() if isinstance(v, tuple)}
    dtypes = {k: "int32" if k in INTEGERS else "float32" for k in shapes}
    model = study(f"{FOLDER / file}::{name}", Config(use_cache=False)).model
    given, bound = describe_arguments(model.params, shapes, dtypes, spec)
    try:
        representation = read_representation(getattr(modules[file], name), given, bound, grid)
        source = read_source(model, grid, scalars(grid, spec), shapes)
    except (Undecided, CannotDraw, ct.TileError) as reason:
        pytest.skip(str(reason).splitlines()[0])
    if source is None:
        pytest.skip("an access depends on data")
    assert not describe_difference(source, representation)


def test_generated_kernels_have_equal_accesses(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(source_seed(), source_seed() + COUNT):
        found.update(_compare(seed, tmp_path))
    assert found["equal"] > COUNT, found


def _compare(seed: int, folder: Path) -> list[str]:
    """The outcome at two launches of one generated kernel."""
    kernel = from_seed(seed)
    project = Project(["m.py"], contents={"m.py": kernel.text.encode()})
    (site,) = project.module("m.py").kernels()
    model = execute(project, site)
    function = load_real(folder, kernel.text).kernel
    out: list[str] = []
    for launch in list(assignments(kernel, 4))[:2]:
        shapes = {a.name: launch.shape(a.name, a.rank) for a in kernel.arrays}
        dtypes = {a.name: a.element for a in kernel.arrays}
        given, bound = describe_arguments(model.params, shapes, dtypes, launch.scalars)
        try:
            representation = read_representation(function, given, bound, launch.grid)
            source = read_source(model, launch.grid, launch.scalars, shapes)
        except (Undecided, CannotDraw, ct.TileError) as reason:
            out.append(type(reason).__name__)
            continue
        if source is None:
            out.append("by data")
            continue
        difference = describe_difference(source, representation)
        assert not difference, f"seed {seed}, {launch}: {difference}\n{kernel.text}"
        out.append("equal")
    return out
