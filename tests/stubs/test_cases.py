"""The types that checkers infer, from the Markdown files in `cases/`; `pages.py` describes their format.

`UPDATE_CASES=1` writes the revealed types into the pages, to be read before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.stubs.checkers import CHECKERS
from tests.stubs.pages import ERROR, Answers, answers, cases, faults

FOLDER = Path(__file__).with_name("cases")
CASES = [case for page in sorted(FOLDER.glob("*.md")) for case in cases(page)]


@pytest.fixture(scope="module")
def checker_answers(tmp_path_factory) -> Answers:
    found = answers(CASES, tmp_path_factory.mktemp)
    if os.environ.get("UPDATE_CASES"):
        _update(found)
    return found


@pytest.mark.parametrize("name", list(CHECKERS))
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page.stem}: {case.name}")
def test_cases_infer_the_expected_types(case, name, checker_answers):
    if name not in checker_answers:
        pytest.skip(f"{name} is not installed")
    wrong = list(faults(case, name, checker_answers[name][case.file]))
    assert not wrong, "\n".join(wrong)


def test_both_kinds_have_cases():
    text = "\n".join(case.text for case in CASES)
    assert text.count("reveal_type(") > 200
    assert len(ERROR.findall(text)) > 60


def _update(found: Answers) -> None:
    for page in sorted(FOLDER.glob("*.md")):
        lines = page.read_text(encoding="utf-8").split("\n")
        for case in (case for case in CASES if case.page == page):
            for number, line in case.lines():
                if "reveal_type(" not in line:
                    continue
                types = {
                    name: next((m.revealed for m in checker_answers[case.file] if m.line == number and m.revealed), "?")
                    for name, checker_answers in found.items()
                }
                common = types["mypy"]
                others = "".join(f"; {name}: {kind}" for name, kind in types.items() if kind != common)
                lines[case.on_page + number - case.first] = f"{line.split('  # ')[0]}  # reveals: {common}{others}"
        page.write_text("\n".join(lines), encoding="utf-8")
