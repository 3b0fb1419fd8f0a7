"""Open pairs of accesses, decided for the first iterations of loops.

Of an arbitrary iteration only a part is known where the loop can be left early, or where a variable changes its
meaning. Its first iterations are known. A collision of the accesses that they make is one of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.may_alias import align_regions, meet
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because
from tilecheck.symbolic import UNKNOWN_ARRAY, Counter, atoms_in

__all__ = ["ITERATIONS", "refute_in_first_iterations"]

ITERATIONS: Final = 2
_ORDERING: Final = frozenset({"acquire", "release", "acq_rel"})
_OPEN: Final = frozenset({Cause.NOT_UNDERSTOOD, Cause.NOTHING_FOUND})
_CODES: Final = {"disjoint": "TC101", "cross-read": "TC103"}


def refute_in_first_iterations(
    obligations: Sequence[DecidedObligation], model: KernelModel, execute: Callable[[int], KernelModel],
) -> tuple[DecidedObligation, ...]:
    """The obligations, with those refuted that are open and fail in the first iterations.

    execute  executes the kernel for a number of first iterations
    """
    asked = [s for s in obligations if _is_asked(s)]
    loops = bool(model.observed.loops) or any(a.loops or any(
        isinstance(x, Counter) for x in atoms_in(*a.region.index, a.region.guard)) for a in model.accesses)
    ordered = any(a.locks or (a.mode == "atomic" and a.order in _ORDERING) for a in model.accesses)
    if not asked or model.dialect or ordered or not loops or any(not gap.arrays for gap in model.gaps):
        return tuple(obligations)
    context = Context.of(replace(execute(ITERATIONS), declared=model.declared))
    if UNKNOWN_ARRAY in context.lost or context.annotations.locks:
        return tuple(obligations)
    return tuple(_refute(s, context) or s if s in asked else s for s in obligations)


def _is_asked(s: DecidedObligation) -> bool:
    return s.kind in _CODES and s.verdict == "unproven" and all(step.rule in _OPEN for step in s.reason)


def _refute(s: DecidedObligation, context: Context) -> DecidedObligation | None:
    """The obligation with two accesses of the first iterations that collide; None if none were found."""
    accesses = context.model.accesses
    mine = [a for a in accesses if a.span == s.access.span and a.mode == s.access.mode]
    for access in mine:
        for other in accesses:
            if other.mode != "write" or not meet(other, access) or not (
                    _is_known(access, context) and _is_known(other, context)):
                continue
            first, second = align_regions(other, access)
            if len(first.index) != len(second.index) or context.effort.over:
                continue
            witness = context.collision(first, second, other is access)
            if witness is not None:
                where = because(Cause.COLLISION, access.array, witness, context.model.axes_read)
                return replace(s, access=access, other=None if other is access else other, verdict="refuted",
                               reason=where, code=_CODES[s.kind], witness=witness)
    return None


def _is_known(access: Access, context: Context) -> bool:
    return access.region.exact and access.array is not UNKNOWN_ARRAY and access.array not in context.lost
