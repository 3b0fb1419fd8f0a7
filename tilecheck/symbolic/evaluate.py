"""The value of terms and conditions under concrete values of their atoms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from tilecheck.symbolic.atoms import App, Atom, FloorDiv, Ite, Max, Min, Mod
from tilecheck.symbolic.conditions import Cond
from tilecheck.symbolic.functions import FUNCTIONS
from tilecheck.symbolic.polynomials import Term

Environment: TypeAlias = Mapping[Atom, int]
"""Values of symbols, coordinates, counters, lanes, opaques, loads and uninterpreted applications."""


def evaluate(t: Term, env: Environment) -> int:
    """The value of a term. Raises KeyError for an atom without a value and ArithmeticError outside a domain."""
    total = 0
    for m, c in t.monos.items():
        value = c
        for a in m:
            value *= _value(a, env)
        total += value
    return total


def _value(a: Atom, env: Environment) -> int:
    compute = _VALUE.get(type(a))
    if compute is None or a in env:
        return env[a]
    return compute(a, env)


def _apply(a: App, env: Environment) -> int:
    fn = FUNCTIONS.get(a.fn)
    if fn is None:
        raise KeyError(a)
    return fn(*(evaluate(x, env) for x in a.args))


_VALUE: Final[Mapping[type[Atom], Callable[..., int]]] = {
    FloorDiv: lambda a, env: evaluate(a.num, env) // evaluate(a.den, env),
    Mod: lambda a, env: evaluate(a.num, env) % evaluate(a.den, env),
    Min: lambda a, env: min(evaluate(x, env) for x in a.args),
    Max: lambda a, env: max(evaluate(x, env) for x in a.args),
    Ite: lambda a, env: evaluate(a.then if holds(a.cond, env) else a.other, env),
    App: _apply,
}


def holds(c: Cond, env: Environment) -> bool:
    """Whether a condition holds. Raises as `evaluate` does."""
    return _HOLDS[c.op](c, env)


_HOLDS: Final[Mapping[str, Callable[[Cond, Environment], bool]]] = {
    "true": lambda c, env: True,
    "false": lambda c, env: False,
    "ge": lambda c, env: evaluate(c.term, env) >= 0,
    "eq": lambda c, env: evaluate(c.term, env) == 0,
    "ne": lambda c, env: evaluate(c.term, env) != 0,
    "bool": lambda c, env: (_value(c.atom, env) != 0) == c.positive if c.atom is not None else False,
    "and": lambda c, env: all(holds(a, env) for a in c.args),
    "or": lambda c, env: any(holds(a, env) for a in c.args),
}


class Point:
    """Values of atoms at which several terms and conditions are evaluated. Values of shared atoms are cached.
    Results and errors are those of `evaluate` and `holds`."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Atom, int]) -> None:
        self._values = dict(values)

    def value(self, t: Term) -> int:
        """The value of a term."""
        known = self._values
        total = 0
        for m, c in t.monos.items():
            for a in m:
                v = known.get(a)
                c *= self._of(a) if v is None else v
            total += c
        return total

    def at(self, a: Atom) -> int:
        """The value of an atom."""
        v = self._values.get(a)
        return self._of(a) if v is None else v

    def holds(self, c: Cond) -> bool:
        """Whether a condition holds."""
        return _HOLDS_AT[c.op](self, c)

    def satisfies(self, c: Cond) -> bool:
        """Whether a condition is defined, and holds."""
        try:
            return self.holds(c)
        except (KeyError, ArithmeticError):
            return False

    def leaf(self, a: Atom) -> int:
        """The value of an atom that was not given and cannot be computed."""
        raise KeyError(a)

    def _of(self, a: Atom) -> int:
        compute = _VALUE_AT.get(type(a))
        out = self.leaf(a) if compute is None else compute(self, a)
        self._values[a] = out
        return out

    def _apply(self, a: App) -> int:
        fn = FUNCTIONS.get(a.fn)
        return self.leaf(a) if fn is None else fn(*[self.value(x) for x in a.args])

    def _all(self, c: Cond) -> bool:
        return all(map(self.holds, c.args))

    def _holds_any(self, c: Cond) -> bool:
        return any(map(self.holds, c.args))

    def _truth(self, c: Cond) -> bool:
        return c.atom is not None and (self.at(c.atom) != 0) == c.positive


_VALUE_AT: Final[Mapping[type[Atom], Callable[[Point, Any], int]]] = {
    FloorDiv: lambda s, a: s.value(a.num) // s.value(a.den),
    Mod: lambda s, a: s.value(a.num) % s.value(a.den),
    Min: lambda s, a: min([s.value(x) for x in a.args]),
    Max: lambda s, a: max([s.value(x) for x in a.args]),
    Ite: lambda s, a: s.value(a.then if s.holds(a.cond) else a.other),
    App: Point._apply,
}
_HOLDS_AT: Final[Mapping[str, Callable[[Point, Cond], bool]]] = {
    "true": lambda s, c: True,
    "false": lambda s, c: False,
    "ge": lambda s, c: s.value(c.term) >= 0,
    "eq": lambda s, c: s.value(c.term) == 0,
    "ne": lambda s, c: s.value(c.term) != 0,
    "bool": Point._truth,
    "and": Point._all,
    "or": Point._holds_any,
}
