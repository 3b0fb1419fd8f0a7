"""Programs that a seen launch decides: compiler and checker refuse them on one line, or both accept them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")

from tests.language.comparing import compare

_HEAD = "@ct.kernel\ndef {0}(a, b, v, w, i, u, h, n, s, T: ct.Constant[int], F: ct.Constant[bool]):\n"

REFUSED = (
    ("an array is an operand", "c = v + 1", "operator"),
    ("an array is called", "c = v(1)", "value"),
    ("the element type of a parameter", "t = ct.load(h, (0,), (16,)) & 1", "bits"),
    ("the type of a number", "c = s << 1", "shift"),
    ("a constant chooses the path", "if T == 16:\n    c = sum((1, 2))", "builtin"),
    ("both paths are compiled", "if n < n:\n    c = ct.foo(n)", "close"),
    ("two types meet", "if n > 3:\n    c = 1\nelse:\n    c = 1.5\nd = c + 1", "kinds"),
    ("two results meet", "def f(q):\n    if n > 3:\n        return q\nt = f(ct.load(v, (0,), (16,)))", "returned"),
    ("a loop changes a type", "c = 0\nfor k in range(n):\n    c = c + 1.5", "carried"),
    ("a loop changes a length", "c = ()\nfor k in range(n):\n    c = c + (k,)", "carried"),
    ("a loop changes a type on one path",
     "c = 0.0\nfor k in range(n):\n    if k > 3:\n        c = ct.load(v, (k,), (16,))", "carried kinds"),
    ("a loop leaves a variable unset", "for k in range(n):\n    c = k\nd = c", "path"),
    ("a loop makes a number of a constant", "for k in range(n):\n    T = T + 1\nt = ct.full((T,), 0, ct.int32)",
     "argument"),
    ("a branch makes a number of a constant", "if n > 3:\n    T = 8\nct.static_assert(T > 3)", "static condition"),
    ("a power of a variable reaches a store", "c = n ** 2\nct.store(i, (0,), ct.full((16,), c, ct.int32))", "power"),
    ("items that are not known", "for k in ct.static_iter(range(n)):\n    c = k", "static range"),
    ("items of a function", "for k in ct.static_iter(scale):\n    c = k", "static iterable"),
    ("an operation in Python", "for k in ct.static_iter(ct.load(v, (0,), (16,))):\n    c = k", "static"),
    ("a cached function is named", "f = cached\nc = f(n)", "cached"),
    ("a module is called", "c = ct(n)", "value"),
    ("a formatted string", "c = f'{n}' + 1", "operator"),
    ("membership in a number", "c = 1 in n", "operator"),
    ("a yielded value", "with section(n) as c:\n    t = ct.full((c,), 0, ct.int32)", "argument"),
    ("a context that is none", "with Pair(n) as c:\n    d = c", "context"),
    ("a size of truth values", "t = ct.zeros((True,), ct.float32)", "argument"),
    ("an index of truth values", "t = ct.load(v, (n > 3,), (16,))", "argument"),
    ("a name that math does not have", "c = math.PI", "attribute"),
)
ACCEPTED = (
    ("equal constants stay constant", "if n > 3:\n    c = 8\nelse:\n    c = 8\nt = ct.full((c,), 0, ct.int32)"),
    ("the other path is not compiled", "if T == 8:\n    c = ct.foo(1)"),
    ("a condition of constants", "if T > 3 and F:\n    c = 1\nd = c"),
    ("a condition that is decided first", "c = not F and T.foo"),
    ("Python computes a condition", "ct.static_assert(max([T, 2]) == 16)"),
    ("a loop of Python", "ct.static_assert(sum(q for q in range(3)) == 3)"),
    ("a variable of a loop that ends", "while True:\n    c = 1\n    break\nd = c"),
    ("a number of either size", "c = 1 if n > 3 else 2\nd = c + s"),
    ("an element type in a condition", "if v.dtype == ct.float32:\n    c = 1\nd = c"),
    ("the rank of an array", "if a.ndim == 2:\n    c = 1\nd = c"),
    ("a member", "if Mode.ON == Mode.ON:\n    c = 1\nd = c"),
    ("generators of several loops", "c = tuple(p + q for p in ct.static_iter((1, 2)) for q in ct.static_iter((3, 4)))"),
    ("a variable that a constant sets again",
     "for j in ct.static_iter(range(2)):\n    for k in range(n):\n        if T > 3:\n            c = k\n        d = c"),
    ("functions of a comprehension", "f = tuple(lambda: q for q in ct.static_iter((1, 2)))\nc = f[0]()"),
    ("an axis by name", "t = ct.load(v, (0,), (16,))[NOTHING, :]"),
    ("a function chooses a result", "t = pick(ct.load(v, (0,), (16,)), n)"),
    ("a power of a fraction", "c = s ** 2\nct.store(w, (0,), ct.full((16,), c, ct.float32))"),
    ("a power that nothing uses", "c = n ** 2"),
    ("a reduction of several tiles",
     "t = ct.load(v, (0,), (16,))\n"
     "c = ct.reduce((t, ct.arange(16, dtype=ct.int32)), 0, lambda p, q, r, l: (p + r, q + l), (0.0, 0))\nd, e = c"),
    ("a scan of several tiles",
     "t = ct.load(v, (0,), (16,))\nc, d = ct.scan((t, t), 0, lambda p, q, r, l: (p + r, q + l), (0.0, 0.0))"),
)


def _program(place: int, body: str) -> str:
    return _HEAD.format(f"k{place}") + "".join(f"    {line}\n" for line in body.splitlines())


def test_programs_are_refused_on_the_line_of_the_compiler(tmp_path: Path) -> None:
    programs = [_program(place, body) for place, (_, body, _) in enumerate(REFUSED)]
    for (what, _, how), c in zip(REFUSED, compare(programs, tmp_path), strict=True):
        assert c.theirs is not None, f"{what}: {c.describe()}"
        assert c.agrees, f"{what}: {c.describe()}"
        assert how in {found.how for found in c.mine}, f"{what}: {c.describe()}"


def test_programs_that_compile_are_not_refused(tmp_path: Path) -> None:
    programs = [_program(place, body) for place, (_, body) in enumerate(ACCEPTED)]
    for (what, _), c in zip(ACCEPTED, compare(programs, tmp_path), strict=True):
        assert c.theirs is None, f"{what}: {c.describe()}"
        assert c.mine == (), f"{what}: {c.describe()}"
