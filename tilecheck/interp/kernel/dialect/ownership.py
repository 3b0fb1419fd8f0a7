"""Ownership facts of a kernel: the constructions that make accesses safe, and the broken rules."""

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
    """The same with several cells for each block. The schedule gives no cell to two blocks."""
    OWN_NESTED = "own nested"
    OWN_SELECTED = "own selected"
    """An element that a value selects is stored only where it lies in the piece of the block."""
    SCATTERS_OWN = "scatters own"
    READS_OWN = "reads own"
    REACHES_AS_FAR = "reaches as far"
    """array, mutable array: the one has elements wherever the other has"""
    SHAPE_OPEN = "shape open"
    """A tile of another shape would lie in another piece. No operands."""


class Held(Struct, frozen=True):
    """Why an access of a dialect kernel is safe by itself.

    owned    whether it uses a piece that its block alone owns
    reason   the construction
    needs    conditions under which the access lies inside its array
    doubt    the unknown fact because of which the construction may not hold
    """

    owned: bool
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
    """Ownership facts of a whole kernel.

    mutable   parameters that are split into pieces
    required  conditions that launches must satisfy, each with the path condition under which it applies
    faults    in order of their locations
    typed     locations where shapes or element types do not agree, beside those where memory is touched
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
