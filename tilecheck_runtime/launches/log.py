"""What is told of launches while they are made: `TILECHECK_LOG=launch`, or `guards` as well."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Final

from tilecheck_runtime.errors.locations import Location

__all__ = ["LOG", "VARIABLE", "Log"]

VARIABLE: Final = "TILECHECK_LOG"
"""Environment variable with what to log, by commas. Read when the program starts."""


class Log:
    """launches  whether a line is printed for each launch
    guards    whether it is said as well what was asked before, and how long that took
    """

    __slots__ = ("guards", "launches")

    def __init__(self, asked: str) -> None:
        words = {word.strip() for word in asked.split(",")}
        self.guards = "guards" in words
        self.launches = self.guards or "launch" in words

    def log_launch(self, kernel: str, place: Location, how: str, grid: tuple[int, int, int], variant: str, stream: Any,
                   since: float = 0.0) -> None:
        """A launch was handed over. `how` says whether it was like one before, `since` when it began by
        `time.perf_counter`."""
        on = getattr(stream, "name", None) or str(stream)
        took = f", {1e6 * (time.perf_counter() - since):.0f} us" if since else ""
        print(f"tilecheck: launch `{kernel}` at {place}: {how}, grid {grid}, stream {on}"
              f"{', variant ' + variant if variant else ''}{took}", file=sys.stderr)

    def log_guard(self, kernel: str, what: str) -> None:
        """A guard was asked, and let the launch through."""
        print(f"tilecheck: guards of `{kernel}`: {what}", file=sys.stderr)


LOG: Final = Log(os.environ.get(VARIABLE, ""))
