"""The part of a padding obligation that remains to be reported after the seen launches are checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.sources import Observation
from tilecheck.obligations.launches import Discharged
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import clause_of
from tilecheck.obligations.ragged import is_ragged
from tilecheck.symbolic import EXTENTS, Array, Bid, Cond, ge, grid, of
from tilecheck.symbolic.footprint import Clause

__all__ = ["in_view", "reopen_broken"]


def in_view(
    s: DecidedObligation, model: KernelModel, launches: Sequence[Launch], states: Mapping[str, Discharged],
) -> DecidedObligation | None:
    """The obligation with the semantic clauses that some launch leaves open, where something says that the sizes of
    launches are ragged; None when there was nothing but such clauses, and none is left. Obligations of other kinds stay
    as they are."""
    if s.kind != "padding" or s.verdict == "refuted":
        return s
    semantic = [c for c in s.clauses if c.kind == "semantic"]
    left = tuple(c for c in semantic if not _is_discharged(c, model, launches, states))
    if s.verdict in ("conditional", "unproven"):
        evident = {c for use, clauses in s.uses if is_ragged(use, model, launches) for c in clauses}
        left = tuple(c for c in left if c in evident or states[c.text].state == "broken")
        whole = {c for use, clauses in s.uses if _has_room(use, model, launches) for c in clauses} - {
            c for use, clauses in s.uses if not _has_room(use, model, launches) for c in clauses}
        left = tuple(c for c in left if c not in whole)
    # clauses on lanes whose uses are not known: a note
    unseen = [c for c in semantic if all(c not in given for _, given in s.uses)
              and not _is_discharged(c, model, launches, states)]
    if semantic and not left and not unseen and s.verdict == "conditional":
        return None
    uses = tuple((use, tuple(c for c in clauses if c.kind != "semantic" or c in left)) for use, clauses in s.uses)
    return replace(s, clauses=left, uses=uses)


def reopen_broken(
    obligations: Iterable[DecidedObligation], states: Mapping[str, Discharged],
) -> tuple[DecidedObligation, ...]:
    """The obligations, unproven where a launch breaks a clause on lanes whose uses are not known: it is sufficient, and
    nothing is known of the launch."""
    return tuple(s if s.kind != "padding" or s.verdict != "conditional" or not any(
        states[c.text].state == "broken" for c in s.semantic_clauses if all(c not in given for _, given in s.uses))
        else replace(s, verdict="unproven") for s in obligations)


def _is_discharged(
    clause: Clause, model: KernelModel, launches: Sequence[Launch], states: Mapping[str, Discharged],
) -> bool:
    """Whether every launch discharges a clause, or says no more in it than that extents of its arrays agree."""
    state = states[clause.text]
    if state.state == "discharged":
        return True
    if clause.cond is None or state.state == "broken" or not launches:
        return False
    cond = clause.cond
    return all(
        found.state == "discharged" or _agreement(bind(cond, model.params, launch, model.launched).goal)
        for launch, found in state.at)


def _has_room(use: Observation, model: KernelModel, launches: Sequence[Launch]) -> bool:
    """Whether every launch has so few blocks that their tiles lie inside. A last tile that is not whole has none."""
    edge = use.undefined.edge
    starts = sorted(a for a in edge.start.atoms() if isinstance(a, Bid))
    if not launches or len(starts) != 1 or edge.start != edge.tile * of(starts[0]):
        return False
    clause = clause_of(ge(edge.end - edge.tile * grid(starts[0].axis), 0), False)
    return all(discharge(clause, model.params, launch, model.launched).state == "discharged" for launch in launches)


def _agreement(goal: Cond) -> bool:
    """`a.shape[i] <= b.shape[j]`: structural if the arrays differ, in the grid or in a loop."""
    if goal.op == "or":
        return any(_agreement(c) for c in goal.args)
    if goal.op != "ge" or goal.term.offset or len(goal.term.monos) != 2:
        return False
    arrays: list[Array] = []
    for mono, factor in goal.term.monos.items():
        if abs(factor) != 1 or len(mono) != 1 or not isinstance(mono[0], EXTENTS):
            return False
        arrays.append(mono[0].array)
    return sum(goal.term.monos.values()) == 0 and arrays[0] is not arrays[1]
