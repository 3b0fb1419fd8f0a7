"""Findings that need no launch, and what a launch can say against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import Opaque, Symbol, atoms_of
from tilecheck.symbolic.footprint import Clause

__all__ = ["Suspicion", "confirmed", "stands"]


When: TypeAlias = Literal["open", "free", "broken"]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A finding at a kernel.

    unless  a condition on a launch under which there is nothing to find
    when    `open`: it is reported but where every launch satisfies that condition, and there may be none unseen.
            `free`: reported but where every visible launch does, or has values that are chosen in ways that are not
            followed, such as from a list of configurations. `broken`: it is reported only where some visible launch
            breaks the condition.
    """

    diagnostic: Diagnostic
    unless: Clause | None = None
    when: When = "open"


def confirmed(
    suspicions: Iterable[Suspicion], model: KernelModel, launches: Sequence[Launch],
) -> Iterator[Diagnostic]:
    """What remains of the suspicions in view of the launches, those included that there may be unseen."""
    for s in suspicions:
        if s.unless is None or (all(launch.how == "unseen" for launch in launches) and s.when != "broken") or any(
                stands(s.unless, s.when, model, launch) for launch in launches):
            yield s.diagnostic


def stands(clause: Clause, when: When, model: KernelModel, launch: Launch) -> bool:
    """Whether a launch lets a suspicion stand, which the clause would refute."""
    if launch.how == "unseen":
        return when == "open"
    state = discharge(clause, model.params, launch, model.launched).state
    if state in ("broken", "violated"):
        return True
    if state == "discharged" or when == "broken":
        return False
    return when == "open" or _chosen_by_callers(clause, model, launch)


def _chosen_by_callers(clause: Clause, model: KernelModel, launch: Launch) -> bool:
    """Whether the launching function passes on what the clause is about as it is given."""
    if clause.cond is None:
        return False
    goal = bind(clause.cond, model.params, launch, model.launched).goal
    leaves = [a for a in atoms_of(goal) if isinstance(a, Symbol | Opaque)]
    return all(isinstance(a, Symbol) and (a.name in launch.free or a.name.partition(".shape[")[0] in launch.free)
               for a in leaves)
