"""One run: which files, what is known of them already, what must be analysed, and what is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.config import Config, ConfigError
from tilecheck.diagnostics import Failure
from tilecheck.pipeline.cache import Cache, content_digests, digest, open_cache, tool_signature
from tilecheck.pipeline.progress import Progress, no_progress
from tilecheck.pipeline.results import Analysis, Dependencies

if TYPE_CHECKING:
    from tilecheck.pipeline.analyze import FileResult
    from tilecheck.pipeline.worker import Work
    from tilecheck.project.discover import Discovery

_RUN: Final = "run"

_SMALL_FILES: Final = 3
_SMALL_BYTES: Final = 40_000
"""Work below which starting a process costs more than it saves."""


class Inputs(Struct, frozen=True):
    """What a run is asked about.

    files      content digest of each file, by its path as it is reported
    roots      folders that the user named
    contents   bytes to use instead of what is on disk
    overlays   path and text of the overlay files
    """

    files: Mapping[str, str]
    roots: tuple[str, ...] = ()
    contents: Mapping[str, bytes] | None = None
    overlays: tuple[tuple[str, str], ...] = ()

    def key(self) -> str:
        """A digest of everything the analysis depends on but the files that it finds by itself."""
        folder = str(Path.cwd())  # imports of files that were named relative to it are found from there
        pairs = (*sorted(self.files.items()), *self.overlays)
        return digest(tool_signature(), folder, *self.roots, "", *(part for pair in pairs for part in pair))


def analyse_paths(
    paths: Sequence[str], config: Config, progress: Progress = no_progress, contents: Mapping[str, bytes] | None = None,
) -> Analysis:
    """The analysis of files and folders, from the cache where nothing has changed.

    `contents` stand for what is on disk, by path as it is reported; an analysis of such is not kept.
    """
    found = discovered(paths, config)
    files = content_digests(str(path) for path in found.files)
    inputs = Inputs(files, tuple(map(str, found.roots)), contents, read_overlays(config.contracts))
    missing = tuple(Failure(error.file, error.message) for error in found.errors)
    analysis = (_kept_or_fresh if contents is None else _fresh)(inputs, config, progress)
    return replace(analysis, failures=(*analysis.failures, *missing), paths=tuple(files))


def discovered(paths: Sequence[str], config: Config) -> Discovery:
    """The files that a run checks."""
    from tilecheck.project.discover import discover

    return discover(paths, exclude=config.exclude, base=config.root, respect_gitignore=config.respect_gitignore,
                    force_exclude=config.force_exclude)


def analyse_files(
    files: Sequence[str], roots: Sequence[str], config: Config, contents: Mapping[str, bytes] | None = None,
    progress: Progress = no_progress,
) -> Analysis:
    """The analysis of these files and no others, likewise. `contents` are what some of them hold instead of what is on
    disk; modules are also found by their place below `roots`."""
    digests = content_digests(files)
    digests.update((path, digest(data)) for path, data in (contents or {}).items())
    inputs = Inputs(digests, tuple(roots), contents, read_overlays(config.contracts))
    return _kept_or_fresh(inputs, config, progress)


def key_of(files: Sequence[str], config: Config) -> str:
    """A digest of what the analysis of these files depends on, but for what it finds by itself: `holds` is for that."""
    return Inputs(content_digests(files), (), None, read_overlays(config.contracts)).key()


def analyse_text(data: bytes, name: str, config: Config) -> Analysis:
    """The analysis of source that is not on disk, or not like this."""
    inputs = Inputs({name: digest(data)}, (), {name: data}, read_overlays(config.contracts))
    return _fresh(inputs, config, no_progress)


def kept(
    files: Mapping[str, bytes], roots: Sequence[str], overlays: tuple[tuple[str, str], ...], config: Config
) -> Analysis | None:
    """What the cache has of files with these bytes; None when it has nothing, or what it has no longer holds."""
    cache = _cache(config)
    return None if cache is None else _kept(cache, _of_bytes(files, roots, overlays).key())


def keep(
    files: Mapping[str, bytes], roots: Sequence[str], overlays: tuple[tuple[str, str], ...], config: Config,
    analysis: Analysis,
) -> None:
    """Put an analysis of files with these bytes into the cache."""
    cache = _cache(config)
    if cache is not None:
        _keep(cache, _of_bytes(files, roots, overlays).key(), analysis)


def _of_bytes(files: Mapping[str, bytes], roots: Sequence[str], overlays: tuple[tuple[str, str], ...]) -> Inputs:
    return Inputs({path: digest(data) for path, data in files.items()}, tuple(roots), None, overlays)


def _cache(config: Config) -> Cache | None:
    return open_cache(config.cache_folder) if config.use_cache else None


def _kept_or_fresh(inputs: Inputs, config: Config, progress: Progress) -> Analysis:
    cache = _cache(config)
    if cache is None:
        return _fresh(inputs, config, progress)
    key = inputs.key()
    known = _kept(cache, key)
    if known is not None:
        return known
    analysis = _fresh(inputs, config, progress)
    _keep(cache, key, analysis)
    return analysis


def _kept(cache: Cache, key: str) -> Analysis | None:
    known = cache.load(_RUN, key)
    return known if isinstance(known, Analysis) and holds(known.dependencies) else None


def _keep(cache: Cache, key: str, analysis: Analysis) -> None:
    if analysis.can_be_kept:
        cache.store(_RUN, key, analysis)
        cache.prune(_RUN)


def holds(dependencies: Dependencies) -> bool:
    """Whether the files that were found by import are what they were, and those that were missing still are."""
    digests = content_digests(path for path, _ in dependencies.read)
    return all(digests[path] == was for path, was in dependencies.read) and not any(
        Path(path).is_file() for path in dependencies.missing
    )


def _fresh(inputs: Inputs, config: Config, progress: Progress) -> Analysis:
    from tilecheck.pipeline.analyze import join
    from tilecheck.pipeline.worker import Work

    work = Work(tuple(inputs.files), inputs.roots, inputs.contents or {}, parse_overlays(inputs.overlays))
    return join(_results(work, config.workers, progress), len(inputs.files))


def _results(work: Work, workers: int, progress: Progress) -> Iterator[FileResult]:
    sizes = {path: _size(path) for path in work.files}
    workers = min(workers, len(sizes))
    if workers <= 1 or len(sizes) <= _SMALL_FILES or sum(sizes.values()) < _SMALL_BYTES:
        from tilecheck.pipeline.worker import analyse_here

        return analyse_here(work, progress)
    from tilecheck.pipeline.pool import analyse_spread

    return analyse_spread(work, sorted(sizes, key=lambda path: (-sizes[path], path)), workers, progress)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def read_overlays(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Path and text of overlay files. Raises ConfigError for one that cannot be read."""
    out = []
    for path in paths:
        try:
            out.append((str(path), path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"contracts: {path}: {getattr(error, 'strerror', None) or error}") from error
    return tuple(out)


def overlays(config: Config) -> dict[str, tuple[str, ...]]:
    """The clauses of the overlay files that are configured. Raises ConfigError for one that cannot be read."""
    return parse_overlays(read_overlays(config.contracts))


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
