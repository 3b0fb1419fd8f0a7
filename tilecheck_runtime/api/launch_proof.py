"""The proof of a launch from the representation of its kernel, where the source does not say enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.execution.arguments import Parameter as Declared
from tilecheck_runtime.tensors.device_arrays import DeviceArray
from tilecheck_runtime.tile_ir.accesses import Argument
from tilecheck_runtime.tile_ir.evaluate import Block, Parameter
from tilecheck_runtime.tile_ir.front_end import Constant, Given, Scalar, build_representation, is_available
from tilecheck_runtime.tile_ir.prove import LaunchVerdict, prove_launch
from tilecheck_runtime.tile_ir.values import Tile

__all__ = ["prove_from_representation"]

_NUMBERS: Final[Mapping[type, str]] = {bool: "bool_", float: "float32"}


def prove_from_representation(
    kernel: Any, known: Sequence[Declared], values: Sequence[Any], arrays: Mapping[str, DeviceArray], grid: Block,
    most_blocks: int,
) -> LaunchVerdict:
    """The verdict on a launch for all data. `arrays` are its arrays by name; no two that are written share memory.

    A kernel that the front end refuses, or of which it cannot build the representation, is undecided.
    """
    if not is_available():
        return LaunchVerdict("undecided", why="the package cuda-tile is not installed")
    if grid[0] * grid[1] * grid[2] > most_blocks:
        return LaunchVerdict("undecided", why=f"the grid has more than {most_blocks} blocks")
    given: list[Given] = []
    bound: list[Parameter] = []
    try:
        for storage, (parameter, value) in enumerate(zip(known, values, strict=True)):
            _describe(parameter, value, arrays, storage << 16, given, bound)
        body = build_representation(kernel, given)
    except Exception as error:
        # the front end raises many errors, and the launch itself reports those that concern the author
        return LaunchVerdict("undecided", why=f"{type(error).__name__}: {error}")
    return prove_launch(body, bound, grid)


def _describe(
    parameter: Declared, value: Any, arrays: Mapping[str, DeviceArray], storage: int, given: list[Given],
    bound: list[Parameter],
) -> None:
    """Adds an argument as the front end and as the execution take it. Raises TypeError for other objects."""
    if isinstance(value, list):
        items = tuple(_array(f"{parameter.name}[{k}]", parameter, arrays, storage + k) for k in range(len(value)))
        given.append(items)
        bound.append(items)
    elif parameter.name in arrays:
        array = _array(parameter.name, parameter, arrays, storage)
        given.append(array)
        bound.append(array)
    elif parameter.constant:
        given.append(Constant(value))
    elif isinstance(value, (bool, int, float)):
        dtype = _NUMBERS.get(type(value), parameter.scalar.name)
        given.append(Scalar(value, dtype))
        bound.append(Tile(np.asarray(value, "bool" if dtype == "bool_" else dtype)))
    else:
        raise TypeError(f"`{parameter.name}` is not described")


def _array(name: str, parameter: Declared, arrays: Mapping[str, DeviceArray], storage: int) -> Argument:
    array = arrays[name]
    size = int(array.dtype.storage.itemsize)
    return Argument(name, array.dtype.name, array.shape, tuple(s // size for s in array.strides), storage,
                    index=parameter.index.name)
