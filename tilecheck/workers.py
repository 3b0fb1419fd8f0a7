"""Files analysed one by one, in this process or spread over several."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final

from tilecheck.analysis import Dependencies
from tilecheck.cache import UNREADABLE, digest
from tilecheck.diagnostics import Failure
from tilecheck.progress import Progress
from tilecheck.source.module import Module
from tilecheck.source.project import Project
from tilecheck.source.text import SourceError
from tilecheck.stages import INTERNAL, FileResult, Overlay, analyse_file

SMALL_FILES: Final = 3
SMALL_BYTES: Final = 40_000
"""Work below which starting a process costs more than it saves."""


@dataclass(frozen=True)
class Work:
    """What a worker needs to analyse any file of a run. Cheap to send to another process."""

    files: tuple[str, ...]
    roots: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    overlay: Overlay = field(default_factory=dict)


class _Analyst:
    """Analyses files in one process, and tells with each result what else it has come to depend on since the last."""

    def __init__(self, work: Work) -> None:
        self.project = Project(work.files, work.roots, work.contents)
        self.overlay = work.overlay
        self.told: set[str] = set()

    def result(self, path: str) -> FileResult:
        found = analyse_file(self.project, path, self.overlay)
        modules = {os.path.abspath(module.path): module for module in self.project.found_by_import()}
        read = frozenset((place, _digest(modules[place])) for place in modules.keys() - self.told)
        missing = self.project.missed - self.told
        self.told |= missing | modules.keys()
        return replace(found, dependencies=Dependencies(read, missing))


def _digest(module: Module) -> str:
    try:
        return digest(module.data)
    except SourceError:
        return UNREADABLE


_analyst: _Analyst | None = None


def analyse(work: Work, workers: int, progress: Progress) -> Iterator[FileResult]:
    """The results of all files, in no particular order."""
    paths = work.files
    sizes = {path: _size(path) for path in paths}
    workers = min(workers, len(paths))
    if workers <= 1 or len(paths) <= SMALL_FILES or sum(sizes.values()) < SMALL_BYTES:
        analyst = _Analyst(work)
        for done, path in enumerate(paths):
            progress(done, len(paths))
            yield analyst.result(path)
    else:
        yield from _spread(work, sorted(paths, key=lambda path: (-sizes[path], path)), workers, progress)


def _spread(work: Work, paths: Sequence[str], workers: int, progress: Progress) -> Iterator[FileResult]:
    left = dict.fromkeys(paths)
    try:
        with _pool(work, workers) as pool:
            for future in as_completed([pool.submit(_analyse, path) for path in paths]):
                result = future.result()
                left.pop(result.file)
                progress(len(paths) - len(left), len(paths))
                yield result
    except BrokenProcessPool:  # a worker was killed: find out by which file, so that the others keep their findings
        for path in left:
            yield _alone(work, path)


def _alone(work: Work, path: str) -> FileResult:
    try:
        with _pool(work, 1) as pool:
            return pool.submit(_analyse, path).result()
    except BrokenProcessPool:
        return FileResult(path, failures=(Failure(path, f"{INTERNAL}: the process that checked it died"),))


def _pool(work: Work, workers: int) -> ProcessPoolExecutor:
    # a forked worker has everything imported already; elsewhere forking is not safe
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    return ProcessPoolExecutor(workers, context, _start, (work,))


def _start(work: Work) -> None:
    global _analyst
    _analyst = _Analyst(work)


def _analyse(path: str) -> FileResult:
    if _analyst is None:
        raise RuntimeError("the worker was not started")
    return _analyst.result(path)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
