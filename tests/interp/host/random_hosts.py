"""Random host functions, the reports on their launches, and the launches of their execution.

The arrays of an execution are those of NumPy with the methods of torch; `lib` is code that the checker does not see.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from tests.interp.host.hosts import PARAMS
from tilecheck.contracts import annotation_of, evaluate, parse
from tilecheck.interp.host.discharge import discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.launches import find_launches
from tilecheck.project.project import Project
from tilecheck.symbolic.footprint import Clause

HEADER: Final = """import math
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace

import cuda.tile as ct
import lib
import torch
import triton


@ct.kernel
def k(x, y, n: ct.Constant[int], T: ct.Constant[int]):
    pass


@dataclass
class Cfg:
    n: int
    T: int = 4


@dataclass
class Opt:
    b: int = field(default=2, kw_only=True)
    a: int = 1


class Acc:
    def __init__(self, a, b):
        self.a, self.c = a, b

    @property
    def b(self):
        return self.c + 1

    @b.setter
    def b(self, v):
        self.c = v * 2


SIZES = {"a": 2, "b": 8}


@contextmanager
def scaled(c, v):
    old = c.a
    c.a = v
    yield c
    c.a = old + 1


def upto(c):
    for i in range(min(c, 3)):
        yield i + 1


def twice(f):
    return lambda v: f(f(v))


@twice
def more(v):
    return v + 1


def cdiv(a, b):
    return (a + b - 1) // b


def clamp(a, low=1, high=16):
    if a < low:
        return low
    return min(a, high)


def pick(a, b=None, *, up=False):
    if b is None:
        b = a + 1
    try:
        lib.risky(a)
        if up:
            return max(a, b)
    except ValueError:
        return b
    return min(a, b)


"""
CLAUSES: Final = (
    "grid[0] <= n", "grid[0] <= T", "n <= T", "T <= n", "n >= 1", "n % T == 0", "grid[0] <= x.shape[0]",
    "grid[0] <= y.shape[0]", "n <= x.shape[1]", "T <= y.shape[1]", "x.shape[0] == y.shape[0]",
    "x.shape[1] == y.shape[1]", "grid[0] <= cdiv(n, T)", "n == x.shape[0]", "x.strides[1] == 1", "y.strides[1] == 1",
    "x.strides[0] == x.shape[1]", "disjoint(x, y)", "grid[0] == n", "T == 4", "n <= 8", "n == T", "n != 0",
)
RUNS: Final = 160


# --- arrays ----------------------------------------------------------------------------------------------------------

class Array:
    """An array with the methods of torch."""

    def __init__(self, data: np.ndarray) -> None:
        self.data_ = data
        self.dtype, self.device, self.is_cuda = "float32", "cuda", True

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data_.shape)

    @property
    def ndim(self) -> int:
        return self.data_.ndim

    @property
    def T(self) -> Array:
        return Array(self.data_.T)

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return self.data_.ndim

    def numel(self) -> int:
        return int(self.data_.size)

    def stride(self, dim: int | None = None) -> Any:
        found = tuple(s // self.data_.itemsize for s in self.data_.strides)
        return found if dim is None else found[dim]

    def is_contiguous(self) -> bool:
        return bool(self.data_.flags["C_CONTIGUOUS"])

    def contiguous(self) -> Array:
        return self if self.is_contiguous() else Array(np.ascontiguousarray(self.data_))

    def clone(self) -> Array:
        return Array(self.data_.copy(order="K"))

    def view(self, *shape: Any) -> Array:
        out = self.data_.reshape(_sizes(shape))
        if out.size and not np.shares_memory(out, self.data_):
            raise RuntimeError("view")
        return Array(out)

    def reshape(self, *shape: Any) -> Array:
        return Array(self.data_.reshape(_sizes(shape)))

    def flatten(self) -> Array:
        return Array(self.data_.reshape(-1))

    def t(self) -> Array:
        return Array(self.data_.T)

    def t_(self) -> Array:
        self.data_ = self.data_.T
        return self

    def transpose(self, a: int, b: int) -> Array:
        return Array(np.swapaxes(self.data_, a, b))

    def permute(self, *order: int) -> Array:
        return Array(np.transpose(self.data_, order))

    def unsqueeze(self, dim: int) -> Array:
        return Array(np.expand_dims(self.data_, dim))

    def squeeze(self, dim: int) -> Array:
        return Array(np.squeeze(self.data_, dim) if self.data_.shape[dim] == 1 else self.data_)

    def narrow(self, dim: int, start: int, length: int) -> Array:
        if start < 0 or length < 0 or start + length > self.data_.shape[dim]:
            raise RuntimeError("narrow")
        at = [slice(None)] * self.data_.ndim
        at[dim] = slice(start, start + length)
        return Array(self.data_[tuple(at)])

    def expand(self, *shape: int) -> Array:
        return Array(np.broadcast_to(self.data_, shape))

    def new_empty(self, *shape: Any) -> Array:
        return Array(np.empty(_sizes(shape), np.float32))

    def to(self, *_: Any) -> Array:
        return self

    def float(self) -> Array:
        return self

    def __getitem__(self, at: Any) -> Array:
        return Array(self.data_[at])

    def __add__(self, other: Any) -> Array:
        return Array(self.data_ + _to_plain_value(other))

    def __iadd__(self, other: Any) -> Array:
        self.data_ += _to_plain_value(other)
        return self

    def __len__(self) -> int:
        return len(self.data_)


def _to_plain_value(value: Any) -> Any:
    return value.data_ if isinstance(value, Array) else value


def _sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    if any(s < -1 for s in sizes):
        raise ValueError("negative extent")
    return sizes


def _create_array(*shape: Any, **_: Any) -> Array:
    sizes = _sizes(shape)
    if any(s < 0 or s > 4096 for s in sizes):
        raise ValueError("extent")
    return Array(np.zeros(sizes, np.float32))


def _round_up(n: int) -> int:
    return 1 << (n - 1).bit_length()


# --- execution -------------------------------------------------------------------------------------------------------

@dataclass
class Launched:
    """One launch of an execution, with the lines from which it was called, innermost first."""

    lines: tuple[int, ...]
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]


class _Finder(MetaPathFinder, Loader):
    """Imports modules from their texts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.texts else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.texts[module.__name__], f"{module.__name__}.py", "exec"), module.__dict__)


