"""Which rules are on."""

from __future__ import annotations

import pytest

from tilecheck.rules.catalog import RULES, find
from tilecheck.rules.selection import Selection, SelectorError, check_selectors, covered_codes


@pytest.mark.parametrize(
    ("select", "ignore", "on"),
    [
        (("ALL",), (), set(RULES)),
        (("TC4",), (), {f"TC40{k}" for k in range(1, 9)}),
        (("tc4",), ("TC405",), {f"TC40{k}" for k in range(1, 9)} - {"TC405"}),
        (("overlapping-write",), (), {"TC101"}),
        (("TC101",), ("TC1",), {"TC101"}),
        (("TC10",), ("TC1",), {f"TC10{k}" for k in range(1, 10)}),
        (("ALL",), ("ALL",), set()),
        (("TC101",), ("overlapping-write",), set()),
        ((), (), set()),
    ],
)
def test_the_longer_selector_counts_and_ignore_wins_a_tie(
    select: tuple[str, ...], ignore: tuple[str, ...], on: set[str]
) -> None:
    assert {code for code in RULES if code in Selection(select, ignore)} == on


@pytest.mark.parametrize("word", ["TC999", "T", "TC", "overlaping-write", ""])
def test_a_selector_must_name_a_rule(word: str) -> None:
    with pytest.raises(SelectorError):
        check_selectors([word])
    assert covered_codes(word) == ()


def test_a_misspelt_selector_gets_a_hint() -> None:
    with pytest.raises(SelectorError, match="did you mean 'overlapping-write'"):
        check_selectors(["Overlaping-Write"])


def test_rules_are_found_by_code_and_name_in_any_case() -> None:
    assert find("tc101") == find("Overlapping-Write") == "TC101"
    assert find("nothing") is None
