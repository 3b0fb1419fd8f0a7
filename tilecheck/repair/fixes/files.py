"""The files of a run that may be changed, and how they are written."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tilecheck.config import Config
from tilecheck.pipeline.progress import Progress
from tilecheck.pipeline.results import Analysis
from tilecheck.pipeline.run import analyse_paths, analyse_text
from tilecheck.project.discover import discover
from tilecheck.repair.fixes.run import Contents, Tree

__all__ = ["WriteError", "tree_of_paths", "tree_of_text", "write_all"]


class WriteError(OSError):
    """A file that could not be written, or that is no longer what was checked. The message is one line."""


def tree_of_paths(paths: Sequence[str], config: Config, progress: Progress) -> tuple[Tree, Mapping[str, bytes]]:
    """The tree that paths name, and the files that may be changed, with what they hold.

    These are the files that the paths name or hold. A link found in a folder to a place outside of what was named is
    not followed; of several names of one file the first counts.
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
            with contextlib.suppress(OSError):  # which the check reports
                before[path] = Path(path).read_bytes()
    others = {group[0]: group[1:] for group in names.values()}

    def everywhere(contents: Contents) -> dict[str, bytes]:
        """With the contents under all names of each file."""
        return {name: data for path, data in contents.items() for name in (path, *others.get(path, ()))}

    def analyse(contents: Contents) -> Analysis:
        return analyse_paths(paths, config, progress, everywhere(contents) or None)

    def alone(file: str, contents: Contents) -> Analysis:
        return analyse_paths([file], config, contents=everywhere({file: contents.get(file, before[file])}))

    return Tree(before.get, analyse, _remembered(alone), others), before


def tree_of_text(data: bytes, name: str, config: Config) -> Tree:
    """The tree that is one text under a name."""

    def analyse(contents: Contents) -> Analysis:
        return analyse_text(contents.get(name, data), name, config)

    return Tree({name: data}.get, analyse, _remembered(lambda _, contents: analyse(contents)))


def _remembered(alone: Callable[[str, Contents], Analysis]) -> Callable[[str, Contents], Analysis]:
    """The same, asked once about one content of a file."""
    known: dict[tuple[str, bytes | None], Analysis] = {}

    def asked(file: str, contents: Contents) -> Analysis:
        key = (file, contents.get(file))
        if key not in known:
            known[key] = alone(file, contents)
        return known[key]

    return asked


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def write_all(before: Mapping[str, bytes], after: Contents) -> None:
    """Write new contents of files. Raises `WriteError`; files before the one in fault are written then."""
    for path, data in after.items():
        try:
            _write(os.path.realpath(path), before[path], data)
        except OSError as error:
            raise WriteError(f"{path}: {error.strerror or error}") from None


def _write(path: str, before: bytes, data: bytes) -> None:
    """Replace a file at once, with its mode; what changed since it was read stays as it is."""
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
