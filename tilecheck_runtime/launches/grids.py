"""The grid of a launch: inferred from the partitions, or requested."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import GridError
from tilecheck_runtime.launches.arguments import show_argument
from tilecheck_runtime.tensors.partition import Partition

__all__ = ["Grid", "check_grid", "infer_grid"]

Grid = tuple[int, int, int]


def infer_grid(kernel: str, outputs: Mapping[str, Partition]) -> Grid | None:
    """Returns the grid that covers every output; None if it must be given, because there are no outputs or only
    prefixes. Raises GridError, naming both, if outputs do not agree axis by axis."""
    grids = [(name, output, output.grid) for name, output in outputs.items() if not output.prefix]
    for name, output, grid in grids[1:]:
        first, theirs, wanted = grids[0]
        if grid != wanted:
            raise GridError(f"{_describe_pieces(first, theirs)} asks for grid {wanted}, "
                            f"{_describe_pieces(name, output)} for {grid}, "
                            f"in one launch of `{kernel}`", names=(first, name), use=current_location(),
                            fix="partition all outputs into the same number of pieces along each axis")
    return grids[0][2] if grids and len(grids) == len(outputs) else None


def check_grid(kernel: str, extents: Sequence[Any], outputs: Mapping[str, Partition]) -> Grid:
    """Returns the grid given with `.grid(...)`, with missing axes as 1. Raises GridError if it differs from that of the
    partitions, or is larger than that of a prefix partition."""
    given = extents[0] if len(extents) == 1 and isinstance(extents[0], (tuple, list)) else extents
    numbers = tuple(operator.index(n) for n in given)
    if not 1 <= len(numbers) <= 3 or any(n < 1 for n in numbers):
        raise GridError(f"the grid of `{kernel}` is given as {numbers}; it has one to three extents from 1 up",
                        use=current_location(), fix="write `.grid(8)` or `.grid(8, 4)`")
    first, second, third = (*numbers, 1, 1)[:3]
    grid = (first, second, third)
    for name, output in outputs.items():
        wanted = output.grid
        if output.prefix and any(n > most for n, most in zip(grid, wanted, strict=True)):
            raise GridError(f"the grid of `{kernel}` is {grid}, but {_describe_pieces(name, output)} has room for at "
                            f"most {wanted}", names=(name,), use=current_location(),
                            fix=f"ask for at most `.grid{wanted}`")
        if not output.prefix and grid != wanted:
            raise GridError(f"the grid of `{kernel}` is {grid}, but {_describe_pieces(name, output)} asks for {wanted}",
                            names=(name,), use=current_location(),
                            fix="leave `.grid(...)` out: it follows from the partition; to "
                            "write the first pieces only, divide it with `.partition_prefix(...)`")
    return grid


def _describe_pieces(name: str, output: Partition) -> str:
    blocks = "" if output.blocks is None else f" mapped to {output.blocks} blocks"
    return f"{show_argument(name, output)} of shape {output.shape} in pieces of {output.tile}{blocks}"
