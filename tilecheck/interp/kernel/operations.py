"""The operations that a kernel may call, collected from the modules that define them."""

from __future__ import annotations

from typing import Final

from tilecheck.interp.kernel import builtins, memory, shapeops, tileops
from tilecheck.interp.kernel.interpreter import Operations

__all__ = ["OPERATIONS"]

OPERATIONS: Final = Operations(
    tile={**tileops.OPERATIONS, **shapeops.OPERATIONS, **memory.OPERATIONS},
    whole=frozenset((*tileops.OPERATIONS, *memory.OPERATIONS)),
    methods={**tileops.METHODS, **shapeops.METHODS, **memory.METHODS},
    tile_methods=tileops.TILE_METHODS | shapeops.TILE_METHODS,
    builtins=builtins.BUILTINS,
    library=builtins.LIBRARY,
)
