"""Suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the closest known word; an empty string if none is close."""
    import difflib

    by_fold = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(word.casefold(), by_fold, n=1)
    return f"; did you mean '{by_fold[close[0]]}'?" if close else ""
