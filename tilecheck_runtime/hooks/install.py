"""Puts the CPU behind `ct.launch` and `ct.tune.exhaustive_search`, of the real package or of a stand-in for it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from tilecheck_runtime.cpu.execution.execute import launch
from tilecheck_runtime.standin.cutile import register
from tilecheck_runtime.standin.tune import exhaustive_search

__all__ = ["cpu_launches"]


@contextmanager
def cpu_launches() -> Iterator[None]:
    """Makes kernels that any program launches run on the CPU and report to the open session."""
    with ExitStack() as stack:
        tile = _import_real()
        if tile is None:
            stack.enter_context(register())
        else:
            stack.enter_context(_replace_everywhere(tile, "launch", launch))
            tune = importlib.import_module("cuda.tile.tune")
            stack.enter_context(_replace_everywhere(tune, "exhaustive_search", exhaustive_search))
        stack.enter_context(_stream_of_torch())
        yield


def _import_real() -> ModuleType | None:
    try:
        return importlib.import_module("cuda.tile")
    except (ImportError, OSError):
        return None


@contextmanager
def _replace_everywhere(module: ModuleType, name: str, replacement: Any) -> Iterator[None]:
    """Replaces a function in all modules that imported it by its own name, those that are imported meanwhile included.
    A module that had imported the replacement itself retains it."""
    original = getattr(module, name)
    own = _find_holders(name, replacement)
    for holder in _find_holders(name, original):
        setattr(holder, name, replacement)
    try:
        yield
    finally:
        for holder in _find_holders(name, replacement):
            if not _is_ours(holder) and not any(holder is one for one in own):
                setattr(holder, name, original)


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.startswith("tilecheck_runtime")


def _find_holders(name: str, value: Any) -> list[ModuleType]:
    """The modules in which a name has a value."""
    return [m for m in list(sys.modules.values()) if isinstance(m, ModuleType) and vars(m).get(name) is value]


@contextmanager
def _stream_of_torch() -> Iterator[None]:
    """Lets programs ask a torch without GPU for the current stream, which a launch on the CPU ignores."""
    if importlib.util.find_spec("torch") is None:
        yield
        return
    torch = importlib.import_module("torch")
    if torch.cuda.is_available():
        yield
        return
    original = torch.cuda.current_stream
    torch.cuda.current_stream = lambda *_: None
    try:
        yield
    finally:
        torch.cuda.current_stream = original
