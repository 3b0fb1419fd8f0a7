"""The layers of both packages, the cycles that they allow, and the size of folders and files."""

from __future__ import annotations

import tomllib

import pytest
from importlinter.cli import lint_imports

from tests.architecture.imports import PACKAGES, ROOT, find_cycles, folder_of, group_by_folder, read_imports

RECURSIVE = {
    "tilecheck.interp.host": "expressions contain calls, calls execute statements, statements contain expressions",
    "tilecheck.interp.kernel": "as in the host interpreter; operations are called by it and build its values",
    "tilecheck.interp.ownership": "as in the host interpreter",
    "tilecheck.project": "a module resolves names in other modules of its project",
    "tilecheck.solver.inequalities": "the definition of an atom is proved to apply by the same search",
    "tilecheck.symbolic": "an atom contains polynomials and conditions, which contain atoms",
    "tilecheck_runtime.tensors": "a tensor is partitioned or shared, and each of these is read as a tensor",
}
"""Folders whose files import each other, with the recursion that needs it. Subfolders count as part of the folder."""

MAX_LINES = 700
MAX_FILES_AT_THE_TOP = 10


def test_no_import_runs_up() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_the_contracts_count_imports_for_type_checking() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert settings["exclude_type_checking_imports"] is False


@pytest.mark.parametrize("package", PACKAGES)
def test_no_cycle_across_folders(package: str) -> None:
    cycles = find_cycles(group_by_folder(read_imports(package), frozenset(RECURSIVE)))
    assert not cycles


@pytest.mark.parametrize("package", PACKAGES)
def test_cycles_between_files_lie_in_recursive_folders(package: str) -> None:
    elsewhere = [
        sorted(cycle) for cycle in find_cycles(read_imports(package))
        if not any(all(f"{module}.".startswith(f"{folder}.") for module in cycle) for folder in RECURSIVE)]
    assert not elsewhere


def test_recursive_folders_have_cycles() -> None:
    cycles = [cycle for package in PACKAGES for cycle in find_cycles(read_imports(package))]
    for folder in RECURSIVE:
        assert any(all(f"{module}.".startswith(f"{folder}.") for module in cycle) for cycle in cycles), folder


def test_files_are_short() -> None:
    long = {path.relative_to(ROOT).as_posix(): lines for package in PACKAGES for path in (ROOT / package).rglob("*.py")
            if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES}
    assert not long


@pytest.mark.parametrize("package", PACKAGES)
def test_few_files_lie_at_the_top(package: str) -> None:
    assert len(list((ROOT / package).glob("*.py"))) <= MAX_FILES_AT_THE_TOP


def test_a_cycle_is_found() -> None:
    assert find_cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {frozenset("abc")}
    assert folder_of("tilecheck.cli.app") == "tilecheck.cli"
