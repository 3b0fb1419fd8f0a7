"""Launches that pass one storage twice: for two parameters, or as two arrays of a list.

The compiler assumes that parameters are disjoint, so that two of them with one storage are undefined if one is written.
It keeps the order of accesses to the arrays of one list. There, blocks that write one element twice are looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilecheck.interp.host.argument_aliasing import Passed, aliases
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launch_numbers import Numbers, numbers_at
from tilecheck.interp.host.read_write_sets import Touched, find_accessed
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.solver.model_search import run_collision, run_region
from tilecheck.symbolic import (
    ANY,
    App,
    Array,
    ArrayElement,
    Cond,
    Counter,
    Extent,
    Stride,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    conj,
    conjuncts,
    eq,
    of,
)
from tilecheck.symbolic.footprint import Region, Witness
from tilecheck.syntax.tree import Span

__all__ = ["AliasedArguments", "find_aliased_arguments"]

_MOST: Final = 64
"""Pairs of one launch that are looked at."""


class AliasedArguments(Struct, frozen=True):
    """A launch that passes overlapping storage twice. The kernel writes it through `written`.

    names     the two parameters, or arrays of a list, in order
    text      the second argument, as the author wrote it
    span      the location of the second argument
    in_place  whether both are the same array, and each block only reads from it what it writes later
    certain   whether both are used at the launch; of two arrays of one list, whether two blocks write one element
    """

    names: tuple[str, str]
    written: str
    text: str
    span: Span
    in_place: bool = False
    certain: bool = True

    @property
    def of_one_list(self) -> bool:
        """Whether both are arrays of one list."""
        first, second = (name.partition("[")[0] for name in self.names)
        return first == second


def find_aliased_arguments(model: KernelModel, launches: Sequence[Launch]) -> Iterator[AliasedArguments]:
    """Arguments that certainly overlap, one of which the kernel writes and the other it uses. Of the pairs with an
    array of a list, one for two parameters."""
    for launch in launches:
        pairs = aliases(launch, model.params)[:_MOST]
        if not pairs:
            continue
        touched = find_accessed(model, launch)
        shown: dict[object, AliasedArguments] = {}
        for one, other in pairs:
            found = _decide(model, launch, touched, one, other) if touched.conflict(one.array, other.array) else None
            if found is None:
                continue
            listed = isinstance(one.array, ArrayElement) or isinstance(other.array, ArrayElement)
            key = (one.array.root, other.array.root) if listed else found.names
            shown[key] = min(shown.get(key, found), found, key=lambda a: (not a.certain, a.in_place))
        yield from shown.values()


def _decide(
    model: KernelModel, launch: Launch, touched: Touched, one: Passed, other: Passed,
) -> AliasedArguments | None:
    """The finding for two arguments of one storage; None if the launch does not use one of them."""
    written, read = (one.array, other.array) if touched.writes(one.array) else (other.array, one.array)
    used = (_is_used(model, launch, touched.to(written), written, writing=True),
            _is_used(model, launch, touched.to(read), read))
    if False in used:
        return None
    first, second = one.argument, other.argument
    same = first.exact and second.exact
    certain = None not in used if written.root != read.root else (
        same and first.name is not None and (first.name, first.strided) == (second.name, second.strided)
        and _collide(model, launch, touched, written, read))
    in_place = same and not touched.writes(read) and _is_in_place(touched, read, written)
    return AliasedArguments(
        (one.array.text, other.array.text), written.text, other.argument.text, other.span, in_place, certain)


def _is_used(
    model: KernelModel, launch: Launch, accesses: Sequence[Access], array: Array, writing: bool = False,
) -> bool | None:
    """Whether a launch uses an array: yes, no, or not known. Accesses to an array of a list are executed. An access
    that cannot be executed counts as made if its array is known. An unsupported construct uses a parameter."""
    asked = [a for a in accesses if a.mode != "read" or not writing]
    if not isinstance(array, ArrayElement):
        return True
    found = {_is_reached(model, launch, _select_position(a, array)) if a.array.at_any_position else
             _is_reached(model, launch, a.region) is not False for a in asked}
    return True if True in found else None if None in found or not found else False


def _is_reached(model: KernelModel, launch: Launch, region: Region) -> bool | None:
    numbers = _numbers_for(model, launch, region)
    found = [run_region(region, sample) for sample in numbers.samples]
    reached = [point is not None for point, _ in found]
    if any(reached) and (numbers.constant or not numbers.related or all(reached)):
        return region.exact or None
    return False if numbers.constant and found and all(done.complete for _, done in found) else None


def _collide(model: KernelModel, launch: Launch, touched: Touched, first: Array, second: Array) -> bool:
    """Whether two blocks certainly access one element through two arrays of a list, and one of them writes it."""
    for a in touched.to(first):
        for b in touched.to(second):
            regions = _select_position(a, first), _select_position(b, second)
            if {a.mode, b.mode} <= {"read"} or {a.mode, b.mode} == {"atomic"} or not all(r.exact for r in regions) or (
                    len(regions[0].index) != len(regions[1].index)) or (a.locks and b.locks):
                continue
            numbers = _numbers_for(model, launch, *regions)
            failed = [isinstance(run_collision(*regions, sample, same_site=False).failure, Witness)
                      for sample in numbers.samples]
            if any(failed) and (numbers.constant or not numbers.related or all(failed)):
                return True
    return False


def _numbers_for(model: KernelModel, launch: Launch, *regions: Region) -> Numbers:
    symbols = {a for r in regions for a in atoms_in(*r.index, r.guard) if isinstance(a, Symbol)}
    return numbers_at(symbols, model.params, launch, model.launched)


def _select_position(access: Access, array: Array) -> Region:
    """The region of an access in one array of a list, whose extents are put in."""
    region = access.region
    if not access.array.at_any_position or not isinstance(array, ArrayElement) or array.position is ANY:
        return region
    position, *index = region.index
    own = Substitution({
        a: of(type(a.fn)(ArrayElement(a.fn.array.root, array.position), a.fn.axis))
        for a in atoms_in(*index, region.guard) if isinstance(a, App) and isinstance(a.fn, (Extent, Stride))
        and a.fn.array.at_any_position and a.args == (position,)})
    return Region(tuple(map(own.term, index)), conj(own.cond(region.guard), eq(position, array.position)), region.exact)


def _is_in_place(touched: Touched, read: Array, written: Array) -> bool:
    """Whether each access that reads one array is followed by a write to the same elements of the other one, and no
    write comes before it."""
    writes = [a for a in touched.to(written) if a.mode != "read"]
    reads = touched.to(read)
    return bool(reads) and all(
        r.region.exact and any(w.mode == "write" and _is_same_element(r, w, read, written) for w in writes) and all(
            r.site < w.site or _exclude(r.region.guard, w.region.guard) for w in writes) for r in reads)


def _is_same_element(r: Access, w: Access, read: Array, written: Array) -> bool:
    """Whether each block reads an element of the storage before it writes the same one.

    In one loop over lists, that is so if both arrays have the same position. Otherwise all positions are read before
    any is written: no loop contains both accesses, and blocks do not choose the position.
    """
    if r.array.at_any_position is w.array.at_any_position and r.region.index == w.region.index and (
            not r.array.at_any_position or _position_of(read) == _position_of(written)):
        return True
    if not (r.array.at_any_position or w.array.at_any_position) or set(r.loops) & set(w.loops):
        return False
    chosen = [a.region.index[0] for a in (r, w) if a.array.at_any_position]
    return _within_array(r) == _within_array(w) and not any(
        a.varying and not isinstance(a, Counter) for a in atoms_in(*chosen))


def _position_of(array: Array) -> int | None:
    return array.position if isinstance(array, ArrayElement) else None


def _within_array(access: Access) -> tuple[Term, ...]:
    return access.region.index[1:] if access.array.at_any_position else access.region.index


def _exclude(first: Cond, second: Cond) -> bool:
    """Whether two path conditions exclude each other, as their parts show."""
    return conj(first, second).op == "false" or any(
        all(conj(way, second).op == "false" for way in c.args) for c in conjuncts(first) if c.op == "or")
