"""What a step of an analysis has read of the files: keys, each of which names a part of one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["Key", "Kind", "Reads", "Recording", "by_path", "closure"]

Kind: TypeAlias = Literal["file", "name", "stars", "function", "class", "import"]


class Key(NamedTuple):
    """A part of a file.

    kind  `file`: all of it. `name`: what binds the module-level name `what`, values included. `stars`: its star
          imports. `function`, `class`: the definition with the qualified name `what`. `import`: which file the import
          `what`, as `name` newline `path found`, means in this one
    path  of the file
    """

    kind: Kind
    path: str
    what: str = ""


Reads: TypeAlias = Mapping[str, frozenset[Key]]
"""Keys by the path of their file."""

_NOTHING: Final[frozenset[Key]] = frozenset()


class Recording:
    """Where keys are noted: the innermost of the sets that are being filled. `quiet` while what is read of files is
    noted in another way."""

    def __init__(self) -> None:
        self._open: list[set[Key]] = []
        self._coarse: list[bool] = []
        self._quiet = 0

    @property
    def is_coarse(self) -> bool:
        """Whether a file that a name leads to counts as read, all of it."""
        return bool(self._coarse) and self._coarse[-1] and not self._quiet

    def note(self, key: Key) -> None:
        if self._open:
            self._open[-1].add(key)

    def read(self, path: str) -> None:
        """Note that all of a file may have been read, unless it is known better."""
        if not self._quiet:
            self.note(Key("file", path))

    @contextmanager
    def filling(self, coarse: bool = False) -> Iterator[set[Key]]:
        """Note in a new set until the end. What fills a coarse one is not quiet, whoever asked for it."""
        found: set[Key] = set()
        outer, self._quiet = self._quiet, 0 if coarse else self._quiet
        self._open.append(found)
        self._coarse.append(coarse)
        try:
            yield found
        finally:
            self._open.pop()
            self._coarse.pop()
            self._quiet = outer

    @contextmanager
    def quiet(self) -> Iterator[None]:
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1


def closure(keys: Iterable[Key], behind: Mapping[Key, frozenset[Key]]) -> frozenset[Key]:
    """The keys, and those that were read to know what they mean."""
    found: set[Key] = set()
    left = list(keys)
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += behind.get(key, _NOTHING)
    return frozenset(found)


def by_path(keys: Iterable[Key]) -> Reads:
    found: dict[str, set[Key]] = {}
    for key in keys:
        found.setdefault(key.path, set()).add(key)
    return {path: frozenset(mine) for path, mine in found.items()}
