"""The object that operations report to while a launch runs."""

from __future__ import annotations

from tilecheck_runtime.sanitizer.races import Races
from tilecheck_runtime.sanitizer.undefined import Undefined

__all__ = ["Recorder"]


class Recorder(Races, Undefined):
    """Records all accesses and undefined lanes of one launch."""
