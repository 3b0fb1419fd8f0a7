"""Describes iterations by the value of the loop variable, as authors know them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.symbolic import Atom, Bid, Counter, evaluate, of
from tilecheck.symbolic.footprint import BlockPoint, Witness

__all__ = ["values_of_loops", "with_loop_values"]

_UNNAMED: Final = frozenset({"", "_"})
"""Names of loop variables that no code reads."""


def with_loop_values(w: Witness, loops: Iterable[RangeLoop]) -> Witness:
    """The witness with the values that loop variables have on both sides of it."""
    known = tuple(loops)
    return replace(w, first=_add_values(w, w.first, known), second=_add_values(w, w.second, known)) if known else w


def values_of_loops(loops: Iterable[RangeLoop], env: Mapping[Atom, int]) -> Iterator[tuple[str, int]]:
    """Yields the name of the counter and the value for each loop whose variable has one value in an environment.

    A loop is left out if its start or its step is unknown there.
    """
    found: dict[str, set[int]] = {}
    for loop in loops:
        counter = Counter(loop.counter)
        if counter in env and loop.counter.partition("@")[0] not in _UNNAMED:
            try:
                found.setdefault(loop.counter, set()).add(evaluate(loop.start + of(counter) * loop.step, env))
            except (KeyError, ArithmeticError):
                found.setdefault(loop.counter, set()).update((0, 1))
    yield from ((name, next(iter(values))) for name, values in found.items() if len(values) == 1)


def _add_values(w: Witness, p: BlockPoint, loops: tuple[RangeLoop, ...]) -> BlockPoint:
    env = w.launch
    env.update({Bid(k): n for k, n in enumerate(p.block)})
    env.update({Counter(name): n for name, n in p.iterations})
    return replace(p, variables=tuple(values_of_loops(loops, env)))
