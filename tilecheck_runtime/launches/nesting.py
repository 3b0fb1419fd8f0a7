"""Whether this thread is inside an operation that runs: nothing may be launched and waited for from there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tilecheck_runtime.cpu.machine import in_kernel
from tilecheck_runtime.ownership.errors import NestedLaunchError
from tilecheck_runtime.ownership.places import Place, here

__all__ = ["inside", "refuse", "refuse_call"]

_thread = threading.local()


@contextmanager
def inside(place: Place) -> Iterator[None]:
    """Code of an operation that was launched at `place` runs in this thread."""
    before = getattr(_thread, "place", None)
    _thread.place = place
    try:
        yield
    finally:
        _thread.place = before


def refuse(what: str) -> None:
    """Raises NestedLaunchError inside a running operation."""
    outer: Place | None = getattr(_thread, "place", None)
    if outer is not None:
        raise NestedLaunchError(f"{what} is launched inside another operation that is running in this thread",
                                use=here(), before=outer, what="the other one was launched",
                                fix="return the operation without running it: `.then(lambda r: kernel(...))`")
    if in_kernel():
        raise NestedLaunchError(f"{what} is launched inside a kernel", use=here(),
                                fix="launch it from the host, after this one: `.then(lambda r: kernel(...))`")


def refuse_call(kernel: str) -> None:
    """Raises NestedLaunchError for a kernel that another one calls."""
    if in_kernel():
        raise NestedLaunchError(f"`{kernel}` is a kernel, and another kernel calls it", use=here(),
                                fix="put what both do into a plain function, and call that")
