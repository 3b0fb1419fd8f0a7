"""Counts the decided obligations on bounds in the corpus: `python -m tests.corpus.bounds_figures`.

    decided     obligations on bounds that are proved, or proved under clauses; one obligation for each statement
    discharged  the clauses of these proofs, in kernels with seen launches, that each launch discharges

A clause counts once for a kernel, however many accesses need it. It counts even if no launch could discharge it: the
equality of the extents of two input arrays is a clause like any other. A condition that other clauses of the kernel
imply does not count (obligations/contract_dedup.py). A condition that holds wherever the kernel runs does not count
either. A clause that is open at a single launch is open. The host is taken to guarantee that each array that it passes
is not empty (interp/host/clause_substitution.py).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.corpus.ratchet import DECIDED, run
from tests.corpus.wheel import CorpusError, corpus_folder

__all__ = ["BoundsFigures", "bounds_figures"]


@dataclass(frozen=True)
class BoundsFigures:
    decided: int
    total: int
    discharged: int
    clauses: int
    unsettled: tuple[tuple[str, str], ...]
    """(kernel, clause) that stay open at some seen launch."""

    def __str__(self) -> str:
        return (f"{self.decided} of {self.total} bounds obligations decided ({self.decided / self.total:.1%})\n"
                f"{self.discharged} of {self.clauses} clauses discharged at visible launches "
                f"({self.discharged / self.clauses:.1%})")


def bounds_figures(report: Mapping[str, Any]) -> BoundsFigures:
    """The figures of a report of the corpus."""
    decided = total = discharged = clauses = 0
    unsettled: list[tuple[str, str]] = []
    for kernel in report["kernels"]:
        own = [o for o in kernel["obligations"] if o["kind"] == "bounds"]
        total += len(own)
        decided += sum(o["verdict"] in DECIDED for o in own)
        needed = {text for o in own for text in o["clauses"]}
        for clause in kernel["contract"]:
            if clause["clause"] in needed and clause["state"] != "unseen":
                clauses += 1
                discharged += clause["state"] == "discharged"
                if clause["state"] != "discharged":
                    unsettled.append((f"{kernel['file']}::{kernel['name']}", clause["clause"]))
    return BoundsFigures(decided, total, discharged, clauses, tuple(unsettled))


def main() -> int:
    try:
        corpus = corpus_folder()
    except CorpusError as error:
        print(error, file=sys.stderr)
        return 2
    found = bounds_figures(run(corpus))
    if "-v" in sys.argv:
        for kernel, clause in found.unsettled:
            print(f"{kernel}  {clause}")
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
