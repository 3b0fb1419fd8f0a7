"""The static files of a page: style sheets and a script, in the folder of this module."""

from __future__ import annotations

from pathlib import Path

__all__ = ["read"]


def read(name: str) -> str:
    """The text of a file of this package."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
