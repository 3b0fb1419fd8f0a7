"""The edit that was tried in the tree is the one in the text: each proposed edit resolves its finding once written."""

from __future__ import annotations

import pytest

from tests.cases.expectations import FOLDER
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Edit, apply_edits

SETTINGS = Config(use_cache=False)
FILES = ("raw_bad.py", "ordinary_bad.py")
TEXTS = {name: (FOLDER / name).read_text(encoding="utf-8") for name in FILES}
FOUND = [(name, d) for name in FILES for d in check_source(TEXTS[name], name, SETTINGS).diagnostics
         if d.proposal is not None and d.proposal.edits]


def _id(value: object) -> str:
    return value.kernel or "" if isinstance(value, Diagnostic) else str(value)


def test_the_cases_have_edits() -> None:
    assert {d.kernel for name, d in FOUND if name == "raw_bad.py"} >= {
        "everyone_writes_tile_zero", "dropped_axis", "half_step_scatter", "strided_view_overlaps", "wrong_radix",
        "persistent_without_stride", "two_stores_meet", "mask_does_not_help", "one_past_the_end"}


@pytest.mark.parametrize(("name", "finding"), FOUND, ids=_id)
def test_an_edit_removes_its_finding(name: str, finding: Diagnostic) -> None:
    assert finding.proposal is not None
    for span, text in finding.proposal.edits:
        report = check_source(apply_edits(TEXTS[name], [Edit(span, text)]), name, SETTINGS)
        assert report.failures == ()
        left = [d for d in report.diagnostics if (d.code, d.kernel) == (finding.code, finding.kernel)]
        assert left == [], (text, finding.help)
