"""Random kernels, with the functions that they call, that the compiler of cuda.tile accepts or nearly accepts.

A program is text with a kernel `k`, helpers, and values of a module. Most of it has the right types; `mutate` then
changes a few places. A launch beside it gives the checker the element types that the compiler is given.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import indent

__all__ = ["HEADER", "PARAMETERS", "build_launch", "build_program"]

HEADER = """\
import dataclasses
import enum
import functools
import math
import random
from contextlib import contextmanager

import cuda.tile as ct
import numpy as np
import torch
from cuda.tile import bid, load

SIZE = 16
HALF = 0.5
NAMES = ("one", "two")
WIDTHS = (1, 2, 4)
TABLE = {"one": 1}
ROWS = [1, 2, 3]
FLAG = True
NOTHING = None


@dataclasses.dataclass(frozen=True)
class Pair:
    first: int
    second: int = 2


@dataclasses.dataclass
class Loose:
    first: int


class Plain:
    width = 4


class Mode(enum.Enum):
    ON = 1
    OFF = 2


def scale(t, by=2):
    return t * by


def pick(t, n):
    if n > 3:
        return t + 1
    return t


def first(*items):
    return items[0]


def named(*, t):
    return t


def host_only(t):
    return [t]


@functools.lru_cache
def cached(t):
    return t


@contextmanager
def section(n):
    yield n + 1


"""

PARAMETERS = ("a", "b", "v", "w", "i", "u", "h", "n", "s", "T", "F")
_LAUNCH = """\
def run_{k}(stream):
    a = torch.zeros((64, 64), dtype=torch.float32)
    b = torch.zeros((64, 64), dtype=torch.float32)
    v = torch.zeros(64, dtype=torch.float32)
    w = torch.zeros(64, dtype=torch.float32)
    i = torch.zeros(64, dtype=torch.int32)
    u = torch.zeros(64, dtype=torch.uint32)
    h = torch.zeros(64, dtype=torch.float16)
    ct.launch(stream, (4,), {k}, (a, b, v, w, i, u, h, 7, 1.5, 16, True))
"""


def build_launch(kernel: str) -> str:
    """A function that launches a kernel with the arguments for which it is compiled."""
    return _LAUNCH.format(k=kernel)


@dataclass
class _Scope:
    """The variables of a function by kind."""

    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, name: str) -> None:
        for other in self.names.values():
            if name in other:
                other.remove(name)
        self.names.setdefault(kind, []).append(name)

    def copy(self) -> _Scope:
        return _Scope({kind: list(names) for kind, names in self.names.items()})


class _Writer:
    """Writes one program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.depth = 0

    def make_name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # --- expressions ---

    def expression(self, kind: str, scope: _Scope, depth: int = 0) -> str:
        known = scope.names.get(kind, ())
        if known and (depth > 2 or self.rng.random() < 0.35):
            return self.rng.choice(known)
        rules = _EXPRESSIONS[kind]
        rule = self.rng.choice(rules[:2] if depth > 2 else rules)
        return rule(self, scope, depth + 1)

    # --- statements ---

    def block(self, scope: _Scope, size: int, loop: bool = False) -> str:
        out = []
        for _ in range(size):
            rule = self.rng.choice(_SIMPLE if self.depth > 2 else _STATEMENTS) if self.rng.random() < 0.98 else _with
            self.depth += 1
            out.append(rule(self, scope))
            self.depth -= 1
        if loop and self.rng.random() < 0.15:
            out.append(f"if {self.expression('flag', scope)}:\n    {self.rng.choice(('break', 'continue'))}\n")
        return "".join(out)


Rule = Callable[[_Writer, _Scope, int], str]


def _binary(kind: str, *operators: str, other: str | None = None) -> Rule:
    def write(w: _Writer, scope: _Scope, depth: int) -> str:
        a, b = w.expression(kind, scope, depth), w.expression(other or kind, scope, depth)
        return f"({a} {w.rng.choice(operators)} {b})"

    return write


def _text(pattern: str, *kinds: str) -> Rule:
    """The pattern with an expression of each of the kinds."""

    def write(w: _Writer, scope: _Scope, depth: int) -> str:
        return pattern.format(*(w.expression(kind, scope, depth) for kind in kinds))

    return write


