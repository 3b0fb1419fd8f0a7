"""The pages on extending, releases, limits and contracts: names are there, numbers are those of the code."""

from __future__ import annotations

import ast
import re
from importlib import metadata
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tilecheck.contracts.language import ANNOTATIONS, FUNCTIONS
from tilecheck.interp.ownership.path import MOST_PATHS
from tilecheck.interp.ownership.search import _BUDGET
from tilecheck.obligations import budget as effort
from tilecheck.obligations import query as context
from tilecheck.obligations.reasons import Cause
from tilecheck.ops.releases import KNOWN_RELEASES, is_known
from tilecheck.rules.messages.reasons import sentences
from tilecheck.solver.disjointness.derive import RULES
from tilecheck.symbolic.steps import ProofStep

DOCS = ROOT / "docs"
EXTENDING = (DOCS / "extending.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w./-]+\.py)::(\w+)`", EXTENDING)))
FOLDERS = ("tilecheck/", "tilecheck_runtime/", "stubs/", "tests/", "docs/")
FILES = sorted(set(re.findall(r"`((?:tilecheck|tilecheck_runtime|stubs|tests)/[\w./-]+)`", EXTENDING)))


def _defined_names(path: Path) -> set[str]:
    """Names that a module defines or assigns at its top."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Assign():
                found |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            case ast.AnnAssign(target=ast.Name(name)):
                found.add(name)
    return found


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_named_definitions_exist(file: str, name: str) -> None:
    assert file.startswith(FOLDERS)
    assert name in _defined_names(ROOT / file)


@pytest.mark.parametrize("file", FILES)
def test_files_that_are_named_are_there(file: str) -> None:
    assert (ROOT / file).exists()


def test_walk_throughs_name_places() -> None:
    for heading in ("A new rule", "A new operation", "A new lemma"):
        section = EXTENDING.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        assert len(re.findall(r"`[\w./-]+\.py::\w+`", section)) >= 4, heading


def test_tests_that_are_named_are_tests() -> None:
    defined = _defined_names(ROOT / "tests" / "solver" / "disjointness" / "test_closure.py")
    lemma = EXTENDING.partition("## A new lemma\n")[2]
    named = re.findall(r"`(test_\w+)`", lemma)
    assert len(named) == 3 and set(named) <= defined


def test_every_lemma_is_in_one_of_the_files_that_are_named() -> None:
    lemma = EXTENDING.partition("## A new lemma\n")[2]
    assert {f"{rule.__module__.rpartition('.')[2]}.py" for rule in RULES.values()} <= set(
        re.findall(r"`(\w+\.py)`", lemma))


def test_limits_are_those_of_the_code() -> None:
    page = (DOCS / "not-proved.md").read_text(encoding="utf-8")
    assert f"| {effort.LIMIT} steps on the pairs of accesses" in page
    assert f'"{sentences((ProofStep(Cause.TOO_MANY_PAIRS),))[0]}"' in page
    assert f"| {context.SOLVER_MS} ms for a question to the solver" in page
    assert f"| {MOST_PATHS} paths through a function of host code" in page
    assert f"| {_BUDGET} statements on all paths through one function" in page


def test_supported_releases_are_those_that_are_known() -> None:
    page = (DOCS / "cuda-tile.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+\.\d+) \|", page, re.MULTILINE) == list(KNOWN_RELEASES)
    ct = pytest.importorskip("cuda.tile")
    assert ".".join(metadata.version("cuda-tile").split(".")[:2]) in KNOWN_RELEASES
    assert all(is_known(name) for name in ct.__all__)


def test_the_contract_language_is_whole() -> None:
    page = (DOCS / "contracts.md").read_text(encoding="utf-8")
    grammar = page.partition("## The language")[2].partition("```\n\n")[0]
    assert all(f'"{name}("' in grammar for name in FUNCTIONS)
    written = [way for ways in ANNOTATIONS.values() for way in ways.split(" or ")]
    assert all(f"`{way}`" in page for way in written)


def test_each_rule_of_the_memory_model_reports_its_race() -> None:
    page = (DOCS / "memory-model.md").read_text(encoding="utf-8")
    links = re.findall(r"\[(TC\d+)\]\(rules/(TC\d+)\.md\)", page)
    assert links and all(shown == target for shown, target in links)
