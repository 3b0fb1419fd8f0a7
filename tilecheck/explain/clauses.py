"""The contract clause by clause: the origins of each clause, and its state at each seen launch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tilecheck.contracts import ContractError, annotation_of, parse
from tilecheck.explain.explanation import AtLaunch, ExplainedClause
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.launches import discharge_all, width_of
from tilecheck.obligations.verdicts import contract_of
from tilecheck.pipeline.single_kernel import Study
from tilecheck.symbolic import ONE, eq, grid
from tilecheck.symbolic.footprint import Clause

__all__ = ["CLAIMS", "explained_clauses"]

CLAIMS: Final = {
    "disjoint": "no two blocks write one element", "cross-read": "no block reads an element that another block writes",
    "duplicate": "no operation writes an element twice", "order": "the accesses of one block stay in program order",
    "bounds": "every access lies inside the array", "padding": "no undefined lane is used",
    "slice": "the slice lies inside the array", "launch": "it holds at the launch",
}
_DECLARED: Final = {"requires": "declared by @requires", "comment": "declared in a comment",
                    "overlay": "declared in an overlay file"}
_NUMBERED: Final = re.compile(r"(?<=[\w\])])(?:@[\d./]*\d|#\d+)")
_LONG: Final = 160
_STATES: Final = {"violated": "broken"}


def explained_clauses(study: Study) -> Iterator[ExplainedClause]:
    """Every clause, in the order of the contract."""
    clauses = contract_of(study.proof)
    found = discharge_all(clauses, study.model, study.launches)
    states = {c.clause: c.state for c in study.report.contract}
    for c in clauses:
        at = tuple(
            AtLaunch(launch.span, launch.wrapper, _STATES.get(d.state, d.state), _shorten_clause(d.text),
                     tuple((_shorten_clause(n), v) for n, v in d.values))
            for launch, d in found[c.text].at)
        yield ExplainedClause(c.text, c.kind, states[c.text], tuple(dict.fromkeys(_origins(study, c))), at)


def _shorten_clause(text: str) -> str:
    """A clause in terms of a launch, without the numbers that distinguish values of one name.

    An empty text if the clause is too long to read.
    """
    text = _NUMBERED.sub("", text)
    return text if len(text) <= _LONG and "()" not in text else ""


def _origins(study: Study, c: Clause) -> Iterator[str]:
    for d in study.model.declared:
        try:
            texts = [x.text for x in parse(d.text)]
        except ContractError:
            continue
        if c.text in texts:
            yield f"{_DECLARED[d.origin]}, line {d.span.line}"
    for s in study.proof.obligations:
        if c.text in {x.text for x in s.clauses}:
            yield f"{study.place(s.access.span)}, `{s.access.array}`: {CLAIMS[s.kind]}"
    for one in study.proof.slices:
        if c.text in {x.text for x in one.clauses}:
            yield f"{study.place(one.span)}, `{one.array}`: {CLAIMS['slice']}"
    if c.text in {x.text for x in study.proof.structural}:
        yield _structural(study.model, c)


def _structural(model: KernelModel, c: Clause) -> str:
    for axis in range(3):
        if c.cond == eq(grid(axis), ONE) and axis not in model.axes_read:
            return f"the kernel reads no block coordinate on grid axis {axis}, so blocks along it would do the same"
    note = annotation_of(c) if c.cond is None else None
    if note is not None and note.name == "disjoint":
        if len(note.arrays) == 2:
            return f"`{note.arrays[0]}` is written, so `{note.arrays[1]}` must not share memory with it"
        return f"`{note.arrays[0]}` is written, so no two of its elements may share memory"
    bits = width_of(c)
    if bits is not None:
        return f"index arithmetic has {bits} bits"
    return "the partitions of the outputs need it" if model.dialect else "the kernel as a whole needs it"
