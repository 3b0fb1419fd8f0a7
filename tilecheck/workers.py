"""Files analysed in several processes."""

from __future__ import annotations

import gc
import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from tilecheck.analyst import Analyst, Work
from tilecheck.diagnostics import Failure
from tilecheck.progress import Progress
from tilecheck.stages import INTERNAL, FileResult, failure_of

Task: TypeAlias = tuple[Literal["kernels", "launches"], str]
Launching: TypeAlias = Mapping[str, tuple[str, ...]]

_AHEAD: Final = 8
"""Tasks for each worker that are handed out at a time: enough while this process is busy, and launches come soon."""


def analyse_spread(work: Work, paths: Sequence[str], workers: int, progress: Progress) -> Iterator[FileResult]:
    """The results of all files, in no particular order; work on those that come first in `paths` begins first."""
    kernels: list[Task] = [("kernels", path) for path in reversed(paths)]
    launches: list[Task] = []
    running: dict[Future[FileResult], Task] = {}
    pool = _pool(work, workers)
    done, launching = 0, None

    def start(tasks: list[Task], count: int) -> None:
        for _ in range(min(count, len(tasks))):
            task = tasks.pop()
            running[pool.submit(_do, task, launching)] = task

    try:
        start(kernels, _AHEAD * workers)
        # the search for functions that launch is one for all files: it goes on here, while the workers prove
        searcher = Analyst(work)
        launching, failures = _search(searcher)
        yield FileResult("", failures=failures, dependencies=searcher.news())
        launches += [("launches", path) for path in launching]
        left = len(launches)
        total = len(paths) + left
        while running or kernels or launches:
            start(launches, _AHEAD * workers - len(running))
            start(kernels, _AHEAD * workers - len(running))
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running[future]
                result = _result(future, task)
                del running[future]
                done += 1
                left -= task[0] == "launches"
                progress(done, total)
                yield replace(result, last_launches=True) if left == 0 else result
        pool.shutdown()  # so that no thread is left
    except BrokenProcessPool:  # a worker was killed: find out by which file, so that the others keep their findings
        for task in (*running.values(), *launches, *reversed(kernels)):
            yield _alone(work, task)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _search(searcher: Analyst) -> tuple[Launching, tuple[Failure, ...]]:
    try:
        return searcher.project.launching, ()
    except Exception as error:
        return {}, (failure_of(searcher.project.files[0], error),)


def _result(future: Future[FileResult], task: Task) -> FileResult:
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # the result could not be sent
        return FileResult(task[1], failures=(failure_of(task[1], error),))


def _alone(work: Work, task: Task) -> FileResult:
    try:
        with _pool(work, 1) as pool:
            return pool.submit(_do, task).result()
    except BrokenProcessPool:
        return FileResult(task[1], failures=(Failure(task[1], f"{INTERNAL}: the process that checked it died"),))


def _pool(work: Work, workers: int) -> ProcessPoolExecutor:
    # a forked worker has everything imported already; elsewhere forking is not safe
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    return ProcessPoolExecutor(workers, context, _start, (work,))


_analyst: Analyst | None = None


def _start(work: Work) -> None:
    global _analyst
    gc.disable()  # a run makes few cycles, and ends soon
    _analyst = Analyst(work)


def _do(task: Task, launching: Launching | None = None) -> FileResult:
    if _analyst is None:
        raise RuntimeError("the worker was not started")
    what, path = task
    if launching is not None:
        _analyst.project.launching = launching
    return _STEPS[what](_analyst, path)


_STEPS: Final = {"kernels": Analyst.kernels, "launches": Analyst.launches}
