"""The footprint of an access, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.source_names import spell_condition, spell_term
from tilecheck.symbolic import TRUE, Term

__all__ = ["describe_access"]

_VERBS: Final = {"read": "reads", "write": "writes", "atomic": "updates"}
_LONGEST: Final = 160
"""Characters of a term or condition that are still read at a glance."""


def describe_access(access: Access) -> str:
    """`each block writes tile (bid(0), 0) of c, of T x T elements`, in Markdown."""
    return f"each block {_VERBS[access.mode]} {_what(access)}{_loops(access)}{_where(access)}"


def _what(access: Access) -> str:
    if access.tile and access.tile_index:
        extents = " x ".join(map(_shorten, access.tile))
        return f"tile `({_list(access.tile_index)})` of `{access.array}`, of `{extents}` elements"
    if access.tile:
        extents = " x ".join(map(_shorten, access.tile))
        return f"`{extents}` elements of `{access.array}`, at element `[{_list(access.region.index)}]`"
    return f"`{access.array}[{_list(access.region.index)}]`"


def _loops(access: Access) -> str:
    names = ", ".join(f"`{name.partition('@')[0].removeprefix('#')}`" for name in access.loops)
    return f", for each {names}" if names else ""


def _where(access: Access) -> str:
    if access.under == TRUE:
        return ""
    text = spell_condition(access.under)
    return f", where `{text}`" if len(text) <= _LONGEST else ", under a condition"


def _list(terms: Sequence[Term]) -> str:
    return ", ".join(map(_shorten, terms))


def _shorten(term: Term) -> str:
    text = spell_term(term)
    return text if len(text) <= _LONGEST else "…"
