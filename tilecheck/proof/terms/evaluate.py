"""The value of terms and conditions under concrete values of their atoms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tilecheck.proof.terms.atoms import App, Atom, FloorDiv, Ite, Max, Min, Mod
from tilecheck.proof.terms.conditions import Cond
from tilecheck.proof.terms.functions import FUNCTIONS
from tilecheck.proof.terms.polynomials import Term

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
