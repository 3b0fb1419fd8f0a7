"""Dialect kernels run on the CPU through their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilecheck.pipeline.bounds_elision import tiles_inside
from tilecheck_runtime import Kernel, sanitize
from tilecheck_runtime.contracts.checking import checked_name, last_line
from tilecheck_runtime.dialect.entry import Entry
from tilecheck_runtime.dialect.plan import Output, Plan
from tilecheck_runtime.dialect.schedules import Schedule, Single
from tilecheck_runtime.sanitizer.report import Report

COMPACT = False
"""Whether loops over cells are rewritten unless a test says otherwise."""

INSIDE = False
"""Whether accesses that are proved inside for the arguments of a run have no bounds checks."""

Tiles = Mapping[str, tuple[int, ...]]


def make_entry(kernel: Kernel, arguments: Mapping[str, Any], tiles: Tiles, schedule: Schedule | None = None,
                blocks: int | None = None, compact: bool | None = None, inside: frozenset[str] = frozenset(),
                **constants: int) -> Entry:
    """The entry for these arguments and pieces; every output has the same schedule."""
    outputs, values = [], dict(constants)
    for parameter in kernel.signature.outputs:
        tile = tiles[parameter.name]
        values |= {e: n for e, n in zip(parameter.extents, tile, strict=True) if isinstance(e, str)}
        whole = tuple(n <= t for n, t in zip(arguments[parameter.name].shape, tile, strict=True))
        outputs.append(Output(tile, schedule or Single(), blocks, whole))
    chosen = COMPACT if compact is None else compact
    return kernel.entry(Plan(tuple(sorted(values.items())), tuple(outputs), inside, chosen))


def run(kernel: Kernel, arguments: Mapping[str, Any], tiles: Tiles, seed: int | None = 0, **options: Any) -> Report:
    """Runs a kernel over the grid that covers its outputs."""
    entry = make_entry(kernel, arguments, tiles, **options)
    shapes = {name: arguments[name].shape for name in entry.outputs}
    if INSIDE and "inside" not in options:
        inside = proved_inside(kernel, dict(entry.plan.values), arguments, entry.grid(shapes))
        entry = make_entry(kernel, arguments, tiles, inside=inside, **options)
    return sanitize(entry.function, entry.grid(shapes), entry.arguments(arguments), seed=seed)


def proved_inside(kernel: Kernel, values: Mapping[str, int], arguments: Mapping[str, Any],
                  grid: tuple[int, int, int]) -> frozenset[str]:
    """The arrays that a launch accesses inside only, as far as that is proved."""
    function = kernel._pyfunc
    numbers = {**values, **{f"grid[{k}]": n for k, n in enumerate(grid)}}
    for parameter in kernel.signature.parameters:
        value = arguments.get(parameter.name)
        if parameter.kind == "constant":
            numbers[parameter.name] = values[parameter.extents[0]]
        elif isinstance(value, int):
            numbers[parameter.name] = value
        elif hasattr(value, "shape"):
            numbers |= {f"{parameter.name}.shape[{k}]": n for k, n in enumerate(value.shape)}
    return tiles_inside(function.__code__.co_filename, checked_name(function), last_line(function), numbers)
