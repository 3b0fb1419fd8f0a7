"""Footprints of accesses, clauses of contracts, and witnesses."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.symbolic import Atom, Cond, GridDim, Symbol, Term

Verdict: TypeAlias = Literal["proved", "conditional", "refuted", "unproven", "atomic", "single-block"]
ClauseKind: TypeAlias = Literal["structural", "semantic", "annotation"]


class Region(Struct, frozen=True):
    """The elements that one access touches in one block, as a function of the block.

    index    element index along each axis of the array (root array coordinates), over block coordinates, loop
             counters, lanes and launch scalars. One entry for an access by raw offset.
    guard    everything known to hold when the element is touched: path conditions, loop bounds, mask, and the implied
             bounds of checked element accesses. Block coordinates are known to lie in the grid, lanes in their size
             and counters to be >= 0; the guard does not repeat that.
    exact    whether index and guard are the whole truth. When false (something was not understood) the access
             touches no more than an over-approximation, and must not be used to refute.
    """

    index: tuple[Term, ...]
    guard: Cond
    exact: bool = True


class Clause(Struct, frozen=True):
    """One conjunct of a launch contract over launch scalars.

    text        in the contract language, the canonical spelling
    cond        the same as a condition over `Symbol`s; None for clauses that are not arithmetic (`disjoint(c, a)`,
                `injective(ids)`)
    kind        `structural`: an author takes it for granted, such as extents that agree; `semantic`: without it blocks
                collide or an access leaves its array, so that an open one is reported; `annotation`: about data
    """

    text: str
    cond: Cond | None
    kind: ClauseKind

    def __hash__(self) -> int:
        return hash(self.text)


class BlockPoint(Struct, frozen=True):
    """One of the two sides of a witness: the block, its loop iterations and the lanes of the element.

    variables  what the variables of those loops are worth there, by the names of the loops, as far as that is known
    """

    block: tuple[int, int, int]
    iterations: tuple[tuple[str, int], ...]
    lanes: tuple[tuple[str, int], ...]
    variables: tuple[tuple[str, int], ...] = ()


class Witness(Struct, frozen=True):
    """Concrete values under which two accesses touch one element; re-evaluated before it is ever shown.

    grid        number of blocks on each axis
    scalars     value of every launch scalar that the two accesses mention, sorted
    element     the array index that both touch
    data        the array reads assumed: (`ids[3]`, value)
    rank        number of axes of the grid by which blocks are called; 0 for as many as have several blocks
    """

    grid: tuple[int, int, int]
    scalars: tuple[tuple[Symbol, int], ...]
    first: BlockPoint
    second: BlockPoint
    element: tuple[int, ...]
    data: tuple[tuple[str, int], ...] = ()
    rank: int = 0

    @property
    def launch(self) -> dict[Atom, int]:
        """The launch scalars, those of the grid included."""
        return {**dict(self.scalars), **{GridDim(axis): extent for axis, extent in enumerate(self.grid)}}
