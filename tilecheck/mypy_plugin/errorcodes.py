"""mypy's objects for our error codes. It knows a code, in its options too, from the time it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mypy.errorcodes import ErrorCode

from tilecheck.mypy_plugin.codes import FAILURE, RULES_OF

__all__ = ["ERROR_CODES"]


def _description(code: str, rules: Sequence[str]) -> str:
    return "What tilecheck could not check" if code == FAILURE else f"Findings of tilecheck: {', '.join(rules)}"


ERROR_CODES: Final[Mapping[str, ErrorCode]] = {
    code: ErrorCode(code, _description(code, rules), "Tilecheck") for code, rules in RULES_OF.items()
}
