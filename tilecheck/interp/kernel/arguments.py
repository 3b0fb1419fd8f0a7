"""Evaluated arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilecheck.interp.kernel.values import Unknown, Value
from tilecheck.syntax.tree import Span

__all__ = ["MISSING", "Arguments"]

MISSING: Final = Unknown("missing argument")


class Arguments(Struct, frozen=True):
    """Evaluated arguments. `complete` is false when a starred argument could not be expanded."""

    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    complete: bool
    span: Span

    def take(self, names: tuple[str, ...]) -> dict[str, Value]:
        """Arguments by name, for an operation whose parameters are `names` in order."""
        out = dict(zip(names, self.positional, strict=False))
        out.update(self.keywords)
        return out

    def values(self) -> tuple[Value, ...]:
        return (*self.positional, *self.keywords.values())
