"""Compiles a function for a signature and an architecture: from the cache, or through Tile IR."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from concurrent.futures import Future
from types import FunctionType
from typing import Final

from tilecheck_runtime.compile.assemble import assemble
from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.constraints import Signature
from tilecheck_runtime.compile.debug import dump_artifacts, log_compilation
from tilecheck_runtime.compile.layout import layout
from tilecheck_runtime.compile.options import Options
from tilecheck_runtime.compile.symbol import verify
from tilecheck_runtime.compile.toolchain import check_architecture_name, check_supported, find_toolchain
from tilecheck_runtime.compile.translate import load_or_translate
from tilecheck_runtime.errors.compilation import CompileError
from tilecheck_runtime.kernel_cache.folder import choose_folder
from tilecheck_runtime.kernel_cache.record import Record
from tilecheck_runtime.kernel_cache.store import Store

__all__ = ["build"]


def build(function: FunctionType, signature: Signature, arch: str,
          options: Options = Options()) -> Compiled:  # noqa: B008
    """Returns the machine code of a function. The caller has verified the kernel.

    Equal requests in one process share one result. Raises CompileError.
    """
    asked = (function, signature, arch, options)
    with _LOCK:
        answer = _KNOWN.get(asked)
        mine = answer is None
        if answer is None:
            answer = _KNOWN[asked] = Future()
    if mine:
        try:
            answer.set_result(_build_uncached(*asked))
        except BaseException as error:
            with _LOCK:
                del _KNOWN[asked]  # the error may be fixed before the next request
            answer.set_exception(error)
            raise
    return answer.result()


_KNOWN: Final[dict[tuple[FunctionType, Signature, str, Options], Future[Compiled]]] = {}
_LOCK = threading.Lock()


def _after_fork() -> None:
    """Drops unfinished requests of other threads in a child process, and replaces their lock. The lock is not taken
    around the fork like that of `ownership`, because launches take it while they hold that one."""
    global _LOCK
    _LOCK = threading.Lock()
    for asked in [a for a, answer in _KNOWN.items() if not answer.done()]:
        del _KNOWN[asked]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _build_uncached(function: FunctionType, signature: Signature, arch: str, options: Options) -> Compiled:
    start = time.perf_counter()
    check_architecture_name(arch)
    tools = find_toolchain()
    bytecode, symbol = load_or_translate(function, signature, arch, options, tools)
    key = _cache_key(bytecode, symbol, arch, *options.flags, *tools.identity)

    def make() -> Record:
        check_supported(arch, tools)
        cubin = assemble(function, bytecode, arch, options, tools)
        verify(cubin, symbol, signature)
        return Record(key, {"symbol": symbol, "arch": arch, "kernel": function.__qualname__}, cubin)

    def is_valid(record: Record) -> bool:
        try:
            verify(record.cubin, symbol, signature)
        except CompileError:
            return False
        return (record.meta.get("symbol"), record.meta.get("arch")) == (symbol, arch)

    folder = choose_folder()
    record, cached = (make(), False) if folder is None else Store(folder).get_or_make(key, make, is_valid)
    made = Compiled(record.cubin, symbol, signature, arch, options, layout(signature), bytecode, key, cached,
                    time.perf_counter() - start)
    log_compilation(function, made)
    dump_artifacts(made, tools)
    return made


def _cache_key(*parts: bytes | str) -> str:
    """A digest of all inputs of machine code. The bytecode represents the source of the kernel and of its callees, and
    the hints."""
    made = hashlib.sha256(b"tilecheck kernel 1")
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.hexdigest()
