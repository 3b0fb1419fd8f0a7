"""Which paths are followed, which files are looked at, and how findings of host code are selected and suppressed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.api import check_paths, check_source
from tilecheck.config import Config
from tilecheck.interp.ownership.concerned import find_ownership_functions
from tilecheck.interp.ownership.path import MOST_PATHS, paths
from tilecheck.interp.ownership.path import Path as Way
from tilecheck.interp.ownership.search import Owned, find_ownership
from tilecheck.project.project import Project

HEAD = """\
import tilecheck_runtime as tcr
from tilecheck_runtime import f32


"""
MOVED = """\
def run(z: tcr.Tensor, other) -> None:
    parts = z.partition(16)
    print(z.numpy(), parts.numpy())
"""


def _codes(text: str, strict: bool = False) -> list[tuple[int, str]]:
    report = check_source(HEAD + text, "host.py", Config(use_cache=False, strict=strict))
    assert not report.failures
    return [(d.span.line - HEAD.count("\n"), d.code) for d in report.diagnostics]


def _ways(choices: list[int]) -> list[tuple[int, ...]]:
    return list(paths(lambda way: tuple(way.choose(n) for n in choices)))


def test_paths_with_few_unusual_choices_come_first():
    found = _ways([2, 3])
    assert found[0] == (0, 0)
    assert len(found) == len(set(found)) == 6
    assert [sum(c != 0 for c in way) for way in found] == [0, 1, 1, 1, 2, 2]


def test_the_number_of_paths_is_limited():
    found = _ways([2] * 12)
    assert len(found) == len(set(found)) == MOST_PATHS
    assert all((0,) * at + (1,) + (0,) * (11 - at) in found for at in range(12))


def test_the_same_question_has_the_same_answer():
    way = Way((1,))
    assert [way.choose(2, 0, "flag"), way.choose(2, 0, "flag"), way.choose(2, 0, "other")] == [1, 1, 0]


@pytest.mark.parametrize("data", [
    b"import numpy as np\n\nx = np.zeros(3)\n", b"import torch\n\n\ndef f(x):\n    return x.cpu().item()\n"])
def test_an_unrelated_file_is_not_parsed(data):
    project = Project(["other.py"], contents={"other.py": data})
    module = project.module("other.py")
    assert find_ownership(project, module) == Owned()
    assert "skeleton" not in vars(module)


def test_only_code_that_moves_or_launches_is_followed():
    import ast

    text = """\
def moves(x): return x.partition(4)
def uses(x): return moves(x)
def splits(text): return text.partition(".")
def reads(x): return x.numpy()
"""
    bodies = {n.name: n.body for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    assert find_ownership_functions(bodies, ()) == {"moves", "uses"}
    assert find_ownership_functions(bodies, ("numpy",)) == {"moves", "uses", "reads"}


def test_a_finding_is_suppressed_with_a_reason():
    line = "    print(z.numpy(), parts.numpy())"
    assert _codes(MOVED) == [(3, "TC402")]
    assert _codes(MOVED.replace(line, f"{line}  # tilecheck: allow[TC402] the copy is printed elsewhere")) == []
    assert _codes(MOVED.replace("numpy(), ", "shape, ").replace(
        "parts.numpy())", "parts.numpy())  # tilecheck: allow[TC402] not needed")) == [(3, "TC901")]


ESCAPED = """\
def run(z: tcr.Tensor, other) -> None:
    parts = z.view[:16].partition(16)
    other.keep(parts)
    del parts
    print(z.numpy())
"""
PARTS = """\
def run(n: int, z: tcr.Tensor) -> None:
    parts = z.view[:n].partition(16)
    print(z.view[n:].numpy(), parts.numpy())
"""
GUESSED = """\
def run(z, n) -> None:
    parts = z.partition(n)
    print(z.numpy(), parts, f32)
"""


@pytest.mark.parametrize(("text", "line"), [(ESCAPED, 5), (PARTS, 3), (GUESSED, 3)])
def test_possible_faults_are_errors_only_in_strict_runs(text, line):
    assert _codes(text) == []
    assert _codes(text, strict=True) == [(line, "TC402")]


def test_findings_do_not_depend_on_the_number_of_processes(tmp_path: Path):
    for number in range(6):
        padding = "# a line that makes the file longer\n" * 250
        (tmp_path / f"host_{number}.py").write_text(HEAD + MOVED + padding, encoding="utf-8")
    one, two = (check_paths([tmp_path], Config(use_cache=False, jobs=jobs)) for jobs in (1, 2))
    assert one == two
    assert [d.code for d in one.diagnostics] == ["TC402"] * 6


def test_findings_of_host_code_are_cached(tmp_path: Path):
    (tmp_path / "host.py").write_text(HEAD + MOVED, encoding="utf-8")
    config = Config(cache_dir=tmp_path / "cache")
    first, again = (check_paths([tmp_path / "host.py"], config) for _ in range(2))
    assert first == again and [d.code for d in again.diagnostics] == ["TC402"]


def test_a_function_that_cannot_be_followed_does_not_affect_others():
    deep = "def deep(x: tcr.Tensor):\n    return " + "(" * 60 + "x.partition(4)" + ")" * 60 + "\n\n\n"
    recursive = "def again(x: tcr.Tensor):\n    x.partition(4)\n    return again(x)\n\n\n"
    found = [code for _, code in _codes(deep + recursive + MOVED)]
    assert found == ["TC402"]
