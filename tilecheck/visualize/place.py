"""Where an element of an array is drawn: on which panel, in which row and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, TypeAlias

from msgspec import Struct

from tilecheck.visualize.touches import Element

__all__ = ["Cell", "Place", "Rect", "rectangles"]

Cell: TypeAlias = tuple[int, int]
"""Row and column."""

LONGEST: Final = 28
"""Elements in a row of a one-dimensional array that is not folded."""
PANELS: Final = 24


class Rect(Struct, frozen=True):
    row: int
    column: int
    height: int
    width: int


class Place(Struct, frozen=True):
    """How one array is laid out.

    shape    its extents
    fold     elements in a row, of an array of one axis
    """

    shape: tuple[int, ...]
    fold: int = 0

    @staticmethod
    def of(shape: tuple[int, ...], rows_of: int | None = None, spilling: bool = False) -> Place:
        """The layout of an array; `rows_of` is how many elements the kernel takes for a row of a flat array, and
        `spilling` whether it matters where one ends."""
        if len(shape) != 1:
            return Place(shape)
        if rows_of is not None and 2 <= rows_of <= LONGEST and (spilling or rows_of <= shape[0] > LONGEST):
            # several rows of the kernel's in one of the picture where they would be many
            return Place(shape, rows_of if spilling else rows_of * max(1, LONGEST // rows_of))
        return Place(shape, LONGEST if shape[0] > LONGEST else max(shape[0], 1))

    def at(self, element: Element) -> tuple[Element, Cell]:
        """Panel, row and column of an element, also of one outside the array."""
        if not element:
            return (), (0, 0)
        if len(element) == 1:
            (i,) = element
            if self.fold and self.shape[0] > self.fold:
                return (), divmod(i, self.fold)
            return (), (0, i)
        return element[:-2], (element[-2], element[-1])

    @property
    def size(self) -> Cell:
        """Rows and columns of a panel."""
        if not self.shape:
            return 1, 1
        if len(self.shape) == 1:
            n = self.shape[0]
            return (-(-n // self.fold), self.fold) if self.fold and n > self.fold else (1, n)
        return self.shape[-2], self.shape[-1]

    def panels(self) -> Iterator[Element]:
        """The panels of the array in order."""
        yield from product(*(range(n) for n in self.shape[:-2]))

    def has(self, panel: Element, cell: Cell) -> bool:
        """Whether a cell is an element of the array."""
        rows, columns = self.size
        inside = all(0 <= i < n for i, n in zip(panel, self.shape[:-2], strict=True))
        row, column = cell
        if len(self.shape) == 1 and rows > 1 and row * self.fold + column >= self.shape[0]:
            return False
        return inside and 0 <= row < rows and 0 <= column < columns


def rectangles(cells: Iterable[Cell]) -> tuple[Rect, ...]:
    """The fewest rectangles that a simple sweep finds: runs along rows, and equal runs of rows one below the other."""
    rows: dict[int, list[int]] = {}
    for row, column in sorted(set(cells)):
        rows.setdefault(row, []).append(column)
    open_: dict[tuple[int, int], Rect] = {}
    done: list[Rect] = []
    for row in sorted(rows):
        runs = set(_runs(rows[row]))
        for key in [k for k, r in open_.items() if k not in runs or r.row + r.height != row]:
            done.append(open_.pop(key))
        for start, width in sorted(runs):
            above = open_.get((start, width))
            open_[start, width] = Rect(row, start, 1, width) if above is None else Rect(
                above.row, start, above.height + 1, width)
    return tuple(sorted((*done, *open_.values()), key=lambda r: (r.row, r.column, r.height, r.width)))


def _runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    start = previous = columns[0]
    for c in columns[1:]:
        if c != previous + 1:
            yield start, previous - start + 1
            start = c
        previous = c
    yield start, previous - start + 1
