"""Machine code of a kernel, and the assumptions that it was compiled under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.compile.assumptions import are_met, describe_assumptions, find_broken
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.layout import Slot, pack_values
from tilecheck_runtime.compile.options import Options

__all__ = ["Compiled"]


@dataclass(frozen=True)
class Compiled:
    """Machine code, and the assumptions on its arguments.

    cubin       also contains host code: load it only if it was built or verified here
    symbol      of its kernel
    parameters  the layout of the arguments
    bytecode    the Tile IR it was compiled from
    key         of the cache; it changes with every input of the compiler
    cached      whether the cache contained it
    seconds     that building or loading took
    """

    cubin: bytes
    symbol: str
    signature: Signature
    arch: str
    options: Options
    parameters: tuple[Slot, ...]
    bytecode: bytes
    key: str
    cached: bool
    seconds: float

    @property
    def num_ctas(self) -> int | None:
        """Thread blocks per tile block, if the author specified it. The grid counts tile blocks."""
        return self.options.num_ctas

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the code, as sentences."""
        return describe_assumptions(self.signature)

    def holds(self, arguments: Sequence[Any]) -> bool:
        """Returns whether these arguments satisfy the assumptions of the code."""
        return are_met(self.signature, arguments)

    def broken(self, arguments: Sequence[Any]) -> tuple[str, ...]:
        """Returns a sentence for each assumption that these arguments break."""
        return tuple(find_broken(self.signature, arguments))

    def pack(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Returns the values to launch with, in the order of `parameters`."""
        return pack_values(self.parameters, arguments)
