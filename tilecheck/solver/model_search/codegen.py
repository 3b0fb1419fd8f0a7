"""Python code for terms: the search evaluates millions of points, so it compiles instead of interpreting.

The text is built from terms only. Names in it are made here (`v0`, `t3`), integers come from coefficients, and nothing
of a kernel's source reaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tilecheck.solver.model_search.layout import AXES, Layout, conjuncts, layout
from tilecheck.symbolic import FUNCTIONS, App, Atom, Bid, Cond, FloorDiv, Ite, Lane, Load, Max, Min, Mod, Term, atoms_of
from tilecheck.symbolic.footprint import Region

__all__ = ["Enumerator", "Oracle", "Point", "TooLarge", "enumerator", "predicate"]

Oracle: TypeAlias = Callable[..., int]
"""`(name, *arguments)` to the value of an array element (`name` is `array[`) or unknown function (`name` is `fn(`)."""

Point: TypeAlias = tuple[Any, ...]
"""`(element, block, counters, lanes)`."""

Enumerator: TypeAlias = Callable[..., Iterator[Point]]

MAX_TEXT: Final = 40_000
OPERATORS: Final = {"and": "&", "or": "|", "xor": "^"}


class TooLarge(Exception):
    """The generated code would be unreasonably long."""


class _Writer:
    """Expressions for terms; compound atoms that were given a temporary are named by it."""

    def __init__(self, names: dict[Atom, str]) -> None:
        self.names = names
        self.size = 0

    def term(self, t: Term) -> str:
        if not t.monos:
            return "0"
        parts: list[str] = []
        for m, c in t.monos.items():
            factors = [self.atom(a) for a in m]
            if c != 1 or not factors:
                factors.insert(0, str(c) if c >= 0 else f"({c})")
            parts.append("*".join(factors))
        text = " + ".join(parts)
        return self._limit_size(text if len(parts) == 1 and "*" not in text else f"({text})")

    def _limit_size(self, text: str) -> str:
        self.size += len(text)
        if self.size > MAX_TEXT:
            raise TooLarge
        return text

    def atom(self, a: Atom) -> str:
        return self.names.get(a) or self._limit_size(self.compound(a))

    def compound(self, a: Atom) -> str:
        return _COMPOUND[type(a)](self, a)

    def cond(self, c: Cond) -> str:
        return self._limit_size(_CONDITION[c.op](self, c))

    def application(self, a: App) -> str:
        args = [self.term(x) for x in a.args]
        if a.fn in OPERATORS and len(args) == 2:
            return f"({args[0]} {OPERATORS[a.fn]} {args[1]})"
        if a.fn in FUNCTIONS:
            return f"F[{a.fn!r}]({', '.join(args)})"
        return f"D({', '.join((repr(f'{a.fn}('), *args))})"

    def junction(self, c: Cond, word: str) -> str:
        # cheap parts first, so that a test of the divisor comes before the division
        return "(" + f" {word} ".join(self.cond(p) for p in sorted(c.args, key=weight)) + ")"


_COMPOUND: Final[dict[type[Atom], Callable[[_Writer, Any], str]]] = {
    FloorDiv: lambda w, a: f"({w.term(a.num)} // {w.term(a.den)})",
    Mod: lambda w, a: f"({w.term(a.num)} % {w.term(a.den)})",
    Min: lambda w, a: f"min({', '.join(w.term(x) for x in a.args)})",
    Max: lambda w, a: f"max({', '.join(w.term(x) for x in a.args)})",
    Ite: lambda w, a: f"({w.term(a.then)} if {w.cond(a.cond)} else {w.term(a.other)})",
    App: lambda w, a: w.application(a),
    Load: lambda w, a: f"D({', '.join((repr(f'{a.array}['), *(w.term(i) for i in a.index)))})",
}

_CONDITION: Final[dict[str, Callable[[_Writer, Cond], str]]] = {
    "true": lambda w, c: "True",
    "false": lambda w, c: "False",
    "ge": lambda w, c: f"({w.term(c.term)} >= 0)",
    "eq": lambda w, c: f"({w.term(c.term)} == 0)",
    "ne": lambda w, c: f"({w.term(c.term)} != 0)",
    "bool": lambda w, c: f"(({w.atom(c.atom) if c.atom else '0'} != 0) is {c.positive})",
    "and": lambda w, c: w.junction(c, "and"),
    "or": lambda w, c: w.junction(c, "or"),
}


def _list_operands(a: Atom) -> tuple[Term | Cond, ...]:
    if isinstance(a, (FloorDiv, Mod)):
        return (a.num, a.den)
    if isinstance(a, (Min, Max, App)):
        return a.args
    if isinstance(a, Load):
        return a.index
    if isinstance(a, Ite):
        return (a.cond, a.then, a.other)
    return ()


@lru_cache(maxsize=8192)
def weight(c: Cond) -> tuple[int, str]:
    """Order of evaluation: what cannot divide by zero goes first."""
    return sum(10 if isinstance(a, (FloorDiv, Mod, App)) else 1 for a in atoms_of(c)), c.key


def _span(along: int | Sequence[int]) -> Sequence[int]:
    """The coordinates of blocks along an axis: all of them, or those that a caller chose."""
    return range(along) if isinstance(along, int) else along


_GLOBALS: Final = {"__builtins__": {"min": min, "max": max, "range": range}, "F": FUNCTIONS, "span": _span}


@lru_cache(maxsize=4096)
def _compile(text: str, name: str) -> Any:
    """The function of a text. It keeps nothing between calls, and questions about one kernel share most of theirs."""
    space: dict[str, Any] = dict(_GLOBALS)
    exec(compile(text, "<terms>", "exec"), space)
    return space[name]


def predicate(c: Cond, variables: Sequence[Atom]) -> Callable[[Sequence[int], Oracle], bool]:
    """A function of the variables' values. Raises TooLarge, and KeyError for a leaf that is not among them."""
    writer = _Writer({a: f"v[{i}]" for i, a in enumerate(variables)})
    text = f"def check(v, D):\n    return {writer.cond(c)}\n"
    check: Callable[[Sequence[int], Oracle], bool] = _compile(text, "check")
    return check


