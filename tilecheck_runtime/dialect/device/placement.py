"""The location of the pieces of a block: one class per schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["Grouped", "Linear", "Resolved", "Single", "Walk"]


@dataclass(frozen=True)
class Single:
    """One piece per block. Its coordinates are those of the block, for any cell.

    place  coordinates of the piece
    mark   distinguishes placements that cannot be walked together
    """

    place: Any
    mark: Any

    def own(self) -> Any:
        return self.place

    def cell(self) -> Any:
        return 0

    def cells(self) -> Any:
        return range(1)

    def coords(self, cell: Any) -> Any:
        return self.place


@dataclass(frozen=True)
class Mapped:
    """Several pieces per block, by number: every `step`-th from `first` to `stop`, exclusive.

    digits  splits a number
    radix   the bases of its digits; the first is never read
    mark    distinguishes placements that cannot be walked together
    """

    first: Any
    stop: Any
    step: Any
    digits: Any
    radix: Any
    mark: Any

    def own(self) -> Any:
        schedule = self.mark[0]
        ct.static_assert(False, f"TC105: an output with schedule {schedule} gives a block several pieces, so it has no "
                         "single one: walk them with 'for cell in z.cells()', or launch with a plain partition")

    def cell(self) -> Any:
        return self.own()

    def cells(self) -> Any:
        return range(self.first, self.stop, self.step)


@dataclass(frozen=True)
class Linear(Mapped):
    """Pieces in C order."""

    def coords(self, cell: Any) -> Any:
        return self.digits(cell, self.radix)


@dataclass(frozen=True)
class Grouped(Mapped):
    """Pieces over the last two axes in groups of rows, each walked column by column; one plane after another.

    size   rows of a group
    shape  pieces along the last two axes
    """

    size: Any
    shape: Any

    def coords(self, cell: Any) -> Any:
        outer = self.digits(cell, self.radix)
        inside = outer[-1]
        many = self.size * self.shape[1]
        group = inside // many
        top = group * self.size
        rows = min(self.shape[0] - top, self.size)
        rest = inside - group * many
        column = rest // rows
        return (*outer[:-1], top + (rest - column * rows), column)


@dataclass(frozen=True)
class Walk(Mapped):
    """Complete lines of pieces.

    back  the digit of each axis of the output
    """

    back: Any

    def coords(self, cell: Any) -> Any:
        found, back = self.digits(cell, self.radix), self.back
        return tuple(found[n] for n in ct.static_iter(back))


@dataclass(frozen=True)
class Cell:
    """A cell whose coordinates are known."""

    place: Any


@dataclass(frozen=True)
class Resolved:
    """A mapped placement in a kernel whose loops convert numbers to `Cell` objects."""

    placed: Any

    @property
    def mark(self) -> Any:
        return self.placed.mark

    def own(self) -> Any:
        return self.placed.own()

    def cell(self) -> Any:
        return self.placed.cell()

    def cells(self) -> Any:
        return self.placed.cells()

    def resolve(self, cell: Any) -> Any:
        return Cell(self.placed.coords(cell))

    def coords(self, cell: Any) -> Any:
        return cell.place
