"""The further cases of host code, run: the runtime refuses what the checker finds, on that line, and nothing else."""

from __future__ import annotations

import ast
import asyncio
import gc
import inspect
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.cases.expectations import FOLDER
from tilecheck_runtime import NeverRunWarning, OwnershipError

FILES: Final = (FOLDER / "host_good.py", FOLDER / "host_bad.py")


def _cases(file: Path) -> dict[str, list[tuple[int, str]]]:
    """(line, code) pairs by function; of functions that can be called as they stand, without a GPU."""
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {}
    for node in ast.parse(text).body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.decorator_list:
            continue
        if len(node.args.args) > len(node.args.defaults) or node.name.startswith("graph_"):
            continue
        span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        found[node.name] = [(n, m[1]) for n in span if (m := re.search(r"# expect: (TC\d+)", lines[n - 1]))]
    return found


CASES: Final = [(file, name, marks) for file in FILES for name, marks in _cases(file).items()]


@pytest.fixture(scope="module")
def modules() -> Any:
    """The cases, which import `dialect` from beside them, by file."""
    sys.path.insert(0, str(FOLDER))
    found = {}
    try:
        for file in FILES:
            found[file] = module = ModuleType(file.stem)
            module.__dict__["__file__"] = str(file)
            sys.modules[file.stem] = module
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), vars(module))
            module.__dict__["print"] = lambda *values: None
        yield found
    finally:
        sys.path.remove(str(FOLDER))
        for name in ("dialect", *(file.stem for file in FILES)):
            sys.modules.pop(name, None)


def _in_class(file: Path) -> list[tuple[int, str]]:
    """Marks in methods, which another function calls."""
    text = file.read_text(encoding="utf-8")
    spans = [range(n.lineno, (n.end_lineno or 0) + 1) for n in ast.parse(text).body if isinstance(n, ast.ClassDef)]
    return [(number, m[1]) for number, line in enumerate(text.splitlines(), 1)
            if (m := re.search(r"# expect: (TC\d+)", line)) and any(number in span for span in spans)]


def _run(module: Any, file: Path, name: str) -> list[tuple[int, str]]:
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = getattr(module, name)()
            if inspect.iscoroutine(result):
                asyncio.run(result)
            del result
        except OwnershipError as error:
            said.append((error.use.line, error.code))
        except ValueError as error:
            assert str(error) == "not now"
        gc.collect()
    said += [(w.lineno, str(w.message).partition(" ")[0]) for w in caught if w.category is NeverRunWarning]
    return said


@pytest.mark.parametrize(("file", "name", "marks"), CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_the_runtime_refuses_what_the_checker_finds(modules, file, name, marks):
    expected = marks or (_in_class(file) if name == "an_attribute" else [])
    assert set(_run(modules[file], file, name)) == set(expected)
