"""Operations of cuTile that the CPU does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilecheck_runtime.cpu.errors import TileUnsupportedFeatureError

__all__ = ["UNSUPPORTED", "unsupported"]

UNSUPPORTED: Final = {
    "foreign_pointer_dtype": "pointers have no meaning here",
    "compilation": "nothing is compiled",
}
"""Names of `cuda.tile` that are missing, and why."""


def unsupported(name: str) -> Callable[..., Any]:
    """A stand-in that raises TileUnsupportedFeatureError, naming the operation, when it is used."""

    def operation(*_: Any, **__: Any) -> Any:
        why = UNSUPPORTED.get(name)
        raise TileUnsupportedFeatureError(f"ct.{name} is not supported on the CPU" + (f": {why}" if why else ""))

    operation.__name__ = name
    return operation
