"""Places in the program that uses the runtime, and the names it gives to tensors."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Final

__all__ = ["NOWHERE", "Place", "caller", "here", "name_in"]

_OURS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True)
class Place:
    """A line of the user's program."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line}"


NOWHERE: Final = Place("<unknown>", 0)


def _short(file: str) -> str:
    """The path relative to the current folder, when it is below it."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.startswith("..") or not os.path.exists(file) else relative


def caller() -> FrameType | None:
    """The frame that called into the runtime; None in a thread that no code of the user runs in."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame


def here() -> Place:
    """The line that called into the runtime."""
    frame = caller()
    return NOWHERE if frame is None else Place(frame.f_code.co_filename, frame.f_lineno)


def name_in(frame: FrameType | None, value: object) -> str | None:
    """The variable that holds a value where the runtime was called, None when there is none.

    Looked for only when a message needs it, so ordinary calls cost nothing.
    """
    if frame is None:
        return None
    for names in (frame.f_locals, frame.f_globals):
        for name, held in names.items():
            if held is value and not name.startswith("_"):
                return name
    return None
