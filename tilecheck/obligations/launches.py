"""The clauses of a kernel at each of its seen launches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilecheck.contracts import annotation_of
from tilecheck.diagnostics import ClauseState, LaunchCounts
from tilecheck.interp.host.argument_aliasing import aliases
from tilecheck.interp.host.clause_substitution import bind, find_distinct
from tilecheck.interp.host.discharge import Discharge, discharge, substitute_text
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import find_accessed
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.contract_dedup import standing_facts
from tilecheck.symbolic import Array, Cond
from tilecheck.symbolic.footprint import Clause

__all__ = ["Discharged", "count_launches", "discharge_all", "is_width", "width_of"]


_WIDTHS: Final = {31: 32, 63: 64}
"""The bits of a type, by those of the numbers that it has from 0 on."""
_OFFSETS: Final = 2**24
"""Above the numbers that kernels add: `n + 1 < 2**31` is a clause on the width, `n < 2**30` is not."""


class Discharged(Struct, frozen=True):
    """A clause at all launches: `discharged` when it follows at each of them, `broken` when it fails at one."""

    state: ClauseState
    at: tuple[tuple[Launch, Discharge], ...] = ()


def is_width(clause: Clause) -> bool:
    """Whether a clause says that numbers of the kernel fit the type in which they are computed."""
    return width_of(clause) is not None


def width_of(clause: Clause) -> int | None:
    """The bits of the type in which a clause says that numbers of the kernel fit; None if it says something else."""
    return None if clause.cond is None else _width_of(clause.cond)


def _width_of(cond: Cond) -> int | None:
    if cond.op in ("and", "or"):
        found = {_width_of(part) for part in cond.args} - ({None} if cond.op == "or" else set())
        return found.pop() if len(found) == 1 else None
    limit = cond.term.offset if cond.op == "ge" else 0
    return next((bits for power, bits in _WIDTHS.items() if 2**power - _OFFSETS < limit <= 2**power), None)


def discharge_all(
    clauses: Sequence[Clause], model: KernelModel, launches: Sequence[Launch],
) -> Mapping[str, Discharged]:
    """The states of clauses, by text."""
    standing = standing_facts(model) if launches else ()
    alike = find_distinct(launches)
    ranks = model.launched
    # launch by launch: what binds clauses to a launch is cached for the last ones
    numeric = [c for c in clauses if c.cond is not None and not is_width(c)]
    found = {one: {c.text: _at(c, model, one, ranks, standing) for c in numeric} for one in dict.fromkeys(alike)}
    return {c.text: _discharge(c, model, launches, alike, standing, found) for c in clauses}


def count_launches(
    clauses: Sequence[Clause], states: Mapping[str, Discharged], launches: Sequence[Launch],
) -> LaunchCounts:
    """The seen launches by the state of the whole contract. A clause that no launch decides is open at each."""
    undecided = any(not states[c.text].at for c in clauses)
    found = Counter[str]()
    for k, launch in enumerate(launches):
        at = {states[c.text].at[k][1].state for c in clauses if states[c.text].at}
        if launch.arguments is None or None in launch.grid:
            found["not_followed"] += 1
        elif at & {"broken", "violated"}:
            found["broken"] += 1
        else:
            found["open" if undecided or at - {"discharged"} else "holds"] += 1
    return LaunchCounts(**found)


def _discharge(
    clause: Clause, model: KernelModel, launches: Sequence[Launch], alike: Sequence[Launch],
    standing: tuple[Cond, ...], found: Mapping[Launch, Mapping[str, Discharge]],
) -> Discharged:
    """`alike` has for each launch the first that passes the same numbers: arithmetic says the same of both."""
    if not launches:
        return Discharged("unseen")
    ranks = model.launched
    if is_width(clause):
        # sizes of real launches are seldom known, and seldom near the limit: numbers decide, or nothing
        numbers = tuple((launch, _in_numbers(clause, model, launch, ranks)) for launch in launches)
        states = {d.state for _, d in numbers}
        whole: ClauseState = "discharged" if states == {"discharged"} else "open"
        return Discharged("broken" if "broken" in states else whole, numbers)
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


def _in_numbers(clause: Clause, model: KernelModel, launch: Launch, ranks: Mapping[Array, int]) -> Discharge:
    """Decide a clause at a launch of constants."""
    if clause.cond is None:
        return Discharge("open")
    bound = bind(clause.cond, model.params, launch, ranks)
    if bound.goal.op == "false" and launch.certain:
        return Discharge("broken", (), substitute_text(clause.text, bound.values))
    return Discharge("discharged" if bound.goal.op == "true" else "open")


def _idle(clause: Clause, model: KernelModel, launch: Launch) -> bool:
    """Whether a clause requires arrays not to alias, and of each two that do the launch does not use one or writes
    neither."""
    note = annotation_of(clause)
    if note is None or note.name != "disjoint":
        return False
    roots = {array.root for array in note.arrays}
    same = [(a.array, b.array) for a, b in aliases(launch, model.params) if {a.array.root, b.array.root} == roots]
    touched = find_accessed(model, launch)
    return bool(same) and not any(touched.conflict(*pair) for pair in same)
