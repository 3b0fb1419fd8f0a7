"""The comments of the cases, read back: what is expected where."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
_EXPECT: Final = re.compile(r"# expect: ([A-Z0-9, ]+)")
_VERDICT: Final = re.compile(r"# verdict: (\w+)")
_CONTRACT: Final = re.compile(r"# contract: (.+)")


@dataclass(frozen=True)
class Case:
    """A kernel of a case file.

    expected  (line, code) pairs
    verdict   from its `def` line
    contract  clauses that its contract must contain
    """

    file: str
    name: str
    first: int
    last: int
    expected: frozenset[tuple[int, str]]
    verdict: str | None
    contract: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"


def cases(file: str) -> tuple[Case, ...]:
    """The top-level functions of a file under `@ct.kernel`."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    lines = text.splitlines()
    found: list[Case] = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
            continue
        last = node.end_lineno or node.lineno
        expected: dict[int, list[str]] = defaultdict(list)
        contract: list[str] = []
        for number in range(node.lineno, last + 1):
            if match := _EXPECT.search(lines[number - 1]):
                expected[number] = [c.strip() for c in match[1].split(",") if c.strip().startswith("TC")]
            if match := _CONTRACT.search(lines[number - 1]):
                contract.append(match[1].strip())
        verdict = _VERDICT.search(lines[node.lineno - 1])
        pairs = frozenset((line, code) for line, codes in expected.items() for code in codes)
        found.append(Case(file, node.name, node.lineno, last, pairs, verdict[1] if verdict else None, tuple(contract)))
    return tuple(found)
