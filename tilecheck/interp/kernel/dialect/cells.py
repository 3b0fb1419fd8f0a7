"""Cells: their coordinates, the facts on these, and the iteration over cells."""

from __future__ import annotations

from tilecheck.interp.kernel.dialect.ownership import COORDINATE, NESTED, Fault, FaultCode
from tilecheck.interp.kernel.dialect.values import Cell, Cells, Grain, Mutable, Pieces
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.symbolic import Array, ArrayParam, Cond, Extent, Term, cdiv, conj, counter, floordiv, ge, lt, minimum, of
from tilecheck.syntax.tree import Span

__all__ = [
    "blame",
    "extent",
    "get_true_extent",
    "nested_cell",
    "origin_of",
    "own",
    "own_cell",
    "placed_cell",
    "require",
    "walk",
]


def extent(array: Array, axis: int) -> Term:
    return of(Extent(array, axis))


def _issue_coordinate(m: Machine, name: str, fact: Cond, anew: bool = True) -> Term:
    """`anew` for a coordinate that is another one whenever this place is executed."""
    term = counter(name)
    if anew:
        m.note_made(term)
    atom = term.single
    assert atom is not None
    m.holdings.issued[atom] = fact
    return term


def own(m: Machine, z: Mutable) -> tuple[Term, ...]:
    """The coordinates of the block's only piece: the same wherever the kernel asks for them."""
    counts = tuple(cdiv(extent(z.array, k), size) for k, size in enumerate(z.parameter.tile))
    if m.noting:
        m.holdings.single[z.name] = counts
    names = [f"{z.name}{COORDINATE}{k}" for k in range(len(counts))]
    return tuple(
        _issue_coordinate(m, name, lt(counter(name), count), False) for name, count in zip(names, counts, strict=True)
    )


def own_cell(m: Machine, z: Mutable) -> Cell:
    return Cell((z.grain,), own(m, z))


def walk(m: Machine, cells: Cells, span: Span) -> Cell:
    """The cell of some iteration: any of those that the schedule gives to the block."""
    first = cells.grains[0]
    out = []
    for k, size in enumerate(first.tile):
        name = m.name(f"{first.array}{COORDINATE}{k}", span)
        out.append(_issue_coordinate(m, name, lt(counter(name), cdiv(extent(first.array, k), size))))
    return Cell(cells.grains, tuple(out), schedule=True)


def nested_cell(m: Machine, pieces: Pieces, span: Span) -> Cell:
    """A nested tile of some iteration: it begins in the block's piece, and inside the array."""
    whole = own(m, pieces.owner)
    out = []
    for k, size in enumerate(pieces.grain.tile):
        name = m.name(f"{pieces.grain.array}{NESTED}{k}", span)
        at = counter(name)
        outer, length = pieces.owner.parameter.tile[k], extent(pieces.grain.array, k)
        out.append(_issue_coordinate(m, name, conj(
            ge(at * size, whole[k] * outer), lt(at * size, (whole[k] + 1) * outer), lt(at, cdiv(length, size)))))
    return Cell((pieces.grain,), tuple(out), schedule=True)


def placed_cell(m: Machine, z: Mutable, grain: Grain, at: tuple[Term, ...]) -> Cell:
    """The nested tile at a place in the block's piece that the kernel computes, if there is one."""
    whole = own(m, z)
    inside = conj(*(c for k, size in enumerate(grain.tile) for c in (
        ge(at[k], 0), lt(at[k], cdiv(get_true_extent(z, whole, k), size)))))
    where = tuple(c * floordiv(piece, size) + a for c, piece, size, a in zip(
        whole, z.parameter.tile, grain.tile, at, strict=True))
    return Cell((grain,), where, inside=inside)


def origin_of(z: Mutable, at: tuple[Term, ...]) -> tuple[Term, ...]:
    """The first element of the piece with these coordinates."""
    return tuple(c * size for c, size in zip(at, z.parameter.tile, strict=True))


def get_true_extent(z: Mutable, at: tuple[Term, ...], axis: int) -> Term:
    """The true extent of that piece: what of it lies in the array."""
    size = z.parameter.tile[axis]
    return minimum(size, extent(z.array, axis) - at[axis] * size)


def require(m: Machine, cond: Cond) -> None:
    """Launches must satisfy the condition, where they come here."""
    if m.noting and cond.op != "true":
        m.holdings.required[m.path, cond] = None


def blame(
    m: Machine, code: FaultCode, span: Span, array: str, how: str, *words: str,
    shapes: tuple[tuple[Term | None, ...], ...] = (), place: Span | None = None,
) -> None:
    """A rule of the dialect is broken here."""
    if code in ("TC104", "TC105") and array:
        m.written.add(ArrayParam(array))
    if m.noting:
        m.notes.effects += 1
        m.holdings.faults[Fault(code, span, array, how, words, shapes, place)] = None
