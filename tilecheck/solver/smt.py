"""The optional SMT backend (z3): questions that the closure leaves open, mostly at launches with concrete scalars.

A question has a hard limit, and "unknown" is an answer. "unsat" is a proof: everything that is encoded loosely (opaque
values, unknown functions, division by zero) is encoded as free, never as something special. "sat" does not refute:
only a witness that the search confirms does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.solver.model_search.assignments import grid_axis
from tilecheck.solver.model_search.collide import Question, assemble
from tilecheck.solver.model_search.layout import AXES, layout, leaves
from tilecheck.symbolic import (
    EXTENTS,
    SYMBOLS,
    TRUE,
    App,
    Atom,
    Bid,
    Cond,
    Counter,
    FloorDiv,
    GridDim,
    Ite,
    Lane,
    Length,
    Load,
    Max,
    Min,
    Mod,
    Opaque,
    Symbol,
    Term,
    conj,
    const,
    eq,
    of,
    substitute,
    substitute_cond,
)
from tilecheck.symbolic.footprint import Region, Witness

Outcome: TypeAlias = Literal["unsat", "sat", "unknown"]

_LOADED: Final = 10
"""How many times longer a query may take by the clock than by its steps, which are what ends it: on a machine that has
other work, the answer is the same."""
TIMEOUT_MS: Final = 1000
STEPS_PER_MS: Final = 150
"""z3's own steps allowed for a millisecond. So few that they, and not the clock, end a question: answers do not depend
on the load of the machine."""
LARGEST_TERM: Final = 20_000
SMALL: Final = 64
TILE_SIZES: Final = (1, 2, 4, 8, 16)


def available() -> bool:
    """Whether z3 is installed."""
    return find_spec("z3") is not None


class _TooLarge(Exception):
    """The question would be unreasonably long."""


@dataclass
class _Shared:
    """The parts that both copies share: z3 itself, launch scalars, arrays that are read, unknown functions."""

    z3: Any
    positive: frozenset[Atom]
    scalars: dict[Atom, Any] = field(default_factory=dict)
    functions: dict[tuple[str, int], Any] = field(default_factory=dict)
    size: int = 0

    def scalar(self, a: Atom) -> Any:
        if a not in self.scalars:
            self.scalars[a] = self.z3.Int(f"s{len(self.scalars)}")
        return self.scalars[a]

    def function(self, name: str, arity: int) -> Any:
        key = (name, arity)
        if key not in self.functions:
            whole = self.z3.IntSort()
            self.functions[key] = self.z3.Function(f"f{len(self.functions)}", *([whole] * (arity + 1)))
        return self.functions[key]


class _Copy:
    """Encodes terms for one of the two points."""

    def __init__(self, shared: _Shared, mark: str) -> None:
        self.shared, self.mark, self.z3 = shared, mark, shared.z3
        self.known: dict[Atom, Any] = {}

    def term(self, t: Term) -> Any:
        self.shared.size += len(t.monos)
        if self.shared.size > LARGEST_TERM:
            raise _TooLarge
        parts = []
        for m, c in t.monos.items():
            factors = [self.atom(a) for a in m]
            if c != 1 or not factors:
                factors.insert(0, self.z3.IntVal(c))
            parts.append(reduce(lambda x, y: x * y, factors))
        return reduce(lambda x, y: x + y, parts) if parts else self.z3.IntVal(0)

    def atom(self, a: Atom) -> Any:
        if a not in self.known:
            self.known[a] = _ENCODE[type(a)](self, a)
        return self.known[a]

    def own(self, a: Atom) -> Any:
        return self.z3.Int(f"{self.mark}{len(self.known)}_{type(a).__name__}")

    def encode_opaque(self, a: Opaque) -> Any:
        return self.shared.scalar(a) if a.uniform else self.own(a)

    def cond(self, c: Cond) -> Any:
        return _CONDITION[c.op](self, c)

    def _is_positive(self, t: Term) -> bool:
        """Whether a divisor is positive wherever it is not zero."""
        return all(c > 0 and all(a in self.shared.positive or _natural(a) for a in m) for m, c in t.monos.items())

    def encode_division(self, a: FloorDiv | Mod, floor: bool) -> Any:
        # z3's division rounds so that the remainder is never negative: for positive divisors that is rounding down
        num, den = self.term(a.num), self.term(a.den)
        up = num / den if floor else num % den
        if self._is_positive(a.den):
            return up
        down = (-num) / (-den) if floor else -((-num) % (-den))
        value = a.den.constant
        return self.z3.If(den > 0, up, down) if value is None else (up if value > 0 else down)

    def encode_extreme(self, args: tuple[Term, ...], least: bool) -> Any:
        out, *rest = [self.term(x) for x in args]
        for x in rest:
            out = self.z3.If(x < out if least else x > out, x, out)
        return out

    def application(self, a: App) -> Any:
        args = [self.term(x) for x in a.args]
        if a.fn == "abs" and len(args) == 1:
            return self.z3.If(args[0] >= 0, args[0], -args[0])
        return self.shared.function(f"{a.fn}(", len(args))(*args)

    def encode_load(self, a: Load) -> Any:
        return self.shared.function(f"{a.array}[", len(a.index))(*(self.term(i) for i in a.index))

    def domain(self, values: tuple[Term | Cond, ...]) -> list[Any]:
        """The ranges of coordinates, counters and lanes that occur."""
        out: list[Any] = []
        for v in values:
            for a in leaves(v):
                at = self.atom(a)
                if isinstance(a, Bid):
                    out += [at >= 0, at < self.shared.scalar(GridDim(a.axis))]
                elif isinstance(a, Counter):
                    out.append(at >= 0)
                elif isinstance(a, Lane):
                    out += [at >= 0, at < self.term(a.size)]
        return out


def _natural(a: Atom) -> bool:
    """Whether an atom is never negative."""
    return isinstance(a, (GridDim, *EXTENTS, Length, Bid, Counter, Lane))


_ENCODE: Final[Mapping[type[Atom], Callable[[_Copy, Any], Any]]] = {
    **dict.fromkeys(SYMBOLS, lambda e, a: e.shared.scalar(a)),
    Bid: lambda e, a: e.own(a),
    Counter: lambda e, a: e.own(a),
    Lane: lambda e, a: e.own(a),
    Opaque: lambda e, a: e.encode_opaque(a),
    FloorDiv: lambda e, a: e.encode_division(a, True),
    Mod: lambda e, a: e.encode_division(a, False),
    Min: lambda e, a: e.encode_extreme(a.args, True),
    Max: lambda e, a: e.encode_extreme(a.args, False),
    Ite: lambda e, a: e.z3.If(e.cond(a.cond), e.term(a.then), e.term(a.other)),
    App: lambda e, a: e.application(a),
    Load: lambda e, a: e.encode_load(a),
}

_CONDITION: Final[Mapping[str, Callable[[_Copy, Cond], Any]]] = {
    "true": lambda e, c: e.z3.BoolVal(True),
    "false": lambda e, c: e.z3.BoolVal(False),
    "ge": lambda e, c: e.term(c.term) >= 0,
    "eq": lambda e, c: e.term(c.term) == 0,
    "ne": lambda e, c: e.term(c.term) != 0,
    "bool": lambda e, c: (e.atom(c.atom) != 0) == c.positive if c.atom is not None else e.z3.BoolVal(False),
    "and": lambda e, c: e.z3.And(*(e.cond(a) for a in c.args)),
    "or": lambda e, c: e.z3.Or(*(e.cond(a) for a in c.args)),
}


class _Pair(Struct, frozen=True):
    """A question about two regions in two blocks, with the given scalars put in."""

    first: Region
    second: Region
    axes: frozenset[int]
    assume: Cond

    def values(self) -> tuple[tuple[Term | Cond, ...], tuple[Term | Cond, ...]]:
        return (*self.first.index, self.first.guard), (*self.second.index, self.second.guard)


def _build_pair(
    first: Region, second: Region, axes: frozenset[int], assume: Cond, fixed: Mapping[Symbol, int],
) -> _Pair:
    by: dict[Atom, Term] = {a: const(value) for a, value in fixed.items()}

    def put(r: Region) -> Region:
        return Region(tuple(substitute(t, by) for t in r.index), substitute_cond(r.guard, by), r.exact)

    known = conj(*(eq(of(a), value) for a, value in fixed.items() if isinstance(a, GridDim)))
    return _Pair(put(first), put(second), axes, conj(substitute_cond(assume, by), known))


@dataclass
class _Posed:
    """An encoded question."""

    solver: Any
    shared: _Shared
    one: _Copy
    two: _Copy


def _pose(pair: _Pair, timeout_ms: int) -> _Posed:
    z3 = import_module("z3")
    sizes = [a.size for values in pair.values() for v in values for a in leaves(v) if isinstance(a, Lane)]
    # a tile that has a lane has a size: where the point exists, its size is positive
    positive = frozenset(a for s in sizes if (a := s.single) is not None and isinstance(a, Symbol))
    shared = _Shared(z3, positive)
    one, two = _Copy(shared, "a"), _Copy(shared, "b")
    solver = z3.Solver()
    solver.set("timeout", timeout_ms * _LOADED)
    solver.set("rlimit", timeout_ms * STEPS_PER_MS)
    for copy, region, values in zip((one, two), (pair.first, pair.second), pair.values(), strict=True):
        solver.add(copy.cond(region.guard), *copy.domain(values))
    for x, y in zip(pair.first.index, pair.second.index, strict=True):
        solver.add(one.term(x) == two.term(y))
    solver.add(one.cond(pair.assume))
    blocks = [(one.atom(Bid(axis)), two.atom(Bid(axis)), axis) for axis in sorted(pair.axes)]
    for b, c, axis in blocks:
        extent = shared.scalar(GridDim(axis))
        solver.add(b >= 0, b < extent, c >= 0, c < extent)
    solver.add(z3.Or(*(b != c for b, c, _ in blocks)))
    solver.add(*(v >= (1 if grid_axis(a) is not None else 0) for a, v in shared.scalars.items() if _natural(a)))
    return _Posed(solver, shared, one, two)


def disjoint(
    first: Region,
    second: Region,
    axes: frozenset[int],
    assume: Cond = TRUE,
    timeout_ms: int = TIMEOUT_MS,
    *,
    fixed: Mapping[Symbol, int] | None = None,
) -> Outcome:
    """Whether two blocks that differ on one of the axes never touch one element: "unsat" says that they never do.

    assume  a condition over launch scalars that holds
    fixed   launch scalars whose values are known, by name
    """
    if len(first.index) != len(second.index) or not available():
        return "unknown"
    pair = _build_pair(first, second, axes, assume, fixed or {})
    if "false" in (pair.first.guard.op, pair.second.guard.op, pair.assume.op) or not axes:
        return "unsat"
    try:
        posed = _pose(pair, timeout_ms)
        answer = str(posed.solver.check())
    except (_TooLarge, RecursionError):
        return "unknown"
    except Exception as error:  # z3's own exception type is only known once it is imported
        if type(error).__name__ != "Z3Exception":
            raise
        return "unknown"
    return {"unsat": "unsat", "sat": "sat"}.get(answer, "unknown")  # type: ignore[return-value]


def model(
    first: Region,
    second: Region,
    axes: frozenset[int],
    assume: Cond = TRUE,
    timeout_ms: int = TIMEOUT_MS,
    *,
    fixed: Mapping[Symbol, int] | None = None,
) -> Witness | None:
    """A confirmed collision that the solver found, with small values; None when there is none or it is not confirmed.

    As in the search, launch scalars are at least 1, tile extents powers of two, and other axes have one block.
    """
    exact = first.exact and second.exact and layout(first).searchable and layout(second).searchable
    if not exact or len(first.index) != len(second.index) or not axes or not available():
        return None
    given = dict(fixed or {})
    pair = _build_pair(first, second, axes, assume, given)
    try:
        posed = _pose(pair, timeout_ms)
    except (_TooLarge, RecursionError):
        return None
    _keep_small(posed, pair, given)
    if str(posed.solver.check()) != "sat":
        return None
    return _read(posed, first, second, axes, assume, given)


def _keep_small(posed: _Posed, pair: _Pair, given: Mapping[Symbol, int]) -> None:
    z3, solver = posed.shared.z3, posed.solver
    for axis in AXES:
        extent = posed.shared.scalar(GridDim(axis))
        if axis not in pair.axes:
            solver.add(extent == 1)
        elif GridDim(axis) not in given:
            solver.add(extent >= 1, extent <= SMALL)
    for a, v in posed.shared.scalars.items():
        if isinstance(a, Symbol) and grid_axis(a) is None:
            tile = a in posed.shared.positive
            solver.add(z3.Or(*(v == size for size in TILE_SIZES)) if tile else z3.And(v >= 1, v <= SMALL * SMALL))


def _read(
    posed: _Posed, first: Region, second: Region, axes: frozenset[int], assume: Cond, given: Mapping[Symbol, int]
) -> Witness | None:
    found = posed.solver.model()
    z3 = posed.shared.z3

    def at(expression: Any) -> int:
        return int(found.eval(expression, model_completion=True).as_long())

    def contents(name: str, args: tuple[int, ...]) -> int:
        return at(posed.shared.function(name, len(args))(*(z3.IntVal(x) for x in args)))

    uniform: dict[Atom, int] = {a: at(v) for a, v in posed.shared.scalars.items()}
    for a, value in given.items():
        uniform[a] = value
    for region in (first, second):
        # what the given scalars made disappear has no part in the collision
        uniform.update({a: 1 for a in layout(region).uniform if a not in uniform})
    uniform.update({a: 1 for a in leaves(assume) if isinstance(a, (Symbol, Opaque)) and a not in uniform})
    grid = tuple(uniform.get(GridDim(axis), 1) for axis in AXES)
    points = []
    for copy, region in ((posed.one, first), (posed.two, second)):
        plan = layout(region)
        block = tuple(at(copy.atom(Bid(axis))) if axis in axes else 0 for axis in AXES)
        by: dict[Atom, Term] = {a: const(v) for a, v in uniform.items()}
        counters = tuple(at(copy.known[c]) if c in copy.known else 0 for c in plan.counters)
        lanes = tuple(_lane(copy, lane, by, at) for lane in plan.lanes)
        points.append([(), block, counters, lanes])
    element = tuple(at(posed.one.term(t)) for t in _build_pair(first, second, axes, assume, given).first.index)
    for p in points:
        p[0] = element
    question = Question(first, second, "different-blocks", None, None, assume, ())
    return assemble(question, (tuple(points[0]), tuple(points[1])), (grid[0], grid[1], grid[2]), uniform, contents)


def _lane(copy: _Copy, lane: Lane, by: Mapping[Atom, Term], at: Callable[[Any], int]) -> int:
    """The value of a lane, which had its size replaced by a number when that was given."""
    for candidate, encoded in copy.known.items():
        if isinstance(candidate, Lane) and candidate.axis == lane.axis:
            same = candidate == lane or substitute(of(candidate), by) == substitute(of(lane), by)
            if same:
                return at(encoded)
    return 0
