"""A clause about a kernel's parameters, said of the arguments of a launch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from tilecheck.host.launch import Argument, Launch
from tilecheck.host.state import chosen
from tilecheck.kernel.access import Param
from tilecheck.proof.terms import (
    ONE,
    Atom,
    Cond,
    Ite,
    Opaque,
    Sym,
    Term,
    atoms_of,
    conj,
    const,
    disj,
    eq,
    ge,
    negate,
    of,
    substitute_cond,
)
from tilecheck.records import record

AT_LAUNCH: Final = " at the launch"
_PART: Final = re.compile(r"^(?P<array>.+)\.(?P<what>shape|strides)\[(?P<axis>\d+)\]$")
_GRID: Final = re.compile(r"^grid\[(?P<axis>[012])\]$")
_LENGTH: Final = re.compile(r"^len\((?P<array>[^)]+)\)$")


@record(frozen=True)
class Bound:
    """The clause over the symbols of the launch, what is known of the symbols that only it mentions, and what each of
    its own symbols is at the launch."""

    goal: Cond
    facts: Cond
    values: Mapping[str, Term]


def bind(cond: Cond, params: Sequence[Param], launch: Launch, ranks: Mapping[str, int]) -> Bound:
    arguments, known, facts, values = _standing(tuple(params), launch, tuple(sorted(ranks.items())))
    mapping: dict[Atom, Term] = {}
    for a in atoms_of(cond):
        if isinstance(a, Sym):
            if a.name not in values:
                values[a.name] = value_of(a.name, arguments, launch, ranks)
            mapping[a] = values[a.name]
    goal = substitute_cond(cond, mapping)
    mentioned = {a for a in atoms_of(goal) if isinstance(a, Sym)} - known
    more = _about(arguments, ranks, mentioned) if mentioned else []
    for a, value in mapping.items():
        if ".shape[" in a.key:
            more += _filled(value)
    return Bound(goal, conj(*facts, *more) if more else conj(*facts), {a.key: t for a, t in mapping.items()})


@lru_cache(maxsize=256)
def _standing(
    params: tuple[Param, ...], launch: Launch, ranks: tuple[tuple[str, int], ...],
) -> tuple[dict[str, Argument], frozenset[Sym], tuple[Cond, ...], dict[str, Term]]:
    """The arguments by name, the symbols that the facts of the launch mention, what is known of these, and the values
    of scalars that were asked for: clauses mention few, and those often."""
    arguments = _by_name(params, launch)
    mentioned = {a for a in atoms_of(launch.facts) if isinstance(a, Sym)}
    return arguments, frozenset(mentioned), tuple(_about(arguments, dict(ranks), mentioned)), {}


def _about(arguments: Mapping[str, Argument], ranks: Mapping[str, int], mentioned: set[Sym]) -> list[Cond]:
    facts = [ge(of(a), 0) for a in sorted(mentioned) if ".shape[" in a.name or a.name.startswith("len(")]
    facts += map(_filled_extent, sorted(_extents(arguments, mentioned)))
    return facts + _ranked(arguments, ranks, mentioned)


@lru_cache(maxsize=1024)
def _filled_extent(name: str) -> Cond:
    return ge(of(Sym(name)), 1)


def _by_name(params: Sequence[Param], launch: Launch) -> dict[str, Argument]:
    return {param.name: argument for param, argument in zip(params, launch.arguments or (), strict=False)}


def _filled(extent: Term) -> Iterator[Cond]:
    """That an array which is passed is not empty, whatever its extent was computed from. Where it is one of several,
    one that is empty for sure may be the one."""
    choice = extent.single
    if isinstance(choice, Ite):
        if all(value.constant is None or value.constant > 0 for value in _options(extent)):
            yield ge(extent, 1)
            return
        for test, value in ((choice.cond, choice.then), (negate(choice.cond), choice.other)):
            yield from (disj(negate(test), c) for c in _filled(value))
    elif extent.constant is None:
        yield ge(extent, 1)


def _options(t: Term) -> Iterator[Term]:
    """The values that a choice is made of."""
    choice = t.single
    if not isinstance(choice, Ite):
        yield t
        return
    yield from _options(choice.then)
    yield from _options(choice.other)


def _extents(arguments: Mapping[str, Argument], mentioned: set[Sym]) -> set[str]:
    """Extents of the arrays passed. None of them is empty: in an empty array no two blocks can meet."""
    out: set[str] = set()
    for argument in arguments.values():
        for term in argument.shape or ():
            if term is not None and len(term.monos) == 1:
                # a product that is not 0 has no factor that is
                out |= {a.name for a in term.atoms() if isinstance(a, Sym) and ".shape[" in a.name}
        if argument.name is not None and argument.shape is None:
            out |= {a.name for a in mentioned if a.name.startswith(f"{argument.name}.shape[")}
    return out


def value_of(name: str, arguments: Mapping[str, Argument], launch: Launch, ranks: Mapping[str, int]) -> Term:
    """What a scalar of the kernel is at the launch; an unknown value where it is not known."""
    found: Term | None = None
    grid, part, length = _GRID.match(name), _PART.match(name), _LENGTH.match(name)
    if grid is not None:
        found = launch.grid[int(grid["axis"])]
    elif part is not None and part["array"] in arguments:
        argument, axis = arguments[part["array"]], int(part["axis"])
        rank = ranks.get(part["array"])
        found = extent(argument, axis) if part["what"] == "shape" else stride(argument, axis, rank)
    elif part is not None and part["array"].removesuffix("[*]") in arguments:
        found = _of_all(arguments[part["array"].removesuffix("[*]")], part["what"], int(part["axis"]),
                        ranks.get(part["array"]))
    elif length is not None and length["array"] in arguments:
        elements = arguments[length["array"]].elements
        found = None if elements is None else const(len(elements))
    elif name in arguments:
        found = arguments[name].term
    else:
        found = dict(launch.variables).get(name)
    return of(Opaque(f"{name}{AT_LAUNCH}", uniform=True)) if found is None else found


def _of_all(argument: Argument, what: str, axis: int, rank: int | None) -> Term | None:
    """What an extent or stride is in every array of a list, where it is the same in all of them."""
    found = {extent(e, axis) if what == "shape" else stride(e, axis, rank) for e in argument.elements or ()}
    return found.pop() if len(found) == 1 else None


def extent(argument: Argument, axis: int) -> Term | None:
    if argument.shape is not None:
        return argument.shape[axis] if axis < len(argument.shape) else None
    if argument.options and argument.name is None:
        return _either([(cond, extent(option, axis)) for cond, option in argument.options])
    return None if argument.name is None else of(Sym(f"{argument.name}.shape[{axis}]"))


def stride(argument: Argument, axis: int, rank: int | None) -> Term | None:
    if argument.strides is not None:
        return argument.strides[axis] if axis < len(argument.strides) else None
    if argument.options and argument.strided is None:
        return _either([(cond, stride(option, axis, rank)) for cond, option in argument.options])
    if argument.dense and rank is not None and axis < rank:
        out = ONE
        for inner in range(axis + 1, rank):
            known = extent(argument, inner)
            if known is None:
                return None
            out = out * known
        return out
    return None if argument.strided is None or argument.dense else of(Sym(f"{argument.strided}.strides[{axis}]"))


def _either(parts: Sequence[tuple[Cond, Term | None]]) -> Term | None:
    known = [(cond, term) for cond, term in parts if term is not None]
    return chosen(known) if len(known) == len(parts) else None


def _ranked(arguments: Mapping[str, Argument], ranks: Mapping[str, int], mentioned: set[Sym]) -> list[Cond]:
    """A rank that the kernel shows says what extents counted from the right are."""
    out: list[Cond] = []
    names = {a.name for a in mentioned}
    for param, argument in arguments.items():
        rank = ranks.get(param)
        if rank is None or argument.name is None or argument.shape is not None:
            continue
        for i in range(1, rank + 1):
            if f"{argument.name}.shape[-{i}]" in names:
                out.append(eq(of(Sym(f"{argument.name}.shape[-{i}]")), of(Sym(f"{argument.name}.shape[{rank - i}]"))))
        if f"{argument.name}.ndim" in names:
            out.append(eq(of(Sym(f"{argument.name}.ndim")), rank))
        if f"{argument.name}.shape[:-1]" in names:
            lead = ONE
            for i in range(rank - 1):
                lead = lead * of(Sym(f"{argument.name}.shape[{i}]"))
            out.append(eq(of(Sym(f"{argument.name}.shape[:-1]")), lead))
    return out


def derived(cond: Cond, params: Sequence[Param], launch: Launch) -> bool:
    """Whether the host computes something that the clause is about.

    A clause about variables that a function only passes on is a matter of its callers.
    """
    arguments = _by_name(params, launch)
    for a in atoms_of(cond):
        if isinstance(a, Sym):
            value = value_of(a.name, arguments, launch, {})
            if (value.constant is None and value.single is None) or not isinstance(value.single, Sym | Opaque | None):
                return True
    return False
