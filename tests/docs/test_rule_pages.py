"""The rule pages: complete, in one order, and their examples are what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.generated import stale
from tests.docs.markdown import ROOT, Block, blocks, blocks_of
from tilecheck.api import check_source
from tilecheck.cli.commands.check import check_paths
from tilecheck.config import Config
from tilecheck.pipeline.policy import COMPILER
from tilecheck.rules.catalog import RULES
from tilecheck.rules.pages import PageError, page

OTHERS = [ROOT / "docs" / "contracts.md", ROOT / "docs" / "cli.md", ROOT / "docs" / "host.md", ROOT / "README.md"]
HEADINGS = ["What it does", "Why is this bad?", "Example", "Use instead", "How to suppress it"]
EXAMPLES = [
    *((code, block) for code in RULES for block in blocks_of(page(code)) if block.language == "python"),
    *((path.stem, block) for path in OTHERS for block in blocks(path) if block.language == "python"),
]


def _name(value: object) -> str:
    return str(value.line) if isinstance(value, Block) else str(value)


def test_generated_documentation_is_current() -> None:
    assert not stale(), "run `python -m tests.docs.generated --update`"


@pytest.mark.parametrize("code", RULES)
def test_a_page_has_all_its_parts_in_order(code: str) -> None:
    text, rule = page(code), RULES[code]
    assert text.startswith(f"# {rule.code}: {rule.name}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    flagged = [bool(block.expected) for block in blocks_of(text) if block.language == "python"]
    assert True in flagged and False in flagged, "a page has an example that is flagged and one that is clean"
    assert any(found == rule.code for block in blocks_of(text) for _, found in block.expected)


@pytest.mark.parametrize(("page_name", "block"), EXAMPLES, ids=_name)
def test_an_example_has_the_findings_it_shows_and_no_others(page_name: str, block: Block) -> None:
    if page_name == COMPILER:
        return  # the next test
    report = check_source(block.text, f"{page_name}.py", Config(use_cache=False))
    assert report.failures == ()
    found = {(diagnostic.span.line, diagnostic.code) for diagnostic in report.diagnostics}
    assert found == block.expected


@pytest.mark.parametrize("block", [block for name, block in EXAMPLES if name == COMPILER], ids=_name)
def test_an_example_of_the_compiler_has_its_findings(block: Block, tmp_path: Path) -> None:
    pytest.importorskip("cuda.tile._compile", reason="the front end comes from the package cuda-tile")
    file = tmp_path / "example.py"
    file.write_text(block.text, encoding="utf-8")
    report, _ = check_paths([str(file)], Config(use_cache=False, jobs=1), limit=60)
    assert report.compilation is not None and report.compilation.uncompiled == ()
    assert {(diagnostic.span.line, diagnostic.code) for diagnostic in report.diagnostics} == block.expected


def test_a_page_is_found_by_code_and_by_name() -> None:
    assert page("tc101") == page("overlapping-write")
    with pytest.raises(PageError, match="did you mean 'TC102'"):
        page("TC1O2")


def test_pages_survive_the_removal_of_docstrings() -> None:
    text = subprocess.run(
        [sys.executable, "-OO", "-m", "tilecheck", "rule", "TC101"], capture_output=True, text=True, check=True,
        cwd=ROOT).stdout
    assert text == page("TC101")
