"""Places in the program that uses the runtime, and the names it gives to tensors."""

from __future__ import annotations

import inspect
import os
import sys
from contextvars import ContextVar
from types import FrameType
from typing import Any, Final, cast

__all__ = ["BEHALF", "NOWHERE", "PASSED_OVER", "Location", "caller_frame", "current_location", "variable_name"]

_SNAPSHOTS: Final = sys.version_info < (3, 13)
"""Whether asking a function's frame for its variables leaves a copy there that keeps the values alive, which must not
count as owners."""
_UNSHARED: Final = 3
"""References to that copy when only the frame has it, and we do: `locals()` of the program gives the same one out."""
_tuple: Final = tuple.__new__
_OURS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Location(tuple[Any, int]):
    """A line of the user's program. One is kept of everything that is launched, and hardly any is ever printed: a file
    and the number of a line, or code and one of its instructions, of which the line is looked up when it is asked for.

    A tuple, as that is made in a third of the time that an object of a class takes.
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
        """The number of the line, from 1 up; 0 where there is none."""
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
"""The line that a thread of the runtime works for."""
_MACHINERY: Final = frozenset({"asyncio", "concurrent", "copy", "copyreg", "multiprocessing", "pickle", "threading"})


def _short_path(file: str) -> str:
    """The path relative to the current folder, when it is below it."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.startswith("..") or not os.path.exists(file) else relative


def caller_frame() -> FrameType | None:
    """The frame that called into the runtime; None in a thread that no code of the user runs in."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        passed_over = PASSED_OVER.get(frame.f_code.co_filename)
        if passed_over is False or (passed_over is None and not _is_passed_over(frame)):
            return frame
        frame = frame.f_back
    return None


PASSED_OVER: Final[dict[str, bool]] = {}
"""By file, for files that there are: the code of those belongs to one module."""


def _is_passed_over(frame: FrameType) -> bool:
    file, root = frame.f_code.co_filename, str(frame.f_globals.get("__name__")).partition(".")[0]
    found = file.startswith(_OURS) or root in _MACHINERY
    if not file.startswith("<"):
        PASSED_OVER[file] = found
    return found


def current_location(depth: int = 1) -> Location:
    """The line that called into the runtime; in a thread of the runtime, the one that it works for. `depth` is how many
    callers are known to be the runtime's own."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        passed_over = PASSED_OVER.get(code.co_filename)
        if passed_over is False or (passed_over is None and not _is_passed_over(frame)):
            return _tuple(Location, (code, frame.f_lasti))
        frame = frame.f_back
    return BEHALF.get()


def variable_name(frame: FrameType | None, value: object) -> str | None:
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
