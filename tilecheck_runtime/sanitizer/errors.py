"""The error of a launch in which the sanitizer found something."""

from __future__ import annotations

from collections.abc import Sequence

from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.errors.ownership import OwnershipError
from tilecheck_runtime.sanitizer.events import Event

__all__ = ["KernelFaultError"]


class KernelFaultError(OwnershipError):
    """The sanitizer found an error in a launch.

    events  all findings; `code` is that of the first
    """

    def __init__(self, kernel: str, events: Sequence[Event], use: Location) -> None:
        self.events = tuple(events)
        vars(self)["code"] = events[0].code
        rest = f" and {len(events) - 1} more" if len(events) > 1 else ""
        super().__init__(f"{events[0].message}{rest}, in `{kernel}`", use=use, what="launched")
        self.args = ("\n".join([f"{events[0].code} the launch of `{kernel}` went wrong", f"  --> {use}",
                                *(f"  {event}" for event in events)]),)


KernelFaultError.__module__ = "tilecheck_runtime"  # the public name, which tracebacks show