_EXPRESSIONS: dict[str, tuple[Rule, ...]] = {
    "int": (
        _text("ct.bid(0)"),
        _text("n"),
        _binary("int", "+", "-", "*"),
        _binary("int", "//", "%", "&", "|"),
        _text("min({}, {})", "int", "int"),
        _text("max({}, 2)", "int"),
        _text("abs({})", "int"),
        _text("({} if {} else {})", "int", "flag", "int"),
        _text("ct.num_blocks(0)"),
        _text("v.shape[0]"),
        _text("ct.cdiv({}, 4)", "int"),
        _text("Pair({}).first", "int"),
        _text("SIZE"),
        _text("-{}", "int"),
        _text("first({}, {})", "int", "int"),
        _text("({} << 1)", "int"),
        _text("bid(0)"),
        _text("ct.minimum({}, {})", "int", "int"),
        _text("len(a.shape)"),
        _text("ct.num_tiles(v, 0, 16)"),
    ),
    "float": (
        _text("s"),
        _text("1.5"),
        _binary("float", "+", "-", "*"),
        _text("({} / {})", "float", "float"),
        _text("math.pi"),
        _text("HALF"),
        _text("({} * {})", "float", "int"),
        _text("abs({})", "float"),
        _text("({} ** 2)", "float"),
        _text("ct.exp({})", "float"),
        _text("max({}, 0.5)", "float"),
        _text("ct.float32({})", "int"),
    ),
    "flag": (
        _text("({} > 3)", "int"),
        _text("({} < {})", "int", "int"),
        _text("({} and {})", "flag", "flag"),
        _text("not {}", "flag"),
        _text("(0 < {} < 9)", "int"),
        _text("({} or {})", "flag", "flag"),
        _text("({} == {})", "int", "int"),
        _text("({} > 0.5)", "float"),
        _text("({} in (1, 2))", "int"),
        _text("bool({})", "int"),
    ),
    "static": (
        _text("T > 3"),
        _text("F"),
        _text("FLAG"),
        _text("a.dtype == ct.float32"),
        _text("a.ndim == 2"),
        _text("NOTHING is None"),
        _text("Mode.ON == Mode.ON"),
        _text("T == 8"),
        _text("not F"),
        _text("SIZE == 16"),
    ),
    "vector": (
        _text("ct.load(v, ({},), (16,))", "int"),
        _text("ct.zeros((16,), ct.float32)"),
        _binary("vector", "+", "-", "*"),
        _text("({} * {})", "vector", "float"),
        _text("ct.exp({})", "vector"),
        _text("ct.load(w, {}, 16)", "int"),
        _text("ct.where({}, {}, {})", "mask", "vector", "vector"),
        _text("scale({})", "vector"),
        _text("scale({}, by=3)", "vector"),
        _text("pick({}, {})", "vector", "int"),
        _text("({} / 2)", "vector"),
        _text("ct.full((T,), {}, dtype=ct.float32)", "float"),
        _text("{}.astype(ct.float32)", "whole"),
        _text("ct.maximum({}, 0)", "vector"),
        _text("ct.cumsum({}, 0)", "vector"),
        _text("-{}", "vector"),
        _text("ct.gather(v, {})", "whole"),
        _text("({} ** 2)", "vector"),
        _text("first({}, {})", "vector", "vector"),
        _text("named(t={})", "vector"),
        _text("ct.sqrt(ct.abs({}))", "vector"),
        _text("load(v, ({},), (16,), padding_mode=ct.PaddingMode.ZERO)", "int"),
        _text("(lambda q: q + 1)({})", "vector"),
        _text("({})[None, :].reshape((16,))", "vector"),
        _text("ct.load(*(v, ({},), (16,)))", "int"),
        _text("ct.sum({}, axis=0)", "matrix"),
    ),
    "whole": (
        _text("ct.arange(16, dtype=ct.int32)"),
        _text("ct.load(i, ({},), (16,))", "int"),
        _binary("whole", "+", "-", "*"),
        _text("({} + {})", "whole", "int"),
        _text("({} % 5)", "whole"),
        _text("ct.full((16,), {}, ct.int32)", "int"),
        _text("({} & 3)", "whole"),
        _text("ct.maximum({}, {})", "whole", "int"),
        _text("({} >> 1)", "whole"),
    ),
    "mask": (
        _text("({} > 0)", "vector"),
        _text("({} < {})", "whole", "int"),
        _text("({} & {})", "mask", "mask"),
        _text("~{}", "mask"),
        _text("({} == {})", "whole", "whole"),
    ),
    "square": (
        _text("ct.reshape({}, (4, 4))", "vector"),
        _text("ct.load(a, ({}, 0), (4, 4))", "int"),
        _text("{}.reshape((4, 4))", "vector"),
        _text("ct.transpose({})", "square"),
        _text("({} @ {})", "square", "square"),
        _binary("square", "+", "*"),
        _text("ct.permute({}, (1, 0))", "square"),
    ),
    "matrix": (
        _text("ct.load(a, ({}, {}), (16, 16))", "int", "int"),
        _text("ct.zeros((16, 16), ct.float32)"),
        _text("ct.mma({}, {}, {})", "matrix", "matrix", "matrix"),
        _text("({} + {}[:, None])", "matrix", "vector"),
        _text("({} * {})", "matrix", "vector"),
        _text("{}.transpose()", "matrix"),
    ),
    "pair": (
        _text("({}, {})", "int", "int"),
        _text("a.shape"),
        _text("divmod({}, 3)", "int"),
        _text("tuple(q + 1 for q in ct.static_iter((1, 2)))"),
    ),
}


