"""Locations in the program that uses the runtime, and the names that it gives to tensors."""

from __future__ import annotations

import inspect
import os
import sys
from contextvars import ContextVar
from types import FrameType
from typing import Any, Final, cast

__all__ = ["BEHALF", "NOWHERE", "PASSED_OVER", "Location", "caller_frame", "current_location", "variable_name"]

_SNAPSHOTS: Final = sys.version_info < (3, 13)
"""Whether reading the variables of a function's frame leaves a copy in the frame that keeps the values alive. Such a
copy must not count as an owner."""
_UNSHARED: Final = 3
"""References to that copy when only the frame and this module have it; `locals()` of the program returns the same
copy."""
_tuple: Final = tuple.__new__
_OURS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Location(tuple[Any, int]):
    """A line of the program. Every launch records one and hardly any is printed, so it holds either a file and a line
    number, or a code object and an instruction whose line is looked up on demand.

    A tuple, because creating one takes a third of the time of an object with attributes.
    """

    __slots__ = ()

    def __new__(cls, file: str, line: int) -> Location:
        return _tuple(cls, (file, line))

    @property
    def file(self) -> str:
        first = self[0]
        return first if isinstance(first, str) else str(first.co_filename)

    @property
    def line(self) -> int:
        """The number of the line, from 1; 0 if there is none."""
        code, at = self
        if isinstance(code, str):
            return at
        found = next((line for start, stop, line in code.co_lines() if start <= at < stop), None)
        return int(found or code.co_firstlineno)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and (self.file, self.line) == (other.file, other.line)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.file, self.line))

    def __str__(self) -> str:
        return f"{_short_path(self.file)}:{self.line}"

    __repr__ = __str__


NOWHERE: Final = Location("<unknown>", 0)


BEHALF: Final[ContextVar[Location]] = ContextVar("behalf", default=NOWHERE)
"""The line of the program on whose behalf a thread of the runtime works."""
_MACHINERY: Final = frozenset({"asyncio", "concurrent", "copy", "copyreg", "multiprocessing", "pickle", "threading"})


def _short_path(file: str) -> str:
    """The path relative to the current folder, when it is below it."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.startswith("..") or not os.path.exists(file) else relative


def caller_frame() -> FrameType | None:
    """The frame that called into the runtime; None in a thread without user code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        passed_over = PASSED_OVER.get(frame.f_code.co_filename)
        if passed_over is False or (passed_over is None and not _is_passed_over(frame)):
            return frame
        frame = frame.f_back
    return None


PASSED_OVER: Final[dict[str, bool]] = {}
"""By file: whether its frames belong to the runtime or the standard library. Only for existing files, whose code
belongs to one module."""


def _is_passed_over(frame: FrameType) -> bool:
    file, root = frame.f_code.co_filename, str(frame.f_globals.get("__name__")).partition(".")[0]
    found = file.startswith(_OURS) or root in _MACHINERY
    if not file.startswith("<"):
        PASSED_OVER[file] = found
    return found


def current_location(depth: int = 1) -> Location:
    """The line that called into the runtime; in a thread of the runtime, the line on whose behalf it works. `depth` is
    the number of callers known to belong to the runtime."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        passed_over = PASSED_OVER.get(code.co_filename)
        if passed_over is False or (passed_over is None and not _is_passed_over(frame)):
            return _tuple(Location, (code, frame.f_lasti))
        frame = frame.f_back
    return BEHALF.get()


def variable_name(frame: FrameType | None, value: object) -> str | None:
    """The variable that holds a value where the runtime was called; None if there is none.

    Called only to build a message, so ordinary calls cost nothing.
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
