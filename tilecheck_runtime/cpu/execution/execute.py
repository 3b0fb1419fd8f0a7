"""Runs a kernel over its grid."""

from __future__ import annotations

import operator
import random
import threading
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from tilecheck.text.block_names import block_name, rank_of_grid
from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.execution import meeting
from tilecheck_runtime.cpu.execution.arguments import bind, host_arrays, parameters, read_only
from tilecheck_runtime.cpu.execution.front_end import as_installed, check_compiles, is_compilable
from tilecheck_runtime.cpu.execution.refusals import check_refused
from tilecheck_runtime.cpu.execution.translate import Translator, has_source
from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.errors.language import TileError, TileRecursionError, TileTypeError, TileValueError
from tilecheck_runtime.sanitizer.progress import Block, Progress
from tilecheck_runtime.sanitizer.recorder import Recorder
from tilecheck_runtime.sanitizer.replay import Replay, watched_positions
from tilecheck_runtime.sanitizer.report import Report
from tilecheck_runtime.sanitizer.session import Session, session
from tilecheck_runtime.sanitizer.shadow import Storage
from tilecheck_runtime.sanitizer.sites import definition
from tilecheck_runtime.tile_language.kernels import AUTHORED, GRID_LIMIT, function_of

__all__ = ["FindingWarning", "execute", "launch", "launch_on_cpu", "sanitize"]


class FindingWarning(UserWarning):
    """A finding of a launch outside any session."""


def _check_grid(grid: Any) -> Block:
    if not isinstance(grid, tuple) or len(grid) > 3:
        raise TypeError(f"the grid must be a tuple of at most three integers, not {grid!r}")
    try:
        extents = [operator.index(n) for n in grid] + [1] * (3 - len(grid))
    except TypeError:
        raise TypeError(f"the grid must be a tuple of integers, not {grid!r}: divide with `//` or `ct.cdiv`") from None
    if any(not 0 <= n <= GRID_LIMIT for n in extents):
        raise ValueError(f"grid {grid!r}: extents must be between 0 and {GRID_LIMIT}")
    return extents[0], extents[1], extents[2]


def _order_blocks(grid: Block, seed: int | None) -> Sequence[int]:
    order = list(range(grid[0] * grid[1] * grid[2]))
    if seed is not None:
        random.Random(seed).shuffle(order)
    return order


def launch(stream: Any, grid: Any, kernel: Any, kernel_args: Any, /, *,
           programmatic_dependent_launch: bool = False) -> None:
    """Runs a kernel on the CPU, as `ct.launch` does on a GPU. Findings go to the open session, else they are warnings.

    Arrays are NumPy arrays, torch tensors on the CPU, or objects with `__array_interface__` or DLPack; they are changed
    in place. Raises the error of cuTile for a program that it rejects, at the operation that is executed.
    """
    launch_on_cpu(stream, grid, kernel, kernel_args)


def launch_on_cpu(stream: Any, grid: Any, kernel: Any, kernel_args: Any) -> None:
    """Like `launch`, for a function that the program calls: warnings name the line of that call."""
    with machine.LOCK:
        if Session.current is not None:
            _run(kernel, grid, kernel_args, Session.current)
        else:
            with session() as own:
                _run(kernel, grid, kernel_args, own)
                for event in own.report().events:
                    warnings.warn(str(event), FindingWarning, stacklevel=3)


def sanitize(kernel: Any, grid: Any, args: Sequence[Any], *, seed: int | None = 0, replay: bool = False) -> Report:
    """Runs one kernel and reports its errors. `seed` shuffles the blocks; None runs them in order. With `replay`, a
    launch that races runs again, and every pair of lines that races is reported."""
    with machine.LOCK, session(seed, replay) as own:
        _run(kernel, grid, tuple(args), own)
        return own.report()


def execute(kernel: Any, grid: Any, args: Sequence[Any], into: Session) -> None:
    """Runs one kernel in this thread. Findings go to `into`, even if another session is open."""
    with machine.LOCK:
        _run(kernel, grid, tuple(args), into)


