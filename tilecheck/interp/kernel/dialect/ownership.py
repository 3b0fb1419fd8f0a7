"""What ownership says of a kernel: by which construction an access is safe, and where a rule is broken."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.dtypes import DType
from tilecheck.symbolic import Cond, Term
from tilecheck.symbolic.steps import Reason
from tilecheck.syntax.tree import Span

__all__ = ["COORDINATE", "NESTED", "NOT_A_DIALECT", "Construction", "Fault", "FaultCode", "Held", "Origin", "Ownership"]

COORDINATE: Final = "__coordinate"
"""Between the name of an array and the number of an axis, in the name of a coordinate of one of its cells."""
NESTED: Final = "__nested"
"""Likewise of a nested tile."""

FaultCode: TypeAlias = Literal["TC104", "TC105", "TC107", "TC109", "TC110", "TC501", "TC502", "TC505"]


class Construction(Enum):
    """By which construction accesses of the array in the operands are safe, or what leaves that open."""

    OWN_PIECE = "own piece"
    """A block stores its own piece; there is one for each block."""
    OWN_CELL = "own cell"
    """A block stores through the cell that the array issued to it; there is one for each block."""
    OWN_CELLS = "own cells"
    """The same with several cells a block, of which the schedule gives none to two blocks."""
    OWN_NESTED = "own nested"
    OWN_SELECTED = "own selected"
    """What a value selects is stored only where it lies in the piece of the block."""
    SCATTERS_OWN = "scatters own"
    READS_OWN = "reads own"
    REACHES_AS_FAR = "reaches as far"
    """array, mutable array: the one has elements wherever the other has"""
    SHAPE_OPEN = "shape open"
    """A tile of another shape would lie in another piece. No operands."""


class Held(Struct, frozen=True):
    """Why an access of a dialect kernel is safe by itself.

    mints    whether it goes through a piece that its block alone owns
    reason   the construction
    needs    what launches must satisfy for the access to lie inside its array
    doubt    what is not known of it, so that the construction does not hold for sure
    """

    mints: bool
    reason: Reason
    needs: tuple[Cond, ...] = ()
    doubt: Reason = ()


class Fault(Struct, frozen=True):
    """A rule of the dialect that is broken at a place.

    array   the parameter that it is about
    how     which way of breaking the rule; each rule has words for its own
    words   what the message names beside it
    shapes  for TC501, the shapes that do not agree
    place   a second place that explains it
    """

    code: FaultCode
    span: Span
    array: str
    how: str
    words: tuple[str, ...] = ()
    shapes: tuple[tuple[Term | None, ...], ...] = ()
    place: Span | None = None


class Origin(Struct, frozen=True):
    """Where a symbol that stands for an extent comes from: the parameter whose annotation names it."""

    symbol: str
    parameter: str
    span: Span


class Ownership(Struct, frozen=True):
    """What ownership says of a whole kernel.

    mutable   parameters that are split into pieces
    required  what launches must satisfy, each with the condition under which it is asked
    faults    in order of their places
    typed     places where shapes or element types do not agree, beside those where memory is touched
    origins   of the symbols in shapes
    dtypes    element types of parameters, where their annotations name them
    """

    mutable: tuple[str, ...] = ()
    required: tuple[tuple[Cond, Cond], ...] = ()
    faults: tuple[Fault, ...] = ()
    typed: tuple[Fault, ...] = ()
    origins: tuple[Origin, ...] = ()
    dtypes: tuple[tuple[str, DType], ...] = ()


NOT_A_DIALECT = Ownership()
