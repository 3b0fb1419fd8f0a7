"""Tile shapes, and what reshaping does to the lanes of a term."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tilecheck.interp.kernel.poison.sources import rename_lanes
from tilecheck.interp.kernel.values import Bool, Data, Int, Shape
from tilecheck.symbolic import (
    ONE,
    ZERO,
    Atom,
    Cond,
    FloorDiv,
    Lane,
    Mod,
    Term,
    app,
    atoms_of,
    bool_opaque,
    floordiv,
    lane,
    mod,
    substitute,
    substitute_cond,
)

TileValue = Int | Bool | Data


def broadcast(*shapes: Shape | None) -> Shape | None:
    """The shape of an element-wise operation; None when it is not known."""
    known: list[Shape] = []
    rank = 0
    for shape in shapes:
        if shape is None:
            return None
        if shape:
            known.append(shape)
            rank = max(rank, len(shape))
    if len(known) <= 1:
        return known[0] if known else ()
    if all(shape == known[0] for shape in known[1:]):
        return known[0]
    out: list[Term] = []
    for k in range(rank):
        extent = ONE
        for s in known:
            d = k - (rank - len(s))
            if d < 0 or s[d] == ONE:
                continue
            if extent == ONE:
                extent = s[d]
            elif extent != s[d]:
                return None
        out.append(extent)
    return tuple(out)


def lanes_of(value: Term | Cond) -> list[Lane]:
    return [a for a in sorted(atoms_of(value)) if isinstance(a, Lane)]


def relabel(value: TileValue, shape: Shape | None, move: Mapping[Atom, Term] | None) -> TileValue:
    """The value with another shape, its lanes replaced as `move` says; nothing is known when `move` is None."""
    return _RELABEL[type(value)](value, shape, move)


def recombine(term: Term) -> Term:
    """`d * (x // d) + x % d` read as `x`."""
    for mono, c in term.monos.items():
        for digit in mono:
            if not isinstance(digit, Mod) or len(digit.den.monos) != 1:
                continue
            rest = list(mono)
            rest.remove(digit)
            ((unit, factor),) = digit.den.monos.items()
            upper = tuple(sorted((*rest, *unit, FloorDiv(digit.num, digit.den))))
            if term.monos.get(upper) == c * factor:
                whole = Term({tuple(rest): c}) * digit.num
                return recombine(term - Term({mono: c}) - Term({upper: c * factor}) + whole)
    return term


def _data_term(term: Term | None, move: Mapping[Atom, Term] | None) -> Term | None:
    return None if term is None or move is None else substitute(term, move)


_RELABEL: dict[type, Callable[..., TileValue]] = {
    Int: lambda v, shape, move: Int(
        recombine(substitute(v.term, move)), shape, rename_lanes(v.shadow, move), v.dtype, v.made
    ),
    Bool: lambda v, shape, move: Bool(
        substitute_cond(v.cond, move), shape, rename_lanes(v.shadow, move), v.dtype, v.made
    ),
    Data: lambda v, shape, move: Data(shape, _data_term(v.term, move), rename_lanes(v.shadow, move), v.dtype, v.made),
}


def product(extents: Sequence[Term]) -> Term:
    total = ONE
    for e in extents:
        total = total * e
    return total


def permutation(shape: Shape, axes: Sequence[int]) -> tuple[Shape, dict[Atom, Term]]:
    """Axis k of the result is axis `axes[k]` of the operand."""
    rank = len(shape)
    move: dict[Atom, Term] = {}
    for k, source in enumerate(axes):
        if shape[source] != ONE:
            move[Lane(rank - 1 - source, shape[source])] = lane(rank - 1 - k, shape[source])
    return tuple(shape[a] for a in axes), move


def reshape(old: Shape, new: Shape) -> dict[Atom, Term] | None:
    """How lanes of `old` read in terms of lanes of `new`; None when the extents cannot be matched."""
    groups = _match(old, new)
    if groups is None:
        return None
    move: dict[Atom, Term] = {}
    for mine, theirs in groups:
        flat = ZERO
        for k in theirs:
            flat = flat * new[k] + lane(len(new) - 1 - k, new[k])
        for position, k in enumerate(mine):
            below = product([old[j] for j in mine[position + 1:]])
            digit = floordiv(flat, below)
            if position:
                digit = mod(digit, old[k])
            move[Lane(len(old) - 1 - k, old[k])] = digit
    return move


def _match(old: Shape, new: Shape) -> list[tuple[list[int], list[int]]] | None:
    """Groups of axes with equal products, leftmost first, units left out."""
    mine = [k for k, e in enumerate(old) if e != ONE]
    theirs = [k for k, e in enumerate(new) if e != ONE]
    groups: list[tuple[list[int], list[int]]] = []
    while mine or theirs:
        split = next(
            ((i, j) for total in range(2, len(mine) + len(theirs) + 1)
             for i in range(max(1, total - len(theirs)), min(len(mine), total - 1) + 1)
             for j in (total - i,)
             if product([old[k] for k in mine[:i]]) == product([new[k] for k in theirs[:j]])),
            None)
        if split is None:
            return None
        i, j = split
        groups.append((mine[:i], theirs[:j]))
        mine, theirs = mine[i:], theirs[j:]
    return groups


def element(name: Term, shape: Shape | None) -> Term:
    """An unknown per element: a function of an unknown seed and of the coordinates of the element."""
    if not shape:
        return name
    lanes = [lane(len(shape) - 1 - k, e) for k, e in enumerate(shape)]
    lanes = [x for x in lanes if x != ZERO]
    return app("elem", name, *lanes) if lanes else name


def unknown_truth(seed: Term, shape: Shape | None) -> Cond:
    atom = element(seed, shape).single
    assert atom is not None
    return bool_opaque(atom)

