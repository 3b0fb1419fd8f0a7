"""The page on the mypy plugin: mypy says of its blocks what the comments do, and the table of codes is whole."""

from __future__ import annotations

import re

import pytest

from tests.docs.markdown import ROOT, blocks
from tests.mypy_plugin.expected import complaints
from tests.mypy_plugin.runner import Run, mypy, write_config
from tilecheck.mypy_plugin.codes import CODES, FAILURE, rules_of

PAGE = ROOT / "docs" / "mypy.md"
BLOCKS = [block for block in blocks(PAGE) if block.language == "python"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("page")
    write_config(folder)
    for block in BLOCKS:
        (folder / f"b{block.line}.py").write_text(block.text, encoding="utf-8")
    return mypy(folder)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: str(block.line))
def test_mypy_reports_the_errors_on_the_page(block, run: Run):
    assert complaints(f"b{block.line}.py", enumerate(block.text.split("\n"), 1), run) == []


def test_output_is_real(run: Run):
    (text,) = [block.text for block in blocks(PAGE) if block.language == "text"]
    said = re.sub(r":(\d+):\d+: ", r":\1: ", run.output)
    for line in text.splitlines():
        assert line.replace("kernels.py", f"b{BLOCKS[0].line}.py") in said


def test_every_code_has_rules() -> None:
    assert all(rules_of(code) for code in CODES if code != FAILURE)
