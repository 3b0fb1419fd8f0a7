"""Discovers the files to check: the given paths and the files in their directories, without ignored files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilecheck.syntax.text import SourceError
from tilecheck.text.notebooks import SUFFIX

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["DEFAULT_EXCLUDES", "Discovery", "discover"]

DEFAULT_EXCLUDES: Final = frozenset({
    ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".svn",
    ".tilecheck_cache", ".tox", ".venv", "__pycache__", "build", "dist", "node_modules", "site-packages", "venv",
})
"""Names of directories that are not entered, unless they are given as a path or lie above one."""


class Discovery(Struct, frozen=True):
    """Files to check in a fixed order, the directories that were given, and the paths that could not be read."""

    files: tuple[Path, ...]
    roots: tuple[Path, ...]
    errors: tuple[SourceError, ...]


class _Ignore(Struct, frozen=True):
    """Patterns in gitignore syntax, relative to a directory."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """Whether a path is ignored (True) or included by a negated pattern (False); None if no pattern matches."""
        return self.spec.check_file(os.path.relpath(path, self.folder).replace(os.sep, "/") + _slash(path)).include


def _patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # the import is slow, and only folders need it

    return GitIgnoreSpec.from_lines(lines)


def _slash(path: str) -> str:
    return "/" if path.endswith(os.sep) else ""


def discover(
    paths: Sequence[Path | str], *, exclude: Sequence[str] = (), base: Path | None = None,
    respect_gitignore: bool = True, force_exclude: bool = False,
) -> Discovery:
    """The files that `paths` name. A directory stands for its `.py` files. Named files are always checked, except
    excluded ones with `force_exclude`.

    `exclude` are patterns in gitignore syntax, relative to `base`, or to the working directory without it.
    """
    folder = os.path.abspath(base or os.getcwd())
    excluded = _Ignore(folder, _patterns(exclude)) if exclude else None
    files: dict[str, Path] = {}
    roots: list[Path] = []
    errors: list[SourceError] = []
    for path in map(Path, paths):
        if path.is_dir():
            roots.append(path)
            walk = _Walk(path, excluded, respect_gitignore)
            for found in walk.files():
                files.setdefault(os.path.abspath(found), found)
            errors.extend(walk.errors)
        elif path.is_file():
            if force_exclude and excluded is not None and excluded.verdict(os.path.abspath(path)):
                continue
            files[os.path.abspath(path)] = path
        else:
            errors.append(SourceError(str(path), "no such file or directory"))
    ordered = sorted(files.values(), key=lambda file: (file.parts, str(file)))
    return Discovery(tuple(ordered), tuple(roots), tuple(errors))


class _Walk:
    def __init__(self, root: Path, excluded: _Ignore | None, gitignore: bool) -> None:
        self.root = root
        self.excluded = excluded
        self.gitignore = gitignore
        self.errors: list[SourceError] = []

    def files(self) -> Iterator[Path]:
        ignores = _outer_ignores(os.path.abspath(self.root)) if self.gitignore else ()
        yield from self._folder(self.root, ignores)

    def _folder(self, folder: Path, ignores: tuple[_Ignore, ...]) -> Iterator[Path]:
        try:
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.errors.append(SourceError(str(folder), f"cannot be read: {error.strerror or error}"))
            return
        absolute = os.path.abspath(folder)
        if self.gitignore:
            own = _read_ignore(absolute, ".gitignore")
            ignores = ignores if own is None else (*ignores, own)
        for entry in ordered:
            path = os.path.join(absolute, entry.name)
            # links to directories are not followed, so there are no loops
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in DEFAULT_EXCLUDES and not self._is_ignored(path + os.sep, ignores):
                    yield from self._folder(folder / entry.name, ignores)
            elif entry.name.endswith((".py", SUFFIX)) and entry.is_file() and not self._is_ignored(path, ignores):
                yield folder / entry.name

    def _is_ignored(self, path: str, ignores: tuple[_Ignore, ...]) -> bool:
        if self.excluded is not None and self.excluded.verdict(path):
            return True
        return _is_ignored(path, ignores)


def _is_ignored(path: str, ignores: tuple[_Ignore, ...]) -> bool:
    """Whether a path is ignored. The innermost file with a matching pattern decides."""
    verdicts = (ignore.verdict(path) for ignore in reversed(ignores))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _read_ignore(folder: str, name: str) -> _Ignore | None:
    try:
        lines = Path(folder, name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return _Ignore(folder, _patterns(lines))


def _outer_ignores(folder: str) -> tuple[_Ignore, ...]:
    """Patterns of the directories above one, up to the root of its repository; none if they ignore it."""
    above: list[str] = []
    current = folder
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return ()
        current = parent
        above.insert(0, current)
    repository = _read_ignore(os.path.join(current, ".git", "info"), "exclude")
    if repository is not None:
        repository = _Ignore(current, repository.spec)
    found = [repository, *(_read_ignore(outer, ".gitignore") for outer in above if outer != folder)]
    ignores = tuple(ignore for ignore in found if ignore is not None)
    return () if _is_ignored_anywhere(folder, current, ignores) else ignores


def _is_ignored_anywhere(folder: str, top: str, ignores: tuple[_Ignore, ...]) -> bool:
    while folder != top:
        if _is_ignored(folder + os.sep, ignores):
            return True
        folder = os.path.dirname(folder)
    return False
