"""Random expressions, as recipes that are built by the constructors and evaluated naively by plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from tilecheck import symbolic as t

Recipe = tuple[Any, ...]

NAMES = ("a", "b", "c")
ATOMS: Mapping[str, t.Atom] = {
    "a": t.symbol_from_text("a"), "b": t.Bid(0), "c": t.Counter("c"),
}


WHOLE = ("add", "sub", "mul", "min", "max", "and", "xor", "or", "add", "sub", "mul")
BINARY = (*WHOLE, "div", "mod", "cdiv", "div", "mod")
COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


def _integer(rng: random.Random, depth: int, divide: bool) -> Recipe:
    pick = rng.random()
    if depth == 0 or pick < 0.15:
        return ("name", rng.choice(NAMES)) if rng.random() < 0.6 else ("const", rng.randint(-6, 6))
    if pick < 0.75:
        operator = rng.choice(BINARY if divide else WHOLE)
        return (operator, _integer(rng, depth - 1, divide), _integer(rng, depth - 1, divide))
    if pick < 0.85:
        return (rng.choice(("neg", "abs")), _integer(rng, depth - 1, divide))
    if pick < 0.9:
        return (rng.choice(("shl", "shr")), _integer(rng, depth - 1, divide), ("const", rng.randint(0, 4)))
    return ("ite", _condition(rng, depth - 1, divide), *(_integer(rng, depth - 1, divide) for _ in range(2)))


def _condition(rng: random.Random, depth: int, divide: bool) -> Recipe:
    pick = rng.random()
    if depth <= 1 or pick < 0.5:
        return (rng.choice(COMPARE), *(_integer(rng, max(depth - 1, 0), divide) for _ in range(2)))
    if pick < 0.6:
        return ("not", _condition(rng, depth - 1, divide))
    return (rng.choice(("conj", "disj")), *(_condition(rng, depth - 1, divide) for _ in range(2)))


# one seed for a recipe: drawing each node from Hypothesis costs seconds
SEEDS = st.integers(0, 2**32)


def integers(depth: int = 4, divide: bool = True) -> st.SearchStrategy[Recipe]:
    return SEEDS.map(lambda seed: _integer(random.Random(seed), depth, divide))


def conditions(depth: int = 4, divide: bool = True) -> st.SearchStrategy[Recipe]:
    return SEEDS.map(lambda seed: _condition(random.Random(seed), depth, divide))


BUILD: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "neg": lambda x: -x,
    "div": t.floordiv, "mod": t.mod, "cdiv": t.cdiv, "min": t.minimum, "max": t.maximum,
    "and": lambda x, y: t.app("and", x, y), "or": lambda x, y: t.app("or", x, y),
    "xor": lambda x, y: t.app("xor", x, y), "shl": lambda x, y: t.app("shl", x, y),
    "shr": lambda x, y: t.app("shr", x, y), "abs": lambda x: t.app("abs", x),
    "ite": t.ite, "lt": t.lt, "le": t.le, "gt": t.gt, "ge": t.ge, "eq": t.eq, "ne": t.ne,
    "conj": t.conj, "disj": t.disj, "not": t.negate,
}

PLAIN: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "neg": lambda x: -x,
    "div": lambda x, y: x // y, "mod": lambda x, y: x % y, "cdiv": lambda x, y: (x - 1) // y + 1,
    "min": min, "max": max, "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
    "shl": lambda x, y: x << y, "shr": lambda x, y: x >> y, "abs": abs,
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    "conj": lambda x, y: x and y, "disj": lambda x, y: x or y, "not": lambda x: not x,
}


def build(recipe: Recipe, atoms: Mapping[str, t.Atom] = ATOMS) -> Any:
    """The recipe as a Term or Cond."""
    head, *rest = recipe
    if head == "const":
        return t.const(rest[0])
    if head == "name":
        return t.of(atoms[rest[0]])
    return BUILD[head](*(build(r, atoms) for r in rest))


def evaluate_recipe(recipe: Recipe, values: Mapping[str, int]) -> Any:
    """The value by plain Python; ZeroDivisionError where a part that counts is undefined. Strict but for `ite`."""
    head, *rest = recipe
    if head == "const":
        return rest[0]
    if head == "name":
        return values[rest[0]]
    if head == "ite":
        return evaluate_recipe(rest[1] if evaluate_recipe(rest[0], values) else rest[2], values)
    return PLAIN[head](*[evaluate_recipe(r, values) for r in rest])


def assignments(low: int = -9, high: int = 9) -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({n: st.integers(low, high) for n in NAMES})