class _Stop(BaseException):
    """An execution takes too long."""


def execute_host(
    text: str, inputs: Sequence[tuple[Any, ...]], seed: int, others: Mapping[str, str] = MappingProxyType({}),
) -> list[Launched]:
    """The launches that a host function makes for these arguments; `others` are the texts of further modules."""
    out: list[Launched] = []
    rng = random.Random(seed)

    def launch(stream: Any, grid: tuple[int, ...], kernel: Any, arguments: tuple[Any, ...]) -> None:
        frame: FrameType | None = sys._getframe(1)
        lines: list[int] = []
        while frame is not None:
            if frame.f_code.co_filename == "m.py":
                lines.append(frame.f_lineno)
            frame = frame.f_back
        out.append(Launched(tuple(lines), tuple(grid), tuple(
            Array(a.data_) if isinstance(a, Array) else a for a in arguments)))

    def risky(*_: Any) -> None:
        if rng.random() < 0.4:
            raise ValueError("risky")

    def change(value: Any = None, *more: Any) -> Any:
        _change_value(rng, value)
        return rng.choice((value, *more)) if more else value

    tile = ModuleType("cuda.tile")
    tile.__dict__.update(launch=launch, kernel=lambda f: f, Constant={int: int}, cdiv=lambda a, b: -(-a // b))
    cuda = ModuleType("cuda")
    cuda.__dict__.update(tile=tile)
    torch = ModuleType("torch")
    torch.__dict__.update(
        empty=_create_array, zeros=_create_array, ones=_create_array,
        empty_like=lambda a: Array(np.empty_like(a.data_)),
        zeros_like=lambda a: Array(np.zeros_like(a.data_)))
    triton = ModuleType("triton")
    triton.__dict__.update(next_power_of_2=_round_up)
    lib = ModuleType("lib")
    held: list[Any] = []
    lib.__dict__.update(
        risky=risky, change=change, flag=lambda *a: rng.random() < 0.5, number=lambda *a: rng.randint(0, 9),
        half=lambda: 0.5, call=lambda f, *a: f(*a), same=lambda a: a, keep=held.append,
        poke=lambda: [change(value) for value in held] and None)
    names_of = ("cuda", "cuda.tile", "torch", "triton", "lib", "m", *others)
    before = {name: sys.modules.get(name) for name in names_of}
    finder = _Finder(others)
    sys.modules.update({"cuda": cuda, "cuda.tile": tile, "torch": torch, "triton": triton, "lib": lib})
    try:
        code = compile(text, "m.py", "exec")
        sys.meta_path.insert(0, finder)
        for given in inputs:
            for name in others:
                sys.modules.pop(name, None)
            held.clear()
            sys.modules["m"] = made = ModuleType("m")
            with suppress(_Stop), np.errstate(all="ignore"), suppress(Exception, SystemExit):
                exec(code, made.__dict__)
                _run_limited(made.__dict__["run"], given)
    finally:
        sys.meta_path[:] = [each for each in sys.meta_path if each is not finder]
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    return out


def _run_limited(function: Callable[..., Any], given: tuple[Any, ...], lines: int = 3000) -> None:
    left = lines

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Stop
        return trace if frame.f_code.co_filename == "m.py" else None

    sys.settrace(trace)
    try:
        function(*given)
    finally:
        sys.settrace(None)


def _change_value(rng: random.Random, value: Any, depth: int = 2) -> None:
    """Changes a value as unseen code may change its argument."""
    if depth and isinstance(value, list):
        for item in value:
            _change_value(rng, item, depth - 1)
        if rng.random() < 0.5:
            value.append(rng.randint(0, 9))
        elif value and rng.random() < 0.5:
            value[rng.randrange(len(value))] = rng.randint(0, 9)
    elif depth and isinstance(value, dict):
        value.update({key: rng.randint(0, 9) for key in value if rng.random() < 0.5})
    elif depth and hasattr(value, "__dict__") and "a" in vars(value):
        for name in list(vars(value)):
            setattr(value, name, rng.randint(0, 9))
    elif callable(value) and not isinstance(value, type) and rng.random() < 0.7:
        with suppress(Exception):
            value()


def draw_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of a host function."""
    def array() -> Array:
        data = np.zeros((rng.randint(1, 8), rng.choice((1, 2, 4, 4, 8, 8, 3))), np.float32)
        return Array(data.T.copy().T if rng.random() < 0.2 else data[:, :2] if rng.random() < 0.1 else data)

    x = array()
    y = x if rng.random() < 0.15 else Array(np.zeros_like(x.data_)) if rng.random() < 0.3 else array()
    return (x, y, rng.choice((0, 1, 2, 3, 4, 5, 8, 8, 12, 16, 17)), rng.choice((0, 1, 2, 3, 4, 4, 7, 8, 16)),
            rng.choice((None, None, 2, 4)), rng.random() < 0.5,
            SimpleNamespace(a=rng.randint(0, 9), b=rng.randint(1, 9)),
            [rng.randint(0, 9) for _ in range(rng.randint(1, 4))], rng.choice(("a", "b", "c")))


# --- programs --------------------------------------------------------------------------------------------------------

PARAMETERS: Final = "x, y, n, m, o=None, flag=False, cfg=None, xs=(), mode='a'"


@dataclass
class Writer:
    """Writes a host function. `ints`, `arrays`, `lists`, `dicts` and `objects` are names that are bound for sure."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=lambda: ["n", "m"])
    arrays: list[str] = field(default_factory=lambda: ["x", "y"])
    lists: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=lambda: ["cfg"])
    functions: list[str] = field(default_factory=list)
    made: int = 0
    depth: int = 1
    local: bool = False
    looping: bool = False

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, hint: str) -> str:
        self.made += 1
        return f"{hint}{self.made}"

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    # expressions

    def number(self, depth: int = 2) -> str:
        r = self.rng
        if depth == 0 or r.random() < 0.25:
            return r.choice((*self.ints, *self.ints, str(r.choice((1, 2, 3, 4, 8, 16)))))
        a, b = self.number(depth - 1), self.number(depth - 1)
        kind = r.randrange(26)
        x = r.choice(self.arrays)
        if kind < 3:
            return f"({a} {r.choice('+-*')} {b})"
        if kind == 3:
            return f"({a} // {r.choice((2, 3, 4, f'max({b}, 1)'))})"
        if kind == 4:
            return f"({a} % {r.choice((2, 3, 4, f'max({b}, 1)'))})"
        if kind == 5:
            return f"{r.choice(('min', 'max'))}({a}, {b})"
        if kind == 6:
            return f"{r.choice(('ct.cdiv', 'cdiv'))}({a}, {r.choice((2, 4, f'max({b}, 1)'))})"
        if kind == 7:
            return f"triton.next_power_of_2(max({a}, 1))"
        if kind in (8, 9):
            return r.choice((f"{x}.shape[0]", f"{x}.shape[-1]", f"{x}.size(0)", f"{x}.shape[1]", f"len({x})"))
        if kind == 10:
            return r.choice((f"{x}.numel()", f"math.prod({x}.shape)", f"{x}.stride(0)", f"{x}.ndim", f"len({x}.shape)",
                             f"len({x}.shape[1:])", f"math.prod({x}.shape[:-1])"))
        if kind == 11 and self.lists:
            at = r.choice(self.lists)
            return r.choice((f"len({at})", f"{at}[0]", f"{at}[-1]", f"sum({at})", f"max({at})", f"len(set({at}))"))
        if kind == 12 and self.dicts:
            at = r.choice(self.dicts)
            return r.choice((f"{at}['a']", f"{at}.get('b', {a})", f"len({at})", f"sum({at}.values())", f"{at}[{a}]"))
        if kind == 13:
            return f"({a} if {self.test(1)} else {b})"
        if kind == 14:
            return r.choice((f"clamp({a})", f"clamp({a}, high={b})", f"clamp({a}, {b})", f"clamp(low={a}, a={b})"))
        if kind == 15:
            return r.choice((f"pick({a})", f"pick({a}, {b})", f"pick({a}, up={self.test(1)})", f"pick(b={a}, a={b})"))
        if kind == 16:
            at = r.choice(self.objects)
            return r.choice((f"{at}.a", f"{at}.b", f"getattr({at}, 'a')"))
        if kind == 17:
            return r.choice((f"(lambda v, w={a}: v + w)({b})", f"(lambda *v: v[0])({a}, {b})"))
        if kind == 18:
            return r.choice((f"sum([{a}, {b}])", f"sum([{a}], {b})", f"sum(v for v in ({a}, {b}) if v > 2)",
                             f"len({{{a}, {b}}})", f"max([{a}, {b}], default=1)", f"abs({a})", f"int({self.test(1)})"))
        if kind == 19 and self.functions:
            return f"{r.choice(self.functions)}({a})"
        if kind == 20:
            return r.choice(("SIZES['a']", "SIZES.get(mode, 4)", "len(xs)", "xs[0]", "lib.number()", f"(o or {a})"))
        if kind == 21:
            return f"({a}, {b})[{r.choice((0, 1, -1, f'{self.test(1)}'))}]"
        if kind == 22:
            return f"({a} {r.choice(('and', 'or'))} {b})"
        if kind == 24:
            at = r.choice(self.lists or ["xs"])
            return r.choice((f"sum(upto({a}))", f"len(list(upto({a})))", f"len(list(zip({at}, (1, 2))))", f"more({a})",
                             f"sum(v for v in {at})", f"max(map(abs, ({a}, {b})))", f"next(iter({at}))"))
        if kind == 25:
            return r.choice(("int(lib.half() * 8)", f"int(lib.half() + {a})", f"round({a} / 2)", f"int({a} / 2)",
                             f"lib.call(lambda v: v + 1, {a})", f"lib.same({a})"))
        if kind == 23 and not self.local:
            got = self.name("w")
            return f"({got} := {a})"
        return a

    def test(self, depth: int = 1) -> str:
        r = self.rng
        kind = r.randrange(12)
        if kind < 5 or depth == 0:
            return f"{self.number(1)} {r.choice(('<', '<=', '>', '>=', '==', '!='))} {self.number(1)}"
        if kind == 5:
            return f"({self.test(0)} {r.choice(('and', 'or'))} {self.test(0)})"
        if kind == 6:
            return f"not ({self.test(0)})"
        if kind == 7:
            return r.choice(("flag", "o is None", "o is not None", "not flag", "mode == 'a'", "lib.flag()"))
        if kind == 8:
            return f"{self.number(0)} in {r.choice(('(1, 2, 4)', '{2, 8}', '[4]'))}"
        if kind == 9:
            x, y = r.choice(self.arrays), r.choice(self.arrays)
            return r.choice((f"{x}.shape == {y}.shape", f"{x}.shape[1:] == {y}.shape[1:]", f"{x}.is_contiguous()",
                             f"{x}.shape[-1:] == {y}.shape[-1:]", f"{x}.shape == ({self.number(1)}, 4)", f"{x} is {y}"))
        if kind == 10:
            return f"{self.number(0)} < {self.number(0)} <= {self.number(0)}"
        return f"{self.number(1)} % 4 == 0"

    def array(self) -> str:
        r = self.rng
        x, y = r.choice(self.arrays), r.choice(self.arrays)
        a, b = self.number(1), self.number(0)
        return r.choice((
            x, f"torch.empty({a}, {b})", f"torch.zeros(({a}, 4))", f"torch.empty_like({x})", f"{x}.contiguous()",
            f"{x}.view(-1, {x}.shape[-1])", f"{x}.T", f"{x}.t()", f"{x}.clone()", f"{x}[:{a}]", f"{x}[{b}:]",
            f"{x}.reshape({a}, -1)", f"{x}.view({x}.shape)", f"{x}.reshape({y}.shape)",
            f"{x}.transpose(0, 1).contiguous()",
            f"{x}.new_empty({a}, {b})", f"{x}.unsqueeze(0).squeeze(0)", f"{x}[:, :{a}]", f"{x}.narrow(0, 0, {a})",
            f"{x} + {x}", f"torch.empty({x}.shape[:-1] + ({a},))", f"torch.empty((*{x}.shape[:-1], {a}))",
            f"{x}[0:{a}, :]",
            f"({x} if {self.test(1)} else {y})", f"{x}.to('cuda')", f"{x}.permute(1, 0)",
            f"{x}.flatten().view({a}, -1)",
            f"{x}.contiguous().view({a}, {b})", f"lib.change({x}, {y})", f"torch.empty({x}.size(1), {x}.size(0)).t()",
        ))

    # statements

    def block(self, count: int, more: bool = False) -> None:
        """Statements below another one: what they bind need not be bound behind them. With `more`, some stand there
        already."""
        kept = [list(v) for v in (self.ints, self.arrays, self.lists, self.dicts, self.objects, self.functions)]
        self.depth += 1
        before = len(self.lines)
        for _ in range(count):
            self.statement()
        if len(self.lines) == before and not more:
            self.line("pass")
        self.depth -= 1
        self.ints, self.arrays, self.lists, self.dicts, self.objects, self.functions = kept

    def assign(self) -> None:
        r = self.rng
        old = r.random() < 0.45
        kind = r.randrange(14)
        if kind < 6:
            target = r.choice(self.ints) if old else self.name("a")
            self.line(f"{target} = {self.number()}")
            self.ints += [] if target in self.ints else [target]
        elif kind < 9:
            target = r.choice(self.arrays) if old else self.name("z")
            self.line(f"{target} = {self.array()}")
            self.arrays += [] if target in self.arrays else [target]
        elif kind == 9:
            target = r.choice(self.lists) if old and self.lists else self.name("l")
            self.line(f"{target} = " + r.choice((
                f"[{self.number(1)}, {self.number(1)}]", "[]", f"[v + 1 for v in ({self.number(0)}, 2)]", "list(xs)",
                f"[{self.number(0)}] * 2", f"[v for v in ({self.number(0)}, 3) if v > 1]",
                r.choice(self.lists or ["xs"]))))
            self.lists += [] if target in self.lists else [target]
        elif kind == 10:
            target = r.choice(self.dicts) if old and self.dicts else self.name("d")
            self.line(f"{target} = " + r.choice((
                f"{{'a': {self.number(1)}, 'b': 2}}", f"dict(a={self.number(1)})", f"{{{self.number(0)}: 2, 'a': 1}}",
                *(f"{{**{d}, 'a': 3}}" for d in self.dicts), *self.dicts)))
            self.dicts += [] if target in self.dicts else [target]
        elif kind == 11:
            target = self.name("c")
            self.line(f"{target} = " + r.choice((
                f"SimpleNamespace(a={self.number(1)}, b={self.number(0)})", r.choice(self.objects),
                f"Opt({self.number(1)}, b={self.number(0)})", f"Opt({self.number(0)})",
                f"Acc({self.number(1)}, {self.number(0)})")))
            self.objects.append(target)
        elif kind == 12:
            first, second = self.name("a"), self.name("a")
            self.line(f"{first}, {second} = " + r.choice((
                f"{self.number(1)}, {self.number(1)}", f"{r.choice(self.arrays)}.shape", f"divmod({self.number(1)}, 4)",
                f"{r.choice(self.ints)}, {r.choice(self.ints)}")))
            self.ints += [first, second]
        else:
            a, b = r.choice(self.ints), r.choice(self.ints)
            self.line(f"{a}, {b} = {b}, {a}")

    def change(self) -> None:
        r = self.rng
        kind = r.randrange(9)
        if kind < 2:
            self.line(f"{r.choice(self.ints)} {r.choice(('+=', '-=', '*=', '//='))} {r.choice((1, 2, 3, 4))}")
        elif kind < 4 and self.lists:
            at = r.choice(self.lists)
            self.line(r.choice((f"{at}.append({self.number(0)})", f"{at} += [{self.number(0)}]", f"{at}.sort()",
                                f"{at} *= 2", f"{at}[0] = {self.number(0)}", f"{at}.pop()",
                                f"{at}.extend(({self.number(0)}, 1))", f"{at}[-1] += 1",
                                f"lib.change({at})", f"{at}.insert(0, 2)", f"del {at}[0]",
                                f"lib.call({at}.append, {self.number(0)})", f"lib.keep({at})", "lib.poke()",
                                f"lib.same({at}).append(3)", f"list(map({at}.append, (1, 2)))")))
            if r.random() < 0.2:
                self.line(f"{(got := self.name('g'))} = {at}.append")
                self.line(f"{got}({self.number(0)})")
        elif kind < 6 and self.dicts:
            at = r.choice(self.dicts)
            self.line(r.choice((f"{at}['a'] = {self.number(0)}", f"{at}[{self.number(0)}] = 3", f"{at}.update(a=2)",
                                f"{at}['a'] += 1", f"{at}.pop('b', 0)", f"lib.change({at})",
                                f"{at}.setdefault('c', 9)")))
        elif kind < 8:
            at = r.choice(self.objects)
            self.line(r.choice((f"{at}.a = {self.number(0)}", f"{at}.b += 1", f"setattr({at}, 'a', {self.number(0)})",
                                f"lib.change({at})", f"vars({at})['a'] = 3", f"lib.keep({at})", "lib.poke()",
                                f"lib.same({at}).a = {self.number(0)}")))
        else:
            at = r.choice(self.arrays)
            self.line(r.choice((f"{at}.t_()", f"{at} += 1", f"lib.change({at})")))

    def launch(self) -> None:
        r = self.rng
        x, y = r.choice(self.arrays), r.choice(self.arrays)
        n = r.choice((self.number(1), r.choice(self.ints), f"{x}.shape[0]"))
        t = r.choice((self.number(1), self.number(0), "4"))
        g = r.choice((self.number(1), n, f"ct.cdiv({n}, max({t}, 1))", f"{x}.shape[0]", f"min({n}, {t})", t))
        self.line(f"ct.launch(0, ({g},), k, ({x}, {y}, {n}, {t}))")

    def statement(self) -> None:
        r = self.rng
        kind = r.randrange(30)
        if self.depth > 4:
            kind %= 10
        if kind < 7:
            self.assign()
        elif kind < 10:
            self.change()
        elif kind < 13:
            self.line(f"if {self.test()}:")
            self.block(r.randint(1, 3))
            if r.random() < 0.5:
                self.line("else:")
                self.block(r.randint(1, 2))
        elif kind < 15:
            self.line(f"assert {self.test()}")
        elif kind == 15:
            self.line(f"if {self.test()}:")
            leaving = ("raise ValueError", "return", *(("break", "continue") if self.looping else ()))
            self.line(f"    {r.choice(leaving)}")
        elif kind < 19:
            self.loop()
        elif kind == 19:
            self.line("try:")
            self.block(1)
            self.line("    lib.risky()")
            self.block(1, more=True)
            if r.random() < 0.7:
                self.line("except ValueError:")
            else:
                self.line("finally:")
            self.block(r.randint(1, 2))
        elif kind == 20 and r.random() < 0.4:
            self.line(f"with scaled({r.choice(self.objects)}, {self.number(0)}):")
            self.block(r.randint(1, 3))
        elif kind == 20:
            self.line("with suppress(ValueError):")
            self.block(r.randint(1, 3))
            self.line("    lib.risky()")
        elif kind == 21:
            self.line(f"match {r.choice((self.number(0), 'mode'))}:")
            for case in r.sample(("case 1:", "case 'a':", "case 4 if flag:"), 2):
                self.line(f"    {case}")
                self.depth += 1
                self.block(r.randint(1, 2))
                self.depth -= 1
            self.line("    case _:")
            self.depth += 1
            self.block(1)
            self.depth -= 1
        elif kind < 24 and not self.local:
            self.function()
        else:
            self.launch() if r.random() < 0.6 else self.assign()

    def loop(self) -> None:
        r = self.rng
        before, self.looping = self.looping, True
        kind = r.randrange(10)
        v = self.name("i")
        if kind == 0:
            self.line(f"for {v} in range({r.choice((2, 3, self.number(0)))}):")
        elif kind == 1:
            self.line(f"for {v} in ({self.number(0)}, {self.number(0)}):")
        elif kind == 2:
            self.line(f"for {self.name('e')}, {v} in enumerate({r.choice(self.lists or ['xs'])}):")
        elif kind == 3:
            self.line(f"for {v} in {r.choice(self.lists or ['xs'])}:")
        elif kind == 4 and self.dicts:
            self.line(f"for {self.name('e')}, {v} in {r.choice(self.dicts)}.items():")
        elif kind > 6:
            at = r.choice(self.lists or ["xs"])
            self.line(r.choice((
                f"for {v} in upto({self.number(0)}):", f"for {v}, {self.name('e')} in zip({at}, (1, 2, 3)):",
                f"for {v} in (v + {r.choice(self.ints)} for v in {at}):", f"for {v} in reversed({at}):",
                *(f"for {v} in {d}.values():" for d in self.dicts))))
        elif kind == 5:
            at = r.choice(self.ints)
            self.line(f"while {at} > {self.number(0)}:")
            self.ints.append(at)
            self.line(f"    {at} {r.choice(('//= 2', '-= 1', '= ' + at + ' // 2'))}")
            self.block(r.randint(0, 2), more=True)
            self.looping = before
            return
        else:
            self.line(f"{v} = 1")
            self.line(f"while {v} < {self.number(0)}:")
            self.line(f"    {v} {r.choice(('*= 2', '+= 1', '<<= 1'))}")
            if r.random() < 0.6:
                self.block(r.randint(0, 2), more=True)
            self.ints.append(v)
            self.looping = before
            return
        self.ints.append(v)
        self.block(r.randint(1, 3))
        self.ints.remove(v)
        self.looping = before
        if r.random() < 0.2:
            self.line("else:")
            self.block(1)

    def function(self) -> None:
        r = self.rng
        f, free = self.name("f"), r.choice(self.ints)
        looping, self.looping, self.local = self.looping, False, True
        self.line(f"def {f}(v, w={self.number(0)}):")
        if r.random() < 0.5 and free not in ("x", "y"):
            self.line(f"    nonlocal {free}")
            self.line(f"    {free} {r.choice(('+= 1', '= v', '= w'))}")
        # what a nested function assigns is its own
        kept = [list(v) for v in (self.ints, self.arrays, self.lists, self.dicts, self.objects, self.functions)]
        self.line(f"    if {self.test(0)}:")
        self.line(f"        return {r.choice(('v', 'w', self.number(1)))}")
        self.line(f"    return {r.choice(('v + w', 'w', 'v', self.number(1)))}")
        self.ints, self.arrays, self.lists, self.dicts, self.objects, self.functions = kept
        self.local, self.looping = False, looping
        if r.random() < 0.2 and free not in ("x", "y"):
            inner = self.name("h")
            self.line(f"def {inner}():")
            self.line(f"    def {inner}_():")
            self.line(f"        nonlocal {free}")
            self.line(f"        {free} = {r.choice((1, 4, 8))}")
            self.line(f"    {inner}_()")
            self.line(r.choice((f"{inner}()", f"lib.call({inner})", f"lib.keep({inner})")))
        use = r.randrange(6)
        if use == 0:
            self.line(f"lib.change(lambda: {f}(1))")
        elif use == 1:
            self.line(f"{f}({self.number(0)})")
        elif use == 2:
            self.line(f"lib.call({f}, {self.number(0)})")
        self.functions.append(f)


