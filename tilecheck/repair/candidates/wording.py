"""How help says that there are several ways."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["alternatives"]


def alternatives(lead: str, ways: Sequence[str]) -> str:
    """Several ways, each on a line of its own: `(a) ...`."""
    return "\n".join((f"{lead}:", *(f"({chr(ord('a') + n)}) {way}" for n, way in enumerate(ways))))
