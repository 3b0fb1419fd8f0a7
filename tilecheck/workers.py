"""Files analysed in several processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from typing import Final, Literal, TypeAlias

from tilecheck.analyst import Analyst, Work
from tilecheck.diagnostics import Failure
from tilecheck.progress import Progress
from tilecheck.stages import INTERNAL, FileResult, failure_of

Task: TypeAlias = tuple[Literal["kernels", "launches"], str]
Launching: TypeAlias = Mapping[str, tuple[str, ...]]


def analyse_spread(work: Work, paths: Sequence[str], workers: int, progress: Progress) -> Iterator[FileResult]:
    """The results of all files, in no particular order; work on those that come first in `paths` begins first."""
    left: dict[Task, None] = {("kernels", path): None for path in paths}
    pool = _pool(work, workers)
    try:
        futures = {pool.submit(_do, task): task for task in left}
        # the search for functions that launch is one for all files: it goes on here, while the workers prove
        searcher = Analyst(work)
        launching = searcher.project.launching
        yield FileResult("", dependencies=searcher.news())
        for path in launching:
            task: Task = ("launches", path)
            left[task] = None
            futures[pool.submit(_do, task, launching)] = task
        for future in as_completed(futures):
            result = _result(future, futures[future])
            del left[futures[future]]
            progress(len(futures) - len(left), len(futures))
            yield result
    except BrokenProcessPool:  # a worker was killed: find out by which file, so that the others keep their findings
        for task in left:
            yield _alone(work, task)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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
    _analyst = Analyst(work)


def _do(task: Task, launching: Launching | None = None) -> FileResult:
    if _analyst is None:
        raise RuntimeError("the worker was not started")
    what, path = task
    if launching is not None:
        _analyst.project.launching = launching
    return _STEPS[what](_analyst, path)


_STEPS: Final = {"kernels": Analyst.kernels, "launches": Analyst.launches}
