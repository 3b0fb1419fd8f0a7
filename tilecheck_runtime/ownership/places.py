"""Places in the program that uses the runtime, and the names it gives to tensors."""

from __future__ import annotations

import inspect
import os
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Final, cast

__all__ = ["BEHALF", "NOWHERE", "Place", "caller", "here", "name_in"]

_SNAPSHOTS: Final = sys.version_info < (3, 13)
"""Whether asking a function's frame for its variables leaves a copy there that keeps the values alive, which must not
count as owners."""
_UNSHARED: Final = 3
"""References to that copy when only the frame has it, and we do: `locals()` of the program gives the same one out."""
_OURS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True)
class Place:
    """A line of the user's program."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line}"


NOWHERE: Final = Place("<unknown>", 0)


BEHALF: Final[ContextVar[Place]] = ContextVar("behalf", default=NOWHERE)
"""The line that a thread of the runtime works for."""
_MACHINERY: Final = frozenset({"asyncio", "concurrent", "copy", "copyreg", "multiprocessing", "pickle", "threading"})


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
    while frame is not None:
        passed_over = _PASSED_OVER.get(frame.f_code.co_filename)
        if passed_over is False or (passed_over is None and not _is_passed_over(frame)):
            return frame
        frame = frame.f_back
    return None


_PASSED_OVER: Final[dict[str, bool]] = {}
"""By file, for files that there are: the code of those belongs to one module."""


def _is_passed_over(frame: FrameType) -> bool:
    file, root = frame.f_code.co_filename, str(frame.f_globals.get("__name__")).partition(".")[0]
    found = file.startswith(_OURS) or root in _MACHINERY
    if not file.startswith("<"):
        _PASSED_OVER[file] = found
    return found


def here() -> Place:
    """The line that called into the runtime; in a thread of the runtime, the one that it works for."""
    frame = caller()
    return BEHALF.get() if frame is None else Place(frame.f_code.co_filename, frame.f_lineno)


def name_in(frame: FrameType | None, value: object) -> str | None:
    """The variable that holds a value where the runtime was called, None when there is none.

    Looked for only when a message needs it, so ordinary calls cost nothing.
    """
    if frame is None:
        return None
    locals_ = frame.f_locals
    ours = sys.getrefcount(locals_) <= _UNSHARED
    try:
        for names in (locals_, frame.f_globals):
            for name, held in names.items():
                if held is value and not name.startswith("_"):
                    return name
        return None
    finally:
        if _SNAPSHOTS and ours and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            cast(dict[str, object], locals_).clear()
