"""Launches of the host code beside a kernel, with the arguments that it computes, for random sizes.

A value that the seen host code does not compute, such as an extent of a caller's array, is unknown. In a launch that
the checker cannot follow, all values are unknown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tests.mutation.launches import Candidate, Signature
from tilecheck.config import Config
from tilecheck.interp.host.clause_substitution import extent
from tilecheck.interp.host.launch import Argument, Launch
from tilecheck.pipeline.single_kernel import study
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import (
    Atom,
    Cond,
    Load,
    Opaque,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    evaluate,
    holds,
    symbol_from_text,
)

SIZES: Final = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 33, 48, 100, 130, 260)
TRIES: Final = 600
"""Draws of one launch. Few of them satisfy the conditions that the host ensures."""
ELEMENTS: Final = 120_000
BLOCKS: Final = 24
"""Of larger launches, running one takes too long."""


@lru_cache(maxsize=8)
def read_seen_launches(path: Path, name: str) -> tuple[tuple[str, ...], tuple[Launch, ...]]:
    """Returns the parameters of a kernel and its launches in its file.

    There are no launches if the accesses of the kernel depend on data, because the data is unknown.
    """
    found = study(f"{path}::{name}", Config(use_cache=False, respect_gitignore=False))
    params = tuple(p.name for p in found.model.params)
    atoms = (x for a in found.model.accesses for x in (
        *atoms_in(*a.region.index, *(t for r in a.reach for t in (r.at, r.end))), *atoms_of(a.region.guard)))
    if any(isinstance(x, Load) or (isinstance(x, Opaque) and not x.uniform) for x in atoms):
        return params, ()
    return params, tuple(x for x in found.launches if x.how != "unseen")


def draw_launches(
    known: Signature, params: Sequence[str], launch: Launch, seed: str, count: int
) -> Iterator[Candidate]:
    """Up to so many launches as one in the host code makes them."""
    if launch.arguments is None or len(launch.arguments) != len(params):
        return
    rng = random.Random(seed)
    arguments = dict(zip(params, launch.arguments, strict=True))
    facts = conjuncts(launch.facts)
    for _ in range(TRIES):
        env: dict[Atom, int] = {symbol_from_text(n): v for n, v in (rng.choice(launch.cases) if launch.cases else ())}
        made = _candidate(known, arguments, launch, env, rng)
        if made is None or not all(_may_hold(c, env) for c in facts):
            continue
        yield made
        count -= 1
        if count <= 0:
            return


def _candidate(
    known: Signature, arguments: Mapping[str, Argument], launch: Launch, env: dict[Atom, int], rng: random.Random,
) -> Candidate | None:
    try:
        grid = [_value(t, env, rng) for t in launch.grid]
        shapes, numbers = {}, {}
        for name, kind in known.kinds.items():
            given = arguments[name]
            if kind in ("array", "list"):
                shapes[name] = tuple(_value(extent(given, k), env, rng) for k in range(known.ranks.get(name, 1)))
            elif kind != "unknown":
                numbers[name] = _number(kind, given, env, rng)
    except (KeyError, ArithmeticError):
        return None
    if min(grid) < 1 or grid[0] * grid[1] * grid[2] > BLOCKS:
        return None
    for shape in shapes.values():
        elements = 1
        for n in shape:
            elements *= n
        if not 0 < elements <= ELEMENTS or min(shape) < 1:
            return None
    return Candidate((grid[0], grid[1], grid[2]), shapes, numbers, rng.randrange(1000))


def _number(kind: str, given: Argument, env: dict[Atom, int], rng: random.Random) -> Any:
    if kind == "float":
        return 0.5
    if given.term is None and kind == "bool":
        return rng.random() < 0.5
    value = _value(given.term, env, rng)
    return bool(value) if kind == "bool" else value


def _value(term: Term | None, env: dict[Atom, int], rng: random.Random) -> int:
    if term is None:
        return rng.choice(SIZES)
    _complete(atoms_of(term), env, rng)
    return evaluate(term, env)


def _complete(atoms: set[Atom], env: dict[Atom, int], rng: random.Random) -> None:
    for a in sorted(atoms):
        if isinstance(a, Symbol | Opaque) and a not in env:
            env[a] = rng.choice(SIZES)


def _may_hold(cond: Cond, env: dict[Atom, int]) -> bool:
    """Whether values that a condition leaves open may satisfy it."""
    if any(isinstance(a, Symbol | Opaque) and a not in env for a in atoms_of(cond)):
        return True
    try:
        return holds(cond, env)
    except (KeyError, ArithmeticError):
        return True
