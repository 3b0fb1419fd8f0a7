"""Contents of files at an earlier revision, from git. Git runs no program of the repository for this."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

__all__ = ["History", "HistoryError"]

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "-c", "core.hooksPath=/dev/null")


class HistoryError(Exception):
    """There is no repository, no git, or no such revision. The message is one line."""


class History:
    """Files of a repository now, and at the merge base of `revision` and `HEAD`.

    Commits to `revision` after the merge base do not count as changes. Uncommitted changes count as they are on disk,
    including files that git does not track.
    """

    def __init__(self, folder: Path, revision: str) -> None:
        """Raises HistoryError."""
        self._folder = folder
        self.top = Path(os.path.realpath(self._one("rev-parse", "--show-toplevel", error="not in a git repository")))
        unknown = f"there is no revision '{revision}' in this repository"
        wanted = f"{revision}^{{commit}}"
        commit = self._one("rev-parse", "--verify", "--quiet", "--end-of-options", wanted, error=unknown)
        shallow = "; in a shallow clone, fetch more of the history"
        unrelated = f"'{revision}' and HEAD have no commit in common{shallow}"
        self.base = self._one("merge-base", commit, "HEAD", error=unrelated)

    def has_changed(self, file: str) -> bool:
        """Whether a file may differ from its earlier version. A file outside the repository has not changed."""
        path = self._relative_path(file)
        return path is not None and (path in self._before or path not in self._tracked)

    def before(self, file: str) -> bytes | None:
        """The earlier contents of a file; None if it did not exist. A renamed file is read under its old name."""
        path = self._relative_path(file)
        if path is None:
            return None
        old = self._before.get(path, path)
        if old is None or old not in self._tracked:
            return None
        return self._git("cat-file", "blob", f"{self.base}:{old}", error=f"{old} cannot be read")

    def has_moved(self, file: str) -> bool:
        """Whether a file was in another folder, where relative imports had another meaning."""
        path = self._relative_path(file)
        old = None if path is None else self._before.get(path)
        return path is not None and old is not None and Path(old).parent != Path(path).parent

    @cached_property
    def gone(self) -> frozenset[str]:
        """Removed and moved files: their earlier paths, relative to the top of the repository."""
        return frozenset(old for old in self._before.values() if old is not None and not (self.top / old).exists())

    def _relative_path(self, file: str) -> str | None:
        path = Path(os.path.realpath(file))
        return path.relative_to(self.top).as_posix() if path.is_relative_to(self.top) else None

    @cached_property
    def _tracked(self) -> frozenset[str]:
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", "--name-only", self.base, error="cannot be listed")
        return frozenset(_names(listed))

    @cached_property
    def _before(self) -> dict[str, str | None]:
        """The files that differ, with their earlier paths; None for new files."""
        text = self._git(
            "-C", str(self.top), "diff", "--name-status", "-z", "--find-renames", "--no-ext-diff", "--no-textconv",
            "--no-relative", self.base, "--", error="git cannot compare"
        )
        names, out = _names(text), dict[str, str | None]()
        for status in names:
            first = next(names)
            if status[0] in "RC":
                out[next(names)] = first
            else:
                out[first] = None if status[0] == "A" else first
        return out

    def _one(self, *arguments: str, error: str) -> str:
        return self._git(*arguments, error=error).decode("utf-8", "surrogateescape").rstrip("\n")

    def _git(self, *arguments: str, error: str) -> bytes:
        command = ["git", "-C", str(self._folder), *_SAFE, *arguments]
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        except OSError as fault:
            raise HistoryError(f"git cannot be run: {fault.strerror or fault}") from fault
        if done.returncode:
            message = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise HistoryError(f"{error} ({message})" if message else error)
        return done.stdout


def _names(listed: bytes) -> Iterator[str]:
    parts: Iterable[bytes] = listed.split(b"\0")
    return (part.decode("utf-8", "surrogateescape") for part in parts if part)
