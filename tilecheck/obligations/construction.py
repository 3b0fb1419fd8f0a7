"""Obligations that the ownership dialect proves by construction, and accesses that break its rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.bounds import restrict_to_access
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context, clause_of
from tilecheck.obligations.reasons import Cause, because
from tilecheck.symbolic import TRUE, ArrayParam, disj, enforceable
from tilecheck.symbolic.footprint import Clause, Region, Verdict
from tilecheck.symbolic.steps import Reason

__all__ = ["Constructed", "by_construction", "decide_faults", "decide_held_reads", "ownership_clauses"]

_SETTLED: Final = ("TC104", "TC105", "TC107", "TC109", "TC501")
"""Rules whose breach leaves an access unsettled."""


class Constructed(Struct, frozen=True):
    verdict: Verdict
    reason: Reason
    rules: tuple[str, ...] = ("cell",)


def by_construction(first: Access, second: Access) -> Constructed | None:
    """Two accesses of one array that each go through what their block alone owns; None where that is not so."""
    a, b = first.held, second.held
    if a is None or b is None or not (a.owned and b.owned) or first.array != second.array:
        return None
    if a.doubt or b.doubt:
        return Constructed("unproven", (a.doubt or b.doubt), ())
    # a pair with a read stands on the read
    return Constructed("proved", b.reason if second.mode == "read" else a.reason)


def decide_held_reads(context: Context) -> Iterator[DecidedObligation]:
    """One obligation on bounds for each read that follows the pieces of a mutable array."""
    sites = context.by_site(a for a in context.model.accesses if a.held is not None and a.held.needs)
    for site in sorted(sites):
        access = sites[site][0]
        assert access.held is not None
        taken = {c for given in context.assume for c in (given.args if given.op == "and" else (given,))}
        unless = restrict_to_access(access.under, taken, context.tiled)
        needed = (disj(*unless, c) for c in access.held.needs if c not in taken)
        lost = context.lost.get(access.array)
        yield DecidedObligation(
            "bounds", access, "proved" if lost is None else "unproven", access.held.reason if lost is None else
            because(Cause.MAY_TOUCH_ALL, lost, access.array), "TC201", rules=("cell",),
            clauses=tuple(dict.fromkeys(clause_of(c, False) for c in needed if c.op != "true")))


def ownership_clauses(model: KernelModel) -> tuple[Clause, ...]:
    """Returns the clauses under which the pieces of the kernel are as the kernel assumes."""
    out = (disj(*restrict_to_access(under, set(), ()), c) for under, c in model.ownership.required)
    return tuple(dict.fromkeys(clause_of(c, False) for c in out if c.op != "true" and enforceable(c)))


def decide_faults(context: Context) -> Iterator[DecidedObligation]:
    """Yields one obligation for each access that breaks a rule of the dialect. Such an access is never proved."""
    for fault in context.model.ownership.faults:
        if fault.code in _SETTLED:
            why = because(_WHY.get(fault.code, Cause.NOT_OWN_PIECE))
            yield DecidedObligation("disjoint", _access(fault), "unproven", why, fault.code, fault=fault)


_WHY: Final = {
    "TC104": Cause.LENT_ARRAY,
    "TC107": Cause.NO_ATOMIC,
    "TC109": Cause.NESTED_REACHES_OUT,
    "TC501": Cause.OTHER_SHAPE,
}


def _access(fault: Fault) -> Access:
    region = Region((), TRUE, False)
    return Access(
        ArrayParam(fault.array), (), "write", fault.how, region, (), (), -1, "weak", "none", (), None, (), fault.span,
        (), True)
