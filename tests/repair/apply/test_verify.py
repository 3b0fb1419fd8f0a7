"""The definition of harm: each way in which a change can make a tree worse is detected."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.repair.helpers import SETTINGS, kernel
from tilecheck.api import check_source
from tilecheck.diagnostics import Report
from tilecheck.repair.apply.moves import Moves
from tilecheck.repair.apply.verify import describe_harm, is_left
from tilecheck.repair.edits import Edit, apply_edits
from tilecheck.syntax.tree import Span

GOOD = kernel("i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))", "a, c, ids, T: Int")


def report(text: str) -> Report:
    return check_source(text, "k.py", SETTINGS)


def find_harm(before: str, old: str, new: str) -> str | None:
    """The harm in replacing one text by another."""
    assert before.count(old) == 1
    lines = before[: before.index(old)].split("\n")
    start = (len(lines), len(lines[-1]))
    inner = old.split("\n")
    end = (start[0] + len(inner) - 1, len(inner[-1]) + (start[1] if len(inner) == 1 else 0))
    edits = [Edit(Span("k.py", *start, *end), new)]
    after = apply_edits(before, edits)
    return describe_harm(report(before), report(after), {"k.py": Moves(before, edits)})


def test_an_edit_without_effect_does_no_harm() -> None:
    assert find_harm(GOOD, "@ct.kernel", "# a\n# comment\n@ct.kernel") is None
    assert find_harm(GOOD, "    i = ct.bid(0)\n", "    i = ct.bid(0)\n\n") is None


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("(i,), ct.load", "(0,), ct.load", "TC101 would be found in line 9"),
    ("ct.store(c, (i,), ct.load(a, (i,), (T,)))", "t = ct.load(a, (i,), (T,))", "TC304 would be found"),
    ("    ct.store(c, (i,), ct.load(a, (i,), (T,)))", "    pass", "k would write less"),
    ("@ct.kernel\n", "", "k would no longer be a kernel"),
    ("(i,), (T,)))", "(i,), (T,))", "the file could no longer be checked"),
    ("i = ct.bid(0)", "i = ct.load(ids, (ct.bid(0),), (1,)).item()", "TC102 would be found"),
])
def test_harm_is_detected_and_described(old: str, new: str, expected: str) -> None:
    found = find_harm(GOOD, old, new)
    assert found is not None and found.startswith(expected)


def test_a_proof_that_is_lost_without_a_finding_is_harm() -> None:
    # a precondition for staying inside is not a finding, and differs from the earlier proof
    text = kernel("i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))", "a, c, ids, T: Int")
    found = find_harm(text, "ct.load(a, (i,), (T,))", "ct.load(a, (i, ), (T,), check_bounds=False)")
    assert found is not None and "would be conditional" in found


def test_a_moved_finding_is_the_same_and_a_second_one_is_new() -> None:
    race = GOOD.replace("(i,), ct.load", "(0,), ct.load")
    assert find_harm(race, "@ct.kernel", "# tilecheck: a comment\n@ct.kernel") is None
    second = "    ct.store(c, (0,), ct.load(a, (i,), (T,)))\n"
    assert (find_harm(race, second, second + second) or "").startswith("TC101 would be found in line 9")


def test_a_warning_that_becomes_an_error_is_harm() -> None:
    text = kernel("i = ct.bid(0)\nct.store(c, (i, 0), ct.sum(ct.load(a, (i, 0), (1, T)), axis=1, keepdims=True))",
                  "a, c, T: Int")
    before = report(text)
    (finding,) = before.diagnostics
    assert finding.severity == "warning" and describe_harm(before, before, {}) is None
    worse = replace(before, diagnostics=(replace(finding, severity="error"),))
    assert (describe_harm(before, worse, {}) or "").startswith("TC301 would be found")
    assert describe_harm(worse, before, {}) is None


def test_remaining_findings_are_matched_at_their_new_location() -> None:
    race = GOOD.replace("(i,), ct.load", "(0,), ct.load")
    edits = [Edit(Span("k.py", 1, 0, 1, 0), "# one\n# two\n")]
    (finding,) = report(race).diagnostics
    moved = report(apply_edits(race, edits))
    assert is_left(moved, {"k.py": Moves(race, edits)}, finding)
    assert not is_left(report(GOOD), {}, finding)
