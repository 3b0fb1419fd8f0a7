"""Collects findings, and reports those that involve one operation only."""

from __future__ import annotations

from tilecheck_runtime.sanitizer.events import Event, Point
from tilecheck_runtime.sanitizer.log import Block
from tilecheck_runtime.sanitizer.progress import Progress
from tilecheck_runtime.sanitizer.session import Session
from tilecheck_runtime.sanitizer.shadow import Storage
from tilecheck_runtime.sanitizer.sites import Site

__all__ = ["Findings", "element_of", "show_index"]


class Findings:
    """The findings of one launch of a kernel."""

    def __init__(self, session: Session, kernel: str, grid: Block) -> None:
        self.session, self.sites, self.kernel, self.grid = session, session.sites, kernel, grid

    def current_point(self) -> Point:
        """The operation that is being executed."""
        return Point(self.sites.site(self.sites.current_site()), Progress.block, tuple(Progress.loops))

    def fault(self, code: str, message: str, array: str | None = None, element: tuple[int, ...] | None = None,
              notes: tuple[str, ...] = ()) -> None:
        """Reports a finding at the current location that involves no other operation."""
        key = (code, self.kernel, array, self.sites.current_site())
        if self.session.has(key):
            self.session.add(key, None)
        else:
            event = Event(code, message, self.kernel, self.grid, array, element, self.current_point(), None, notes)
            self.session.add(key, event)

    def report_alias(self, first: str, second: str, site: Site) -> None:
        """Reports that two parameters share memory and one of them was written."""
        message = f"'{first}' and '{second}' share memory and the kernel writes it: the compiler assumes they do not"
        point = Point(site, (0, 0, 0))
        self.session.add(("TC401", self.kernel, first, second),
                         Event("TC401", message, self.kernel, self.grid, first, None, point))

    def report_outside_tile(self, what: str, axis: int, index: int, count: int) -> None:
        """Reports a sub-tile outside of its tile."""
        self.fault("TC201", f"{what} of sub-tile {index} on axis {axis}, where the tile has {count}")


def element_of(storage: Storage, array: str, position: int) -> tuple[int, ...]:
    """The index of a position of a storage in one of its arrays."""
    view = next((view for name, view in storage.views if name == array), None)
    return (position,) if view is None else view.element(position)


def show_index(element: tuple[int, ...]) -> str:
    """Formats an index."""
    return f"[{', '.join(map(str, element))}]"
