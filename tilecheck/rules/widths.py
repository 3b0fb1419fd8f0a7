"""How large the values get that an index is computed through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tilecheck.proof.terms import Atom, Bid, FloorDiv, Ite, Lane, Max, Min, Mod, Sym, Term, const, grid, of

__all__ = ["divided", "largest", "size_of"]


def largest(t: Term) -> Iterator[Term]:
    """Upper bounds, over launch scalars that are not negative, of the size of a term and of what it divides; nothing
    for a part that has no such bound."""
    for inner in divided(t):
        yield from largest(inner)
    bound = size_of(t)
    if bound is not None:
        yield bound


def divided(t: Term) -> Iterator[Term]:
    """What a term divides, and what it chooses between: values that may be larger than its own."""
    return (inner for m in t.monos for a in m for inner in _divided(a))


def size_of(t: Term) -> Term | None:
    """What a term stays below in size, over launch scalars that are not negative; None when it has no such bound."""
    total = const(0)
    for m, c in t.monos.items():
        part = const(abs(c))
        for a in m:
            size = _SIZES.get(type(a), _unbounded)(a)
            if size is None:
                return None
            part = part * size
        total = total + part
    return total


def _divided(a: Atom) -> tuple[Term, ...]:
    if isinstance(a, (FloorDiv, Mod)):
        return (a.num,)
    if isinstance(a, Ite):
        return (a.then, a.other)
    return a.args if isinstance(a, (Min, Max)) else ()


def _unbounded(a: Atom) -> Term | None:
    return None


def _least(a: Min) -> Term | None:
    return next((size for size in map(size_of, a.args) if size is not None), None)


def _all(parts: tuple[Term, ...]) -> Term | None:
    total = const(0)
    for part in parts:
        size = size_of(part)
        if size is None:
            return None
        total = total + size
    return total


_SIZES: Final[Mapping[type[Atom], Callable[..., Term | None]]] = {
    Sym: of,
    Bid: lambda a: grid(a.axis),
    Lane: lambda a: a.size,
    FloorDiv: lambda a: size_of(a.num),
    Mod: lambda a: size_of(a.den),
    Min: _least,
    Max: lambda a: _all(a.args),
    Ite: lambda a: _all((a.then, a.other)),
}
