"""The reads of a unit of the analysis: keys, each of which names a part of one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["Key", "Kind", "Reads", "Recording", "by_path", "closure"]

Kind: TypeAlias = Literal["file", "code", "name", "stars", "function", "class", "import", "launching"]


class Key(NamedTuple):
    """A part of a file. A key also records that there is no such part: its digest changes when the part appears.

    kind  `file`: all bytes. `code`: all but the comments that end the file. `name`: the bindings of the module-level
          name `what`, values included. `stars`: the star imports. `function`, `class`: the definition with the
          qualified name `what`. `import`: the file that an import of `what` means in this file. `launching`: the
          functions of the file that may launch
    path  of the file
    """

    kind: Kind
    path: str
    what: str = ""


Reads: TypeAlias = Mapping[str, frozenset[Key]]
"""Keys by the path of their file."""

_NOTHING: Final[frozenset[Key]] = frozenset()


class Recording:
    """Records keys in the innermost of the sets that are open. While it is quiet, a file that is read is not recorded:
    the caller records a smaller part of it."""

    def __init__(self) -> None:
        self._open: list[set[Key]] = []
        self._coarse: list[bool] = []
        self._quiet = 0
        self._while_quiet = _Quiet(self)

    @property
    def is_coarse(self) -> bool:
        """Whether a file that a name leads to counts as read as a whole."""
        return bool(self._coarse) and self._coarse[-1] and not self._quiet

    def note(self, key: Key) -> None:
        """Record one key."""
        if self._open:
            self._open[-1].add(key)

    def read(self, path: str, kind: Kind = "code") -> None:
        """Record that a whole file may have been read, unless a smaller part is recorded instead."""
        if not self._quiet:
            self.note(Key(kind, path))

    @contextmanager
    def collect_keys(self, coarse: bool = False) -> Iterator[set[Key]]:
        """Record in a new set until the end. A coarse set records whole files even within `without_whole_files`."""
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

    def without_whole_files(self) -> _Quiet:
        """A context in which whole files are not recorded."""
        return self._while_quiet


class _Quiet:
    """Makes a recording quiet. One object serves all uses, nested ones too: a run enters it many thousand times, and a
    generator would take most of the time."""

    __slots__ = ("_recording",)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def __enter__(self) -> None:
        self._recording._quiet += 1

    def __exit__(self, *error: object) -> None:
        self._recording._quiet -= 1


def closure(keys: Iterable[Key], behind: Mapping[Key, frozenset[Key]]) -> frozenset[Key]:
    """The keys, and those that were read to find out what they mean."""
    found: set[Key] = set()
    left = list(keys)
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += behind.get(key, _NOTHING)
    return frozenset(found)


def by_path(keys: Iterable[Key]) -> Reads:
    """Keys grouped by the path of their file."""
    found: dict[str, set[Key]] = {}
    for key in keys:
        found.setdefault(key.path, set()).add(key)
    return {path: frozenset(mine) for path, mine in found.items()}
