"""Operations of cuTile that the CPU does not support."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any, Final

from tilecheck_runtime.errors.language import TileUnsupportedFeatureError

__all__ = ["UNSUPPORTED", "make_unknown", "make_unsupported"]

UNSUPPORTED: Final = {
    "foreign_pointer_dtype": "pointers have no meaning here",
    "compilation": "nothing is compiled",
}
"""Names of `cuda.tile` that are missing, and why."""


def make_unknown(name: str, known: Iterable[str]) -> Callable[..., Any]:
    """Like `make_unsupported`, for a name that is not known in cuTile."""
    near = difflib.get_close_matches(name, list(known), 1, 0.7)

    def operation(*_: Any, **__: Any) -> Any:
        raise TileUnsupportedFeatureError(
            f"ct.{name} is not known to the CPU" + (f": did you mean ct.{near[0]}?" if near else ""))

    operation.__name__ = name
    return operation


def make_unsupported(name: str) -> Callable[..., Any]:
    """Returns a function that raises TileUnsupportedFeatureError, naming the operation."""

    def operation(*_: Any, **__: Any) -> Any:
        why = UNSUPPORTED.get(name)
        raise TileUnsupportedFeatureError(f"ct.{name} is not supported on the CPU" + (f": {why}" if why else ""))

    operation.__name__ = name
    return operation