def _assign(w: _Writer, scope: _Scope) -> str:
    kind = w.rng.choice(("int", "float", "flag", "vector", "vector", "whole", "mask", "square", "matrix", "pair"))
    value = w.expression(kind, scope)
    name = w.make_name({"int": "c", "float": "g", "flag": "p", "pair": "r"}.get(kind, "t"))
    scope.add(kind, name)
    return f"{name} = {value}\n"


def _assign_again(w: _Writer, scope: _Scope) -> str:
    """A variable gets another value of its kind."""
    kinds = [k for k in ("int", "vector", "whole", "matrix") if scope.names.get(k)]
    if not kinds:
        return _assign(w, scope)
    kind = w.rng.choice(kinds)
    name = w.rng.choice(scope.names[kind])
    if kind != "whole" and w.rng.random() < 0.5:
        return f"{name} += {w.expression(kind, scope, 2)}\n"
    return f"{name} = {w.expression(kind, scope)}\n"


def _unpack(w: _Writer, scope: _Scope) -> str:
    value = w.expression("pair", scope)
    names = w.make_name("c"), w.make_name("c")
    for name in names:
        scope.add("int", name)
    return f"{names[0]}, {names[1]} = {value}\n"


def _store(w: _Writer, scope: _Scope) -> str:
    kind, pattern = w.rng.choice(
        (
            ("vector", "ct.store(w, ({},), {})\n"),
            ("vector", "ct.store(v, index=({},), tile={})\n"),
            ("whole", "ct.store(i, ({},), {})\n"),
            ("matrix", "ct.store(b, ({}, 0), {})\n"),
            ("vector", "ct.scatter(w, ct.arange(16, dtype=ct.int32) + {}, {})\n"),
            ("whole", "ct.atomic_add(i, ct.arange(16, dtype=ct.int32) + {}, {})\n"),
        )
    )
    return pattern.format(w.expression("int", scope, 1), w.expression(kind, scope, 1))


def _if(w: _Writer, scope: _Scope) -> str:
    test = w.expression(w.rng.choice(("flag", "flag", "static")), scope)
    then = w.block(scope.copy(), w.rng.randint(1, 2))
    out = f"if {test}:\n{indent(then, '    ')}"
    if w.rng.random() < 0.5:
        out += f"else:\n{indent(w.block(scope.copy(), w.rng.randint(1, 2)), '    ')}"
    return out


def _for(w: _Writer, scope: _Scope) -> str:
    inner, counter = scope.copy(), w.make_name("k")
    inner.add("int", counter)
    span = w.rng.choice(("range({})", "range(0, {})", "range(1, {}, 2)")).format(w.expression("int", scope, 2))
    return f"for {counter} in {span}:\n{indent(w.block(inner, w.rng.randint(1, 2), loop=True), '    ')}"


