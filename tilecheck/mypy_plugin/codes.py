"""mypy's error codes: one for each kind of fault. Each rule names the code of its findings."""

from __future__ import annotations

from typing import Final, get_args

from tilecheck.rules.catalog import RULES
from tilecheck.rules.rule import MypyCode

__all__ = ["CODES", "FAILURE", "code_of", "rules_of"]

FAILURE: Final = "tile-failure"
"""The code of a failure of the check."""

CODES: Final[tuple[str, ...]] = (*get_args(MypyCode), FAILURE)
"""All codes."""


def code_of(rule: str) -> str:
    """The code of the findings of a rule."""
    return RULES[rule].mypy


def rules_of(code: str) -> tuple[str, ...]:
    """The rules whose findings have a code. Imports all rules."""
    return tuple(rule.code for rule in RULES.values() if rule.mypy == code)
