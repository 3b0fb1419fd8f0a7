"""Proofs that assume that parameters are integers.

A parameter without annotation may be a fraction. If a proof fails where the kernel uses it as no fraction acts, the
kernel is proved again under the clause `integer(n)`, which then is part of the contract of each obligation that needs
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.contracts import parse
from tilecheck.interp.host.discharge import discharge
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation, DecidedSlice, Proof
from tilecheck.obligations.reasons import Cause, because
from tilecheck.symbolic.footprint import Clause, Verdict

__all__ = ["Attempt", "assume_integers", "break_assumption"]

_MOST: Final = 4
"""Parameters beyond which no subset of them is tried."""
_NEEDING: Final[frozenset[Verdict]] = frozenset(("proved", "conditional", "single-block"))
_Decided = TypeVar("_Decided", DecidedObligation, DecidedSlice)


class Attempt(Struct, frozen=True):
    """A model of a kernel and its proof."""

    model: KernelModel
    proof: Proof


Try: TypeAlias = Callable[[tuple[str, ...]], Attempt]
"""Proves the kernel under further clauses."""


def assume_integers(first: Attempt, prove: Try) -> Attempt | None:
    """The proof of a kernel under clauses that parameters are integers, if more of its obligations are proved; None
    if there is none. No clause in it can be left out."""
    names, before = first.model.fractional, _count_open(first)
    if not names or before == (0, 0):
        return None
    found = prove(_write(names))
    if _count_open(found) >= before:
        return None
    for name in names if 1 < len(names) <= _MOST else ():
        fewer = tuple(n for n in names if n != name)
        if fewer:
            other = prove(_write(fewer))
            if _count_open(other) <= _count_open(found):
                names, found = fewer, other
    clauses = tuple(c for text in _write(names) for c in parse(text))
    stated = _state_assumption(found.proof, clauses, first.proof)
    if len(found.model.gaps) < len(first.model.gaps):
        # no integer reaches a construct that may do anything
        stated = replace(stated, structural=(*stated.structural, *clauses))
    return Attempt(replace(found.model, assumed=clauses), stated)


def break_assumption(model: KernelModel, launch: Launch) -> bool:
    """Whether a launch passes no integer where the proof assumes one."""
    return any(discharge(c, model.params, launch).state == "broken" for c in model.assumed)


def _write(names: Collection[str]) -> tuple[str, ...]:
    return tuple(f"integer({n})" for n in names)


def _count_open(attempt: Attempt) -> tuple[int, int]:
    """The numbers of obligations that are not proved, and of those that are proved under a semantic clause."""
    proof = attempt.proof
    decided = *((s.verdict, s.clauses) for s in proof.obligations), *((s.verdict, s.clauses) for s in proof.slices)
    open_ = sum(verdict in ("refuted", "unproven") for verdict, _ in decided)
    asking = sum(v == "conditional" and any(c.kind == "semantic" for c in clauses) for v, clauses in decided)
    return open_ + len(attempt.model.gaps), asking


def _state_assumption(proof: Proof, clauses: tuple[Clause, ...], without: Proof) -> Proof:
    """The proof with the clauses on each obligation that is not also proved without them."""
    return replace(
        proof, obligations=_state_in(proof.obligations, clauses, without.obligations),
        slices=_state_in(proof.slices, clauses, without.slices))


def _state_in(
    decided: tuple[_Decided, ...], clauses: tuple[Clause, ...], without: Collection[_Decided],
) -> tuple[_Decided, ...]:
    same: dict[tuple[object, ...], list[_Decided]] = {}
    for known in without:
        same.setdefault(_identify(known), []).append(known)
    stated = [_state(s, clauses, same.get(_identify(s), [])) for s in decided]
    for s in decided:
        same.pop(_identify(s), None)
    # a statement that no integer reaches has no obligation under the clauses
    for gone in same.values():
        stated += [_exclude(s, clauses) for s in gone]
    return tuple(stated)


def _exclude(s: _Decided, clauses: tuple[Clause, ...]) -> _Decided:
    """An obligation on a statement that no launch reaches under the clauses."""
    if s.verdict in _NEEDING:
        return s
    found = replace(s, verdict="conditional", clauses=clauses, reason=because(Cause.NEVER_MADE), certain=True)
    return replace(found, fault=None) if isinstance(found, DecidedSlice) else replace(found, witness=None)


def _state(s: _Decided, clauses: tuple[Clause, ...], same: Collection[_Decided]) -> _Decided:
    """An obligation with the clauses, or, if it is proved without them and no other semantic clause, with the clauses
    of that proof."""
    before = tuple(c for known in same for c in known.clauses)
    if same and all(known.verdict in _NEEDING for known in same) and all(
            c.kind != "semantic" or c in s.clauses for c in before):
        return _require(s, before, s.verdict)
    return _require(s, clauses, "conditional") if s.verdict in _NEEDING else s


def _identify(s: DecidedObligation | DecidedSlice) -> tuple[object, ...]:
    return (s.array, s.span) if isinstance(s, DecidedSlice) else (s.kind, s.access.array, s.access.span)


def _require(s: _Decided, clauses: Iterable[Clause], verdict: Verdict) -> _Decided:
    return replace(s, verdict=verdict, clauses=tuple(dict.fromkeys((*s.clauses, *clauses))))
