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
    """Machine code, and what must be true of whatever it is launched with.

    cubin       also holds code for the host: load it only if it was built or verified here
    symbol      of the kernel in it
    parameters  where the arguments go
    bytecode    the Tile IR it was made of
    key         of the cache: it changes with anything that can change the code
    cached      whether it was found there
    seconds     that it took to get
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
        """Thread blocks that share a tile block, where the author said so. The grid is counted in tile blocks."""
        return self.options.num_ctas

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the code assumes, in words."""
        return describe_assumptions(self.signature)

    def holds(self, arguments: Sequence[Any]) -> bool:
        """Whether these arguments are what the code assumes."""
        return are_met(self.signature, arguments)

    def broken(self, arguments: Sequence[Any]) -> tuple[str, ...]:
        """The assumptions that these arguments break, in words."""
        return tuple(find_broken(self.signature, arguments))

    def pack(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The numbers to launch with, in the order of `parameters`."""
        return pack_values(self.parameters, arguments)