def _static_for(w: _Writer, scope: _Scope) -> str:
    inner, counter = scope.copy(), w.make_name("k")
    inner.add("int", counter)
    items = w.rng.choice(("range(3)", "WIDTHS", "(1, 2)", "[1, 2]"))
    return f"for {counter} in ct.static_iter({items}):\n{indent(w.block(inner, w.rng.randint(1, 2)), '    ')}"


def _while(w: _Writer, scope: _Scope) -> str:
    counter = w.make_name("c")
    inner = scope.copy()
    inner.add("int", counter)
    body = w.block(inner, w.rng.randint(1, 2))
    return (
        f"{counter} = 0\nwhile {counter} < {w.expression('int', scope, 2)}:\n{indent(body, '    ')}    {counter} += 1\n"
    )


def _define_nested(w: _Writer, scope: _Scope) -> str:
    name, target = w.make_name("inner"), w.make_name("t")
    value = w.expression("vector", scope)
    body = w.rng.choice(
        (
            "return q + 1\n",
            "if n > 3:\n    return q\nreturn q * 2\n",
            "q = q * 2\nreturn q\n",
            "for z in range(2):\n    q = q + z\nreturn q\n",
            "return (q, 1)[0]\n",
        )
    )
    scope.add("vector", target)
    return f"def {name}(q, z=1):\n{indent(body, '    ')}{target} = {name}({value})\n"


def _with(w: _Writer, scope: _Scope) -> str:
    name, inner = w.make_name("c"), scope.copy()
    inner.add("int", name)
    return f"with section({w.expression('int', scope, 2)}) as {name}:\n{indent(w.block(inner, 1), '    ')}"


def _say(w: _Writer, scope: _Scope) -> str:
    return w.rng.choice(
        (
            f"print({w.expression('int', scope, 2)})\n",
            f'print(f"{{{w.rng.choice(("n", "s"))}}}")\n',
            f"ct.assert_({w.expression('flag', scope, 2)})\n",
            'ct.static_assert(T > 3, "small")\n',
            'ct.printf("%d", n)\n',
            "pass\n",
            f"{w.expression('vector', scope, 2)}\n",
            '"text"\n',
        )
    )


def _choice(w: _Writer, scope: _Scope) -> str:
    name = w.make_name("t")
    a, b = w.expression("vector", scope, 2), w.expression("vector", scope, 2)
    scope.add("vector", name)
    return f"{name} = {a} if {w.expression(w.rng.choice(('flag', 'static')), scope)} else {b}\n"


_SIMPLE = (_assign, _assign, _assign_again, _store, _say)
_STATEMENTS = (
    *_SIMPLE,
    _assign,
    _assign_again,
    _unpack,
    _if,
    _if,
    _if,
    _for,
    _for,
    _static_for,
    _while,
    _define_nested,
    _choice,
)

_ANNOTATIONS = (
    *("a, b, v, w, i, u, h, n: int, s: float, T: ct.Constant[int], F: ct.Constant[bool]",) * 4,
    "a, b, v, w, i, u, h, n, s, T: ct.Constant[int], F: ct.Constant[bool]",
)


def build_program(rng: random.Random, name: str = "k") -> str:
    """A kernel of this name, and a function that it calls."""
    writer = _Writer(rng)
    scope = _Scope({"int": ["n", "T"], "float": ["s"]})
    body = ""
    helper = ""
    if rng.random() < 0.5:
        inner = _Scope({"int": ["n"], "vector": ["t"]})
        text = writer.block(inner, rng.randint(1, 3))
        text = "".join(line for line in text.splitlines(True))
        result = writer.expression("vector", inner, 1)
        helper = (
            f"def help_{name}(t, n, s, a, v, w, b, i, T=16, F=True):\n{indent(text, '    ')}    return {result}\n\n\n"
        )
        body = f"t0 = help_{name}(ct.load(v, (0,), (16,)), n, s, a, v, w, b, i)\n"
        scope.add("vector", "t0")
    writer.depth = 0
    body += writer.block(scope, rng.randint(3, 6))
    if rng.random() < 0.1:
        body += f"if {writer.expression('flag', scope)}:\n    return\n" + writer.block(scope, 1)
    body += f"ct.store(w, (ct.bid(0),), {writer.expression('vector', scope, 1)})\n"
    return f"{helper}@ct.kernel\ndef {name}({rng.choice(_ANNOTATIONS)}):\n{indent(body, '    ')}\n\n"
