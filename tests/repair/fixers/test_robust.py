"""Fixes of texts that are not the ones that were checked, and of mutated ones: none raises, none leaves its place."""

from __future__ import annotations

import random

import pytest

from tests.cases.expectations import FOLDER
from tests.repair.helpers import SETTINGS
from tilecheck.api import check_source
from tilecheck.repair.edits import apply_edits
from tilecheck.repair.fixers.registry import fixes_for

FILES = ["raw_bad.py", "padding_bad.py", "lints_bad.py", "ordinary_bad.py", "dialect_bad.py", "host_bad.py"]


@pytest.mark.parametrize("file", FILES)
def test_every_finding_of_the_cases_has_fixes_that_parse(file: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    for finding in check_source(text, file, SETTINGS).diagnostics:
        for fix in fixes_for(text, finding):
            changed = apply_edits(text, fix.edits)
            compile(changed, file, "exec")
            assert changed != text
            assert fix.title and fix.code == finding.code


@pytest.mark.parametrize("file", FILES[:4])
def test_no_fix_raises_on_a_text_that_has_changed_since(file: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    found = check_source(text, file, SETTINGS).diagnostics
    dice = random.Random(file)
    lines = text.split("\n")
    for _ in range(12):
        other = list(lines)
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(len(other))
            change = dice.choice(["drop", "double", "cut", "swap"])
            if change == "drop":
                del other[place]
            elif change == "double":
                other.insert(place, other[place])
            elif change == "cut":
                other[place] = other[place][: dice.randrange(len(other[place]) + 1)]
            else:
                other[place] = other[place].replace("(i", "(j").replace("ct.load", "ct.lod")
        changed = "\n".join(other)
        for finding in found:
            for fix in fixes_for(changed, finding):
                apply_edits(changed, fix.edits)
    for finding in found:
        for rest in ("", "\n", "\n".join(lines[: finding.span.line - 1]), "\n".join(lines[: finding.span.line])):
            for fix in fixes_for(rest, finding):
                apply_edits(rest, fix.edits)
