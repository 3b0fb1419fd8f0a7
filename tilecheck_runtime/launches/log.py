"""The log of launches: `TILECHECK_LOG=launch`, or `guards` as well."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Final

from tilecheck_runtime.errors.locations import Location

__all__ = ["LOG", "VARIABLE", "Log"]

VARIABLE: Final = "TILECHECK_LOG"
"""Environment variable with a comma-separated list of the events to log. Read when the program starts."""


class Log:
    """The events that are logged.

    launches  whether a line is printed for each launch
    guards    whether the checks before it and their duration are printed as well
    """

    __slots__ = ("guards", "launches")

    def __init__(self, asked: str) -> None:
        words = {word.strip() for word in asked.split(",")}
        self.guards = "guards" in words
        self.launches = self.guards or "launch" in words

    def log_launch(self, kernel: str, place: Location, how: str, grid: tuple[int, int, int], variant: str, stream: Any,
                   since: float = 0.0) -> None:
        """Logs a launch. `how` describes how it was checked, `since` is the `time.perf_counter` of its start."""
        on = getattr(stream, "name", None) or str(stream)
        took = f", {1e6 * (time.perf_counter() - since):.0f} us" if since else ""
        print(f"tilecheck: launch `{kernel}` at {place}: {how}, grid {grid}, stream {on}"
              f"{', variant ' + variant if variant else ''}{took}", file=sys.stderr)

    def log_guard(self, kernel: str, what: str) -> None:
        """Logs a guard that passed."""
        print(f"tilecheck: guards of `{kernel}`: {what}", file=sys.stderr)


LOG: Final = Log(os.environ.get(VARIABLE, ""))
