"""The cost of a check grows with the program: the programs of `benchmarks/grown_programs.py`, in steps.

Steps are calls of Python functions, which are the same on a busy machine. `benchmarks/scaling.py` measures time, and
programs of more sizes.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from math import log
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.memos import clear_memos
from tilecheck.config import Config
from tilecheck.pipeline.run import analyse_paths

SLACK = 1.35
"""The factor by which a ratio may exceed that of n log n: caches fill, and budgets end."""
CASES = (
    *((name, 30, 120) for name in (
        "plain_launches", "equal_launches", "launching_functions", "launches_over_a_list", "launching_loops",
        "launching_branches", "lambdas", "lambdas_for_others", "tuned_configurations", "tuners",
        "kernels", "launched_kernels", "chained_files", "star_of_files", "star_of_launches", "gathering_file")),
    ("looping_functions", 2, 8),
    ("nested_loops", 128, 432),
    ("checked_launches", 100, 300),
    *((name, 10, 40) for name in ("read_arrays", "written_arrays", "stores")),
    *((name, 5, 20) for name in ("nested_calls", "doubled_calls", "nested_definitions")),
)


@pytest.fixture(scope="module")
def families() -> Any:
    """The families of programs."""
    folder = str(Path(__file__).parents[2] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return import_module("grown_programs").FAMILIES
    finally:
        sys.path.remove(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "few", "many"), CASES, ids=[name for name, _, _ in CASES])
def test_the_steps_of_a_check_grow_at_most_as_n_log_n(
    families: Any, tmp_path: Path, name: str, few: int, many: int,
) -> None:
    steps = {size: _count_steps(families[name].make(size), tmp_path / str(size)) for size in (1, few, many)}
    ratio = (steps[many] - steps[1]) / max(steps[few] - steps[1], 1)
    assert ratio < SLACK * many * log(many) / (few * log(few)), steps


def test_every_family_is_measured(families: Any) -> None:
    # helpers of the device are unrolled up to a budget, which few levels do not reach
    assert {name for name, _, _ in CASES} == families.keys() - {"nested_helpers"}


def _count_steps(files: dict[str, str], folder: Path) -> int:
    """The calls of Python functions in a check of files, without what earlier checks have cached."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    clear_memos()
    count = 0

    def count_call(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    before, profile = Path.cwd(), sys.getprofile()
    os.chdir(folder)
    sys.setprofile(count_call)
    try:
        analyse_paths(["."], Config(root=folder, use_cache=False, jobs=1, respect_gitignore=False))
    finally:
        sys.setprofile(profile)
        os.chdir(before)
    return count
