"""The steps of a proof as sentences. A proof compares two blocks that touch one element, and finds them to be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tilecheck.explain.names import Names

__all__ = ["sentences"]

_COORDINATE: Final = re.compile(r"bid\((\d)\)")

_Template = tuple[re.Pattern[str], Callable[..., str]]

_TEMPLATES: Final[tuple[_Template, ...]] = (
    (re.compile(r"(.+) is a digit of its own: (.+) stays below (.+)"),
     lambda x, rest, d: f"`{x}` can be read off the index, because the rest, `{rest}`, stays below `{d}`"),
    (re.compile(r"(.+) is the same in both"),
     lambda x: f"so `{x}` is the same for both{_axis(x)}"),
    (re.compile(r"quotient and remainder of (.+) by (.+) fix it"),
     lambda x, d: f"`{x}` follows from its quotient and its remainder by `{d}`, which are both known"),
    (re.compile(r"(.+) is fixed: it is known modulo (.+), and within .+"),
     lambda x, d: f"`{x}` is known up to multiples of `{d}`, and lies in a range that has only one such value"),
    (re.compile(r"(.+) is (?:0|fixed) by the guards"),
     lambda x: f"the conditions under which this is done leave one value for `{x}`"),
    (re.compile(r"(.+) cannot be equal for the two: their ranges do not meet"),
     lambda x: f"`{x}` is never equal for the two: their ranges do not meet"),
    (re.compile(r"(.+) stays below (.+)"),
     lambda x, d: f"`{x}` stays below `{d}`, so that dividing by `{d}` leaves it as it is"),
    (re.compile(r"(.+) divides (.+)"), lambda d, x: f"`{d}` divides `{x}`"),
    (re.compile(r"(.+) must be (.+)"), lambda x, v: f"`{x}` must be `{v}`"),
    (re.compile(r"two equal indices would need (.+) == 0"), lambda v: f"equal indices would need `{v} == 0`"),
    (re.compile(r"indices differ by (\d+) modulo (\d+)"),
     lambda n, d: f"the indices of the two differ by {n} up to multiples of {d}, so that they are never equal"),
    (re.compile(r"(.+) holds no value twice"), lambda a: f"`{a}` holds no value twice, as is declared"),
    (re.compile(r"the segments of (.+) do not overlap"),
     lambda a: f"the segments of `{a}` do not overlap, as is declared"),
    (re.compile(r"(.+) gives no two blocks the same value"),
     lambda c: f"`{c}` gives no two blocks the same value, as is declared"),
    (re.compile(r"by cases on (.+)"), lambda c: f"either way of `{c}` leads to this"),
)
_LONG: Final = 150
"""Characters of a sentence beyond which its terms are shortened."""


def _axis(x: str) -> str:
    found = _COORDINATE.fullmatch(x)
    return f" (block coordinate on grid axis {found[1]})" if found else ""


def sentences(why: str, names: Names) -> Iterator[str]:
    """A reason, step by step; what is no step of a proof is one sentence as it stands."""
    first = True
    for step in dict.fromkeys(names.readable(why).split("; ")):
        text = step
        for pattern, said in _TEMPLATES:
            found = pattern.fullmatch(step)
            if found is not None:
                text = said(*found.groups())
                break
        yield shortened(names.put(text.removeprefix("so ") if first else text))
        first = False


def shortened(text: str) -> str:
    """A sentence whose long terms are cut: they are in the source, and nobody reads them here."""
    if len(text) <= _LONG:
        return text
    return re.sub(r"`([^`]{60,})`", lambda m: f"`{m[1][:46].rstrip()} ...`", text)
