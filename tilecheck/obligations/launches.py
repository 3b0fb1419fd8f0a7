"""The clauses of a kernel at each of its seen launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import annotation_of
from tilecheck.diagnostics import ClauseState
from tilecheck.interp.host.clause_substitution import find_distinct
from tilecheck.interp.host.discharge import Discharge, discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import find_accessed
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.contract_dedup import standing_facts
from tilecheck.symbolic import Array, Cond
from tilecheck.symbolic.footprint import Clause

__all__ = ["Discharged", "discharge_all"]


_WIDTHS: Final = ("2**31", "2**63")


class Discharged(Struct, frozen=True):
    """A clause at all launches: `discharged` when it follows at each of them, `broken` when it fails at one."""

    state: ClauseState
    at: tuple[tuple[Launch, Discharge], ...] = ()


def discharge_all(
    clauses: Sequence[Clause], model: KernelModel, launches: Sequence[Launch],
) -> Mapping[str, Discharged]:
    """By clause. One that every launch in sight discharges is open where there may be others."""
    seen = [launch for launch in launches if launch.how != "unseen"]
    standing = standing_facts(model) if seen else ()
    alike = find_distinct(seen)
    ranks = model.launched
    # launch by launch: what binds clauses to a launch is cached for the last ones
    numeric = [c for c in clauses if c.cond is not None and not _is_width(c)]
    found = {one: {c.text: _at(c, model, one, ranks, standing) for c in numeric} for one in dict.fromkeys(alike)}
    states = {c.text: _discharge(c, model, seen, alike, standing, found) for c in clauses}
    if len(seen) == len(launches):
        return states
    return {text: replace(d, state="open") if d.state == "discharged" else d for text, d in states.items()}


def _is_width(clause: Clause) -> bool:
    """Whether a clause limits sizes to what an integer holds: sizes of real launches are seldom known, and seldom near
    the limit."""
    return clause.text.endswith(_WIDTHS)


def _discharge(
    clause: Clause, model: KernelModel, launches: Sequence[Launch], alike: Sequence[Launch],
    standing: tuple[Cond, ...], found: Mapping[Launch, Mapping[str, Discharge]],
) -> Discharged:
    """`alike` has for each launch the first that passes the same numbers: arithmetic says the same of both."""
    if not launches:
        return Discharged("unseen")
    if _is_width(clause):
        return Discharged("open")
    if clause.cond is None:
        at = tuple((launch, _at(clause, model, launch, {}, standing)) for launch in launches)
    else:
        at = tuple((launch, found[one][clause.text]) for launch, one in zip(launches, alike, strict=True))
    states = {d.state for _, d in at}
    if states & {"broken", "violated"}:
        return Discharged("broken", at)
    return Discharged("discharged" if states == {"discharged"} else "open", at)


def _at(
    clause: Clause, model: KernelModel, launch: Launch, ranks: Mapping[Array, int], standing: tuple[Cond, ...],
) -> Discharge:
    found = discharge(clause, model.params, launch, ranks, standing)
    return Discharge("discharged") if found.state == "broken" and _idle(clause, model, launch) else found


def _idle(clause: Clause, model: KernelModel, launch: Launch) -> bool:
    """Whether a clause requires two arrays not to alias, and the launch does not use one of them or writes neither."""
    note = annotation_of(clause)
    return note is not None and note.name == "disjoint" and len(note.arrays) == 2 and not find_accessed(
        model, launch).conflict(*(array.root for array in note.arrays))
