"""Loops over `n // T` tiles that leave out the last `n % T` elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.contracts import render
from tilecheck.interp.host.clause_substitution import bind, value_of
from tilecheck.interp.host.entailment import divisible
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.obligations.deferred import Lint, Suspicion, stands
from tilecheck.obligations.query import Context
from tilecheck.solver.inequalities import Facts, conjuncts
from tilecheck.symbolic import (
    ONE,
    Atom,
    Bid,
    Cond,
    Counter,
    Extent,
    FloorDiv,
    Ite,
    Lane,
    Min,
    Mod,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    enforceable,
    eq,
    mod,
    of,
    split_multiples,
)
from tilecheck.symbolic.footprint import Clause
from tilecheck.syntax.tree import Span

__all__ = ["DroppedRemainder", "at_launches", "suspicions"]

_NESTED: Final = 3


class DroppedRemainder(Lint, frozen=True):
    """A loop that walks an array in `size // extent` tiles of `extent`.

    launch  the launch that makes the number of iterations, the parameter `count`, that quotient; None if the kernel
            computes it
    """

    access: Access
    size: Term
    extent: Term
    count: Symbol | None = None
    quotient: FloorDiv | None = None
    launch: Launch | None = None


def suspicions(context: Context) -> Iterator[Suspicion]:
    """Loops whose number of iterations is a quotient that the kernel computes."""
    seen: set[Span] = set()
    for loop, quotient in _ends(context.model):
        if loop.header in seen:
            continue
        walked = _find_walking_access(context.model, loop, quotient.den)
        if walked is None or _tail(context.model, loop, quotient):
            continue
        remainder = eq(mod(quotient.num, quotient.den), 0)
        known = conj(loop.guard, walked.region.guard, *context.assume)
        known = conj(known, *_list_claims(context.model, known))
        facts = Facts((known, *context.standing), [quotient.num], signs=False)
        if remainder.op == "true" or divisible(known, remainder) or facts.holds(remainder, effort=0) is not None:
            continue
        seen.add(loop.header)
        unless = Clause(render(remainder), remainder, "semantic") if enforceable(remainder) else None
        yield Suspicion(DroppedRemainder(loop.header, walked, quotient.num, quotient.den), unless, "free")


def _list_claims(model: KernelModel, known: Cond) -> Iterator[Cond]:
    """Yields the claims of `assume_divisible_by` that apply at the loop. TC202 checks them at every launch."""
    given = set(conjuncts(known))
    return (eq(mod(c.value, c.divisor), 0) for c in model.claims if given.issuperset(conjuncts(c.under)))


def _ends(model: KernelModel) -> Iterator[tuple[RangeLoop, FloorDiv]]:
    """Loops that run to a quotient, in some variant or at most."""
    for loop in model.observed.loops:
        if loop.step == ONE:
            for end in dict.fromkeys((*_alternatives(loop.stop), *_alternatives(loop.stop - loop.start))):
                if isinstance(end, FloorDiv) and not _by_block(end.num) and not end.num.offset:
                    # `(n + 3) // 4` rounds up
                    yield loop, end


def _alternatives(end: Term, depth: int = _NESTED) -> Iterator[Atom]:
    """Yields the alternatives of a bound that is one of several values."""
    atom = end.single
    if isinstance(atom, Ite | Min) and depth:
        for part in (atom.then, atom.other) if isinstance(atom, Ite) else atom.args:
            yield from _alternatives(part, depth - 1)
    elif atom is not None:
        yield atom


def _by_block(size: Term) -> bool:
    """Whether a size is one up to where a block stands, and what follows may be another one's."""
    return any(isinstance(a, Bid | Counter) for a in size.atoms())


def _find_walking_access(model: KernelModel, loop: RangeLoop, extent: Term) -> Access | None:
    """An access whose tile of this extent moves along an axis with the loop."""
    counter = Counter(loop.counter)
    for a in model.accesses:
        if loop.counter in a.loops and any(
                _moves(a, axis, counter, extent) for axis in range(len(a.region.index))):
            return a
    return None


def _moves(a: Access, axis: int, counter: Counter, extent: Term) -> bool:
    if a.tile:
        return a.tile[axis] == extent and a.tile_index[axis].monos.get((counter,)) == 1
    quotient, rest = split_multiples(a.region.index[axis], extent)
    return quotient.monos.get((counter,)) == 1 and any(
        isinstance(x, Lane) and x.size == extent for x in rest.atoms())


def _tail(model: KernelModel, loop: RangeLoop, quotient: FloorDiv) -> bool:
    """Whether something outside of the loop takes care of the remainder: it asks for it, or goes on after the loop."""
    rest = Mod(quotient.num, quotient.den)
    for a in model.accesses:
        if loop.counter not in a.loops and (
                _at_end(a, quotient) or rest in atoms_in(*a.region.index) | atoms_of(a.region.guard)):
            return True
    return any(quotient in atoms_in(other.start) or rest in atoms_in(other.start, other.stop)
               for other in model.observed.loops)


def _at_end(a: Access, quotient: FloorDiv) -> bool:
    """Whether an access begins where the whole tiles end."""
    if a.tile:
        return any(index.single == quotient for index in a.tile_index)
    return any(split_multiples(i, quotient.den)[0].monos.get((quotient,)) == 1 for i in a.region.index)


# --- quotients that the host computes --------------------------------------------------------------------------------

def at_launches(model: KernelModel, launches: Sequence[Launch]) -> Iterator[DroppedRemainder]:
    """Loops to a parameter that a seen launch makes `n // T`, where n is the extent of the array they walk."""
    seen: set[Span] = set()
    for loop in model.observed.loops:
        count = (loop.stop - loop.start).single
        if not isinstance(count, Symbol) or loop.step != ONE or loop.header in seen:
            continue
        for access, axis in _tiles(model, loop):
            if loop.header not in seen and not access.array.at_any_position:
                for launch in launches:
                    lint = _at(model, loop, access, axis, count, launch)
                    if lint is not None:
                        seen.add(loop.header)
                        yield lint
                        break


def _tiles(model: KernelModel, loop: RangeLoop) -> Iterator[tuple[Access, int]]:
    counter = Counter(loop.counter)
    for a in model.accesses:
        if loop.counter in a.loops:
            for axis, index in enumerate(a.tile_index):
                if index.single == counter and a.tile[axis] != ONE:
                    yield a, axis


def _at(
    model: KernelModel, loop: RangeLoop, access: Access, axis: int, count: Symbol, launch: Launch,
) -> DroppedRemainder | None:
    ranks = model.launched
    arguments: dict[str, Argument] = {
        p.name: a for p, a in zip(model.params, launch.arguments or (), strict=False)}
    quotient = value_of(count, arguments, launch, ranks).single
    extent = of(Extent(access.array, axis))
    size = access.tile[axis]
    if not isinstance(quotient, FloorDiv):
        return None
    same = bind(eq(extent, 0), model.params, launch, ranks).goal == eq(quotient.num, 0) and bind(
        eq(size, 0), model.params, launch, ranks).goal == eq(quotient.den, 0)
    remainder = eq(mod(extent, size), 0)
    if not same or not stands(Clause(render(remainder), remainder, "semantic"), "free", model, launch):
        return None
    return DroppedRemainder(loop.header, access, extent, size, count, quotient, launch)
