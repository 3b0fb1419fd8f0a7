"""What of a partition is a constant of the compiled code."""

from __future__ import annotations

from tilecheck_runtime.dialect.plan import Output
from tilecheck_runtime.tensors.partition import Partition

__all__ = ["output_of"]


def output_of(partition: Partition) -> Output:
    """How a partition is cut, and which axes it is one piece along."""
    return Output(partition.tile, partition.schedule, partition.blocks, tuple(n == 1 for n in partition.tiles))
