"""The findings in the modules of a run of mypy: one analysis of all modules, by the engine and with its cache."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tilecheck.config import Config, ConfigError, load_config
from tilecheck.mypy_plugin.checked import root_of
from tilecheck.mypy_plugin.findings import Finding, by_file
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.run import Pipeline, analyse_files

__all__ = ["Verdicts", "verdicts"]

_LOCK: Final = "tilecheck.lock"
_SETTINGS: Final = "pyproject.toml"


class Verdicts(NamedTuple):
    """Findings by absolute path, and what they depend on besides the modules under check.

    read     paths of other files
    missing  absolute paths at which a module was looked for in vain
    lasting  whether they would be the same another time
    """

    found: Mapping[str, Sequence[Finding]]
    read: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    lasting: bool = False


def verdicts(
    modules: Mapping[str, str], start: Path, contents: Mapping[str, bytes], lock: str | None, pipeline: Pipeline,
    store: bool = True,
) -> Verdicts:
    """The findings in modules; `modules` has their names by path.

    Never raises: an error is a finding in the first module.

    start     the folder from which settings are looked for
    contents  contents of files, which replace those on disk
    lock      a folder; only one process analyses at a time, and the other processes then find its results in the cache
    pipeline  stores the results of the last analysis, for later calls in the same process
    store     whether the results are also put into the cache on disk
    """
    try:
        config = load_config([start])
        files = _drop_excluded(sorted(modules), config)
        roots = sorted({root for file in files if (root := root_of(file, modules[file])) is not None})
        with _lock(lock), _without_collecting():
            analysis = analyse_files(files, roots, config, {f: contents[f] for f in files if f in contents},
                                     pipeline, store)
            report = finish(analysis, config)
    except ConfigError as error:
        return _complaint(modules, str(error))
    except Exception as error:
        return _complaint(modules, f"internal error: {type(error).__name__}: {error}; please report it")
    others = (*(path for path, _ in analysis.dependencies.read), *_settings(start), *map(str, config.contracts))
    return Verdicts(by_file(report), frozenset(others), analysis.dependencies.missing, analysis.can_be_kept)


def _settings(start: Path) -> Iterator[str]:
    """Where settings may be."""
    return (str(folder / _SETTINGS) for folder in (start, *start.parents))


def _drop_excluded(files: Sequence[str], config: Config) -> Sequence[str]:
    """Without what `exclude` names."""
    if not config.exclude:
        return files
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(config.exclude)
    return [file for file in files if not spec.match_file(os.path.relpath(file, config.root).replace(os.sep, "/"))]


def _complaint(modules: Mapping[str, str], message: str) -> Verdicts:
    """That nothing could be checked."""
    text = " ".join(f"not checked: {message}".split())
    first = os.path.abspath(min(modules, default=""))
    return Verdicts({first: (Finding(1, 0, 1, 1, None, text),)})


@contextmanager
def _lock(folder: str | None) -> Iterator[None]:
    """Until it ends, other processes wait here."""
    if folder is None or sys.platform == "win32":
        yield
        return
    import fcntl

    try:
        stream = open(os.path.join(folder, _LOCK), "w")  # noqa: SIM115
    except OSError:
        yield
        return
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def _without_collecting() -> Iterator[None]:
    """mypy has many objects, and an analysis makes hardly any garbage in cycles."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
