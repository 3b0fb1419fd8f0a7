"""The seed of random tests. It is a hash of the sources, so that each change is tried on inputs of its own."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["VARIABLE", "source_seed"]

VARIABLE: Final = "TILECHECK_TEST_SEED"
"""The environment variable that sets the seed, to repeat a run."""

_ROOT: Final = Path(__file__).parents[1]
_SOURCES: Final = ("tilecheck", "tilecheck_runtime", "tests/oracle")
_FIRST: Final = 1_000_000
"""Seeds below are those of fixed samples."""


@cache
def source_seed() -> int:
    """The seed of this run. Raises ValueError if the environment variable is not a number."""
    given = os.environ.get(VARIABLE)
    return int(given) if given else _FIRST + _hash_of_sources() % 1_000_000_000


def _hash_of_sources() -> int:
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_ROOT / folder).rglob("*.py")):
            digest.update(path.relative_to(_ROOT).as_posix().encode())
            digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return int.from_bytes(digest.digest()[:8])
