"""The launch in progress, and the services that operations use."""

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
"""Serializes launches. Replaced in a child process, where no thread owns the lock of the parent."""


class State:
    """The run in progress, as operations see it.

    recorder  of the launch; None between launches
    thread    in which the last launch began
    stop      whether the launch is to end before its next block
    """

    recorder: ClassVar[Recorder | None] = None
    thread: ClassVar[int] = 0
    stop: ClassVar[bool] = False


def _after_fork() -> None:
    """Resets the state in a child process: the thread that ran the block stays in the parent."""
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
    """Ends the launch in progress, in any thread, before its next block with KeyboardInterrupt."""
    State.stop = State.recorder is not None


def observe(taint: Taint, what: str) -> None:
    """Records that the control flow of the kernel depends on a value: undefined lanes are reported, acquires take
    effect."""
    current = State.recorder
    if current is None:
        return
    if taint.tokens:
        current.acquire(taint.tokens)
    if taint.lanes is not None and taint.lanes.any():
        current.undefined_used(taint.sources, what)


def register_undefined(what: str) -> int:
    """Registers an origin of undefined lanes at the current location and returns its number."""
    return recorder().undefined_source(what)


def track_loop(values: Iterator[int]) -> Iterator[int]:
    """Yields loop counters and updates the current iteration."""
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
    """Starts a block."""
    Progress.block = block
    Progress.loops.clear()
