"""Faults of a launch that do not depend on its kernel, and the certain type of a launched value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from tilecheck.interp.host.values import Int, Items, Plain, Ratio, Ref, Truth, Value
from tilecheck.symbolic import EXTENTS, FloorDiv, Max, Min, Size, Stride, Term, atoms_of

__all__ = ["Fault", "launch_faults", "literal"]

Fault: TypeAlias = tuple[Literal["grid-kind", "grid-rank", "grid-float", "arguments-kind", "keyword"], str]
"""A kind of fault, and what it is about."""

_KEYWORDS: Final = frozenset({"programmatic_dependent_launch"})
_RANK: Final = 3


def launch_faults(
    grid: Value | None, arguments: Value | None, keywords: Mapping[str, Value] | None = None,
) -> tuple[Fault, ...]:
    """Faults of `launch(stream, grid, kernel, arguments, **keywords)` that are certain."""
    found: list[Fault] = list(_grid(grid))
    if isinstance(arguments, Ref):
        found.append(("arguments-kind", f"a {arguments.kind}"))
    found += [("keyword", name) for name in sorted(keywords or {}) if name not in _KEYWORDS]
    return tuple(found)


def _grid(grid: Value | None) -> Iterator[Fault]:
    if isinstance(grid, Ref):
        yield ("grid-kind", f"a {grid.kind}")
    elif isinstance(grid, Int) and literal(grid) == "int":
        yield ("grid-kind", "an int")
    elif isinstance(grid, Items):
        if len(grid.items) > _RANK:
            yield ("grid-rank", str(len(grid.items)))
        for axis, item in enumerate(grid.items):
            if literal(item) == "float":
                yield ("grid-float", str(axis))


def _is_size(term: Term) -> bool:
    """Whether a number is computed only from constants and sizes of arrays. Any other value may still be an array."""
    return all(isinstance(a, (*EXTENTS, Size, Stride, FloorDiv, Min, Max)) for a in atoms_of(term))


_LITERAL: Final[Mapping[type, Callable[[Any], str | None]]] = {
    Plain: lambda v: "None" if v.value is None else type(v.value).__name__,
    Ratio: lambda v: "float" if _is_size(v.num) and _is_size(v.den) else None,
    Int: lambda v: "int" if _is_size(v.term) and v.whole is not False else None,
    Truth: lambda v: "bool" if v.cond.op in ("true", "false") else None,
    Ref: lambda v: v.kind,
}


def literal(value: Value) -> str | None:
    """The type of a value, as Python names it, if it is certain; None for an array and for an unknown value."""
    tell = _LITERAL.get(type(value))
    return None if tell is None else tell(value)
