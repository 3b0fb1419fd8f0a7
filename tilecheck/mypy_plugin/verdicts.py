"""What is found in the modules of a run of mypy: one analysis of all of them, kept on disk by what it depends on."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tilecheck.cache import Cache, content_digests, digest, open_cache, tool_signature
from tilecheck.mypy_plugin._consts import VERSION
from tilecheck.mypy_plugin.checked import Checked, root_of
from tilecheck.mypy_plugin.codes import FAILURE
from tilecheck.mypy_plugin.findings import Finding

if TYPE_CHECKING:
    from tilecheck.config import Config

__all__ = ["Memory", "Verdicts", "verdicts"]

_CHECKED: Final = "mypy-checked"
_FINDINGS: Final = "mypy-findings"


class Verdicts(NamedTuple):
    """Findings by absolute path, and what they depend on besides the files under check.

    read     absolute path and content digest of files that were found by import
    missing  absolute paths at which a module was looked for in vain
    """

    found: Mapping[str, Sequence[Finding]]
    read: frozenset[tuple[str, str]] = frozenset()
    missing: frozenset[str] = frozenset()

    def of(self, path: str) -> Sequence[Finding]:
        return self.found.get(os.path.abspath(path), ())

    def hold(self) -> bool:
        """Whether what was found by import is what it was."""
        digests = content_digests(path for path, _ in self.read)
        return all(digests[path] == was for path, was in self.read) and not any(map(os.path.isfile, self.missing))


class Memory:
    """What is kept between runs. Without a place for it nothing is, and every run is like the first.

    name  of the runs of mypy that belong together
    """

    def __init__(self, config: Config, name: str) -> None:
        self.cache: Cache | None = open_cache(config.cache_folder) if config.use_cache else None
        self.name = name

    def checked(self) -> Checked | None:
        """What the last run checked."""
        kept = self._load(_CHECKED, self.name)
        return kept if isinstance(kept, Checked) else None

    def keep_checked(self, checked: Checked) -> None:
        if self.cache is not None:
            self.cache.store(_CHECKED, self.name, checked)
            self.cache.prune(_CHECKED)

    def verdicts(self, key: str) -> Verdicts | None:
        kept = self._load(_FINDINGS, key)
        return kept if isinstance(kept, Verdicts) and kept.hold() else None

    def keep_verdicts(self, key: str, found: Verdicts) -> None:
        if self.cache is not None:
            self.cache.store(_FINDINGS, key, found)
            self.cache.prune(_FINDINGS)

    def _load(self, kind: str, key: str) -> object:
        return None if self.cache is None else self.cache.load(kind, key)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Until it ends, other processes with this memory wait here: the second one then finds what the first kept."""
        if self.cache is None or sys.platform == "win32":
            yield
            return
        import fcntl

        try:
            self.cache.folder.mkdir(parents=True, exist_ok=True)
            stream = open(self.cache.folder / "mypy.lock", "w")  # noqa: SIM115
        except OSError:
            yield
            return
        with stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield


def verdicts(checked: Checked, config: Config, memory: Memory, shadows: Mapping[str, str]) -> Verdicts:
    """What is found in files, from the memory where nothing has changed. `shadows` are paths of what to read instead of
    a file. Never raises: what goes wrong is a finding in the first of the files."""
    files = _included(sorted(checked.files), config)
    if not files:
        return Verdicts({})
    read = [shadows.get(os.path.abspath(file), file) for file in files]
    key = _key(files, read, config)
    known = memory.verdicts(key)
    if known is not None:
        return known
    with memory.alone():
        known = memory.verdicts(key)
        if known is not None:
            return known
        roots = sorted({root for file in files if (root := root_of(file, checked.files[file])) is not None})
        contents = {file: data for file, place in zip(files, read, strict=True)
                    if place != file and (data := _bytes(place)) is not None}
        found, can_be_kept = _analysed(files, roots, contents, config)
        if can_be_kept:
            memory.keep_verdicts(key, found)
    return found


def _key(files: Sequence[str], read: Sequence[str], config: Config) -> str:
    """A digest of all that findings depend on but the files that are found by import."""
    contents = content_digests([*read, *map(str, config.contracts)])
    return digest(str(VERSION), tool_signature(), os.getcwd(), repr(config), *files, "", *(contents[p] for p in read), "",
                  *(contents[str(p)] for p in config.contracts))


def _included(files: Sequence[str], config: Config) -> Sequence[str]:
    """Without what `exclude` names."""
    if not config.exclude:
        return files
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(config.exclude)
    return [file for file in files if not spec.match_file(os.path.relpath(file, config.root).replace(os.sep, "/"))]


def _bytes(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def _analysed(
    files: Sequence[str], roots: Sequence[str], contents: Mapping[str, bytes], config: Config
) -> tuple[Verdicts, bool]:
    """The verdicts, and whether they would be the same another time."""
    from tilecheck.config import ConfigError
    from tilecheck.engine import analyse_files
    from tilecheck.finish import finish
    from tilecheck.mypy_plugin.findings import by_file

    try:
        with _without_collecting():
            analysis = analyse_files(files, roots, config, contents)
            report = finish(analysis, config)
    except ConfigError as error:
        return complaint(files[0], str(error)), False
    except Exception as error:
        return complaint(files[0], f"internal error: {type(error).__name__}: {error}; please report it"), False
    dependencies = analysis.dependencies
    return Verdicts(by_file(report), dependencies.read, dependencies.missing), analysis.can_be_kept


def complaint(file: str, message: str) -> Verdicts:
    """That nothing could be checked."""
    text = " ".join(f"not checked: {message}".split())
    return Verdicts({os.path.abspath(file): (Finding(1, 0, 1, 1, FAILURE, text),)})


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
