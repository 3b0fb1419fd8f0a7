"""The cases of host code, run: what they expect is refused on its line, and what is right gives the right values."""

from __future__ import annotations

import ast
import asyncio
import gc
import inspect
import re
import sys
import warnings
from types import ModuleType
from typing import Any, Final

import pytest

from tests.cases.expectations import FOLDER
from tilecheck_runtime import NeverRunWarning, Operation, OwnershipError

FILE: Final = FOLDER / "host.py"
LINES: Final = FILE.read_text(encoding="utf-8").splitlines()
ARGUMENTS: Final[dict[str, tuple[Any, ...]]] = {"moved_on_one_path": (True,), "fine_in_loop": (3,)}


@pytest.fixture(scope="module")
def host() -> Any:
    """The cases, which import `dialect` from beside them."""
    sys.path.insert(0, str(FOLDER))
    try:
        module = ModuleType("host_cases")
        module.__dict__["__file__"] = str(FILE)
        exec(compile(FILE.read_text(encoding="utf-8"), str(FILE), "exec"), vars(module))
        yield module
    finally:
        sys.path.remove(str(FOLDER))
        sys.modules.pop("dialect", None)


def _cases() -> dict[str, list[tuple[int, str]]]:
    found = {}
    for node in ast.parse("\n".join(LINES)).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            marks = [(n, m[1]) for n in span if (m := re.search(r"# expect: (TC\d+)", LINES[n - 1]))]
            found[node.name] = marks
    return found


CASES: Final = _cases()


def _run(host: Any, name: str) -> list[tuple[int, str]]:
    """Returns (line, code) of all reports while a case runs."""
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = getattr(host, name)(*ARGUMENTS.get(name, ()))
            if inspect.iscoroutine(result):
                asyncio.run(result)
        except OwnershipError as error:
            frames = inspect.getinnerframes(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(FILE)]
            assert error.use.file == str(FILE) and error.use.line == lines[-1]
            said.append((error.use.line, error.code))
        gc.collect()
    for warning in caught:
        assert warning.category is NeverRunWarning and warning.filename == str(FILE), str(warning.message)
        said.append((warning.lineno, str(warning.message).partition(" ")[0]))
    return said


@pytest.mark.parametrize("name", [n for n, marks in CASES.items() if marks])
def test_wrong_programs_are_refused_at_their_line(host, name):
    assert _run(host, name) == CASES[name]


@pytest.mark.parametrize("name", [n for n, marks in CASES.items() if not marks])
def test_right_programs_run_without_a_message(host, name, monkeypatch):
    printed: list[Any] = []
    results: list[Any] = []
    run = Operation.sync

    def run_and_store(operation):
        result = run(operation)
        results.extend(p.numpy() for p in (result if isinstance(result, tuple) else (result,)))
        return result

    monkeypatch.setitem(vars(host), "print", lambda *values: printed.extend(values))
    monkeypatch.setattr(Operation, "sync", run_and_store)
    assert _run(host, name) == []
    assert printed or results
    for values in results or printed[:1]:
        assert values.shape == (1024,) and (values == 2).all()
    assert all((values == 1).all() for values in printed[1:])
    assert len(results) == {"fine_in_loop": 3, "fine_shared_reads": 2, "fine_sync": 1}.get(name, 0)


def test_every_case_runs():
    assert len(CASES) == 15
