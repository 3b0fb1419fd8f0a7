"""The names of `cuda.tile` that kernels use, as they are on a CPU."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Final

from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.dtypes import DTYPES, DType
from tilecheck_runtime.cpu.operations import (
    atomics,
    creation,
    elementwise,
    lanes,
    output,
    products,
    raw,
    reductions,
    selection,
    shapes,
    statics,
    views,
    windows,
)
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.cpu.unsupported import UNSUPPORTED, make_unknown, make_unsupported
from tilecheck_runtime.errors import language as errors
from tilecheck_runtime.tile_language import modes

__all__ = ["DEVICE", "OPERATIONS", "UNSUPPORTED", "DeviceNamespace"]

_FAMILIES: Final = (
    elementwise, selection, shapes, reductions, products, creation, windows, lanes, atomics, statics, output)

OPERATIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {name: operation for family in _FAMILIES for name, operation in family.NAMES.items()}
)
"""The operations that the CPU executes, by their names in `cuda.tile`."""

_OTHERS: Final[Mapping[str, Any]] = MappingProxyType({
    **DTYPES,
    **{name: getattr(errors, name) for name in errors.__all__},
    **{name: getattr(modes, name) for name in ("PaddingMode", "RoundingMode", "MemoryOrder", "MemoryScope")},
    "Array": Array, "Tile": Tile, "TiledView": views.TiledView, "DType": DType,
    "RawArrayMemory": raw.RawArrayMemory,
})


class DeviceNamespace(ModuleType):
    """`cuda.tile` inside kernels. Unknown names are operations that raise when they are called."""

    def __init__(self) -> None:
        super().__init__("cuda.tile")
        vars(self).update(_OTHERS)
        vars(self).update(OPERATIONS)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return make_unsupported(name) if name in UNSUPPORTED else make_unknown(name, OPERATIONS)


DEVICE: Final = DeviceNamespace()
