"""Detects launches from inside a running operation, which must not be waited for there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tilecheck_runtime.cpu.machine import in_kernel
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import NestedLaunchError
from tilecheck_runtime.ownership.storage import BUSY

__all__ = ["INSIDE", "enter_operation", "refuse_nested", "refuse_nested_call"]


class _Inside(threading.local):
    """The location of the launch whose code this thread runs; None outside of operations."""

    place: Location | None = None


INSIDE: Final = _Inside()


@contextmanager
def enter_operation(place: Location) -> Iterator[None]:
    """Marks that this thread runs code of the operation that was launched at `place`."""
    BUSY.enter()
    before, INSIDE.place = INSIDE.place, place
    try:
        yield
    finally:
        INSIDE.place = before
        BUSY.leave()


def refuse_nested(what: str) -> None:
    """Raises NestedLaunchError inside a running operation."""
    outer = INSIDE.place
    if outer is not None:
        raise NestedLaunchError(f"{what} is launched inside another operation that is running in this thread",
                                use=current_location(), before=outer, what="the other one was launched",
                                fix="return the operation without running it: `.then(lambda r: kernel(...))`")
    if in_kernel():
        raise NestedLaunchError(f"{what} is launched inside a kernel", use=current_location(),
                                fix="launch it from the host, after this one: `.then(lambda r: kernel(...))`")


def refuse_nested_call(kernel: str) -> None:
    """Raises NestedLaunchError for a kernel that another kernel calls."""
    if in_kernel():
        raise NestedLaunchError(f"`{kernel}` is a kernel, and another kernel calls it", use=current_location(),
                                fix="put what both do into a plain function, and call that")
