"""The results of a workspace on disk.

Small parts of all results, with their reads, are one entry of the cache. Each large part is an entry by itself,
which is loaded when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from tilecheck.pipeline.cache import Cache, digest, tool_signature
from tilecheck.pipeline.reads import Key
from tilecheck.pipeline.units import Result, Unit

__all__ = ["Snapshot", "Store"]

_UNITS: Final = "units"
_PLACES: Final = 8
"""Workspaces whose results are cached."""


class Snapshot(Struct, frozen=True):
    """The results of a workspace, as they are stored.

    results   of units that are up to date
    digests   of the keys that they read
    contents  digests of the files that they read, and of all files of the workspace
    mentions  digest of the mentions that the search for launching functions depends on, for each file that contributes
    """

    results: Mapping[Unit, Result]
    digests: Mapping[Key, str]
    contents: Mapping[str, str]
    mentions: Mapping[str, str]


class Store:
    """The results of the workspaces with some roots and overlays, seen from the working directory."""

    def __init__(
        self, cache: Cache, roots: Sequence[str], overlays: Sequence[tuple[str, str]], writable: bool = True
    ) -> None:
        self._cache = cache
        self._writable = writable
        self._name = digest(
            tool_signature(), str(Path.cwd()), *roots, "", *(part for pair in overlays for part in pair))

    def load(self) -> Snapshot | None:
        """The results that were saved last, or None."""
        found = self._cache.load(_UNITS, self._name)
        return found if isinstance(found, Snapshot) else None

    def save(self, snapshot: Snapshot) -> None:
        """Replace the results, and remove large parts that belong to none of them."""
        if not self._writable:
            return
        self._cache.store(_UNITS, self._name, snapshot)
        self._cache.retain(f"large/{self._name}", {_entry(u, r.version) for u, r in snapshot.results.items()})
        for name in self._cache.prune(_UNITS, _PLACES):
            self._cache.remove(f"large/{name}")

    def save_large(self, unit: Unit, version: str, value: Any) -> None:
        """Save the large part of a result."""
        if self._writable:
            self._cache.store(f"large/{self._name}", _entry(unit, version), value)

    def load_large(self, unit: Unit, version: str) -> Any:
        """The large part of a result, or None."""
        return self._cache.load(f"large/{self._name}", _entry(unit, version))


def _entry(unit: Unit, version: str) -> str:
    return digest(*unit, version)
