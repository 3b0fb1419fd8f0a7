"""The page on fixes: each example becomes what the page says, and its table lists what there is."""

from __future__ import annotations

import re

import pytest

from tests.docs.markdown import ROOT, Block, blocks
from tilecheck.api import check_source
from tilecheck.cli.editable_files import tree_of_text
from tilecheck.config import Config
from tilecheck.repair.apply.bounds_checks import drop_bounds_checks
from tilecheck.repair.apply.run import fix_tree
from tilecheck.rules.catalog import RULES

PAGE = ROOT / "docs" / "fixes.md"
PYTHON = [block for block in blocks(PAGE) if block.language == "python"]
PAIRS = list(zip(PYTHON[::2], PYTHON[1::2], strict=True))
SETTINGS = Config(use_cache=False)
FIXABLE = {code for code, rule in RULES.items() if rule.fixes}
TABLE = re.findall(r"^\| (TC\d+) \| .* \| (safe|unsafe|guess) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_table_lists_the_fixes_of_every_rule_that_has_some() -> None:
    assert {code for code, _ in TABLE} == FIXABLE
    assert set(re.findall(r"^## (TC\d+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == FIXABLE


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=lambda block: str(block.line))
def test_an_example_is_fixed_as_the_page_shows(before: Block, after: Block) -> None:
    data = before.text.encode()
    tree = tree_of_text(data, "example.py", SETTINGS)
    outcome = fix_tree(tree, unsafe=True)
    dropped = "check_bounds=False" in after.text
    if dropped:
        outcome = drop_bounds_checks(tree, {"example.py": data}, outcome)
    assert outcome.contents.get("example.py", data).decode() == after.text
    assert check_source(after.text, "example.py", SETTINGS).diagnostics == ()
    kinds = {(a.finding.code, "guess" if a.fix.only else a.fix.applicability) for a in outcome.applied}
    assert kinds and (dropped or kinds <= set(TABLE))


def test_examples_are_of_every_rule() -> None:
    found = {d.code for before, _ in PAIRS for d in check_source(before.text, "example.py", SETTINGS).diagnostics}
    assert found == FIXABLE
