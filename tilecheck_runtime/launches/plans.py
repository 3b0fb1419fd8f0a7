"""The part of a partition that is a constant of the compiled code."""

from __future__ import annotations

from tilecheck_runtime.dialect.plan import Output
from tilecheck_runtime.tensors.partition import Partition

__all__ = ["output_of"]


def output_of(partition: Partition) -> Output:
    """The cut of a partition, and the axes along which it is one piece."""
    return Output(partition.tile, partition.schedule, partition.blocks, tuple(n == 1 for n in partition.tiles))
