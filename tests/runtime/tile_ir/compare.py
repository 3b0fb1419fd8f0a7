"""The accesses of a kernel from its source and from the representation of the front end, launch by launch."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from tilecheck.interp.kernel.access import KernelModel, Param
from tilecheck.symbolic import symbol_from_text
from tilecheck.visualize.setting import Block, Setting
from tilecheck.visualize.touches import touches
from tilecheck_runtime.tile_ir.accesses import Argument
from tilecheck_runtime.tile_ir.evaluate import Parameter, run_block
from tilecheck_runtime.tile_ir.front_end import Constant, Given, Scalar, build_representation
from tilecheck_runtime.tile_ir.values import Tile

Touches: TypeAlias = dict[tuple[int, str, str, Block], frozenset[int]]
"""Offsets of elements inside, by line, mode, array and block."""

_MODES = {"read": "read", "write": "write", "atomic": "atomic"}
_COUNT = itertools.count()


def load_real(folder: Path, text: str) -> ModuleType:
    """A module of kernels with the installed `cuda.tile`."""
    path = folder / f"compared{next(_COUNT)}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    return module


def describe_arguments(
    params: Sequence[Param], shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, str],
    values: Mapping[str, Any],
) -> tuple[list[Given], list[Parameter]]:
    """The arguments of a launch for the front end and for the execution. Arrays are dense and share no memory."""
    given: list[Given] = []
    bound: list[Parameter] = []
    storage = itertools.count()
    for p in params:
        if p.kind == "list":
            names = sorted(name for name in shapes if name.startswith(f"{p.name}["))
            items = tuple(_dense(name, shapes[name], dtypes[name], next(storage)) for name in names)
            given.append(items)
            bound.append(items)
        elif p.name in shapes:
            array = _dense(p.name, shapes[p.name], dtypes[p.name], next(storage))
            given.append(array)
            bound.append(array)
        elif p.kind == "constant":
            given.append(Constant(values[p.name]))
        elif isinstance(values[p.name], float):
            given.append(Scalar(values[p.name], "float32"))
            bound.append(Tile(np.asarray(values[p.name], np.float32)))
        else:
            given.append(Scalar(values[p.name], "int32"))
            bound.append(Tile(np.asarray(values[p.name], np.int32)))
    return given, bound


def _dense(name: str, shape: tuple[int, ...], dtype: str, storage: int) -> Argument:
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return Argument(name, dtype, shape, tuple(reversed(strides)), storage)


def read_representation(kernel: Any, given: Sequence[Given], bound: Sequence[Parameter], grid: Block) -> Touches:
    """Raises Undecided where the accesses depend on data, and an error of cuda.tile where it refuses the kernel."""
    body = build_representation(kernel, given)
    names = [a.name for b in bound for a in ([b] if isinstance(b, Argument) else b if isinstance(b, tuple) else [])]
    found: dict[tuple[int, str, str, Block], set[int]] = defaultdict(set)
    for block in _blocks(grid):
        for made in run_block(body, bound, block, grid):
            found[made.line, made.mode, names[made.array], block].update(made.elements.tolist())
    return {key: frozenset(elements) for key, elements in found.items() if elements}


def read_source(model: KernelModel, grid: Block, values: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]],
                most: int = 60_000) -> Touches | None:
    """None where an access cannot be evaluated without data. Raises CannotDraw where there are too many elements."""
    scalars = {symbol_from_text(k): v for k, v in values.items() if not k.startswith("grid[")}
    found = touches(model.accesses, Setting(grid, scalars, {}), most)
    if found.unplaced or found.made_up:
        return None
    out: dict[tuple[int, str, str, Block], set[int]] = defaultdict(set)
    for touch in found.touches:
        access = model.accesses[touch.access]
        shape = shapes.get(access.array.text)
        if shape is None or len(shape) != len(access.region.index):
            return None
        flat = (int(np.ravel_multi_index(e, shape)) if shape else 0 for e in touch.inside)
        out[access.span.line, _MODES[access.mode], access.array.text, touch.block].update(flat)
    return {key: frozenset(elements) for key, elements in out.items() if elements}


def _blocks(grid: Block) -> Iterator[Block]:
    yield from itertools.product(*(range(n) for n in grid))


def describe_difference(source: Touches, representation: Touches) -> str:
    """The first key at which two readings differ, with the elements of each.

    A load whose result is not used is not in the representation.
    """
    lines = {(line, array) for line, _, array, _ in representation}
    source = {key: found for key, found in source.items() if key[1] != "read" or (key[0], key[2]) in lines}
    for key in sorted(source.keys() | representation.keys()):
        mine, theirs = source.get(key, frozenset()), representation.get(key, frozenset())
        if mine != theirs:
            return (f"line {key[0]} {key[1]} {key[2]} block {key[3]}: only source {sorted(mine - theirs)[:8]}, "
                    f"only representation {sorted(theirs - mine)[:8]}")
    return ""
