"""The reason why a kernel is not migrated."""

from __future__ import annotations

__all__ = ["Absent", "Refusal"]


class Refusal(Exception):
    """The kernel cannot be migrated, or the result does not match the original. `line` of the original."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Absent(Refusal):
    """The kernel does not exist."""
