"""The stream on which operations are started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from tilecheck_runtime.backends.interface import Backend, Stream
from tilecheck_runtime.backends.selection.select import current

__all__ = ["STREAM", "stream", "stream_for", "use_stream"]

STREAM: Final[ContextVar[Any]] = ContextVar("stream", default=None)


@contextmanager
def use_stream(stream: Any) -> Iterator[None]:
    """Makes a stream current for operations that are started meanwhile; None changes nothing."""
    if stream is None:
        yield
        return
    token = STREAM.set(stream)
    try:
        yield
    finally:
        STREAM.reset(token)


def stream_for(backend: Backend) -> Any:
    """The requested stream, as an object of the backend. Raises TypeError for a stream of another backend."""
    asked = STREAM.get()
    return backend.default if asked is None else backend.stream_of(asked)


def stream(name: str = "another") -> Stream:
    """Creates a stream on which operations can be started: `op.start(stream)`. `name` appears in messages."""
    return current().stream(name)