def generate_host(seed: int) -> str:
    """A module with a host function `run`."""
    rng = random.Random(seed)
    while True:
        w = Writer(rng)
        for _ in range(rng.randint(3, 9)):
            w.statement()
        w.launch()
        text = f"{HEADER}def run({PARAMETERS}):\n" + "\n".join(w.lines) + "\n"
        # an assignment expression is not allowed in all places of a comprehension
        with suppress(SyntaxError):
            compile(text, "m.py", "exec")
            return text


# --- judging ---------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Wrong:
    """A report on a clause at a launch, and an execution that contradicts it."""

    seed: int
    line: int
    clause: str
    said: str
    shown: str


def _scalars(launch: Launched) -> dict[str, int] | None:
    """The numbers of a launch by name; None where the kernel cannot be launched with them."""
    x, y, n, t = launch.arguments
    numbers = (*launch.grid, n, t)
    if not all(isinstance(v, int) for v in numbers) or not all(isinstance(a, Array) and a.ndim == 2 for a in (x, y)):
        return None
    if min(launch.grid) < 1 or not x.numel() or not y.numel():
        return None
    out = {"grid[0]": int(launch.grid[0]), "grid[1]": 1, "grid[2]": 1, "n": int(n), "T": int(t)}
    for name, a in (("x", x), ("y", y)):
        for axis in (0, 1):
            out[f"{name}.shape[{axis}]"], out[f"{name}.strides[{axis}]"] = a.shape[axis], a.stride(axis)
    return out


