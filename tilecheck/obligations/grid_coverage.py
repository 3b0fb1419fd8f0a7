"""Launches with more blocks than an array has tiles, or with too few to write all of an output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from msgspec import Struct

from tilecheck.interp.host.clause_substitution import bind, find_distinct
from tilecheck.interp.host.discharge import Discharge, discharge
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.violations import numbers
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.bounds_requirements import Reach
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context, clause_of
from tilecheck.solver.model_search import BLOCKS, find_escape
from tilecheck.symbolic import (
    ONE,
    ZERO,
    Array,
    ArrayParam,
    Atom,
    Bid,
    Cond,
    Extent,
    GridDim,
    Lane,
    Load,
    Stand,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    bid,
    conj,
    const,
    ge,
    grid,
    holds,
    negate,
    of,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["Uncovered", "depends_on_data", "find_dependent", "find_uncovered"]

_EXAMPLES: Final = 6
_LEAST: Final = 2
_NESTED: Final = 3
_DATA: Final = "[...]"
"""The suffix of an array's name in the names of symbols that stand for its elements."""
_UNINITIALISED: Final = ("empty", "empty_like", "new_empty", "empty_strided")


# --- more blocks than tiles ------------------------------------------------------------------------------------------

def find_dependent(
    clause: Clause, obligations: Sequence[DecidedObligation], model: KernelModel, launch: Launch, proved: bool = True,
) -> DecidedObligation | None:
    """An obligation that depends on a clause and fails in a launch with the numbers of this one.

    A proof may use a clause that it does not need; then there is none.

    proved   whether it is proved that the launch breaks the clause. If it was only seen for some numbers, the access
             must leave the array for most of them.
    """
    cond = clause.cond
    if cond is None:
        return None
    context = Context.of(model)
    for s in obligations:
        if s.kind != "bounds" or s.verdict == "refuted" or all(c.text != clause.text for c in s.clauses):
            continue
        if s.access.held is not None and s.access.held.needs:
            return s  # an access that follows the pieces of an output needs the clause
        others = [c.cond for c in s.clauses if c.cond is not None and c.text != clause.text]
        known = _numbers(model, launch, atoms_in(cond, *others))
        # a launch may break several at once: what does not hold in it is not assumed
        assume = conj(negate(cond), *(c for c in others if not _fails(c, known)), *context.uniform)
        if any(_leaves(context, s, reach, assume, cond, launch, proved) for reach in s.access.reach):
            return s
    return None


def _fails(cond: Cond, numbers: dict[Atom, int]) -> bool:
    """Whether a condition is false with these values of launch scalars; false if they do not determine it."""
    try:
        return not holds(cond, numbers)
    except (KeyError, ArithmeticError):
        return False


def depends_on_data(s: DecidedObligation) -> bool:
    """Whether data decides that the access is made, or where."""
    return any(isinstance(a, Load) for r in s.access.reach for a in atoms_in(r.at, r.end, s.access.under, r.when))


def _leaves(
    context: Context, s: DecidedObligation, reach: Reach, assume: Cond, cond: Cond, launch: Launch, proved: bool,
) -> bool:
    """Whether an access leaves its array for some data: in a launch with the numbers of this one, or with most of those
    that it was seen to have."""
    tiles = context.tiles | {a.name for e in s.access.tile for a in e.atoms() if isinstance(a, Symbol)}
    guard = conj(s.access.under, reach.when)
    # blocks that have no tile may be marked in data
    about_grid = any(isinstance(a, GridDim) for a in atoms_of(cond))
    for made in ((reach.at, reach.end, guard),) if about_grid else _with_data(reach.at, reach.end, guard):
        atoms = atoms_in(*made, assume)
        found = list(_draw_launches(cond, context.model, launch, atoms))
        if proved and len(found) < _LEAST:
            found.append(_numbers(context.model, launch, atoms))
        if proved:  # numbers that were drawn twice leave the array twice, or not at all
            found = list({tuple(sorted(fixed.items())): fixed for fixed in found}.values())
        left = (find_escape(*made, axes=context.model.axes_read, assume=assume, tiles=tiles, every=False, fixed=fixed)
                is not None for fixed in (found if proved else found[:_EXAMPLES]))
        if any(left) if proved else (count := sum(left)) >= _LEAST and 2 * count >= len(found[:_EXAMPLES]):
            return True
    return False


def _draw_launches(cond: Cond, model: KernelModel, launch: Launch, atoms: set[Atom]) -> Iterator[dict[Atom, int]]:
    """The launch scalars as the launch can have them when it breaks a condition, in grids of several blocks."""
    symbols = {a for a in atoms if isinstance(a, Symbol) and not isinstance(a, Stand)}
    asked = conj(*(ge(of(a), 0) for a in sorted(symbols)), *(ge(grid(k), 1) for k in range(3)))
    found = numbers(asked, cond, model.params, launch, model.launched)
    return (n for n in found if 1 < prod(n[GridDim(k)] for k in range(3)) <= BLOCKS)


