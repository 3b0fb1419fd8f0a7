"""The folders and files whose words are not checked yet. The list in `pending.txt` only shrinks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["PENDING_FILE", "is_pending", "pending"]

PENDING_FILE: Final = Path(__file__).parent / "pending.txt"


def pending() -> list[str]:
    return [line.strip() for line in PENDING_FILE.read_text().splitlines() if line.strip() and not line.startswith("#")]


def is_pending(path: str, entries: list[str]) -> bool:
    return any(path == entry or path.startswith(f"{entry}/") for entry in entries)
