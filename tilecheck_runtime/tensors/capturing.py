"""Detects graph captures. Nothing runs during a capture, so nothing can be allocated, read or waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import CaptureError

__all__ = ["begin_capture", "refuse_in_capture"]

_CAPTURE: Final[ContextVar[Location | None]] = ContextVar("capture", default=None)


@contextmanager
def begin_capture(place: Location) -> Iterator[None]:
    """Marks that a graph is captured, at the request of `place`. Raises CaptureError inside another capture."""
    outer = _CAPTURE.get()
    if outer is not None:
        raise CaptureError("a graph is captured while another one is", use=current_location(), before=outer,
                           what="the other one was begun", fix="capture one after the other")
    token = _CAPTURE.set(place)
    try:
        yield
    finally:
        _CAPTURE.reset(token)


def refuse_in_capture(what: str, fix: str) -> None:
    """Raises CaptureError during a capture: `what` cannot be part of a graph."""
    place = _CAPTURE.get()
    if place is not None:
        raise CaptureError(f"{what} while a graph is captured", use=current_location(), before=place,
                           what="the capture began",
                           fix=fix)
