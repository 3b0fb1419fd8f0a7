"""Kernels and host code whose naive analysis explodes, by the quantity that explodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["SOURCES"]

_HEAD: Final = "import cuda.tile as ct\n"
_KERNEL: Final = """
@ct.kernel
def k(a, b, c, n: ct.Constant[int], T: ct.Constant[int]):
    i = ct.bid(0)
    j = ct.bid(1)
    e = i
"""
_STORE: Final = "    ct.store(c, (e, j), ct.load(a, (i, j), (T, T)))\n"
_ADD: Final = """
import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel
from typing import TypeVar
BM = TypeVar("BM", bound=int)


@kernel
def add(z: Mut[f32, BM], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))


def run(a, m):
    z = tcr.zeros((1024,), f32)
    x = tcr.zeros((1024,), f32)
"""


def _kernel(lines: Iterable[str], before: str = "") -> str:
    return _HEAD + before + _KERNEL + "".join(f"    {line}\n" for line in lines) + _STORE


def _host(lines: Iterable[str], before: str = "") -> str:
    return _kernel(()) + before + "\n\ndef run(x, y, z, m):\n" + "".join(f"    {line}\n" for line in lines)


def _nest(depth: int, head: str, body: str) -> list[str]:
    """Blocks in blocks; `{d}` in the head is the depth."""
    return [" " * d + head.format(d=d) for d in range(depth)] + [" " * depth + body]


_GO: Final = "ct.launch(0, (g, 1), k, (x, y, z, m, 16))"
_FROM: Final = "g = m + x.shape[0]"

SOURCES: Final = {
    "branches": _kernel(f"e = e + {q} if n > {q} else e" for q in range(60)),
    "branches on data": _kernel(
        line for q in range(60) for line in (f"if ct.load(b, ({q},), (1,)).item() > {q}:", f"    e = e + {q}")),
    "stores under conditions": _kernel(
        line for q in range(60) for line in (f"if n % {q + 2} == 0:",
                                             f"    ct.store(c, (i + {q}, j), ct.load(a, (i, j), (T, T)))")),
    "many stores": _kernel(f"ct.store(c, (i * 400 + {q}, j), ct.load(a, (i + {q}, j), (T, T)))" for q in range(400)),
    "10,000 terms": _kernel(["e = " + " + ".join(f"i * {q}" for q in range(10_000))]),
    "10,000 terms in steps": _kernel(f"e = e + i * {q} + j // {q + 1}" for q in range(5_000)),
    "products": _kernel(["e = " + " * ".join(f"(i + j + n + T + {q})" for q in range(40))]),
    "squares": _kernel(["e = i + n", *["e = e * e"] * 60]),
    "squares of a number": _kernel(["e = 3", *["e = e * e"] * 60]),
    "doubles": _kernel(["e = i + n", *["e = e + e"] * 2_000]),
    "shifts": _kernel(["e = i << 60"] * 500),
    "a shift too far": _kernel(["e = i << 10000000000"]),
    "powers": _kernel(["e = i * 10 ** 10 ** 8"]),
    "divisions": _kernel(f"e = (e // {q} + e % {q} * n) // (T + {q})" for q in range(2, 60)),
    **{f"{count:,} nested: {line}": _kernel([f"e = {line}"] * count) for count in (40, 300, 3_000) for line in (
        "e // n", "ct.cdiv(e, n)", "(e + j) // n", "(e + 1) // 3", "min(e, n) + j", "n // (e + 1)",
        "ct.where(e > n, e // 2 + j, e)")},
    "a contract of nested quotients": _kernel((), "from tilecheck import requires\n").replace(
        "@ct.kernel", '@requires("n' + " // T" * 300 + ' >= 0")\n@ct.kernel'),
    "minima": _kernel(f"e = min(max(e, {q}), n + {q})" for q in range(60)),
    "conditions": _kernel(["t = i > 3", *(
        f"t = (t and n > {q}) or (t and i < {3 * q}) or not t" for q in range(60)), "if t:", "    e = e + 1"]),
    "masks": _kernel([
        "o = i * T + ct.arange(T, dtype=ct.int32)", *(f"m{q} = (o < n - {q}) & (o % {q + 2} != 0)" for q in range(60)),
        "ct.scatter(b, (o,), 0.0, mask=" + " | ".join(f"m{q}" for q in range(60)) + ")"]),
    "masks of masks": _kernel([
        "o = i * T + ct.arange(T, dtype=ct.int32)", "t = o < n",
        *(f"t = (t & (o > {q})) | (t ^ (o < {3 * q})) | ~t" for q in range(60)), "ct.scatter(b, (o,), 0.0, mask=t)"]),
    "conditions compared": _kernel([
        "t = i > 3", *(f"t = (t == (n > {q})) != t" for q in range(60)), "e = i if t else e"]),
    "conditions chosen": _kernel(["t = i > 3", *(
        line for q in range(60)
        for line in (f"if t and n > {q}:", f"    t = i > {q} or t", "else:", "    t = not t"))]),
    "loops in loops": _kernel(_nest(19, "for x{d} in range(n):", "e = e + x0 + x18")),
    "a store in loops": _kernel(_nest(25, "for x{d} in range(n):", "ct.store(b, (x0 + x24,), 0.0)")),
    "long loops": _kernel(["for x in range(10 ** 6):", "    for y in range(10 ** 6):", "        e = e + x * y"]),
    "static loops": _kernel(["for x in ct.static_iter(range(10 ** 5)):", "    e = e + x"]),
    "whiles": _kernel(["while e < n:", "    e = e * e + 1", "    while e % 3:", "        e += T"]),
    "tuples that double": _kernel(["t = (i, j)", *["t = t + t"] * 40, "e = t[0]"]),
    "tuples in tuples": _kernel(["t = (i, j)", *["t = (t, t)"] * 60]),
    "a list of 10**9": _kernel(["e = [x for x in range(10 ** 9)][0] + i"]),
    "static_eval of a power": _kernel(["e = i + ct.static_eval(9 ** 9 ** 9)"]),
    "deep blocks": _kernel(_nest(95, "if n > {d}:", "e = j")),
    "elif": _kernel(["if n == 0:", "    e = j", *(
        line for q in range(1, 800) for line in (f"elif n == {q}:", f"    e = i + {q}"))]),
    "parentheses": _kernel(["e = " + "(" * 5_000 + "i" + ")" * 5_000]),
    "signs": _kernel(["e = " + "-" * 20_000 + "i"]),
    "attributes": _kernel(["e = i" + ".x" * 20_000]),
    "a long sum": _kernel(["e = i" + "+1" * 50_000]),
    "a long number": _kernel(["e = i * " + "9" * 5_000]),
    "an f-string": _kernel(["s = f'{" + "i + " * 500 + "i}'"]),
    "recursion": _kernel(["e = f(i, 30)"], "\ndef f(x, d):\n    if d > 0:\n"
                                           "        return f(x, d - 1) + f(x + 1, d - 1)\n    return x\n"),
    "recursion without end": _kernel(["e = f(i)"], "\ndef f(x):\n    return g(x) + g(x)\n\n\ndef g(x):\n"
                                                   "    return f(x) + f(x)\n"),
    "helpers of helpers": _kernel(["e = f0(i)"], "".join(
        f"\ndef f{q}(x):\n    return f{q + 1}(x) + f{q + 1}(x + 1)\n" for q in range(40)) +
        "\ndef f40(x):\n    return x\n"),
    "many returns": _kernel(["e = f(f(f(i, n), n), n)"], "\ndef f(x, n):\n" + "".join(
        f"    if n == {q}:\n        return x + {q}\n" for q in range(200)) + "    return x\n"),
    "constants of the module": _kernel(["e = i + N"], "N = 3\n" + "N = N * N\n" * 60 + "M = 1 << (1 << 40)\n"),
    "a line of 5 MB": "x = '" + "a" * 5_000_000 + "'\n" + _kernel(()),
    "a comment of 5 MB": "# cuda.tile kernel " + "a" * 5_000_000 + "\n" + _kernel(()),
    "a list of 300,000": "x = [" + "1, " * 300_000 + "]\n" + _kernel(()),
    "decorators": _HEAD + "\ndef d(f):\n    return f\n\n\n" + "@d\n" * 3_000 + _KERNEL[1:] + _STORE,
    "imports": "".join(f"import m{q}.sub as y{q}\nfrom m{q} import *\n" for q in range(2_000)) + _kernel(()),
    "parameters": _HEAD + "\n@ct.kernel\ndef k(a, c, " + ", ".join(f"p{q}: ct.Constant[int]" for q in range(2_000)) +
                  "):\n    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (p0,)))\n",
    "arrays": _HEAD + "\n@ct.kernel\ndef k(" + ", ".join(f"a{q}" for q in range(300)) +
              "):\n    i = ct.bid(0)\n" + "".join(
        f"    ct.store(a{q}, (i,), ct.load(a{(q + 1) % 300}, (i + 1,), (16,)))\n" for q in range(300)),
    "kernels": _HEAD + "".join(
        f"\n@ct.kernel\ndef k{q}(a, c, T: ct.Constant[int]):\n"
        "    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))\n"
        for q in range(400)),
    "an opt-out of 100,000 codes": _kernel(["# tilecheck: allow[" + "TC101, " * 100_000 + "] all of them"]),
    "contracts": _kernel((), "from tilecheck import requires\n").replace("@ct.kernel", "@requires(" + ", ".join(
        f'"n % {q} == 0 or n > {q} and not (n < {q} or T == {q})"' for q in range(2, 80)) + ")\n@ct.kernel"),
    "launches": _host(line for q in range(300) for line in (
        f"if x.shape[0] > {q}:", f"    ct.launch(0, ({q}, 1), k, (x, y, z, {q}, 16))")),
    "launches in loops": _host(["g = m", *_nest(15, "for x{d} in range(10):", _GO)]),
    "launches in a product": _host(["import itertools", "for p in itertools.product(range(24), repeat=9):",
                                    "    ct.launch(0, (p[0], 1), k, (x, y, z, m, p[1]))"]),
    "launches of functions of functions": _host(["h0(x, y, z, m)"], "".join(
        f"\ndef h{q}(x, y, z, m):\n    h{q + 1}(x, y, z, m)\n    h{q + 1}(x, y, z, m + 1)\n" for q in range(30)) +
        "\ndef h30(x, y, z, m):\n    ct.launch(0, (m, 1), k, (x, y, z, m, 16))\n"),
    "a host that calls itself": _host([_GO.replace("g", "m", 1), "run(x, y, z, m - 1)", "run(x, y, z, m + 1)"]),
    "host: squares": _host([_FROM, *["g = g * g"] * 60, _GO]),
    "host: squares of a number": _host(["g = 3", *["g = g * g"] * 60, _GO]),
    "host: divisions": _host([_FROM, *["g = g // 3 + (g + 1) // 5"] * 60, _GO]),
    "host: choices": _host([_FROM, *["g = g + 1 if g > 3 else g - 1"] * 60, _GO]),
    "host: branches": _host([_FROM, *(line for q in range(60) for line in (f"if m > {q}:", f"    g = g + {q}")), _GO]),
    "host: minima": _host([_FROM, *["g = min(g, g + 1) * max(g + m, 3)"] * 60, _GO]),
    "host: conditions": _host(["g = m > 3", *(
        f"g = (g and m > {q}) or (g and m < {3 * q}) or not g" for q in range(60)), "if g:", "    " + _GO]),
    "host: conditions compared": _host([
        "g = m > 3", *(f"g = (g == (m > {q})) != g" for q in range(60)), "if g:", "    " + _GO]),
    "host: conditions chosen": _host(["g = m > 3", *(
        line for q in range(60) for line in (f"if g and m > {q}:", f"    g = m > {q} or g", "else:", "    g = not g")),
        "if g:", "    " + _GO]),
    "host: lists that double": _host(["t = [m, m]", *["t = t + t"] * 40, *["t.extend(t)"] * 40, "g = t[0]", _GO]),
    "host: lists of lists": _host([
        "t = [a for a in range(20) for b in range(20) for c in range(20) for d in range(20) for f in range(20)]",
        "for g in t:", "    " + _GO]),
    "host: strings": _host(["g = len('a' * 10 ** 12)", _GO]),
    "host: views": _host([*["x = x.view(m, x.shape[0] // m).reshape(-1).transpose(0, 1)[1:]"] * 60, "g = m", _GO]),
    "types: loops in loops": _ADD.replace("    z.store", "".join(
        f"{line}\n" for line in (f"    {x}" for x in _nest(25, "for i{d} in range(8):", "t = x.load_like(z)"))) +
        "    z.store"),
    "owners: branches": _ADD + "".join(
        f"    if m > {q}:\n        z = add(z.partition(16), x).sync()\n    else:\n        x = x.view[1:]\n"
        for q in range(60)),
    "owners: loops": _ADD + "".join(f"    {line}\n" for line in _nest(
        15, "for x{d} in range(10):", "z = add(z.partition(16), x).sync()")),
}
