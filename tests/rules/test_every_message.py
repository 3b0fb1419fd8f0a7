"""Every message of a rule is tested: the cases of the rules reach each statement that has one."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

from tests.rules.cases import all_cases, run
from tests.rules.language.test_refused_by_compiler import list_reports
from tilecheck.rules import catalog

FOLDER: Final = Path(catalog.__file__).parent


def test_every_message_is_that_of_a_case() -> None:
    reached = _lines_reached()
    missing = [f"{path.relative_to(FOLDER)}:{line}" for path in sorted(FOLDER.glob("*/*.py"))
               for line in _lines_of_messages(path) if line not in reached[str(path)]]
    assert missing == []


def _lines_reached() -> dict[str, set[int]]:
    """The lines of rules that are executed for the cases, by file."""
    reached: defaultdict[str, set[int]] = defaultdict(set)

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        lines = reached[frame.f_code.co_filename]

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return step

        lines.add(frame.f_lineno)
        return step

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        return trace(frame, event, argument) if frame.f_code.co_filename.startswith(str(FOLDER)) else None

    list(catalog.RULES.values())
    before = sys.gettrace()
    sys.settrace(enter)
    try:
        for case in all_cases():
            run(case)
        list(list_reports())
    finally:
        sys.settrace(before)
    return reached


def _lines_of_messages(path: Path) -> Iterator[int]:
    """The first lines of statements in functions that contain text of several words."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for statement in ast.walk(function):
                if isinstance(statement, ast.Return | ast.Assign | ast.Expr) and not _is_docstring(statement) and any(
                        isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()
                        for node in ast.walk(statement)):
                    yield statement.lineno


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
