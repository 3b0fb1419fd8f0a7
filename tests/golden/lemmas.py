"""Which kernels need which lemma: each lemma is disabled in turn, and the results are compared with the recorded ones.

    python -m tests.golden.lemmas            print the table
    python -m tests.golden.lemmas --update   write it to `benchmarks/results/lemmas.json`

`--group NAME` limits the inputs, `--lemma NAME` the lemmas; both may be repeated. A lemma is a rule of the closure, or
a pattern that a more general step might cover.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import tilecheck.pipeline.analyze  # noqa: F401  (loads the modules that lemmas lie in, in their order)
from tests.golden.record import ROOT, load, measure
from tests.memos import clear_memos

__all__ = ["LEMMAS", "Lemma", "main"]

RESULTS: Final = ROOT / "benchmarks" / "results" / "lemmas.json"
GROUPS: Final = ("corpus", "cases", "programs", "examples")


@dataclass(frozen=True)
class Lemma:
    """A definition that can be disabled.

    where     `module:attribute`, or `module:TABLE[key]` for an entry of a table
    instead   the value that takes its place
    needed    why the lemma stays, where at most one result of the groups depends on it
    """

    name: str
    where: str
    instead: Any
    needed: str = ""


def _return_false(*_: Any, **__: Any) -> bool:
    return False


def _return_none(*_: Any, **__: Any) -> None:
    return None


def _empty(*_: Any, **__: Any) -> tuple[Any, ...]:
    return ()


def _keep_second(_: Any, second: Any) -> Any:
    return second


def _keep_first(first: Any) -> Any:
    return tuple(first)


_CLOSURE: Final = "tilecheck.solver.disjointness.derive:RULES"

LEMMAS: Final = (
    *(Lemma(f"closure: {rule}", f"{_CLOSURE}[{rule}]", _return_false) for rule in (
        "merge", "factor", "inverse", "quotient", "squeeze", "peel", "congruent", "solve", "segment",
        "range", "peel deeply", "exclusive", "order")),
    Lemma("closure: exact", f"{_CLOSURE}[exact]", _return_false,
          "it divides where nothing remains, which pages of a cache need"),
    Lemma("closure: data", f"{_CLOSURE}[data]", _return_false, "it is the meaning of `injective` in a contract"),
    Lemma("closure: reduce", f"{_CLOSURE}[reduce]", _return_false,
          "it removes remainders, quotients and minima that cannot matter; generated kernels need it"),
    Lemma("closure: case splits", "tilecheck.solver.disjointness.derive:case_splits", _empty),
    Lemma("closure: inequalities in mixed radix", "tilecheck.solver.disjointness.data:prove_factored", _return_none),
    Lemma("loops: affine", "tilecheck.interp.kernel.induction:_solve_affine", _return_none),
    Lemma("loops: multiples of one step", "tilecheck.interp.kernel.induction:_solve_congruent", _return_none),
    Lemma("loops: value of the next iteration", "tilecheck.interp.kernel.induction:_solve_lagged", _return_none,
          "a loop that loads the next tile ahead needs it"),
    Lemma("host: loops that double", "tilecheck.interp.host.loops:recognize_doubling", _return_none,
          "code without a helper for it rounds up to a power of two like this, and the value is exact"),
    Lemma("host: powers of two of sizes that are not positive", "tilecheck.interp.host.discharge:find_rounded", _empty),
    Lemma("host: divisibility", "tilecheck.interp.host.entailment:divisible", _return_false,
          "`assert n % T == 0` implies `n % 4 == 0` for a multiple T of 4"),
    Lemma("host: monotonic functions", "tilecheck.interp.host.entailment:_monotonic", _return_none),
    Lemma("host: by cases", "tilecheck.interp.host.entailment:_by_cases", _return_false),
    Lemma("clauses: shares that are rounded up", "tilecheck.obligations.bounds:shares", _return_false,
          "it reports blocks whose rounded shares run over the end (TC201)"),
    Lemma("clauses: a tile past the last element", "tilecheck.obligations.bounds:goes_past", _return_false,
          "it reports a contract that only a mistake can need (TC201)"),
    Lemma("bounds: last iteration", "tilecheck.obligations.bounds:find_overrunning_loop", _return_none,
          "it reports a loop whose last tile is past the array (TC201)"),
    Lemma("witness: break one clause only", "tilecheck.obligations.verdicts:with_clear_examples", _keep_second,
          "it chooses the example of a message, which results do not contain"),
    Lemma("contract: repeated clauses", "tilecheck.obligations.verdicts:drop_repeated_clauses", _keep_second),
    Lemma("obligations: one for each statement", "tilecheck.obligations.verdicts:one_for_each_statement", _keep_first),
)


@contextmanager
def disable_lemma(lemma: Lemma) -> Iterator[None]:
    """The checker of this process without a lemma."""
    module_name, _, path = lemma.where.partition(":")
    module = import_module(module_name)
    name, _, key = path.rstrip("]").partition("[")
    table = getattr(module, name) if key else vars(module)
    entry = key or name
    before = table[entry]
    table[entry] = lemma.instead
    try:
        yield
    finally:
        table[entry] = before


def find_users(lemma: Lemma, groups: Sequence[str]) -> list[str]:
    """The kernels and files whose results change without the lemma."""
    users: list[str] = []
    clear_memos()
    with disable_lemma(lemma):
        for group in groups:
            found, recorded = measure(group, jobs=1), load(group)
            users += [key for key in sorted({*recorded, *found}) if recorded.get(key) != found.get(key)]
    clear_memos()
    return users


def count_kernels(users: Sequence[str]) -> int:
    """The number of kernels among users; of files where there is no kernel."""
    return sum("::" in user for user in users) or len(users)


def main(arguments: Sequence[str]) -> int:
    groups = [arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word == "--group"] or list(GROUPS)
    names = {arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word == "--lemma"}
    table = {}
    for lemma in LEMMAS:
        if not names or lemma.name in names:
            table[lemma.name] = find_users(lemma, groups)
            print(f"{len(table[lemma.name]):5}  {lemma.name}", flush=True)
    if "--update" in arguments:
        RESULTS.parent.mkdir(exist_ok=True)
        counts = {name: count_kernels(users) for name, users in table.items()}
        RESULTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
