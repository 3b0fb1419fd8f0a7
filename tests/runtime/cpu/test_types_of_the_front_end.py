"""Variables of random kernels have the types and constants that the front end of `cuda.tile` gives them.

Each kernel calls a function of the host with its variables at several lines, inside `static_eval`. The front end calls
it while it compiles, and the CPU while it runs. The front end must have seen everything that the CPU sees at a line.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Iterator
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

from tests.seeds import source_seed
from tilecheck_runtime.cpu.execution.arguments import bind, parameters
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.cpu.execution.front_end import check_compiles

HELPERS = """
def choose(a, n):
    if n > 1:
        return a
    a = a + 1
    return a

def last(a, b):
    if b > 2:
        c = a
    else:
        c = a + b
    return c

def first_above(a, n):
    for i in range(n):
        if i > 1:
            return i
    return a

"""
INTS, FLOATS = ("i", "j", "k"), ("f", "g")


class Writer:
    """Writes one random kernel."""

    def __init__(self, random_: random.Random) -> None:
        self.random, self.lines, self.probes = random_, [], 0
        self.outermost = True

    def integer(self, depth: int = 2) -> str:
        pick = self.random.randrange(12 if depth else 5)
        inner = lambda: self.integer(depth - 1)  # noqa: E731
        match pick:
            case 0 | 1:
                return str(self.random.choice((0, 1, 2, 3, 7, 100)))
            case 2 | 3:
                return self.random.choice((*INTS, "N", "n"))
            case 4:
                return self.random.choice(("ct.int8(3)", "ct.int16(5)", "ct.bid(0)", "ct.gather(x, 0)", "ct.int32(2)"))
            case 5 | 6 | 7:
                return f"({inner()} {self.random.choice('+-*')} {inner()})"
            case 8:
                return f"({inner()} if {self.condition(0)} else {inner()})"
            case 9:
                return f"{self.random.choice(('min', 'max'))}({inner()}, {inner()})"
            case 10 if self.outermost:  # elsewhere the CPU does not follow calls on a path that it does not take
                return f"{self.random.choice(('choose', 'last', 'first_above'))}({inner()}, {inner()})"
        return f"(-{inner()})"

    def fraction(self, depth: int = 2) -> str:
        pick = self.random.randrange(8 if depth else 4)
        match pick:
            case 0:
                return self.random.choice(("0.0", "1.5", "2.0"))
            case 1 | 2:
                return self.random.choice(FLOATS)
            case 3:
                return self.random.choice(("ct.float16(1.5)", "s", "ct.float32(2)"))
            case 4 | 5:
                return f"({self.fraction(depth - 1)} {self.random.choice('+-*')} {self.fraction(depth - 1)})"
            case 6:
                return f"({self.fraction(depth - 1)} if {self.condition(0)} else {self.fraction(depth - 1)})"
        return f"({self.integer(depth - 1)} / 2)"

    def condition(self, depth: int = 1) -> str:
        pick = self.random.randrange(8 if depth else 4)
        match pick:
            case 0:
                return self.random.choice(("True", "False", "N > 2", "flag", "not flag"))
            case 1 | 2 | 3:
                return f"{self.integer(0)} {self.random.choice(('<', '>=', '==', '!='))} {self.integer(0)}"
            case 4:
                return f"not {self.condition(0)}"
            case 5:
                return f"{self.integer(0)} in ({self.integer(0)}, {self.integer(0)})"
        return f"({self.condition(0)} {self.random.choice(('and', 'or'))} {self.condition(0)})"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def probe(self, indent: int) -> None:
        name = self.random.choice((*INTS, *FLOATS, "b"))
        self.probes += 1
        self.line(indent, f"d{self.probes} = {name}.dtype")
        self.line(indent, f"ct.static_eval(note({self.probes}, {name}, d{self.probes}))")

    def statement(self, indent: int, depth: int, loop: bool) -> None:
        self.outermost = indent == 1
        pick = self.random.randrange(13 if depth else 6)
        match pick:
            case 0 | 1 | 2:
                self.line(indent, f"{self.random.choice(INTS)} = {self.integer()}")
            case 3:
                self.line(indent, f"{self.random.choice(FLOATS)} = {self.fraction()}")
            case 4:
                self.line(indent, f"b = {self.condition()}")
            case 5:
                self.line(indent, f"{self.random.choice(INTS)} += {self.integer(1)}")
            case 6 | 7 | 8:
                self.line(indent, f"if {self.condition()}:")
                self.block(indent + 1, depth - 1, loop)
                if self.random.random() < 0.6:
                    self.line(indent, "else:")
                    self.block(indent + 1, depth - 1, loop)
            case 9:
                self.line(indent, f"for r{depth} in range({self.random.choice(('n', '2', 'N'))}):")
                self.block(indent + 1, depth - 1, True)
            case 10:
                self.line(indent, f"for t{depth} in ct.static_iter(range({self.random.choice(('2', 'N'))})):")
                self.block(indent + 1, depth - 1, False)
            case 11:
                name = f"w{self.probes}_{len(self.lines)}"
                self.line(indent, f"{name} = 0")
                self.line(indent, f"while {name} < {self.random.choice(('n', '2'))}:")
                self.line(indent + 1, f"{name} += 1")
                self.block(indent + 1, depth - 1, True)
            case 12:
                if loop:
                    self.line(indent, f"if {self.condition()}:")
                    self.line(indent + 1, self.random.choice(("break", "continue")))
                else:
                    self.line(indent, f"i, j = {self.integer(1)}, {self.integer(1)}")

    def block(self, indent: int, depth: int, loop: bool) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(indent, depth, loop)
        self.probe(indent)

    def write(self) -> str:
        self.line(1, "i, j, k, f, g, b = 1, 2, N, 0.5, s, flag")
        self.block(1, 3, False)
        for _ in range(4):
            self.probe(1)
        return HELPERS + "\n".join(["def kernel(x, n: int, s: float, flag: bool, N: ct.Constant[int]):", *self.lines])


def describe(value: Any, dtype: Any) -> tuple[Any, ...]:
    """A variable as the host sees it: a constant, or only its type."""
    if isinstance(value, (bool, int, float)):
        return ("constant", type(value).__name__, repr(value), str(dtype))
    return ("value", str(dtype))


def make(source: str, name: str, note: Callable[..., None]) -> Any:
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"ct": ct, "note": note, "__name__": "random_kernel"}
    exec(compile(source, name, "exec"), space)
    return space["kernel"]


def observations(seed: int) -> Iterator[tuple[str, dict[int, set[Any]], dict[int, set[Any]]] | None]:
    """The source of a kernel, and what the front end and the CPU see at its places; None if it does not compile."""
    source = Writer(random.Random(seed)).write()
    seen: dict[int, set[Any]] = {}
    function = make(source, f"<random {seed}>", lambda place, value, dtype: seen.setdefault(place, set()).add(
        describe(value, dtype)))
    for n, flag in ((0, True), (3, False), (4, True)):
        arguments = (np.array([1, 5], np.int32), n, 0.25, flag, 2)
        seen.clear()
        known = parameters(function)
        try:
            check_compiles(ct.kernel(function), known, bind(known, arguments)[0])
        except ct.TileError:
            yield None
            continue
        compiled = {place: set(values) for place, values in seen.items()}
        if not compiled:  # an internal error of the front end
            yield None
            continue
        seen.clear()
        sanitize(function, (2,), arguments)
        yield source, compiled, {place: set(values) for place, values in seen.items()}


def compare(count: int) -> int:
    """Compares kernels, and returns the number of those that compile."""
    start, compiled = source_seed(), 0
    for seed in range(start, start + count):
        for found in observations(seed):
            if found is None:
                continue
            source, expected, got = found
            compiled += 1
            for place, values in got.items():
                known = expected.get(place, values)  # the front end leaves out what it finds unreachable
                assert values <= known, f"place {place}: {values}, the front end has {known}\nseed {seed}\n{source}"
    return compiled


def test_a_tuple_with_an_unknown_item_does_not_decide_membership():
    """The branch on `2 in (unknown, 1)` may be taken: afterwards `k` is not a constant."""
    seen = []
    source = """
def kernel(x, flag: bool):
    k = 2
    if not flag:
        if 2 in (ct.gather(x, 0), 1):
            k = 3
    ct.static_eval(note(1, k, k.dtype))
"""
    sanitize(make(source, "<membership>", lambda place, value, dtype: seen.append(describe(value, dtype))),
             (1,), (np.array([1], np.int32), True))
    assert seen == [("value", "int32")]


def test_types_and_constants_are_those_of_the_front_end():
    assert compare(60) >= 15


@pytest.mark.nightly
def test_types_and_constants_of_many_kernels():
    assert compare(3000) >= 750
