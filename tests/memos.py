"""Empties the caches that earlier tests of a process filled."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["clear_memos"]


def clear_memos() -> None:
    """Empties the caches of the checker's functions. A test that changes a function calls it first: a result that an
    earlier test left in a cache is that of the unchanged function."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tilecheck."):
            for value in list(vars(module).values()):
                clear: Callable[[], None] | None = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()
