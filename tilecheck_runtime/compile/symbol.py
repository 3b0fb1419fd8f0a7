"""Verifies a cubin against the signature of a launch. The symbol of its kernel encodes the assumptions of the code."""

from __future__ import annotations

from typing import Final

from tilecheck_runtime.compile import elf
from tilecheck_runtime.compile.bytecode import kernel_signature
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.layout import layout
from tilecheck_runtime.errors.compilation import ParameterLayoutError, SymbolMismatchError

__all__ = ["remember", "verify", "verify_symbol"]


def verify(cubin: bytes, symbol: str, signature: Signature) -> None:
    """Reads the assumptions of a cubin from the symbol of its kernel, and its parameter layout.

    Raises SymbolMismatchError if the assumptions differ from the signature, and ParameterLayoutError if the layout
    differs from that of the launch.
    """
    try:
        found = elf.read(cubin)
    except elf.NotACubin as error:
        raise SymbolMismatchError(f"this is not a cubin: {error}", fix="compile the kernel again") from None
    if found.kernels != (symbol,):
        raise SymbolMismatchError(
            f"the cubin has the kernel {' and '.join(found.kernels) or 'none'}, not `{symbol}`",
            fix="compile the kernel again")
    verify_symbol(symbol, signature)
    expected = tuple((slot.offset, slot.size) for slot in layout(signature))
    actual = found.parameters(symbol)
    if actual != expected:
        raise ParameterLayoutError(
            f"the parameters of `{symbol}` do not lie where this version of tilecheck expects them",
            notes=[f"offsets and sizes in the cubin: {actual}", f"expected: {expected}"],
            fix="use a version of cuda-tile that this version of tilecheck knows")


def verify_symbol(symbol: str, signature: Signature) -> None:
    """Raises SymbolMismatchError unless a symbol encodes exactly a signature."""
    if (symbol, signature) in _READ:
        return
    from cuda.tile.compilation import demangle_kernel_name

    try:
        _, read = demangle_kernel_name(symbol)
    except ValueError as error:
        raise SymbolMismatchError(f"the symbol `{symbol}` does not say what the code assumes: {error}",
                                  fix="compile the kernel again") from None
    wanted = kernel_signature(signature)
    pairs = list(zip(signature.names, read.parameters, wanted.parameters, strict=False))
    different = [(name, got, want) for name, got, want in pairs if got != want]
    if len(read.parameters) != len(wanted.parameters):
        raise SymbolMismatchError(
            f"the code was compiled for {len(read.parameters)} parameters, this launch has {len(wanted.parameters)}",
            fix="compile the kernel again")
    if different:
        raise SymbolMismatchError(
            f"the code was compiled under other assumptions on {' and '.join(f'`{n}`' for n, *_ in different)}",
            notes=[f"`{name}`: the code assumes {got}; the launch keeps to {want}" for name, got, want in different],
            fix="compile the kernel for this launch")
    if read.calling_convention != wanted.calling_convention:
        raise SymbolMismatchError("the code was compiled for another calling convention", fix="compile it again")
    remember(symbol, signature)


_READ: Final[set[tuple[str, Signature]]] = set()
"""Symbols, with signatures that they were found to encode."""


def remember(symbol: str, signature: Signature) -> None:
    """Records that a symbol encodes a signature, as `verify_symbol` found in this process or in an earlier one with the
    same versions of everything."""
    _READ.add((symbol, signature))
