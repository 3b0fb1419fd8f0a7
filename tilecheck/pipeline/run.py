"""From files to an analysis: cached as a whole where nothing changed, and else unit by unit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.config import Config, ConfigError
from tilecheck.diagnostics import Failure
from tilecheck.pipeline.cache import UNREADABLE, Cache, content_digests, digest, open_cache, tool_signature
from tilecheck.pipeline.progress import Progress, no_progress
from tilecheck.pipeline.results import Analysis, Dependencies

if TYPE_CHECKING:
    from tilecheck.pipeline.workspace import Workspace
    from tilecheck.project.discover import Discovery

_RUN: Final = "run"

_SMALL_FILES: Final = 3
_SMALL_BYTES: Final = 40_000
"""Files to analyse, and bytes of them, below which starting a process costs more than it saves."""


class Inputs(Struct, frozen=True):
    """The inputs of an analysis.

    files      the bytes of each file, by its path as it is reported; None for one that cannot be read
    roots      folders that the user named: modules are also found by their place below them
    overlays   path and text of the overlay files
    """

    files: Mapping[str, bytes | None]
    roots: tuple[str, ...] = ()
    overlays: tuple[tuple[str, str], ...] = ()

    def key(self) -> str:
        """A digest of everything that the analysis depends on but the files that it finds by import."""
        folder = str(Path.cwd())  # imports of files that were named relative to it are found from there
        files = ((path, UNREADABLE if data is None else digest(data)) for path, data in sorted(self.files.items()))
        pairs = (*files, *self.overlays)
        return digest(tool_signature(), folder, *self.roots, "", *(part for pair in pairs for part in pair))


class Pipeline:
    """Analyses files, and after a change only what depends on it. A process that analyses again and again has one
    pipeline, which remembers results; on disk they are cached where the settings allow it."""

    def __init__(self) -> None:
        self._workspace: Workspace | None = None
        self._origin: tuple[object, ...] = ()

    def analyse(
        self, inputs: Inputs, config: Config, progress: Progress = no_progress, store: bool = True
    ) -> Analysis:
        """The analysis of files. Without `store`, results are taken from the cache, and none are put into it.

        Raises ConfigError for an overlay that is not right.
        """
        cache = open_cache(config.cache_folder) if config.use_cache else None
        key = inputs.key() if cache is not None and store else ""
        known = _load(cache, key) if cache is not None and key else None
        if known is not None:
            return known
        workspace = self._open(inputs, cache, store)
        _compute(workspace, config.workers, progress)
        analysis = workspace.analysis()
        if cache is not None and store:
            workspace.save()
            if analysis.can_be_kept:
                cache.store(_RUN, key, analysis)
                cache.prune(_RUN)
        return analysis

    def open(self, inputs: Inputs, config: Config) -> Workspace:
        """The workspace of files, with the results that are known. Raises ConfigError for an overlay that is not
        right."""
        return self._open(inputs, open_cache(config.cache_folder) if config.use_cache else None, store=True)

    def _open(self, inputs: Inputs, cache: Cache | None, store: bool) -> Workspace:
        from tilecheck.pipeline.store import Store
        from tilecheck.pipeline.workspace import Workspace

        origin = (os.getcwd(), inputs.roots, inputs.overlays, cache, store)
        if self._workspace is not None and self._origin == origin:
            self._workspace.restock(inputs.files)
        else:
            known = None if cache is None else Store(cache, inputs.roots, inputs.overlays, store)
            self._workspace = Workspace(inputs.files, inputs.roots, parse_overlays(inputs.overlays), known)
            self._origin = origin
        return self._workspace


def analyse_paths(
    paths: Sequence[str], config: Config, progress: Progress = no_progress,
    contents: Mapping[str, bytes] | None = None, pipeline: Pipeline | None = None,
) -> Analysis:
    """The analysis of files and folders. `contents` replace files on disk, by path as it is reported; results of such
    an analysis are not cached.

    Raises ConfigError for an overlay that cannot be read or is not right.
    """
    found = discover_files(paths, config)
    inputs = inputs_of(map(str, found.files), config, tuple(map(str, found.roots)), contents)
    missing = tuple(Failure(error.file, error.message) for error in found.errors)
    analysis = (pipeline or Pipeline()).analyse(inputs, config, progress, store=contents is None)
    return replace(analysis, failures=(*analysis.failures, *missing), paths=tuple(inputs.files))


def discover_files(paths: Sequence[str], config: Config) -> Discovery:
    """The files that a run checks."""
    from tilecheck.project.discover import discover

    return discover(paths, exclude=config.exclude, base=config.root, respect_gitignore=config.respect_gitignore,
                    force_exclude=config.force_exclude)


def analyse_files(
    files: Sequence[str], roots: Sequence[str], config: Config, contents: Mapping[str, bytes] | None = None,
    pipeline: Pipeline | None = None, store: bool = True,
) -> Analysis:
    """The analysis of these files and no others. `contents` replace the bytes on disk of some of them;
    modules are also found by their path below `roots`. Without `store`, no results are put into the cache. Raises
    ConfigError likewise."""
    return (pipeline or Pipeline()).analyse(inputs_of(files, config, tuple(roots), contents), config, store=store)


def inputs_of(
    files: Iterable[str], config: Config, roots: tuple[str, ...] = (), contents: Mapping[str, bytes] | None = None,
) -> Inputs:
    """The inputs of an analysis of these files. `contents` replace the bytes on disk of some of them.

    Raises ConfigError for an overlay that cannot be read."""
    return Inputs(read_files(files, contents), roots, read_overlays(config.contracts))


def analyse_text(data: bytes, name: str, config: Config) -> Analysis:
    """The analysis of source that is not on disk, or not like this."""
    inputs = Inputs({name: data}, (), read_overlays(config.contracts))
    return Pipeline().analyse(inputs, replace(config, use_cache=False))


def read_files(paths: Iterable[str], contents: Mapping[str, bytes] | None = None) -> dict[str, bytes | None]:
    """The bytes of files, or None for one that cannot be read. `contents` replace the bytes on disk."""
    return {path: contents[path] if contents and path in contents else _read(path) for path in paths}


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None


def _load(cache: Cache, key: str) -> Analysis | None:
    known = cache.load(_RUN, key)
    return known if isinstance(known, Analysis) and holds(known.dependencies) else None


def holds(dependencies: Dependencies) -> bool:
    """Whether the files that were found by import are what they were, and those that were missing still are."""
    digests = content_digests(path for path, _ in dependencies.read)
    return all(digests[path] == was for path, was in dependencies.read) and not any(
        Path(path).is_file() for path in dependencies.missing
    )


def _compute(workspace: Workspace, workers: int, progress: Progress) -> None:
    """Compute all units: in several processes where there is enough to do."""
    stale = {unit.file for unit in workspace.stale if unit.file}
    sizes = {path: len(data) for path, data in workspace.contents.items() if path in stale}
    if min(workers, len(sizes)) > 1 and len(sizes) > _SMALL_FILES and sum(sizes.values()) >= _SMALL_BYTES:
        from tilecheck.pipeline.pool import compute_in_parallel

        largest_first = sorted(stale, key=lambda path: (-sizes.get(path, 0), path))
        compute_in_parallel(workspace, largest_first, min(workers, len(sizes)), progress)
    total = max(workspace.left, 1)
    while workspace.step():
        left = workspace.left
        total = max(total, left)
        progress(total - left, total)


def read_overlays(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Path and text of overlay files. Raises ConfigError for one that cannot be read."""
    out = []
    for path in paths:
        try:
            out.append((str(path), path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"contracts: {path}: {getattr(error, 'strerror', None) or error}") from error
    return tuple(out)


def parse_overlays(texts: Sequence[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The clauses of all overlay files by pattern. Raises ConfigError for one that is not right."""
    if not texts:
        return {}
    from tilecheck.contracts import ContractError, parse_overlay

    out: dict[str, tuple[str, ...]] = {}
    for path, text in texts:
        try:
            parsed = parse_overlay(text)
        except ContractError as error:
            raise ConfigError(f"contracts: {path}: {error}") from error
        for pattern, clauses in parsed.items():
            out[pattern] = (*out.get(pattern, ()), *clauses)
    return out
