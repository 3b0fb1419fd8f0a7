"""One engine: mypy with the plugin reports what `tilecheck` reports, at the same places, and each of it once."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tests.corpus.part import part
from tests.mypy_plugin.given import FILES
from tests.mypy_plugin.runner import Run, is_ours, mypy, write_config
from tilecheck.api import check_paths
from tilecheck.config import Config

MODES = {
    "the native parser": ("--cache-dir", "kept"),
    "the parser in Python": ("--no-incremental", "--no-native-parser"),
    "two processes": ("-n2", "--cache-dir", "two"),
}


def _expected_messages(folder: Path, target: str) -> list[tuple[str, int, int, str]]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        report = check_paths([target], Config(use_cache=False, root=folder))
    finally:
        os.chdir(before)
    assert not report.failures
    return sorted({(os.path.normpath(d.span.file), d.span.line, d.span.column + 1,
                    f"{d.code} {' '.join(d.message.split())}") for d in report.diagnostics})


def _found_messages(run: Run) -> list[tuple[str, int, int, str]]:
    return sorted((m.file, m.line, m.column, m.text) for m in run.messages if is_ours(m))


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    write_config(folder)
    for name in FILES:
        shutil.copy(FOLDER / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def expected(cases: Path) -> list[tuple[str, int, int, str]]:
    return _expected_messages(cases, ".")


@pytest.fixture(scope="module")
def runs(cases: Path) -> Callable[[str], Run]:
    """The first run in a mode, without a cache."""
    return functools.cache(lambda mode: mypy(cases, *MODES[mode], cold=True))


@pytest.mark.parametrize("mode", MODES)
def test_every_case_agrees(mode: str, runs: Callable[[str], Run], expected: list[tuple[str, int, int, str]]):
    assert len(expected) > 200
    assert _found_messages(runs(mode)) == expected


@pytest.mark.parametrize("mode", [mode for mode in MODES if "--cache-dir" in MODES[mode]])
def test_cached_mypy_results_are_the_same(
        mode: str, cases: Path, runs: Callable[[str], Run], expected: list[tuple[str, int, int, str]]):
    first, second = runs(mode), mypy(cases, *MODES[mode])
    assert _found_messages(first) == _found_messages(second) == expected
    # processes give what they found when they are done
    in_order = sorted if "-n" in " ".join(MODES[mode]) else list
    assert in_order(first.output.splitlines()) == in_order(second.output.splitlines())


@pytest.mark.slow
def test_real_code(corpus: Path, tmp_path: Path):
    part(corpus, tmp_path, "suites/unsloth", "ops/cutile/attention.py", "ops/cutile/bmm.py")
    write_config(tmp_path)
    assert _found_messages(mypy(tmp_path, targets=["tilegym"])) == _expected_messages(tmp_path, "tilegym")