def value(t: Term, variables: Sequence[Atom]) -> Callable[[Sequence[int], Oracle], int]:
    """As `predicate`, for a term."""
    writer = _Writer({a: f"v[{i}]" for i, a in enumerate(variables)})
    text = f"def compute(v, D):\n    return {writer.term(t)}\n"
    compute: Callable[[Sequence[int], Oracle], int] = _compile(text, "compute")
    return compute


class _Loops:
    """The nested loops over one region.

    Levels: 0 is outside all loops, then one level a loop. A compound atom is computed once at the outermost level
    where its parts are known, a guard is tested there; what stands inside `ite` or `or` stays in place, because it
    may be undefined where it is not chosen.
    """

    def __init__(self, region: Region, plan: Layout) -> None:
        self.region, self.plan = region, plan
        self.names: dict[Atom, str] = {}
        self.level_of: dict[Atom, int] = {}
        self.loops: list[tuple[str, str]] = []
        for i, leaf in enumerate(plan.uniform):
            self.names[leaf], self.level_of[leaf] = f"s{i}", 0
        for axis in AXES:
            self._loop(Bid(axis), f"b{axis}", f"span(g{axis})")
        for i, c in enumerate(plan.counters):
            self._loop(c, f"k{i}", f"range(c{i})")
        for i, lane in enumerate(plan.lanes):
            self._loop(lane, f"l{i}", f"e{i}")
        self.body: list[list[str]] = [[] for _ in range(len(self.loops) + 1)]
        self.writer = _Writer(self.names)
        self.computed: set[Atom] = set()

    def _loop(self, a: Atom, name: str, over: str) -> None:
        self.loops.append((name, over))
        self.names[a], self.level_of[a] = name, len(self.loops)

    def level(self, value: Term | Cond) -> int:
        if isinstance(value, Cond):
            inner = [self.level(p) for p in value.args]
            if value.atom is not None:
                inner.append(self.atom_level(value.atom))
            return max((*inner, self.level(value.term)))
        return max((self.atom_level(a) for m in value.monos for a in m), default=0)

    def atom_level(self, a: Atom) -> int:
        known = self.level_of.get(a)
        if known is None:
            known = max((self.level(x) for x in _list_operands(a)), default=0)
            self.level_of[a] = known
        return known

    def need(self, value: Term | Cond) -> None:
        """Computes the compound atoms of a value that are evaluated whenever it is."""
        if isinstance(value, Cond):
            if value.op == "and":
                self.need(min(value.args, key=weight))
            if value.atom is not None:
                self._need_atom(value.atom)
            value = value.term
        for m in value.monos:
            for a in m:
                self._need_atom(a)

    def _need_atom(self, a: Atom) -> None:
        if a in self.names:
            return
        parts = _list_operands(a)
        for x in parts[:1] if isinstance(a, Ite) else parts:
            self.need(x)
        text = self.writer.compound(a)
        name = f"t{len(self.names)}"
        self.body[self.atom_level(a)].append(f"{name} = {text}")
        self.names[a] = name

    def source(self) -> str:
        tests: list[list[Cond]] = [[] for _ in self.body]
        for c in conjuncts(self.region.guard):
            if c.op != "true":
                tests[self.level(c)].append(c)
        for depth, here in enumerate(tests):
            for c in sorted(here, key=weight):
                self.need(c)
                # `return` outside all loops, else on to the next iteration
                self.body[depth].append(f"if not {self.writer.cond(c)}: {'continue' if depth else 'return'}")
        for t in self.region.index:
            self.need(t)
        return self._assemble(tuple(self.writer.term(t) for t in self.region.index))

    def _assemble(self, index: tuple[str, ...]) -> str:
        plan = self.plan
        out = [
            "def points(S, G, C, L, D, budget, N):",
            *(f" s{i} = S[{i}]" for i in range(len(plan.uniform))),
            " g0, g1, g2 = G",
            *(f" c{i} = C[{i}]" for i in range(len(plan.counters))),
            *(f" e{i} = L[{i}]" for i in range(len(plan.lanes))),
            " n = 0",
        ]
        out += [" " + line for line in self.body[0]]
        for depth, (name, over) in enumerate(self.loops, 1):
            pad = " " * depth
            out.append(f"{pad}for {name} in {over}:")
            out.append(f"{pad} n += 1")
            out.append(f"{pad} if n > budget: N[0] = n; return")
            out += [f"{pad} {line}" for line in self.body[depth]]
        pad = " " * (len(self.loops) + 1)
        counters = "".join(f"k{i}, " for i in range(len(plan.counters)))
        lanes = "".join(f"l{i}, " for i in range(len(plan.lanes)))
        out.append(f"{pad}yield ({''.join(t + ', ' for t in index)}), (b0, b1, b2), ({counters}), ({lanes})")
        out.append(" N[0] = n")
        return "\n".join(out) + "\n"


_DEEPEST: Final = 19
"""Loops in loops: the interpreter takes 20 nested blocks."""


@lru_cache(maxsize=512)
def enumerator(region: Region, extra_lanes: tuple[Lane, ...] = ()) -> Enumerator | None:
    """`points(scalars, grid, counter_limits, lane_values, oracle, budget, count)`, a generator of the points that a
    region touches; `count[0]` is how many it looked at in the end. None when the code would be too long. An axis of
    `grid` is a number of blocks, or the coordinates of some."""
    plan = layout(region, extra_lanes)
    try:
        loops = _Loops(region, plan)
        text = loops.source()
    except TooLarge:
        return None
    if len(loops.loops) > _DEEPEST:
        return None
    points: Enumerator = _compile(text, "points")
    return points

