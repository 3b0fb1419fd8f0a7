"""A function, a signature and an architecture to machine code: from the cache, or by way of Tile IR."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from tilecheck_runtime.compile.assemble import assembled
from tilecheck_runtime.compile.assumptions import broken, holds, told
from tilecheck_runtime.compile.cache.folder import chosen
from tilecheck_runtime.compile.cache.record import Record
from tilecheck_runtime.compile.cache.store import Store
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.debug import dumped, logged
from tilecheck_runtime.compile.errors import CompileError
from tilecheck_runtime.compile.layout import Slot, layout, packed
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.symbol import verify
from tilecheck_runtime.compile.toolchain import found, named, supported
from tilecheck_runtime.compile.translate import known_or_translated

__all__ = ["Compiled", "build"]


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
        return told(self.signature)

    def holds(self, arguments: Sequence[Any]) -> bool:
        """Whether these arguments are what the code assumes."""
        return holds(self.signature, arguments)

    def broken(self, arguments: Sequence[Any]) -> tuple[str, ...]:
        """The assumptions that these arguments break, in words."""
        return tuple(broken(self.signature, arguments))

    def pack(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The numbers to launch with, in the order of `parameters`."""
        return packed(self.parameters, arguments)


def build(function: FunctionType, signature: Signature, arch: str, options: Options = Options()) -> Compiled:  # noqa: B008
    """The machine code of a function. Nothing is asked of the checker: whoever calls this has.

    Within a process the same question is answered once. Raises CompileError.
    """
    asked = (function, signature, arch, options)
    with _LOCK:
        answer = _KNOWN.get(asked)
        mine = answer is None
        if answer is None:
            answer = _KNOWN[asked] = Future()
    if mine:
        try:
            answer.set_result(_built(*asked))
        except BaseException as error:
            with _LOCK:
                del _KNOWN[asked]  # what went wrong may be mended
            answer.set_exception(error)
            raise
    return answer.result()


_KNOWN: Final[dict[tuple[FunctionType, Signature, str, Options], Future[Compiled]]] = {}
_LOCK = threading.Lock()


def _after_fork() -> None:
    """Nobody is left in a child process to finish what other threads had begun, and nobody there has the lock. It is
    not taken for the fork, as that of `ownership` is: launches take it while they have that one."""
    global _LOCK
    _LOCK = threading.Lock()
    for asked in [a for a, answer in _KNOWN.items() if not answer.done()]:
        del _KNOWN[asked]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _built(function: FunctionType, signature: Signature, arch: str, options: Options) -> Compiled:
    start = time.perf_counter()
    named(arch)
    tools = found()
    bytecode, symbol = known_or_translated(function, signature, arch, options, tools)
    key = _key(bytecode, symbol, arch, *options.flags, *tools.identity)

    def make() -> Record:
        supported(arch, tools)
        cubin = assembled(function, bytecode, arch, options, tools)
        verify(cubin, symbol, signature)
        return Record(key, {"symbol": symbol, "arch": arch, "kernel": function.__qualname__}, cubin)

    def good(record: Record) -> bool:
        try:
            verify(record.cubin, symbol, signature)
        except CompileError:
            return False
        return (record.meta.get("symbol"), record.meta.get("arch")) == (symbol, arch)

    folder = chosen()
    record, cached = (make(), False) if folder is None else Store(folder).get_or_make(key, make, good)
    made = Compiled(record.cubin, symbol, signature, arch, options, layout(signature), bytecode, key, cached,
                    time.perf_counter() - start)
    logged(function, made)
    dumped(made, tools)
    return made


def _key(*parts: bytes | str) -> str:
    """A digest of all that machine code depends on. The bytecode stands for the source of the kernel and of everything
    it calls, and for the hints."""
    made = hashlib.sha256(b"tilecheck kernel 1")
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.hexdigest()
