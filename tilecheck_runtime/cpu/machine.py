"""The block that is running. There is one at a time: launches are serialised by a lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import ClassVar

from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.sanitizer.progress import Block, Progress
from tilecheck_runtime.sanitizer.recorder import Recorder

__all__ = ["LOCK", "State", "in_kernel", "interrupt", "observe", "recorder", "register_undefined"]

LOCK = threading.RLock()
"""Another one in a child process, where nobody has the one of the parent."""


class State:
    """What operations ask about the run in progress.

    thread  in which the last launch began
    stop    whether it is to end before its next block
    """

    recorder: ClassVar[Recorder | None] = None
    thread: ClassVar[int] = 0
    stop: ClassVar[bool] = False


def _after_fork() -> None:
    """In a child process no block runs: the thread that ran it stayed behind."""
    global LOCK
    LOCK = threading.RLock()
    State.recorder, State.stop = None, False
    enter_block((0, 0, 0))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def recorder() -> Recorder:
    """The recorder of the launch in progress. Raises RuntimeError on the host."""
    current = State.recorder
    if current is None:
        raise RuntimeError("tile operations can only be called from kernels")
    return current


def in_kernel() -> bool:
    """Whether this thread is inside a kernel."""
    return State.recorder is not None and State.thread == threading.get_ident()


def interrupt() -> None:
    """Ends the launch in progress, in whatever thread, before its next block; it raises KeyboardInterrupt."""
    State.stop = State.recorder is not None


def observe(taint: Taint, what: str) -> None:
    """The kernel's course depends on a value: undefined lanes are reported, acquires take effect."""
    current = State.recorder
    if current is None:
        return
    if taint.tokens:
        current.acquire(taint.tokens)
    if taint.lanes is not None and taint.lanes.any():
        current.undefined_used(taint.sources, what)


def register_undefined(what: str) -> int:
    """Registers a source of undefined lanes at the present place and returns its number."""
    return recorder().undefined_source(what)


def track_loop(values: Iterator[int]) -> Iterator[int]:
    """Passes loop counters on and keeps `Progress.loops` up to date while it does."""
    loops = Progress.loops
    depth = len(loops)
    loops.append(0)
    try:
        for value in values:
            loops[depth] = value
            yield value
    finally:
        del loops[depth:]


def enter_block(block: Block) -> None:
    """Begins a block."""
    Progress.block = block
    Progress.loops.clear()
