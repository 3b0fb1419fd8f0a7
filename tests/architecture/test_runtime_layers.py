"""The layers of `tilecheck_runtime`: no import runs up, and no folder is part of an import cycle.

All imports count, those inside functions and under `TYPE_CHECKING` included.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

grimp = pytest.importorskip("grimp")
ROOT = Path(__file__).parents[2]
PACKAGE = "tilecheck_runtime"

CYCLES_WITHIN_A_FOLDER = {
    # handles convert into each other: a tensor is partitioned or shared, and each of the three is read as a tensor
    frozenset({"tensors.partition", "tensors.reading", "tensors.shared", "tensors.tensor"}),
}


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """The modules that each module imports, without the name of the package."""
    graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=False, cache_dir=None)
    return {_short(m): {_short(d) for d in graph.find_modules_directly_imported_by(m)} - {""}
            for m in graph.modules if m != PACKAGE}


def _short(module: str) -> str:
    return module.removeprefix(PACKAGE).removeprefix(".")


def _folder(module: str) -> str:
    path = ROOT / PACKAGE / module.replace(".", "/")
    return module if path.is_dir() else module.rpartition(".")[0]


def _cycles(edges: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """The sets of nodes that reach each other: those that remain when nodes without a way in or out are removed."""
    reach = {node: set(after) for node, after in edges.items()}
    grown = True
    while grown:
        grown = False
        for after in reach.values():
            further = set().union(*(reach.get(n, set()) for n in after)) - after
            after |= further
            grown = grown or bool(further)
    return {frozenset(other for other in after if node in reach.get(other, set()))
            for node, after in reach.items() if node in after}


def test_no_import_runs_up() -> None:
    from importlinter.cli import lint_imports

    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), limit_to_contracts=("runtime-layers",),
                        no_cache=True) == 0


def test_the_contract_counts_imports_for_type_checking() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "exclude_type_checking_imports"] is False


def test_no_cycle_across_folders(imports: dict[str, set[str]]) -> None:
    edges: dict[str, set[str]] = {}
    for module, others in imports.items():
        edges.setdefault(_folder(module), set()).update(_folder(o) for o in others if _folder(o) != _folder(module))
    assert not _cycles(edges)


def test_cycles_within_a_folder_are_listed(imports: dict[str, set[str]]) -> None:
    assert _cycles(imports) == CYCLES_WITHIN_A_FOLDER
