"""The checker on host code: what the cases mark is found on its line, and nothing else is said."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.cases.expectations import FOLDER
from tilecheck.api import check_paths
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Report

FILES = ("host.py", "host_good.py", "host_bad.py", "host_torch_good.py", "host_torch_bad.py")
CODES = ("TC401", "TC402", "TC403", "TC404", "TC405", "TC406", "TC407", "TC408")
_EXPECT = re.compile(r"# expect: (TC\d+)")


def _report(folder: Path, *names: str) -> Report:
    """The cases import `dialect` from beside them, as scripts do."""
    for name in ("dialect.py", *names):
        shutil.copy(FOLDER / name, folder / name)
    return check_paths([folder / name for name in names], Config(use_cache=False, jobs=1))


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, list[Diagnostic]]:
    report = _report(tmp_path_factory.mktemp("host"), *FILES)
    assert not report.failures
    return {name: [d for d in report.diagnostics if Path(d.span.file).name == name] for name in FILES}


def _expected(name: str) -> set[tuple[int, str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return {(number, m[1]) for number, line in enumerate(lines, 1) if (m := _EXPECT.search(line))}


@pytest.mark.parametrize("name", FILES)
def test_exactly_the_expected_findings_are_reported(found, name):
    assert {(d.span.line, d.code) for d in found[name]} == _expected(name)


@pytest.mark.parametrize("name", FILES)
def test_a_place_has_one_finding(found, name):
    places = Counter((d.span, d.code, d.message) for d in found[name])
    assert [place for place, times in places.items() if times > 1] == []


def test_findings_are_errors_unless_they_depend_on_a_path(found):
    milder = {(d.code, d.message) for ds in found.values() for d in ds if d.severity != "error"}
    in_place = {(code, text) for code, text in milder if code == "TC401"}
    assert milder - in_place == {("TC404", "the launch of `add` is built and on some path never run")}
    assert in_place and all(text.endswith("and `copy` writes `dst`") for _, text in in_place)


def test_strict_adds_no_finding_to_right_programs(tmp_path):
    for name in ("dialect.py", "host_good.py", "host_torch_good.py"):
        shutil.copy(FOLDER / name, tmp_path / name)
    paths = [tmp_path / "host_good.py", tmp_path / "host_torch_good.py"]
    report = check_paths(paths, Config(use_cache=False, jobs=1, strict=True))
    assert [(d.span.line, d.code) for d in report.diagnostics] == []


def test_the_kernels_may_be_checked_with_their_host_code(tmp_path):
    """The findings are the same when the file of the kernels is checked with that of the launches."""
    names = ("host.py", "host_bad.py")
    alone = _report(tmp_path, *names)
    together = check_paths([tmp_path], Config(use_cache=False, jobs=1))
    at_hosts = {d for d in together.diagnostics if Path(d.span.file).name in names}
    assert set(alone.diagnostics) == at_hosts


def test_every_code_has_a_case():
    assert {code for name in FILES for _, code in _expected(name)} == set(CODES)
