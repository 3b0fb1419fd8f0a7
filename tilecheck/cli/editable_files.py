"""The files of a run that `--fix` may change: reading them, checking them with other contents, and writing them."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.progress import Progress
from tilecheck.pipeline.results import Analysis
from tilecheck.pipeline.run import analyse_paths, analyse_text
from tilecheck.project.discover import discover
from tilecheck.repair.apply.run import Checked, Contents, Tree

__all__ = ["WriteError", "tree_of_paths", "tree_of_text", "write_all"]


class WriteError(OSError):
    """A file could not be written, or has changed since it was checked. The message is one line."""


def tree_of_paths(paths: Sequence[str], config: Config, progress: Progress) -> tuple[Tree, Mapping[str, bytes]]:
    """The tree that paths name, and the bytes of each file that may be changed.

    These are the files that are named, or found in a folder that is named. A link in a folder to a file outside of the
    named paths is not followed. If a file has several names, the first is used.
    """
    found = discover(paths, exclude=config.exclude, base=config.root, respect_gitignore=config.respect_gitignore)
    roots = [os.path.realpath(root) for root in found.roots]
    named = {os.path.abspath(path) for path in paths}
    before: dict[str, bytes] = {}
    names: dict[str, list[str]] = {}
    for path in map(str, found.files):
        real = os.path.realpath(path)
        if os.path.abspath(path) not in named and not any(_is_below(real, root) for root in roots):
            continue
        names.setdefault(real, []).append(path)
        if len(names[real]) == 1:
            with contextlib.suppress(OSError):  # reported by the check
                before[path] = Path(path).read_bytes()
    others = {group[0]: group[1:] for group in names.values()}

    def under_all_names(contents: Contents) -> dict[str, bytes]:
        return {name: data for path, data in contents.items() for name in (path, *others.get(path, ()))}

    def check(contents: Contents) -> Checked:
        return _report(analyse_paths(paths, config, progress, under_all_names(contents) or None), config)

    def check_file(file: str, contents: Contents) -> Report:
        data = contents.get(file, before[file])
        return _report(analyse_paths([file], config, contents=under_all_names({file: data})), config).full

    return Tree(before.get, check, _cache_reports(check_file), others), before


def tree_of_text(data: bytes, name: str, config: Config) -> Tree:
    """The tree that is one text under a name."""

    def check(contents: Contents) -> Checked:
        return _report(analyse_text(contents.get(name, data), name, config), config)

    return Tree({name: data}.get, check, _cache_reports(lambda _, contents: check(contents).full))


def _report(analysis: Analysis, config: Config) -> Checked:
    everything = replace(config, select=("ALL",), ignore=(), per_file_ignores=())
    return Checked(finish(analysis, config), finish(analysis, everything))


def _cache_reports(check_file: Callable[[str, Contents], Report]) -> Callable[[str, Contents], Report]:
    """The same function; a file with given contents is checked once."""
    cached: dict[tuple[str, bytes | None], Report] = {}

    def check(file: str, contents: Contents) -> Report:
        key = (file, contents.get(file))
        if key not in cached:
            cached[key] = check_file(file, contents)
        return cached[key]

    return check


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def write_all(before: Mapping[str, bytes], after: Contents) -> None:
    """Write new contents of files. Raises `WriteError`; the files before the one that failed are written by then."""
    for path, data in after.items():
        try:
            _write(os.path.realpath(path), before[path], data)
        except OSError as error:
            raise WriteError(f"{path}: {error.strerror or error}") from None


def _write(path: str, before: bytes, data: bytes) -> None:
    """Replace a file atomically and preserve its mode. A file that changed since it was read is left alone."""
    info = os.stat(path)
    if not os.access(path, os.W_OK):
        raise PermissionError("is read-only")
    if Path(path).read_bytes() != before:
        raise WriteError("has changed while it was being fixed; run again")
    descriptor, temporary = tempfile.mkstemp(prefix=".tilecheck-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        with contextlib.suppress(PermissionError, AttributeError):  # another's file; not on every system
            os.chown(temporary, info.st_uid, info.st_gid)
        os.chmod(temporary, stat.S_IMODE(info.st_mode))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
