"""Plans: everything about a launch that is a constant of the compiled code."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilecheck_runtime.dialect.schedules import Schedule, Single

__all__ = ["Output", "Plan", "PlanError"]


class PlanError(ValueError):
    """A plan that does not fit the kernel's signature; names the parameter."""


@dataclass(frozen=True)
class Output:
    """One mutable output.

    tile      extents of a piece, as the host partitioned it
    schedule  assigns pieces to blocks
    blocks    number of blocks of a mapped output; None with `Single`
    whole     for each axis, whether the array is a single piece along it; empty if it is not along any
    """

    tile: tuple[int, ...]
    schedule: Schedule = field(default_factory=Single)
    blocks: int | None = None
    whole: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A specialization of a kernel. Hashable: a key of caches.

    values   of the type variables
    outputs  of the `mut` parameters, in order
    inside   names of parameters whose tiles all lie inside their arrays: their bounds checks are removed
    compact  whether loops over cells are rewritten into hand-written form (`loops.py`), for a compiler; the sanitizer
             gains nothing from it
    """

    values: tuple[tuple[str, int], ...]
    outputs: tuple[Output, ...]
    inside: frozenset[str] = frozenset()
    compact: bool = False
