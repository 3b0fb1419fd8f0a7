# Types of `cuda.tile.jax`.

from dataclasses import dataclass
from typing import Any

from cuda.tile import kernel as _kernel

__all__ = ["InputOutput", "OutputPlaceholder", "cutile_call"]

@dataclass
class OutputPlaceholder:
    shape: tuple[int, ...]
    dtype: Any

@dataclass
class InputOutput:
    array: Any

def cutile_call(grid: tuple[int, ...], kernel: _kernel[...], args: tuple[Any, ...]) -> Any: ...