def _holds(clause: Clause, launch: Launched, scalars: dict[str, int]) -> bool | None:
    if annotation_of(clause) is not None:
        return not np.shares_memory(launch.arguments[0].data_, launch.arguments[1].data_)
    with suppress(ZeroDivisionError, ArithmeticError):
        if scalars["T"] == 0 and "T" in clause.text and ("%" in clause.text or "cdiv" in clause.text):
            return None
        # a stride along one element is never used
        if any(f"{a}.strides[{i}]" in clause.text and scalars[f"{a}.shape[{i}]"] == 1 for a in "xy" for i in (0, 1)):
            return None
        return bool(evaluate(clause, scalars))
    return None


def find_wrong_reports(seed: int, runs: int = RUNS) -> list[Wrong]:
    """Returns the reports on the launches of a random host function that an execution contradicts."""
    return find_wrong_reports_on(generate_host(seed), seed, runs)


def find_wrong_reports_on(
    text: str, seed: int, runs: int = RUNS, others: Mapping[str, str] = MappingProxyType({}), *, exact: bool = False,
) -> list[Wrong]:
    """Returns the reports on the launches of a host function `run` that an execution contradicts.

    exact  whether clauses that name the observed numbers are judged also
    """
    rng = random.Random(seed + 1)
    inputs = [draw_arguments(rng) for _ in range(runs)]
    made = execute_host(text, inputs, seed, others)
    files = {"m.py": text, **{f"{name}.py": other for name, other in others.items()}}
    project = Project(sorted(files), contents={name: each.encode() for name, each in files.items()})
    found = find_launches(project, project.module("m.py"))
    unseen = any(launch.how == "unseen" for launch in found)
    out: list[Wrong] = []
    spans = {launch.span.line for launch in found}
    for line in sorted({line for launch in made for line in launch.lines if line in spans} | {
            launch.lines[0] for launch in made if not spans & set(launch.lines)}):
        here = [launch for launch in found if launch.span.line == line and launch.how != "unseen"]
        runs_here = [(launch, s) for launch in made if line in launch.lines and (s := _scalars(launch)) is not None]
        for text_of in (*CLAUSES, *(_list_exact(here, [s for _, s in runs_here]) if exact else ())):
            (clause,) = parse(text_of)
            clause = replace(clause, kind="semantic") if clause.cond is not None else clause
            states = [discharge(clause, PARAMS, launch, {"x": 2, "y": 2}).state for launch in here]
            held = [(launch, s, _holds(clause, launch, s)) for launch, s in runs_here]
            if set(states) == {"discharged"} or (not states and not unseen):
                out += [Wrong(seed, line, text_of, "discharged" if states else "never launched", str(s))
                        for _, s, h in held if h is False][:1]
            elif len(states) == 1 and states[0] == "broken":
                out += [Wrong(seed, line, text_of, "broken", str(s)) for _, s, h in held if h is True][:1]
    return out


def _list_exact(launches: Sequence[Launch], seen: Sequence[Mapping[str, int]]) -> Iterator[str]:
    """Clauses that compare numbers of a launch with those observed, and with those that the analysis names."""
    for name in ("grid[0]", "n", "T"):
        values = {s[name] for s in seen}
        for launch in launches:
            given = launch.arguments or ()
            terms = (launch.grid[0], *(a.term for a in given[2:4]))
            term = dict(zip(("grid[0]", "n", "T"), terms, strict=False)).get(name)
            values |= {term.constant} if term is not None and term.constant is not None else set()
        for value in sorted(v for v in values if v >= 0)[:4]:
            yield f"{name} == {value}"
            yield f"{name} != {value}"


def number_lines(text: str) -> Iterator[str]:
    for i, line in enumerate(text.splitlines()[HEADER.count("\n"):], HEADER.count("\n") + 1):
        yield f"{i:4} {line}"


__all__ = [
    "PARAMETERS", "Wrong", "draw_arguments", "execute_host", "find_wrong_reports", "find_wrong_reports_on",
    "generate_host", "number_lines",
]