def _with_data(at: Term, end: Term, guard: Cond) -> Iterator[tuple[Term, Term, Cond]]:
    """An access as it is made where all elements of each array are the same number, and where they grow evenly: that is
    some data."""
    loads = sorted(a for a in atoms_in(at, end, guard) if isinstance(a, Load))
    if not loads:
        yield at, end, guard
        return
    for step in (ZERO, ONE, const(2)):
        made = (at, end, guard)
        for _ in range(_NESTED):
            # the value that is read may be the index of another read
            here = Substitution({a: of(Stand(f"{a.array}{_DATA}")) + sum(a.index, ZERO) * step
                                 for a in atoms_in(*made) if isinstance(a, Load)})
            made = (here.term(made[0]), here.term(made[1]), here.cond(made[2]))
        if made[2].op != "false":
            yield made


def _numbers(model: KernelModel, launch: Launch, atoms: set[Atom]) -> dict[Atom, int]:
    """The launch scalars that are numbers at a launch; without them all where the grid is too large to walk."""
    symbols: set[Symbol] = {a for a in atoms if isinstance(a, Symbol)} | {GridDim(k) for k in range(3)}
    asked = conj(*(ge(of(a), 0) for a in sorted(symbols)))
    values = bind(asked, model.params, launch, model.launched).values
    found: dict[Atom, int] = {a: v for a, t in values.items() if (v := t.constant) is not None}
    blocks = 1
    for k in range(3):
        blocks *= found.get(GridDim(k), 2)
    return found if blocks <= BLOCKS else {}


# --- fewer blocks than tiles -----------------------------------------------------------------------------------------

class Uncovered(Struct, frozen=True):
    """A launch whose blocks end before an axis of an output does, which the host leaves uninitialised.

    access   the write of one tile a block
    fresh    the function that allocates the output
    covers   what it takes to reach the end of the axis, at the launch
    """

    access: Access
    axis: int
    launch: Launch
    fresh: str
    covers: Discharge


def find_uncovered(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Uncovered]:
    """Launches that leave part of an array unwritten that the host allocates without initialising it."""
    writes = list(_find_covering_writes(model))
    alike, ranks = find_distinct(launches) if writes else (), model.launched
    # launch by launch: what binds clauses to a launch is cached for the last ones
    known: dict[tuple[Launch, str], Discharge] = {}
    for launch, one in zip(launches, alike, strict=False):
        for access, _, clause in writes:
            if (one, clause.text) not in known and _find_fresh(model, launch, access.array) is not None:
                known[one, clause.text] = discharge(clause, model.params, one, ranks)
    for access, axis, clause in writes:
        for launch, one in zip(launches, alike, strict=True):
            fresh = _find_fresh(model, launch, access.array)
            found = known.get((one, clause.text))
            if fresh is not None and found is not None and found.state in ("broken", "violated"):
                yield Uncovered(access, axis, launch, fresh, found)


def _find_covering_writes(model: KernelModel) -> Iterator[tuple[Access, int, Clause]]:
    """Writes to arrays that nothing else writes, in which each block writes one tile at its coordinate: the access, an
    axis, and the clause under which the blocks reach the end of the axis."""
    sites: dict[Array, set[int]] = {}
    for a in model.accesses:
        if a.mode != "read":
            sites.setdefault(a.array, set()).add(a.site)
    for a in model.accesses:
        if a.mode != "write" or len(sites[a.array]) != 1 or a.may or not isinstance(a.array, ArrayParam) or a.loops:
            continue
        if any(gap.arrays == () or a.array in gap.arrays for gap in model.gaps) or a.under.op != "true":
            continue
        for axis, index in enumerate(a.region.index):
            k, extent = _match_step(index)
            if k is not None and extent is not None:
                yield a, axis, clause_of(ge(grid(k) * extent, of(Extent(a.array, axis))), True)


def _match_step(index: Term) -> tuple[int | None, Term | None]:
    """(axis, T) of an index `bid(axis)*T + lane` over all lanes of T; T is 1 for `bid(axis)`."""
    coordinates = sorted(a.axis for a in index.atoms() if isinstance(a, Bid))
    if len(coordinates) != 1:
        return None, None
    (k,) = coordinates
    if index == bid(k):
        return k, ONE
    lanes = [a for a in index.atoms() if isinstance(a, Lane)]
    whole = len(lanes) == 1 and index == bid(k) * lanes[0].size + of(lanes[0])
    return (k, lanes[0].size) if whole else (None, None)


def _find_fresh(model: KernelModel, launch: Launch, array: Array) -> str | None:
    """The function that allocates an array without initialising it, where the launch passes all of the array."""
    argument = _argument(model, launch, array)
    return argument.fresh if argument is not None and argument.exact and argument.fresh in _UNINITIALISED else None


def _argument(model: KernelModel, launch: Launch, array: Array) -> Argument | None:
    names = [p.name for p in model.params]
    place = names.index(array.text) if array.text in names else -1
    found = launch.arguments or ()
    return found[place] if 0 <= place < len(found) else None
