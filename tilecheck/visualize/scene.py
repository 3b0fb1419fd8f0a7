"""The contents of a picture as plain data, before it is drawn."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.visualize.place import Cell, Rect
from tilecheck.visualize.setting import Block

__all__ = ["NAMED", "WORDS", "AccessLine", "ArrayView", "At", "ClauseLine", "Headline", "Mark", "MarkKind",
           "ObligationLine", "Panel", "Part", "Scene", "SourceLine"]

MarkKind: TypeAlias = Literal[
    "read", "write", "atomic", "clash", "twice", "outside", "undefined", "padding", "dropped"]
At: TypeAlias = tuple[int, int]
"""Numbers of a block and of a step."""
NAMED: Final = " \u00b7 "
"""Between the name of a block and the iteration in which it does something."""

WORDS: Final[dict[MarkKind, str]] = {
    "read": "read", "write": "written", "atomic": "updated atomically", "clash": "collision: no order between blocks",
    "twice": "written twice by one operation", "outside": "outside the array: undefined",
    "undefined": "undefined lanes of a tile", "padding": "lanes outside the array: padded, or not used",
    "dropped": "not touched: a bounds check or mask keeps it off",
}


class Mark(Struct, frozen=True):
    """Rectangles of one panel that are touched alike; none where only a label stands, in what other marks draw.

    at       which blocks do so in which steps
    accesses numbers of the accesses
    label    the text in the largest rectangle
    title    the whole mark in words
    ringed   whether it is what the finding speaks of
    free     where the label may stand
    """

    kind: MarkKind
    rects: tuple[Rect, ...]
    at: tuple[At, ...]
    accesses: tuple[int, ...]
    label: str
    title: str
    ringed: bool = False
    free: tuple[Rect, ...] = ()


class Panel(Struct, frozen=True):
    """A two-dimensional part of an array.

    label    which part, as an index; empty for the whole
    size     rows and columns of the array there
    low      the first row and column that are drawn; negative where something lies before the array
    high     the row and column after the last that are drawn
    missing  cells of the last row that the array does not have
    """

    label: str
    size: Cell
    low: Cell
    high: Cell
    marks: tuple[Mark, ...]
    missing: tuple[Cell, ...] = ()


class AccessLine(Struct, frozen=True):
    """An access of an array, as it stands in the source."""

    number: int
    place: str
    mode: str
    text: str


class ArrayView(Struct, frozen=True):
    """One array.

    folded    how many elements a row has, of a flat array that is drawn in rows
    left_out  panels that are not drawn because there are many
    untouched panels that are not drawn because nothing touches them
    """

    name: str
    role: str
    shape: str
    panels: tuple[Panel, ...]
    accesses: tuple[AccessLine, ...]
    words: tuple[str, ...]
    folded: int = 0
    left_out: int = 0
    untouched: int = 0

    @property
    def alarms(self) -> tuple[str, ...]:
        """The errors, in words."""
        return tuple(w for w in self.words if w.startswith(("Collision:", "Outside:", "Undefined lanes:")))

    @property
    def omitted(self) -> str:
        """The omitted parts, in words; empty if there are none."""
        parts = [f"{self.left_out} more slices are not drawn"] if self.left_out else []
        parts += [f"{self.untouched} slices that nothing touches are not drawn"] if self.untouched else []
        return "; ".join(parts)


class Part(Struct, frozen=True):
    """A part of an index.

    values  its value in each block of the finding
    remark  a remark on the values; may be empty
    """

    name: str
    line: int
    place: str
    values: tuple[str, ...]
    remark: str = ""

    @property
    def words(self) -> str:
        """In a line: `head`: 0 and 1 (not in the index)."""
        alike = len(set(self.values)) == 1 and len(self.values) > 1
        told = f"{self.values[0]} in both blocks" if alike else " and ".join(self.values)
        return f"{self.name}: {told}{f', {self.remark}' if self.remark and not alike else ''}"


class Headline(Struct, frozen=True):
    """The finding that the picture opens at.

    what       happens
    changes    the fixes: a location and a text; alternatives have a letter in the location, `(a) line 12`, and follow
               the common text, which has no letter
    shown      the reason why the picture does not show it; empty if it does
    blocks     that are outlined in the grid
    look       where to look
    elsewhere  that the report's example is of another launch; empty when it is of this one
    parts      the parts of the index, with their values in `met`
    met        the blocks whose values they are
    notes      what is to be known beside it
    """

    code: str
    severity: str
    what: str
    changes: tuple[tuple[str, str], ...]
    shown: str
    blocks: tuple[Block, ...] = ()
    look: str = ""
    elsewhere: str = ""
    parts: tuple[Part, ...] = ()
    met: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def change(self) -> str:
        """All that is to be changed, in one line."""
        return "; ".join(f"{place}: {what}" if place else what for place, what in self.changes).replace(":; ", ": ")


class ClauseLine(Struct, frozen=True):
    clause: str
    kind: str
    state: str
    broken: bool = False


class ObligationLine(Struct, frozen=True):
    place: str
    array: str
    what: str
    verdict: str
    why: str


class SourceLine(Struct, frozen=True):
    """A line of the kernel, with the accesses on it.

    flagged  whether a finding stands on it, or the other access of its collision
    related  whether the finding mentions it: the load of the used value, the missing name
    note     values on the line in the blocks of the finding
    """

    number: int
    text: str
    accesses: tuple[int, ...] = ()
    flagged: bool = False
    related: bool = False
    note: str = ""


class Scene(Struct, frozen=True):
    """A whole picture.

    blocks    of the grid, in order; names are those of the same place
    axes      grid axes that the kernel reads
    values    launch scalars and their values
    steps     names of the steps; empty where there are no loops
    remarks   what the picture does not show, or shows by assumption
    broken    clauses of the contract that this launch breaks
    numbers   the same with the numbers of this launch
    amiss     numbers of the blocks that collide or reach outside
    origin    where the sizes come from: a launch of the files, or chosen
    """

    kernel: str
    file: str
    line: int
    verdict: str
    headline: Headline | None
    findings: tuple[str, ...]
    grid: Block
    blocks: tuple[Block, ...]
    names: tuple[str, ...]
    axes: tuple[int, ...]
    values: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    arrays: tuple[ArrayView, ...]
    contract: tuple[ClauseLine, ...]
    obligations: tuple[ObligationLine, ...]
    source: tuple[SourceLine, ...]
    remarks: tuple[str, ...]
    summary: str = ""
    broken: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    amiss: tuple[int, ...] = ()
    origin: str = ""

    @property
    def claim(self) -> str:
        """The verdict of a kernel without a finding; a proof covers more than the drawn launch."""
        if self.verdict != "proved" or self.broken:
            return self.summary
        n = len(self.contract)
        which = f" that satisfies the {n} clauses below" if n > 1 else " that satisfies the clause below" if n else ""
        return f"what must hold is proved for every launch{which}; {self.summary}"

    @property
    def breach(self) -> str:
        """The clauses that the launch breaks, in words; empty if it satisfies the contract."""
        told = [*self.numbers, *[""] * len(self.broken)]
        clauses = ", ".join(f"`{c}`{f' ({n} is false)' if n else ''}"
                            for c, n in zip(self.broken, told, strict=False))
        return f"this launch breaks {clauses}, which the kernel needs" if clauses else ""
