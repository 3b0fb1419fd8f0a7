"""Random kernels that compute their indices through numbers which wrap, with the launches in which they do.

The sanitizer computes in the types that kernels compute in, and is asked here, not the interpreter, whose integers are
those of Python.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tests.oracle.judging import DECIDED
from tests.oracle.sanitized import load_functions
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import annotation_of, evaluate, parse
from tilecheck.diagnostics import KernelReport
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import TileError

FACTORS: Final = (2, 3, 5, 1000, 1 << 16, 1000000, 1 << 20, 1 << 30)
SCALARS: Final = (1, 2, 3, 7, 1 << 16, (1 << 16) + 1, 1 << 29, 1 << 30, (1 << 31) - 1)
NEGATIVE: Final = (-1, -2, -7, -(1 << 16), -(1 << 29), -(1 << 30), -(1 << 31))
LOOPS: Final[Mapping[str, tuple[str, str]]] = {
    "": ("", ""),
    "for j in range(n):": ("", ""),
    "for j in range(i, n, nb):": ("", ""),
    "for j in range(i * K, i * K + n):": ("", ""),
    "for j in range(n, 0, -1):": ("", ""),
    "while j < n:": ("j = i", "j += nb"),
    "while j * K < n:": ("j = i", "j += nb"),
    "while True:": ("j = i", "j += nb"),
}
"""Headers, with the statements before the loop and at the end of its body."""
SIZE: Final = 64
RACES: Final = frozenset(("TC101", "TC103", "TC107"))


@dataclass(frozen=True)
class Wrapping:
    """A kernel named `kernel` of an output `c`, row numbers `ids` and the scalars `n` and `K`."""

    seed: int

    @property
    def text(self) -> str:
        return _text(random.Random(self.seed))

    def launches(self, count: int) -> Iterator[dict[str, Any]]:
        rng = random.Random(self.seed + 1)
        for _ in range(count):
            ids = list(range(SIZE))
            rng.shuffle(ids)
            yield {"grid": rng.randint(2, 5), "n": rng.choice((1, 2, 4, 6, 8)), "K": rng.choice(SCALARS), "ids": ids}
        for _ in range(count // 4):
            n = rng.choice((4, 8)) if rng.random() < 0.7 else rng.choice(NEGATIVE)
            yield {"grid": rng.randint(2, 5), "n": n, "K": rng.choice(NEGATIVE), "ids": list(range(SIZE))}


def _text(rng: random.Random) -> str:
    header = rng.choice(list(LOOPS))
    before, after = LOOPS[header]
    names = ["i", "n", "K"] + ["j"] * 3 * bool(header) + ["v"] * (rng.random() < 0.15)
    lines = ["i = ct.bid(0)", "nb = ct.num_blocks(0)"]
    lines += ["v = ct.gather(ids, i).item()"] if "v" in names else []
    lines += [before] if before else []
    lines += [header] if header else []
    inside = "    " if header else ""
    body = ["if j >= n:", "    break"] if header == "while True:" else []
    if rng.random() < 0.3:
        body += [f"x = {_value(rng, names, 2)}"]
        names += ["x", "x"]
    index = _value(rng, names, 3)
    store = f"ct.scatter(c, {index}, 1.0)"
    if rng.random() < 0.35:
        test = f"{_value(rng, names, 2)} {rng.choice(('<', '>=', '==', '<='))} {_value(rng, names, 1)}"
        body += [f"if {test}:", f"    {store}"]
    else:
        body += [store]
    body += [after] if after else []
    lines += [inside + line for line in body]
    declared = '@requires("injective(ids)")\n' if rng.random() < 0.7 else (
        '@requires("injective(ids)", "range(ids, 0, 64)")\n')
    parameters = "c, ids, n: int, K: int" if rng.random() < 0.8 else "c, ids, n: int, K: ct.Constant[int]"
    return ("import cuda.tile as ct\nfrom tilecheck import requires\n\n\n"
            f"{declared}@ct.kernel\ndef kernel({parameters}):\n" + "".join(f"    {line}\n" for line in lines))


def _value(rng: random.Random, names: Sequence[str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(names)
    a = _value(rng, names, depth - 1)
    kind = rng.random()
    number = rng.choice(FACTORS)
    if kind < 0.2:
        return f"({a} * {number})"
    if kind < 0.3:
        return f"({a} * K)"
    if kind < 0.45:
        return f"({a} // {rng.choice((number, 'K', 'n'))})"
    if kind < 0.5:
        return f"({a} % {rng.choice((number, 'K', 'n'))})"
    if kind < 0.56:
        power = rng.choice((1, 4, 16, 20))
        return rng.choice((f"({a} >> {power})", f"({a} << {power})", f"({a} & {(1 << power) - 1})"))
    if kind < 0.6:
        return f"(-{a})"
    if kind < 0.68:
        return f"ct.astype({a}, ct.{rng.choice(('int64', 'int64', 'int16', 'int32', 'uint32', 'int8'))})"
    b = _value(rng, names, depth - 1)
    if kind < 0.88:
        return f"({a} {rng.choice('+-')} {b})"
    if kind < 0.92:
        return f"({a} * {b})"
    if kind < 0.95:
        return f"{rng.choice(('min', 'max', 'ct.cdiv'))}({a}, {b})"
    return f"ct.where({a} < {b}, {a}, {b})"


# --- judging ---------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Fault:
    """A launch that a kernel is proved for, and in which blocks collide."""

    seed: int
    text: str
    launch: str
    said: str


def satisfies_contract(report: KernelReport, launch: Mapping[str, Any]) -> bool:
    """Whether a launch satisfies the contract. All launches satisfy the clauses about `ids`."""
    scalars = {"grid[0]": launch["grid"], "grid[1]": 1, "grid[2]": 1, "n": launch["n"], "K": launch["K"],
               **{f"{a}.{what}[0]": number for a in ("c", "ids") for what, number in (("shape", SIZE), ("strides", 1))}}
    clauses = (c for entry in report.contract for c in parse(entry.clause))
    return all(annotation_of(c) is not None or evaluate(c, scalars) for c in clauses)


class Endless(Exception):
    """A loop whose bound wrapped takes years."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Aborts the body of the `with` statement after the given processor time."""
    def stop(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judge_seed(seed: int, count: int) -> tuple[str, int, list[Fault]]:
    """Returns the verdict on a kernel, the number of launches with a collision, and the launches that contradict it."""
    made = Wrapping(seed)
    (report,) = check_source(made.text, "generated.py", Config(use_cache=False)).kernels
    writes = [o for o in report.obligations if o.kind == "disjoint"]
    verdict = "decided" if writes and all(o.verdict in DECIDED for o in writes) else "open"
    kernel = load_functions(made.text)["kernel"]
    collisions = 0
    faults: list[Fault] = []
    for launch in made.launches(count):
        values = [np.zeros(SIZE, np.float32), np.array(launch["ids"], np.int32), launch["n"], launch["K"]]
        try:
            with limit_time(0.2):
                said = sanitize(kernel, (launch["grid"], 1, 1), values, seed=None)
        except (Endless, TileError, ArithmeticError, ValueError, TypeError):
            continue
        except Exception as error:
            if type(error).__module__.startswith("cuda.tile"):
                continue  # the compiler refuses the kernel
            raise
        if not said.codes() & RACES:
            continue
        collisions += 1
        if verdict == "decided" and satisfies_contract(report, launch):
            shown = str({k: v for k, v in launch.items() if k != "ids"})
            contract = [c.clause for c in report.contract]
            faults.append(Fault(seed, made.text, shown, f"{[(o.verdict, o.why) for o in writes]}; contract {contract}"))
    return verdict, collisions, faults
