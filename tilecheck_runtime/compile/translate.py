"""The Tile IR of a function: as it was kept by an earlier program, or from `cuda.tile`, which takes a while to load."""

from __future__ import annotations

from types import FunctionType

from tilecheck_runtime.compile.bytecode import translated
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.fingerprint import fingerprint
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.places import authored
from tilecheck_runtime.compile.sources import as_written
from tilecheck_runtime.compile.symbol import assumed, remember
from tilecheck_runtime.compile.toolchain import Toolchain
from tilecheck_runtime.kernel_cache.checker_results import keep, kept, runtime_signature

__all__ = ["known_or_translated"]

_KIND = "tileir"


def known_or_translated(function: FunctionType, signature: Signature, arch: str, options: Options,
                        tools: Toolchain) -> tuple[bytes, str]:
    """Bytecode and symbol, as `translated` makes them. What is kept was made of a function with the same digest, so it
    is the same. Raises what `translated` raises."""
    stands_for = fingerprint(function)
    if stands_for is None:
        return translated(function, signature, arch, options, tools.bytecode)
    parts = (runtime_signature(), stands_for, repr(signature), arch, repr(options), *tools.identity)
    known = kept(_KIND, *parts)
    if isinstance(known, tuple):
        bytecode, symbol = known
        remember(symbol, signature)
        return bytecode, symbol
    bytecode, symbol = translated(function, signature, arch, options, tools.bytecode)
    assumed(symbol, signature)
    if as_written(authored(function)):  # else `cuda.tile`, which reads the file, saw something else than the digest
        keep((bytecode, symbol), _KIND, *parts)
    return bytecode, symbol
