"""The steps that an analysis of many files is made of, each with what it yielded and what it read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from tilecheck.pipeline.analyze import FileResult, Overlay, failure_of, find_file_launches, prove_site
from tilecheck.pipeline.kernel_suppressions import opt_outs_of_file
from tilecheck.pipeline.results import OptOut
from tilecheck.project.module import KernelSite
from tilecheck.server.analysis.live import LiveProject
from tilecheck.server.analysis.reads import Key, Reads, by_path, closure

__all__ = ["Kept", "KernelUnit", "Step", "Unit", "find_sites", "prove", "see_launches"]

Step: TypeAlias = Literal["sites", "launches"]


class Unit(NamedTuple):
    """What is done with a file as a whole: its kernels and opt-outs are found, or its launches."""

    step: Step
    file: str


class KernelUnit(NamedTuple):
    """The proof of one kernel that `file` defines or makes; `home` is the file of its definition."""

    file: str
    home: str
    qualname: str


class Kept(Struct, frozen=True):
    """What a step yielded. `sites` are the kernels that it found."""

    result: FileResult
    reads: Reads
    sites: tuple[KernelSite, ...] = ()


def find_sites(project: LiveProject, path: str) -> Kept:
    """The kernels and the opt-out comments of a file."""
    sites: tuple[KernelSite, ...] = ()

    def look() -> FileResult:
        nonlocal sites
        try:
            module = project.module(path)
            module.check()
            sites = module.kernels()
            opt_outs: tuple[OptOut, ...] = tuple(opt_outs_of_file(module, sites))
        except Exception as error:
            sites = ()
            return FileResult(path, failures=(failure_of(path, error),))
        return FileResult(path, opt_outs=opt_outs)

    result, reads = _noting(project, path, look, coarse=True)
    return Kept(result, reads, sites)


def see_launches(project: LiveProject, path: str) -> Kept:
    """The launches of a file, and what is wrong with who owns what there."""
    return Kept(*_noting(project, path, lambda: find_file_launches(project, path), coarse=True))


def prove(project: LiveProject, path: str, site: KernelSite, overlay: Overlay) -> Kept:
    """The proof of a kernel."""

    def settle() -> FileResult:
        with project.recording.quiet():
            definition = site.module.skeleton.definitions.get(site.qualname)
        for name in (site.qualname, *(() if definition is None else definition.outer)):
            project.recording.note(Key("function", site.module.path, name))
        return prove_site(project, path, site, overlay)

    return Kept(*_noting(project, path, settle, coarse=False))


def _noting(
    project: LiveProject, path: str, step: Callable[[], FileResult], coarse: bool
) -> tuple[FileResult, Reads]:
    with project.recording.filling(coarse) as keys:
        result = step()
        if coarse:
            keys.add(Key("file", path))
    return result, by_path(closure(keys, project.resolver.behind))
