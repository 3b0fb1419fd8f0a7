"""The rule pages: complete, in one order, and their examples are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, Block, blocks
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.rules.pages import PageError, page
from tilecheck.rules.registry import RULES

PAGES = sorted((ROOT / "docs" / "rules").glob("*.md"))
OTHERS = [ROOT / "docs" / "contracts.md", ROOT / "docs" / "cli.md", ROOT / "docs" / "host.md", ROOT / "README.md"]
HEADINGS = ["What it does", "Why is this bad?", "Example", "Use instead", "How to opt out"]


def _python(paths: list[Path]) -> list[tuple[Path, Block]]:
    return [(path, block) for path in paths for block in blocks(path) if block.language == "python"]


def _name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value.line) if isinstance(value, Block) else repr(value)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert [path.stem for path in PAGES] == sorted(RULES)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_a_page_has_all_its_parts_in_order(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    rule = RULES[path.stem]
    assert text.startswith(f"# {rule.code}: {rule.name}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    flagged = [bool(block.expected) for block in blocks(path) if block.language == "python"]
    assert True in flagged and False in flagged, "a page has an example that is flagged and one that is clean"
    assert any(code == rule.code for block in blocks(path) for _, code in block.expected)


@pytest.mark.parametrize(("path", "block"), _python([*PAGES, *OTHERS]), ids=_name)
def test_an_example_has_the_findings_it_shows_and_no_others(path: Path, block: Block) -> None:
    report = check_source(block.text, f"{path.stem}.py", Config(use_cache=False))
    assert report.failures == ()
    found = {(diagnostic.span.line, diagnostic.code) for diagnostic in report.diagnostics}
    assert found == block.expected


def test_a_page_is_found_by_code_and_by_name() -> None:
    assert page("tc101") == page("overlapping-write") == (ROOT / "docs/rules/TC101.md").read_text(encoding="utf-8")
    with pytest.raises(PageError, match="did you mean 'TC102'"):
        page("TC1O2")


def test_the_index_lists_every_rule() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        assert f"| [{rule.code}](rules/{rule.code}.md) | {rule.name} | {rule.summary} |" in index