def _run(kernel: Any, grid: Any, values: Sequence[Any], into: Session) -> None:
    function, extents = function_of(kernel), _check_grid(grid)
    if hasattr(type(kernel), "entry"):
        raise TypeError(f"`{function.__name__}` is a kernel of the dialect, which is called with tensors: "
                        f"`{function.__name__}(...).sync()`")
    if State.recorder is not None:
        raise RuntimeError("a kernel cannot be launched from a kernel")
    known = parameters(function)
    arguments, storages = bind(known, values)
    compiled = is_compilable(kernel) and has_source(function)
    if compiled:
        check_compiles(kernel, known, arguments)
    elif has_source(function):
        check_refused(function, known, arguments)
    body = Translator(compiled).function(function)
    into.launches += 1
    recorder, order = Recorder(into, function.__name__, extents), _order_blocks(extents, into.seed)
    contents = [array.copy() for array in host_arrays(arguments)] if into.replay else []
    try:
        _run_pass(body, arguments, recorder, order)
    except TileError as error:
        if compiled:
            as_installed(error)
        raise
    _report_aliases(storages, recorder, function)
    places = watched_positions(storages) if into.replay else []
    if any(map(len, places)):
        for array, before in zip(host_arrays(arguments), contents, strict=True):
            array[...] = before
        arguments, storages = bind(known, values)
        second = Replay(into, function.__name__, extents, storages, places)
        _run_pass(body, arguments, second, order)
        second.finish(storages)


def _run_pass(body: Callable[..., Any], arguments: Sequence[Any], recorder: Recorder, order: Sequence[int]) -> None:
    """Runs every block once."""
    State.recorder, Progress.grid, State.thread = recorder, recorder.grid, threading.get_ident()
    try:
        with np.errstate(all="ignore"):
            _run_blocks(body, arguments, recorder, order)
    finally:
        State.recorder, State.stop = None, False
        machine.enter_block((0, 0, 0))


def _report_aliases(storages: Sequence[Storage], recorder: Recorder, function: FunctionType) -> None:
    """Reports parameters that share memory if both were used and one was written."""
    for storage in storages:
        for first, second in storage.overlaps:
            used = [storage.touched.get(name) for name in (first, second)]
            if None not in used and any(used):
                recorder.report_alias(first, second, definition(getattr(function, AUTHORED, function).__code__))


def _run_blocks(body: Callable[..., Any], arguments: Sequence[Any], recorder: Recorder, order: Sequence[int]) -> None:
    width, height, _ = Progress.grid
    for number in order:
        rest, x = divmod(number, width)
        z, y = divmod(rest, height)
        block = (x, y, z)
        if State.stop:
            raise KeyboardInterrupt("the launch was interrupted")
        machine.enter_block(block)
        meeting.reset()
        recorder.begin(block)
        try:
            body(*arguments)
        except Exception as error:
            _locate_error(error, recorder, arguments)
            if isinstance(error, _LEAKED):
                raise _of_language(error) from error
            raise


_LEAKED: Final = (TypeError, ValueError, AttributeError, NameError, LookupError, ArithmeticError)
"""Errors of Python and NumPy: cuTile has others, and raises them when it compiles."""


def _of_language(error: Exception) -> TileError:
    """The error of cuTile for one of Python, with its notes."""
    kind = TileValueError if isinstance(error, (ArithmeticError, OverflowError)) else TileTypeError
    made = kind(str(error))
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def _locate_error(error: Exception, recorder: Recorder, arguments: Sequence[Any]) -> None:
    """Adds the block to the error of a kernel. Raises another error for a failure outside of the kernel's code."""
    block = block_name(Progress.block, rank_of_grid(recorder.grid))
    where = f"in block {block} of `{recorder.kernel}`, whose grid is {recorder.grid}"
    if isinstance(error, RecursionError):
        raise TileRecursionError(f"a helper calls itself without end {where}") from None
    if isinstance(error, ValueError) and "read-only" in str(error):
        names = [f"`{name}`" for name in read_only(arguments)]
        raise TypeError(f"{' or '.join(names)} cannot be written on the host, and the kernel writes it "
                        f"{where}") from None
    error.add_note(where)
