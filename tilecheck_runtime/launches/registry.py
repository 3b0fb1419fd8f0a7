"""Finds operations and flights that exist when a program ends or forks.

Frequently created ones are not listed, because that would take a tenth of the time of a launch. They are searched among
all objects.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import Final, TypeVar

__all__ = ["UNLISTED", "find_alive"]

T = TypeVar("T")

UNLISTED: Final[set[type]] = set()
"""Classes whose instances are not listed."""


def find_alive(listed: Mapping[int, weakref.ref[T]], kind: type) -> list[T]:
    """Returns the objects of a list, and unlisted objects of a kind."""
    found = [made for reference in list(listed.values()) if (made := reference()) is not None]
    wanted = tuple(c for c in UNLISTED if issubclass(c, kind))
    return found + ([made for made in gc.get_objects() if type(made) in wanted] if wanted else [])
