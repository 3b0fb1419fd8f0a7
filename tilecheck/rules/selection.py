"""Which rules are on: `ALL`, a code, the beginning of a code, or a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tilecheck.rules.catalog import CODES, NAMES
from tilecheck.text.did_you_mean import did_you_mean


class SelectorError(ValueError):
    """A selector that names no rule."""


class Selection(Struct, frozen=True):
    """The rules that are on. Of two selectors that cover a rule, the longer one counts; at a tie `ignore` wins."""

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()

    def __contains__(self, code: str) -> bool:
        return _specificity(self.select, code) > _specificity(self.ignore, code)


def check_selectors(selectors: Iterable[str]) -> None:
    """Raise SelectorError for one that names no rule."""
    for selector in selectors:
        if not covered_codes(selector):
            hint = did_you_mean(selector, [*NAMES, *CODES, "ALL"])
            raise SelectorError(f"unknown rule selector '{selector}'{hint}")


def covered_codes(selector: str) -> tuple[str, ...]:
    """The codes that a selector covers."""
    return tuple(code for code in NAMES if _specificity((selector,), code) >= 0)


def _specificity(selectors: Sequence[str], code: str) -> int:
    """Length of the longest selector that covers the code; 0 for ALL, -1 for none."""
    best = -1
    for selector in selectors:
        upper = selector.upper()
        if upper == "ALL":
            best = max(best, 0)
        elif len(upper) > 2 and upper.startswith("TC") and code.startswith(upper):
            best = max(best, len(upper))
        elif NAMES.get(code) == selector.lower():
            best = max(best, len(code))
    return best
