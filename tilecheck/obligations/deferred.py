"""Suspicious code that is seen without launches, and which launches justify it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import discharge
from tilecheck.interp.host.launch import Launch, is_free
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import Opaque, Symbol, atoms_of
from tilecheck.symbolic.footprint import Clause
from tilecheck.syntax.tree import Span

__all__ = ["Lint", "Suspicion", "confirm_suspicions", "stands"]


When: TypeAlias = Literal["open", "free", "broken"]


class Lint(Struct, frozen=True):
    """Suspicious code at `span`. Each rule that looks for such code has a subclass with the facts of its message."""

    span: Span


class Suspicion(Struct, frozen=True):
    """Suspicious code, and the launches for which it is right.

    unless  a condition on a launch under which the code is right
    when    which launches report it. `open`: it is reported unless every launch satisfies the condition, and without
            a seen launch. `free`: it is reported if a seen launch breaks the condition, or passes on values
            that its callers choose. `broken`: it is reported only if a seen launch breaks the condition.
    """

    lint: Lint
    unless: Clause | None = None
    when: When = "open"


def confirm_suspicions(
    suspicions: Iterable[Suspicion], model: KernelModel, launches: Sequence[Launch],
) -> Iterator[Lint]:
    """The suspicions that the launches leave."""
    for s in suspicions:
        if s.unless is None or (not launches and s.when != "broken") or any(
                stands(s.unless, s.when, model, launch) for launch in launches):
            yield s.lint


def stands(clause: Clause, when: When, model: KernelModel, launch: Launch) -> bool:
    """Whether a launch does not refute a suspicion, which holds unless the clause does."""
    state = discharge(clause, model.params, launch, model.launched).state
    if state in ("broken", "violated"):
        return True
    if state == "discharged" or when == "broken":
        return False
    return when == "open" or _chosen_by_callers(clause, model, launch)


def _chosen_by_callers(clause: Clause, model: KernelModel, launch: Launch) -> bool:
    """Whether the launching function takes every value of the clause from its callers."""
    if clause.cond is None:
        return False
    goal = bind(clause.cond, model.params, launch, model.launched).goal
    leaves = [a for a in atoms_of(goal) if isinstance(a, Symbol | Opaque)]
    return all(is_free(a, launch.free)
               for a in leaves)
