"""Numbers rounded up to powers of two, where there is none to round up.

`next_pow2(n)` says what n rounds up to for n >= 1. For n <= 0 host code has one of many: `1 << (n - 1).bit_length()` is
2 for 0, triton's `next_power_of_2` is 0, a loop that doubles ends at 1, `math.log2` raises. None of them is negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.interp.host.launch_slicing import replace_atoms
from tilecheck.symbolic import (
    App,
    Atom,
    Cond,
    Stand,
    Term,
    atoms_of,
    conj,
    ge,
    le,
    of,
    substitute,
    substitute_cond,
)

__all__ = ["find_rounded", "vary_nonpositive"]


def find_rounded(launch: Launch) -> tuple[App, ...]:
    """The results of rounding in a launch, for numbers that are unknown or not positive."""
    found = {a for value in _values(launch) for a in atoms_of(value) if isinstance(a, App) and a.fn == "next_pow2"}
    return tuple(sorted(a for a in found if a.args[0].constant is None or a.args[0].constant <= 0))


@lru_cache(maxsize=512)  # each clause asks for the same
def vary_nonpositive(launch: Launch, atoms: tuple[App, ...]) -> Launch:
    """The launch in the case that the rounded numbers of `atoms` are not positive: the results of rounding are any
    numbers that are not negative. If there is one atom, a fact states that its number is not positive."""
    given: dict[Atom, Term] = {a: of(Stand(f"beside {a.key}")) for a in atoms}
    grid = [None if t is None else substitute(t, given) for t in launch.grid]
    arguments = None if launch.arguments is None else tuple(replace_atoms(a, given) for a in launch.arguments)
    known = [le(substitute(atoms[0].args[0], given), 0)] if len(atoms) == 1 else []
    facts = conj(substitute_cond(launch.facts, given), *known, *(ge(value, 0) for value in given.values()))
    return replace(launch, grid=(grid[0], grid[1], grid[2]), arguments=arguments, facts=facts)


def _values(launch: Launch) -> Iterator[Term | Cond]:
    yield from (t for t in launch.grid if t is not None)
    yield launch.facts
    for argument in launch.arguments or ():
        yield from _of_argument(argument)


def _of_argument(argument: Argument) -> Iterator[Term | Cond]:
    yield from (t for t in (argument.term, *(argument.shape or ()), *(argument.strides or ())) if t is not None)
    for cond, option in argument.options:
        yield cond
        yield from _of_argument(option)
    for element in argument.elements or ():
        yield from _of_argument(element)
