"""The types of tiles as text, for editors: `Tile[float32, BM, 64]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.dtypes import DType, ElementOf
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.interp.kernel.values import Bool, Choice, Data, Int, Shape, Value
from tilecheck.kernel_model.value_trace import values_by_place
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.project.module import Module
    from tilecheck.project.project import Project

__all__ = ["type_text", "types_of_module"]

_SEVERAL: Final = 3


def types_of_module(project: Project, module: Module) -> dict[Span, str]:
    """The type of each expression, and of each variable where it is set, that is a tile in one of a module's kernels.

    Raises `SourceError` when the file cannot be read or parsed.
    """
    found: dict[Span, dict[str, None]] = {}
    module.check()
    for site in module.kernels():
        for span, values in values_by_place(project, site).items():
            for value in values:
                text = type_text(value)
                if text is not None and span.file == module.path:
                    found.setdefault(span, {})[text] = None
    return {span: _join_types(texts) for span, texts in sorted(found.items())}


def _join_types(texts: Iterable[str]) -> str:
    """The text of a location that has tiles of several types, in the order in which they were met."""
    several = list(texts)
    return " | ".join(several if len(several) <= _SEVERAL else [*several[:_SEVERAL], "..."])


def type_text(value: Value) -> str | None:
    """`Tile[float32, BM, 64]`; `Tile[?, 64]` when the element type is not known, `Tile[a.dtype, 64]` when it is that of
    an array of which it is not known, and `Tile[float32, ...]` when the shape is not known. A scalar is shown by its
    type alone. None for a value that is not a tile, and for an unknown one."""
    handler = _TEXTS.get(type(value))
    return None if handler is None else handler(value)


def _tile(value: Int | Bool | Data) -> str | None:
    dtype = str(value.dtype) if isinstance(value.dtype, (DType, ElementOf)) else "?"
    if value.shape == ():
        return None if dtype == "?" else dtype
    if value.shape is None:
        return None if dtype == "?" else f"Tile[{dtype}, ...]"
    return f"Tile[{dtype}, {_extents(value.shape)}]"


def _extents(shape: Shape) -> str:
    return ", ".join(spell_term(e) for e in shape)


def _choice(value: Choice) -> str | None:
    texts = {text: None for v in (value.then, value.other) if (text := type_text(v)) is not None}
    return _join_types(texts) if texts else None


_TEXTS: Final[Mapping[type, Callable[..., str | None]]] = {Int: _tile, Bool: _tile, Data: _tile, Choice: _choice}
