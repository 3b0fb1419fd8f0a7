"""Claims of the first pages, in addition to the output of their commands."""

from __future__ import annotations

import re

from tests.docs.markdown import ROOT, Block, blocks
from tilecheck.api import check_source
from tilecheck.config import Config

DOCS = ROOT / "docs"
SETTINGS = Config(use_cache=False)


def _first_block(page: str) -> Block:
    return next(b for b in blocks(DOCS / page) if b.language == "python")


def test_the_change_named_by_the_index_fixes_the_race() -> None:
    kernel = _first_block("README.md").text
    assert "With `(i,)` in place of `(i // 2,)` it is proved." in (DOCS / "README.md").read_text(encoding="utf-8")
    assert kernel.count("(i // 2,)") == 1
    report = check_source(kernel.replace("(i // 2,)", "(i,)"), "halves.py", SETTINGS)
    assert report.diagnostics == () and [k.verdict for k in report.kernels] == ["proved"]


def test_the_first_five_minutes_count_the_findings() -> None:
    text = (DOCS / "first-kernels.md").read_text(encoding="utf-8")
    file = _first_block("first-kernels.md")
    assert file.before == "<!-- file ops.py -->" and "Save this as `ops.py`." in text
    report = check_source(file.text, "ops.py", SETTINGS)
    at_fault = {d.kernel for d in report.diagnostics if d.code != "TC405"}
    launches = [d for d in report.diagnostics if d.code == "TC405"]
    assert "Two of its kernels have bugs, and so does one launch." in text and (len(at_fault), len(launches)) == (2, 1)
    (line,) = re.findall(r"The launch on line (\d+), of 4 blocks with `T = 4`", text)
    assert file.text.splitlines()[int(line) - 1] == "ct.launch(0, (4,), scale, (x, out, 2.0, 4))"
