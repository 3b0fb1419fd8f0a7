"""Colours of the text report."""

from __future__ import annotations

import os
from typing import TextIO

from msgspec import Struct


class Style(Struct, frozen=True):
    """The colours of parts of a report. Without colour every method returns its argument."""

    colour: bool = False

    def severity(self, severity: str, text: str) -> str:
        return self._paint({"error": "1;31", "warning": "1;35"}.get(severity, "1;36"), text)

    def primary(self, text: str) -> str:
        return self._paint("1;31", text)

    def secondary(self, text: str) -> str:
        return self._paint("1;94", text)

    def gutter(self, text: str) -> str:
        return self._paint("1;94", text)

    def bold(self, text: str) -> str:
        return self._paint("1", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def wants_colour(stream: TextIO) -> bool:
    """Whether to colour output to `stream`: on a terminal, unless NO_COLOR is set; anywhere with FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
