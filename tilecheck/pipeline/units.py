"""The units of an analysis: each is a function of its reads.

    sites       the kernels and the suppression comments of a file
    launching   the functions that may launch kernels, of all files
    launches    the launches of a file
    proof       the proof of a kernel
    conclusion  the report on a kernel, from its proof and its launches

A result has a small part, which every run loads, and for launches and proofs a large one, which is loaded when a
kernel is concluded again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from tilecheck.pipeline.cache import digest
from tilecheck.pipeline.kernel_suppressions import opt_outs_of_file
from tilecheck.pipeline.reads import Key, Reads, by_path, closure
from tilecheck.pipeline.results import (
    Concluded,
    FoundKernel,
    KernelKey,
    LaunchesFound,
    ProofFound,
    SitesFound,
    failure_of,
)
from tilecheck.project.hosts import Launching

if TYPE_CHECKING:
    from tilecheck.interp.host.launch import Launch
    from tilecheck.pipeline.analyze import Overlay, ProvedKernel
    from tilecheck.pipeline.recording import RecordingProject
    from tilecheck.project.module import KernelSite

__all__ = [
    "Done", "Found", "Large", "Result", "Step", "Unit", "by_kernel", "conclude_unit",
    "conclusion_version", "find_launches_of", "find_sites",
    "prove_unit", "search_launching", "site_of",
]

Step: TypeAlias = Literal["sites", "launching", "launches", "proof", "conclusion"]
Found: TypeAlias = SitesFound | Launching | LaunchesFound | ProofFound | Concluded
Large: TypeAlias = "tuple[Launch, ...] | ProvedKernel | None"

T = TypeVar("T")


class Unit(NamedTuple):
    """The name of a unit. For a proof, `file` defines or makes the kernel and `home` is the file of its definition."""

    step: Step
    file: str = ""
    home: str = ""
    qualname: str = ""


class Result(Struct, frozen=True):
    """The result of a unit.

    version  two results of one unit with one version are equal; empty where nothing compares them
    """

    found: Found
    reads: Reads
    version: str = ""


class Done(NamedTuple):
    """A unit that was computed: its result, the large part of it, and the digests of its reads."""

    unit: Unit
    result: Result
    large: Large
    digests: Mapping[Key, str]


def find_sites(project: RecordingProject, path: str) -> Done:
    """Find the kernels and the suppression comments of a file."""

    def find() -> SitesFound:
        try:
            module = project.module(path)
            module.check()
            sites = module.kernels()
            kernels = tuple(FoundKernel(s.module.path, s.qualname, s.how, s.dialect) for s in sites)
            return SitesFound(kernels, tuple(opt_outs_of_file(module, sites)))
        except Exception as error:
            return SitesFound(failures=(failure_of(path, error),))

    found, keys = _record_reads(project, find, coarse=True)
    return _complete_unit(project, Unit("sites", path), found, keys | {Key("file", path)}, None)


def search_launching(project: RecordingProject) -> Done:
    """Search all files for functions that may launch. Of each file it reads what `relevant_mentions` gives, which the
    workspace compares, and the meanings of names."""
    with project.recording.collect_keys() as keys, project.recording.without_whole_files():
        found = project.launching
    return _complete_unit(project, Unit("launching"), found, closure(keys, project.resolver.behind), None)


def find_launches_of(project: RecordingProject, path: str) -> Done:
    """Find the launches of a file, and what is wrong with the ownership of tensors there."""

    def find() -> tuple[tuple[Launch, ...], LaunchesFound]:
        if not project.is_launching(project.module(path)):
            return (), LaunchesFound()
        from tilecheck.pipeline.analyze import find_file_launches  # which takes long to import

        return find_file_launches(project, path)

    (launches, found), keys = _record_reads(project, find, coarse=True)
    done = _complete_unit(project, Unit("launches", path), found, keys | {Key("code", path)}, launches)
    versions = {key: digest(done.result.version, *key) for key in by_kernel(launches)}
    return done._replace(result=Result(
        LaunchesFound(found.events, versions, found.owned, found.failures), done.result.reads, done.result.version))


def prove_unit(project: RecordingProject, path: str, site: KernelSite, overlay: Overlay) -> Done:
    """Prove a kernel."""
    from tilecheck.pipeline.analyze import prove_site

    def prove() -> tuple[ProvedKernel | None, ProofFound]:
        with project.recording.without_whole_files():
            definition = site.module.skeleton.definitions.get(site.qualname)
        for name in (site.qualname, *(() if definition is None else definition.outer)):
            project.recording.note(Key("function", site.module.path, name))
        return prove_site(project, path, site, overlay)

    (kernel, found), keys = _record_reads(project, prove, coarse=False)
    found = ProofFound(found.opt_outs, found.failures, kernel is not None)
    return _complete_unit(project, Unit("proof", path, site.module.path, site.qualname), found, keys, kernel)


def conclude_unit(
    project: RecordingProject, unit: Unit, version: str, kernel: ProvedKernel, launches: Iterable[Launch], reads: Reads,
) -> Done:
    """Conclude a kernel. `version` stands for its proof, which has read `reads`, and its launches.

    The kernel is executed again as launches compile it. If that reads anything that the proof has not, nothing is
    concluded from it: the version does not stand for it.
    """
    from tilecheck.obligations.variants import execute_nothing
    from tilecheck.pipeline.analyze import conclude_kernel, executor

    launches = tuple(launches)
    with project.recording.collect_keys():
        site = site_of(project, unit.file or unit.home, (unit.home, unit.qualname)) if unit.qualname else None
    concluded, keys = _record_reads(project, lambda: conclude_kernel(kernel, launches, executor(project, site)), False)
    if not keys <= frozenset().union(*reads.values()):
        concluded = conclude_kernel(kernel, launches, execute_nothing)
    return Done(unit, Result(concluded, {}, version), None, {})


def conclusion_version(proof: str, launched: Iterable[tuple[str, str]]) -> str:
    """The version of a conclusion, from that of the proof and, by file, those of the launches."""
    return digest(proof, *(part for pair in launched for part in pair))


def site_of(project: RecordingProject, path: str, key: KernelKey) -> KernelSite | None:
    """The kernel with this home and name that a file defines or makes."""
    return next((s for s in project.module(path).kernels() if (s.module.path, s.qualname) == key), None)


def by_kernel(launches: Iterable[Launch]) -> Mapping[KernelKey, tuple[Launch, ...]]:
    """Launches grouped by the kernel that is launched, in the order in which they are given."""
    found: defaultdict[KernelKey, list[Launch]] = defaultdict(list)
    for launch in launches:
        found[launch.kernel].append(launch)
    return {key: tuple(mine) for key, mine in found.items()}


def _record_reads(
    project: RecordingProject, compute: Callable[[], T], coarse: bool
) -> tuple[T, frozenset[Key]]:
    with project.recording.collect_keys(coarse) as keys:
        found = compute()
    return found, closure(keys, project.resolver.behind)


def _complete_unit(project: RecordingProject, unit: Unit, found: Found, keys: frozenset[Key], large: Large) -> Done:
    digests = {key: project.digest(key) for key in sorted(keys)}
    version = digest(*unit, *(part for key, value in digests.items() for part in (*key, value)))
    return Done(unit, Result(found, by_path(keys), version), large, digests)
