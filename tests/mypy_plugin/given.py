"""Cases that other tests have, for mypy to check: examples of the rule pages, and files of `tests/cases`.

A case is one block of a page, or one function of a file. It is for the rules that it breaks; one that breaks none is
for the rule of its page, or for those that the functions of its file come close to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.cases.expectations import FOLDER
from tests.docs.markdown import ROOT, blocks
from tilecheck.pipeline.policy import COMPILER

__all__ = ["FILES", "Given", "read_given"]

FILES: Final = (
    "dialect.py", "dialect_bad.py", "dialect_good.py", "host.py", "host_bad.py", "host_good.py", "host_torch_bad.py",
    "host_torch_good.py", "lints_bad.py", "lints_good.py", "ordinary_bad.py", "ordinary_good.py", "padding_bad.py",
    "padding_good.py", "raw_bad.py", "raw_good.py",
)
_RACES: Final = ("TC101", "TC102", "TC103", "TC106", "TC107", "TC108", "TC111")
_BOUNDS: Final = ("TC201", "TC202", "TC204", "TC205", "TC206", "TC207")
_LINTS: Final = ("TC203", "TC204", "TC302", "TC304", "TC305")
_DIALECT: Final = ("TC104", "TC105", "TC109", "TC110", "TC501", "TC502")
_HOST: Final = tuple(f"TC40{number}" for number in range(1, 9))
_NEAR: Final = {
    "dialect": _DIALECT, "host": _HOST, "lints": _LINTS, "ordinary": _RACES + _BOUNDS + _LINTS,
    "padding": ("TC301", "TC303"), "raw": _RACES + _BOUNDS,
}
"""The rules that clean functions of a file are negative cases of, by the beginning of its name."""
_EXPECT: Final = re.compile(r"# (?:expect|error): (TC\d+(?:\s*,\s*\w+)*)")
_CODE: Final = re.compile(r"TC\d+")


@dataclass(frozen=True)
class Given:
    """A module: its file name, its text, its expected messages, and how many cases of each rule it has.

    bad   by rule
    good  by rule
    """

    name: str
    text: str
    bad: dict[str, int]
    good: dict[str, int]

    @property
    def expected(self) -> set[tuple[int, str]]:
        """Line and rule."""
        return {(number, code) for number, line in enumerate(self.text.split("\n"), 1)
                for found in _EXPECT.finditer(line) for code in _CODE.findall(found[1])}


def read_given() -> Iterator[Given]:
    """All of them."""
    for page in sorted((ROOT / "docs" / "rules").glob("*.md")):
        if page.stem == COMPILER:
            continue  # `check --compile` alone reports it
        for block in blocks(page):
            if block.language == "python":
                codes = {code for _, code in block.expected}
                yield Given(f"{page.stem.lower()}_{block.line}.py", block.text, dict.fromkeys(codes, 1),
                            {} if codes else {page.stem: 1})
    for name in FILES:
        yield _file(FOLDER / name)


def _file(path: Path) -> Given:
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    bad: dict[str, int] = {}
    clean = 0
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            body = "\n".join(lines[node.lineno - 1:node.end_lineno])
            codes = {code for found in _EXPECT.finditer(body) for code in _CODE.findall(found[1])}
            clean += not codes
            for code in codes:
                bad[code] = bad.get(code, 0) + 1
    return Given(path.name, text, bad, dict.fromkeys(_NEAR[path.stem.partition("_")[0]], clean))
