"""The Tile IR of a function: from an earlier program, or from `cuda.tile`, which is slow to load."""

from __future__ import annotations

from types import FunctionType

from tilecheck_runtime.compile.bytecode import translate_to_bytecode
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.fingerprint import fingerprint
from tilecheck_runtime.compile.locations import authored_function
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.sources import is_as_written
from tilecheck_runtime.compile.symbol import remember, verify_symbol
from tilecheck_runtime.compile.toolchain import Toolchain
from tilecheck_runtime.kernel_cache.checker_results import load_result, runtime_signature, store_result

__all__ = ["load_or_translate"]

_KIND = "tileir"


def load_or_translate(function: FunctionType, signature: Signature, arch: str, options: Options,
                      tools: Toolchain) -> tuple[bytes, str]:
    """Returns bytecode and symbol, as `translate_to_bytecode` does. A stored result belongs to a function with an equal
    digest, so it is equal. Raises the errors of `translate_to_bytecode`."""
    stands_for = fingerprint(function)
    if stands_for is None:
        return translate_to_bytecode(function, signature, arch, options, tools.bytecode)
    parts = (runtime_signature(), stands_for, repr(signature), arch, repr(options), *tools.identity)
    known = load_result(_KIND, *parts)
    if isinstance(known, tuple):
        bytecode, symbol = known
        remember(symbol, signature)
        return bytecode, symbol
    bytecode, symbol = translate_to_bytecode(function, signature, arch, options, tools.bytecode)
    verify_symbol(symbol, signature)
    if is_as_written(authored_function(function)):  # else `cuda.tile` read other source
        store_result((bytecode, symbol), _KIND, *parts)
    return bytecode, symbol
