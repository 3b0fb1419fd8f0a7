"""A refusal as data: a place in a kernel, or in a function that it calls, at which the compiler stops."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.symbolic import TRUE, Cond
from tilecheck.syntax.tree import Span

__all__ = ["Refusal", "RefusalCode"]

RefusalCode: TypeAlias = Literal["TC601", "TC602", "TC603", "TC604", "TC605", "TC606"]


class Refusal(Struct, frozen=True):
    """
    code   the rule that reports it
    how    the kind of refusal; the rule has a message for each
    words  the parts of the message
    under  the conditions on what does not change during a launch under which the place is compiled
    """

    code: RefusalCode
    how: str
    words: tuple[str, ...]
    span: Span
    under: Cond = TRUE
