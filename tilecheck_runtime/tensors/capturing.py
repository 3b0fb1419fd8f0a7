"""Whether a graph is being captured here: nothing runs meanwhile, so nothing can be allocated, read or waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from tilecheck_runtime.errors.locations import Place, here
from tilecheck_runtime.errors.ownership import CaptureError

__all__ = ["capturing", "not_captured"]

_CAPTURE: Final[ContextVar[Place | None]] = ContextVar("capture", default=None)


@contextmanager
def capturing(place: Place) -> Iterator[None]:
    """A graph is captured meanwhile, by whoever asked for it at `place`. Raises CaptureError inside another capture."""
    outer = _CAPTURE.get()
    if outer is not None:
        raise CaptureError("a graph is captured while another one is", use=here(), before=outer,
                           what="the other one was begun", fix="capture one after the other")
    token = _CAPTURE.set(place)
    try:
        yield
    finally:
        _CAPTURE.reset(token)


def not_captured(what: str, fix: str) -> None:
    """Raises CaptureError while a graph is captured: `what` cannot be part of it."""
    place = _CAPTURE.get()
    if place is not None:
        raise CaptureError(f"{what} while a graph is captured", use=here(), before=place, what="the capture began",
                           fix=fix)
