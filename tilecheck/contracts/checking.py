"""Contracts on concrete values: at a launch, and in comparison with each other."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Final
from zlib import crc32

from tilecheck.contracts.language import ContractError
from tilecheck.symbolic import Atom, Cond, Environment, Extent, Size, Symbol, conj, holds, negate, symbol_from_text
from tilecheck.symbolic.footprint import Clause

SAMPLES: Final = 400
LARGEST: Final = 12


class Scalars(Mapping[Atom, int]):
    """Launch scalars by name as an environment; the size of an array follows from its extents."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values_by_name = values

    def __getitem__(self, a: Atom) -> int:
        if not isinstance(a, Symbol):
            raise KeyError(a)
        found = self.values_by_name.get(a.key)
        return self._size(a) if found is None else found

    def _size(self, a: Symbol) -> int:
        if not isinstance(a, Size):
            raise KeyError(a.key)
        total, axis = 1, 0
        while (extent := self.values_by_name.get(Extent(a.array, axis).key)) is not None:
            total, axis = total * extent, axis + 1
        if axis == 0:
            raise KeyError(a.key)
        return total

    def __contains__(self, a: object) -> bool:
        return isinstance(a, Symbol)

    def __iter__(self) -> Iterator[Atom]:
        return (symbol_from_text(name) for name in self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)


def truth(cond: Cond, env: Environment) -> bool | None:
    """Whether a condition holds; None if that is undefined. One true alternative decides a disjunction, and one false
    part a conjunction, even if other parts are undefined: `T == 0 or n % T == 0` is defined for every T."""
    if cond.op in ("and", "or"):
        parts = [truth(a, env) for a in cond.args]
        decisive = cond.op == "or"
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    try:
        return holds(cond, env)
    except ArithmeticError:
        return None


def evaluate(clause: Clause, scalars: Mapping[str, int]) -> bool:
    """Whether a clause holds for launch scalars, by name (`x.shape[0]`, `grid[0]`, `n`). A clause that is undefined
    for them (a division by zero) does not hold. Raises KeyError for a missing scalar, and ContractError for a clause
    that is about arrays and not about scalars."""
    if clause.cond is None:
        raise ContractError(f"`{clause.text}` cannot be decided from launch scalars")
    return truth(clause.cond, Scalars(scalars)) is True


def equivalent(a: Cond, b: Cond) -> bool:
    """Whether two conditions agree on launches: scalars are at least 1. Decided by canonical form, then by trying."""
    # the runtime evaluates contracts at launch, and loads no search for it
    from tilecheck.solver.model_search.layout import leaves
    from tilecheck.solver.model_search.models import find_model

    if a == b:
        return True
    names = tuple(sorted({*leaves(a), *leaves(b)}))
    rng = random.Random(crc32("|".join(sorted((a.key, b.key))).encode()))
    for _ in range(SAMPLES):
        env = {n: rng.choice((1, 2, 3, 4, rng.randint(1, LARGEST))) for n in names}
        left, right = truth(a, env), truth(b, env)
        if left is not None and right is not None and left != right:
            return False
    # rare conditions, such as equations, are seldom met at random
    return all(find_model(conj(x, negate(y))) is None for x, y in ((a, b), (b, a)))
