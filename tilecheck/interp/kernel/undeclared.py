"""Numbers of the launch without a declared type, which may be fractions.

A number that addresses memory, bounds a loop or gives a shape is an integer: the compiler refuses others. Another one
is followed as an integer as long as a fraction acts like one. For integers `a`, a fraction `n` acts in `a < n` and
`n <= a` like the integer above it, in `a <= n` and `n < a` like the one below it, and in `a == n` like one far away.
If the comparisons are of several kinds, the model compares the integer above, and asks whether the number is whole.
A number that is only converted to an integer is followed as the result. In other terms, such as `2*n == 1`, a number is
not followed as an integer.

A proof that fails for this reason alone is repeated with the numbers assumed to be integers; the contract then contains
that assumption: see `obligations/whole_numbers.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tilecheck.symbolic import (
    App,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Max,
    Min,
    Mod,
    Symbol,
    Term,
    app,
    atoms_of,
    bool_opaque,
    conj,
    disj,
    eq,
    ge,
    gt,
    le,
    lt,
    ne,
    negate,
    of,
)

if TYPE_CHECKING:
    from tilecheck.interp.kernel.interpreter import Machine

__all__ = [
    "Use", "compare_terms", "is_converted_as_integer", "is_followed_as_integer", "note_division", "note_use",
    "symbols_of_value", "undecided_numbers",
]

Use: TypeAlias = Literal["above", "below", "equal", "converted", "part"]

_USES: Final[Mapping[tuple[str, int], Use]] = {
    ("<", -1): "above", (">=", -1): "above", ("<=", 1): "above", (">", 1): "above",
    ("<", 1): "below", (">=", 1): "below", ("<=", -1): "below", (">", -1): "below",
}
"""The integer that a fraction acts like, by the comparison with 0 and the factor of the fraction in the term."""
_COMPARE: Final[Mapping[str, Callable[[Term, Term], Cond]]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}
_STRICT: Final = {"<=": "<", ">=": ">"}
_OPPOSITE: Final = {"<": ">=", ">": "<=", "!=": "=="}
_BITS: Final = frozenset({"and", "or", "xor", "shl", "shr"})


def symbols_of_value(term: Term) -> Iterator[Symbol]:
    """The symbols that an integer is computed from, except those that only a condition or a conversion uses."""
    for a in term.atoms():
        if isinstance(a, Symbol):
            yield a
        for part in _list_operands(a):
            yield from symbols_of_value(part)


def _list_operands(a: Atom) -> tuple[Term, ...]:
    if isinstance(a, (FloorDiv, Mod)):
        return a.num, a.den
    if isinstance(a, Ite):
        return a.then, a.other
    return a.args if isinstance(a, (Min, Max)) or (isinstance(a, App) and a.fn in _BITS) else ()


def undecided_numbers(m: Machine, term: Term) -> set[Atom]:
    """The numbers of the launch in a term that nothing shows to be integers."""
    return (m.undeclared - m.knowledge.whole) & atoms_of(term) if m.undeclared else set()


def is_followed_as_integer(m: Machine, term: Term) -> bool:
    """Whether no number in a term may be a fraction in a use where it acts like no integer."""
    uses = m.knowledge.uses
    if not uses:
        return True
    found = {n: uses.get(n, frozenset()) for n in undecided_numbers(m, term)}
    fractional = {n for n, u in found.items() if "part" in u or ("converted" in u and len(u) > 1)}
    m.fractional |= fractional
    return not fractional


def is_converted_as_integer(m: Machine, term: Term) -> bool:
    """Whether a conversion to an integer keeps a term, because each number in it is an integer or is only converted."""
    found = undecided_numbers(m, term)
    for n in found:
        m.uses.setdefault(n, set()).add("converted" if term.single == n else "part")
    fractional = {n for n in found if m.knowledge.uses.get(n, frozenset()) != frozenset(("converted",))}
    m.fractional |= fractional
    return not fractional


def note_use(m: Machine, op: str, difference: Term) -> None:
    """Notes that the kernel compares a term with 0."""
    for n in undecided_numbers(m, difference):
        m.uses.setdefault(n, set()).add(_find_use(m, op, n, difference))


def note_division(m: Machine, number: Term, divisor: Term) -> None:
    """Notes that the kernel divides terms: the quotient of a fraction acts like that of no integer."""
    for n in undecided_numbers(m, number) | undecided_numbers(m, divisor):
        m.uses.setdefault(n, set()).add("part")


def _find_use(m: Machine, op: str, n: Atom, difference: Term) -> Use:
    factor = difference.monos.get((n,), 0)
    if abs(factor) != 1 or undecided_numbers(m, difference) != {n} or n in atoms_of(difference - factor * of(n)):
        return "part"
    return _USES.get((op, factor), "equal")


def compare_terms(m: Machine, op: str, a: Term, b: Term) -> Cond:
    """The condition that two terms compare so, where each is followed as an integer."""
    several = [n for n in undecided_numbers(m, a - b) if len(m.knowledge.uses.get(n, ())) > 1]
    if not several:
        return _COMPARE[op](a, b)
    m.fractional |= set(several)
    if op in _OPPOSITE:
        return negate(compare_terms(m, _OPPOSITE[op], a, b))
    use = _find_use(m, op, several[0], a - b)
    if use == "above":
        return _COMPARE[op](a, b)
    atom = app("whole", of(several[0])).single
    assert atom is not None
    exact = conj(bool_opaque(atom), _COMPARE[op](a, b))
    return exact if use == "equal" else disj(_COMPARE[_STRICT[op]](a, b), exact)
