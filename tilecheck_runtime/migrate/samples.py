"""Sample launches: consistent shapes, also ragged ones, and numbers for which the original runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

import libcst as cst

from tilecheck.repair.source.grid_names import find_axis
from tilecheck.repair.source.operations import get_index, get_index_parts, identify_operation
from tilecheck.repair.source.tree import walk
from tilecheck_runtime.migrate.affine import run_of
from tilecheck_runtime.migrate.pieces import Pieces
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Sample", "samples"]

_TILES: Final = ((8, 4, 16, 8, 4), (4, 8, 4, 16, 8))
"""Values of the constants that are extents of tiles, in order."""
_TRIED: Final = 64
"""Values of other numbers that are tried with one set of shapes."""


@dataclass(frozen=True)
class Sample:
    """One launch.

    constants  by name
    shapes     of the arrays
    numbers    alternatives for the scalars and other constants
    tiles      number of pieces of the first output along each axis
    """

    constants: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]]
    numbers: tuple[Mapping[str, int], ...]
    tiles: tuple[int, ...]


def samples(subject: SourceKernel, made: Pieces) -> Iterator[Sample]:
    """Yields launches with ragged, whole and short tiles. Raises `Refusal` if shapes cannot be inferred."""
    axes = dict(_axes(subject, made))
    extents = [p.name for p in subject.model.params if p.kind == "constant" and any(
        key[1] == p.name for keys in axes.values() for key in keys if key is not None)]
    whole = [p.name for p in subject.model.params
             if p.kind in ("constant", "scalar", "unknown") and p.name not in extents]
    for values, raggedness in product(_TILES, ("ragged", "whole", "short")):
        constants = dict(zip(extents, (values * 3)[: len(extents)], strict=True))
        shapes = {array: tuple(_extent(key, constants, raggedness, k) for k, key in enumerate(keys))
                  for array, keys in axes.items()}
        first = made.found[0]
        tiles = tuple(1 if a.coordinate is None else -(-n // _value(a.extent, constants))
                      for a, n in zip(first.axes, shapes[first.array], strict=True))
        likely = sorted({n for shape in shapes.values() for n in shape} | set(tiles), reverse=True)
        total = 1
        for count in tiles:
            total *= count
        choices = [dict(zip(whole, chosen, strict=True)) for chosen in islice(
            product([*dict.fromkeys((*likely, total, 1, 2))], repeat=len(whole)), _TRIED)]
        yield Sample(constants, shapes, tuple(choices), tiles)


Key = tuple[str, str | int]
"""The expression that counts tiles along an axis (a coordinate, a loop variable, or nothing), and the extent of a
tile."""


def _axes(subject: SourceKernel, made: Pieces) -> Iterator[tuple[str, tuple[Key | None, ...]]]:
    """Yields the keys that determine the extent of each axis of each array."""
    found: dict[str, list[Key | None]] = {}
    for piece in made.found:
        found[piece.array] = [(a.coordinate or "", a.extent) for a in piece.axes]
    for call in (node for node in walk(subject.function.body) if isinstance(node, cst.Call)):
        for access in subject.accesses(call)[:1]:
            array = access.array.text
            if made.of(array) is not None:
                continue
            keys = list(_keys(subject, call))
            known = found.setdefault(array, list(keys))
            for k, key in enumerate(keys):
                known[k] = known[k] or key
    for p in subject.model.params:
        if p.kind == "array":
            keys = found.get(p.name, [])
            if not keys or any(key is None for key in keys):
                raise Refusal(f"no sample can be generated for `{p.name}`: its extents do not follow from its "
                              "indices", p.span.line)
            yield p.name, tuple(keys)


def _keys(subject: SourceKernel, call: cst.Call) -> Iterator[Key | None]:
    source, function = subject.source, subject.function
    index = get_index(source, call)
    parts = [] if index is None else get_index_parts(source, function, index)
    name, _ = identify_operation(source, call)
    if name == "load":
        shape = source.argument(call, 2, "shape")
        extents = [] if shape is None else get_index_parts(source, function, shape)
        order = source.keyword(call, "order")
        keys: list[Key | None] = [_tile(subject, part, extent) for part, extent in zip(parts, extents, strict=False)]
        if order is not None:
            turned = [int(axis.evaluated_value) for axis in get_index_parts(source, function, order.value)
                      if isinstance(axis, cst.Integer)]
            if len(turned) == len(keys):
                back: list[Key | None] = [None] * len(keys)
                for place, axis in enumerate(turned):
                    back[axis] = keys[place]
                keys = back
        yield from keys
    else:
        for part in parts:
            yield _element(subject, part)


def _tile(subject: SourceKernel, part: cst.BaseExpression, extent: cst.BaseExpression) -> Key | None:
    size: str | int = int(extent.evaluated_value) if isinstance(extent, cst.Integer) else subject.code(extent)
    if isinstance(part, cst.Integer):
        return ("", size)
    return (_counter(subject, part), size) if isinstance(part, cst.Name | cst.Call) else None


def _counter(subject: SourceKernel, part: cst.BaseExpression) -> str:
    axis = find_axis(subject.source, subject.function, part)
    return subject.code(part) if axis is None or isinstance(part, cst.Name) else f"bid({axis})"


def _element(subject: SourceKernel, part: cst.BaseExpression) -> Key | None:
    """The key of an element index: `coordinate * T + ct.arange(T)`."""
    if isinstance(part, cst.Integer):
        return ("", int(part.evaluated_value) + 1)
    found = run_of(subject, part)
    if found is not None:
        counter, extent = found
        size: str | int = int(extent.evaluated_value) if isinstance(extent, cst.Integer) else subject.code(extent)
        return ("" if counter is None else _counter(subject, counter), size)
    if isinstance(subject.source.resolve_name(subject.function, part), cst.BinaryOperation):
        return None
    return (_counter(subject, part), 1) if isinstance(part, cst.Name | cst.Call) else None


def _value(extent: int | str, constants: Mapping[str, int]) -> int:
    return extent if isinstance(extent, int) else constants.get(extent, 1)


def _extent(key: Key | None, constants: Mapping[str, int], raggedness: str, axis: int) -> int:
    assert key is not None
    counter, extent = key
    size = _value(extent, constants)
    if size == 1:
        return {"ragged": 3 + axis, "whole": 4, "short": 1}[raggedness] if counter else 1
    if not counter:
        return {"ragged": max(size - 3, 1), "whole": size, "short": 1}[raggedness]
    # other counters count other numbers of tiles, so that exchanged axes are detected
    more = sum(map(ord, counter)) % 2
    return {"ragged": (2 + more) * size + 3, "whole": (3 + more) * size, "short": size - 1}[raggedness]
