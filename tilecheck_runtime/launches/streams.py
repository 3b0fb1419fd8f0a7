"""The stream that operations are started on."""

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
    """What begins meanwhile goes to this stream; None leaves it as it is."""
    if stream is None:
        yield
        return
    token = STREAM.set(stream)
    try:
        yield
    finally:
        STREAM.reset(token)


def stream_for(backend: Backend) -> Any:
    """The stream that was asked for, as the backend knows it. Raises TypeError for what is none of its streams."""
    asked = STREAM.get()
    return backend.default if asked is None else backend.stream_of(asked)


def stream(name: str = "another") -> Stream:
    """A new stream, to start operations on: `op.start(stream)`. `name` is for messages."""
    return current().stream(name)
