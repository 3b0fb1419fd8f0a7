"""An operation as its rule sees it: the types of its operands, and their misfits."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.dtypes import ElementType
from tilecheck.interp.kernel.values import Shape
from tilecheck.symbolic import TRUE, Cond, Term
from tilecheck.syntax.tree import Span

__all__ = ["OPEN", "Misfit", "MisfitCode", "Operand", "Use", "Verdict"]

MisfitCode: TypeAlias = Literal["TC501", "TC502", "TC503", "TC504", "TC505"]


class Operand(Struct, frozen=True):
    """The type of a value.

    dtype  None where a type does not matter
    shape  None when it is not known
    value  of an integer constant, where it is known
    made   what gave it its shape
    """

    dtype: ElementType | None
    shape: Shape | None
    value: int | None = None
    made: Span | None = None


class Use(Struct, frozen=True):
    """An operation whose operands do not fit, or may not.

    kind      which rule it is judged by
    op        as the author knows it: `ct.mma`, `+`
    operands  what it is given, in the order of its rule
    numbers   axes, counts and such, in the order of its rule
    array     the array that it works on, if any
    under     the conditions on what does not change during a launch under which it is compiled at all
    """

    kind: str
    op: str
    operands: tuple[Operand, ...]
    span: Span
    numbers: tuple[int, ...] = ()
    array: str = ""
    under: Cond = TRUE


class Misfit(Struct, frozen=True):
    """A misfit of the operands of an operation.

    how    the kind of misfit; messages have words for each
    words  numbers and names of operations that the message mentions
    terms  extents that do not agree
    axis   the axis along which they do not, from the left, of the result
    types  element types that the message mentions
    """

    code: MisfitCode
    how: str
    words: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    axis: int | None = None
    types: tuple[ElementType, ...] = ()


OPEN: Final = "open"
Verdict: TypeAlias = Misfit | Literal["open"] | None
"""None if all operands fit; `OPEN` if that depends on facts that are unknown here."""
