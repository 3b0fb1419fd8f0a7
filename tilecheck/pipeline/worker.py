"""Files analysed one by one in this process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from tilecheck.pipeline.analyze import FileResult, Overlay, find_file_launches, prove_file
from tilecheck.pipeline.cache import UNREADABLE, digest
from tilecheck.pipeline.progress import Progress
from tilecheck.pipeline.results import Dependencies
from tilecheck.project.module import Module
from tilecheck.project.project import Project
from tilecheck.syntax.text import SourceError


class Work(Struct, frozen=True):
    """What a worker needs to analyse any file of a run. Cheap to send to another process."""

    files: tuple[str, ...]
    roots: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    overlay: Overlay = field(default_factory=dict)


class Analyst:
    """Analyses files in one process, and tells with each result what else it has come to depend on since the last."""

    def __init__(self, work: Work) -> None:
        self.project = Project(work.files, work.roots, work.contents)
        self.overlay = work.overlay
        self.told: set[str] = set()

    def kernels(self, path: str) -> FileResult:
        return replace(prove_file(self.project, path, self.overlay), dependencies=self.news())

    def launches(self, path: str) -> FileResult:
        return replace(find_file_launches(self.project, path), dependencies=self.news())

    def news(self) -> Dependencies:
        modules = {os.path.abspath(module.path): module for module in self.project.found_by_import()}
        read = frozenset((place, _digest(modules[place])) for place in modules.keys() - self.told)
        missing = self.project.missed - self.told
        self.told |= missing | modules.keys()
        return Dependencies(read, missing)


def _digest(module: Module) -> str:
    try:
        return digest(module.data)
    except SourceError:
        return UNREADABLE


def analyse_here(work: Work, progress: Progress) -> Iterator[FileResult]:
    """The results of all files."""
    analyst = Analyst(work)
    for done, path in enumerate(work.files):
        progress(done, len(work.files))
        yield analyst.kernels(path)
        yield analyst.launches(path)
