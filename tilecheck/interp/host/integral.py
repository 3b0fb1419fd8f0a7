"""Which numbers of host code are certainly integers.

The analysis follows a number without annotation as an integer, although a caller may pass a fraction. Where a kernel
requires an integer, its type has to follow from the code: from sizes of arrays, annotations, or conversions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.host.values import Choice, Int, Plain, Ratio, Thing, Truth, Value
from tilecheck.symbolic import (
    App,
    Atom,
    Extent,
    ExtentAt,
    FloorDiv,
    Ite,
    LeadingSize,
    Length,
    Max,
    Min,
    Mod,
    Rank,
    Size,
    Stride,
    Symbol,
    Term,
    symbol_from_text,
)

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

__all__ = ["combine", "is_integer", "mark_integer"]

_COUNTS: Final = (Extent, ExtentAt, LeadingSize, Length, Rank, Size, Stride)
_KEEPING: Final = frozenset({"abs", "and", "next_pow2", "or", "shl", "shr", "xor"})
"""Functions whose results are integers if their arguments are. A power is a fraction if its exponent is negative."""


def is_integer(ev: Evaluator, value: Value) -> bool | None:
    """Whether a value is an integer and not a truth value: yes, no, or not known."""
    if isinstance(value, Int):
        return True if _is_whole(ev, value) else None
    if isinstance(value, Choice):
        found = {is_integer(ev, option) for _, option in value.options}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Thing):
        return True if value.numeric and _is_whole_atom(ev, symbol_from_text(value.name)) else None
    certain = (isinstance(value, Plain) and isinstance(value.value, float)) or (
        isinstance(value, Ratio) and _is_computed(ev, value.num) and _is_computed(ev, value.den))
    return False if certain else None


def mark_integer(ev: Evaluator, term: Term) -> Int:
    """A number that is certainly an integer."""
    return Int(term, None if _is_computed(ev, term) else True)


def combine(ev: Evaluator, term: Term, *operands: Value) -> Int:
    """A number that is an integer if its operands are. The term may not show that: `n - n` is a float if `n` is one."""
    whole = all(isinstance(o, Truth) or is_integer(ev, o) is True for o in operands)
    return Int(term, None if whole is _is_computed(ev, term) else whole)


def _is_whole(ev: Evaluator, value: Int) -> bool:
    return _is_computed(ev, value.term) if value.whole is None else value.whole


def _is_computed(ev: Evaluator, term: Term) -> bool:
    """Whether a number is computed from integers alone."""
    return all(_is_whole_atom(ev, a) for a in term.atoms())


def _is_whole_atom(ev: Evaluator, a: Atom) -> bool:
    if isinstance(a, Symbol):
        if isinstance(a, _COUNTS):
            return a.array.text not in ev.symbols.objects
        return a.key in ev.symbols.integers or ev.symbols.not_negative(a)
    operands = _OPERANDS.get(type(a))
    found = None if operands is None else operands(a)
    return found is not None and all(_is_computed(ev, t) for t in found)


_OPERANDS: Final[Mapping[type[Atom], Callable[[Any], tuple[Term, ...] | None]]] = {
    **dict.fromkeys((FloorDiv, Mod), lambda a: (a.num, a.den)),
    **dict.fromkeys((Max, Min), lambda a: a.args),
    Ite: lambda a: (a.then, a.other),
    App: lambda a: a.args if a.fn in _KEEPING else None,
}
"""The numbers that an atom is computed from, if it is an integer whenever they are."""
