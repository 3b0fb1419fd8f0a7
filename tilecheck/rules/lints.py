"""The rules about how an index or a value is made, together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.deferred import Suspicion
from tilecheck.obligations.query import Context
from tilecheck.rules.bounds import index_space, narrowed_index
from tilecheck.rules.padding import dropped_remainder, unused_mask, unused_result

__all__ = ["concluded", "suspicions"]


def suspicions(context: Context, wrong_slices: Sequence[Diagnostic]) -> Iterator[Suspicion]:
    """What is found without launches, with what was found of slices."""
    yield from index_space.suspicions(context)
    yield from map(Suspicion, wrong_slices)
    yield from narrowed_index.suspicions(context)
    yield from dropped_remainder.suspicions(context)
    yield from map(Suspicion, unused_mask.diagnose(context.model))
    yield from map(Suspicion, unused_result.diagnose(context.model))


def concluded(
    model: KernelModel, remaining: Sequence[Diagnostic], launches: Sequence[Launch],
) -> Iterator[Diagnostic]:
    """What remains of it in view of the launches, and what those add that are seen."""
    yield from remaining
    yield from narrowed_index.launched(model, launches)
    yield from dropped_remainder.launched(model, launches)
