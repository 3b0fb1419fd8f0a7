"""One obligation of each kind for a source statement, however often a helper that holds it is inlined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tilecheck.obligations.contract_minimize import minimal
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation
from tilecheck.syntax.tree import Span

__all__ = ["one_for_each_statement"]


def one_for_each_statement(obligations: Iterable[DecidedObligation]) -> tuple[DecidedObligation, ...]:
    """Obligations of one kind at one place are met together: the weakest speaks, under the clauses of all of them."""
    by: dict[tuple[str, Span], list[DecidedObligation]] = {}
    for s in obligations:
        by.setdefault((s.kind, s.access.span), []).append(s)
    return tuple(same[0] if len(same) == 1 else _merge(same) for same in by.values())


def _merge(same: Sequence[DecidedObligation]) -> DecidedObligation:
    weakest = min(same, key=lambda s: WEAKEST_FIRST.index(s.verdict))
    return replace(
        weakest,
        rules=tuple(dict.fromkeys(r for s in same for r in s.rules)),
        clauses=minimal(tuple(dict.fromkeys(c for s in (weakest, *same) for c in s.clauses))),
        needed=any(s.needed for s in same),
        spilling=tuple(dict.fromkeys(a for s in same for a in s.spilling)),
        uses=tuple(dict.fromkeys(u for s in same for u in s.uses)))
