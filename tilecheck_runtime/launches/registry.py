"""Operations and flights that are alive, for whoever asks when a program ends or forks.

Those that are made often are on no list, which would take a tenth of the time that a launch does: they are looked for
among all objects when somebody asks.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import Final, TypeVar

__all__ = ["UNLISTED", "find_alive"]

T = TypeVar("T")

UNLISTED: Final[set[type]] = set()
"""Classes of those that are on no list."""


def find_alive(listed: Mapping[int, weakref.ref[T]], kind: type) -> list[T]:
    """Those on a list, and of the others those of a kind."""
    found = [made for reference in list(listed.values()) if (made := reference()) is not None]
    wanted = tuple(c for c in UNLISTED if issubclass(c, kind))
    return found + ([made for made in gc.get_objects() if type(made) in wanted] if wanted else [])
