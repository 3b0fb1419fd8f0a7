"""The page on types: its blocks run, and type checkers say of them what the comments do."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs.markdown import ROOT
from tests.stubs.checkers import CHECKERS, STUBS, TYPINGS, mypy_errors
from tests.stubs.pages import answers, cases, faults

PAGE = ROOT / "docs" / "types.md"
CASES = list(cases(PAGE))


@pytest.fixture(scope="module")
def checker_answers(tmp_path_factory):
    return answers(CASES, tmp_path_factory.mktemp)


@pytest.mark.parametrize("name", list(CHECKERS))
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.on_page))
def test_type_checkers_report_the_errors_on_the_page(case, name, checker_answers):
    if name not in checker_answers:
        pytest.skip(f"{name} is not installed")
    wrong = list(faults(case, name, checker_answers[name][case.file]))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.on_page))
def test_blocks_run(case):
    pytest.importorskip("cuda.tile", reason="decorators of cuda.tile look at annotations")
    text = "\n".join(line for line in case.text.split("\n") if not line.startswith("scale("))
    exec(compile("from __future__ import annotations\n" + text, case.file, "exec"), {"__name__": "page"})


def test_the_setting_allows_redefinition(tmp_path):
    (case,) = [case for case in CASES if "# error[mypy]: assignment" in case.text]
    (tmp_path / case.file).write_text(case.text, encoding="utf-8")
    for setting, errors in (("False", 1), ("True", 0)):
        (tmp_path / "mypy.ini").write_text(
            f"[mypy]\nstrict = True\nmypy_path = {TYPINGS}\nallow_redefinition = {setting}\n", encoding="utf-8")
        assert len(mypy_errors(tmp_path, [tmp_path / case.file])[case.file]) == errors


def test_covered_operations_exist():
    text = PAGE.read_text(encoding="utf-8")
    (version,) = re.findall(r"`cuda\.tile` (\d+\.\d+)", text)
    assert importlib.import_module("importlib.metadata").version("cuda-tile").startswith(version + ".")
    for name in re.findall(r"`cuda\.tile\.(\w+)`", text):
        assert (STUBS / "tile" / name / "__init__.pyi").exists()
