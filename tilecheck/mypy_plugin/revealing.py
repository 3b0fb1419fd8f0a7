"""The output of `reveal_type` for tiles: it has the extents that the checker knows, where the type of mypy has `int`.

Only the output changes. mypy continues with its own types: otherwise two tiles of one shape would have different types
if the checker knows the shape of only one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mypy.nodes import Expression
from mypy.types import AnyType, Instance, LiteralType, ProperType, Type, TypeOfAny, get_proper_type

from tilecheck.mypy_plugin._consts import REVEAL, TILE
from tilecheck.mypy_plugin.markers import receiver
from tilecheck.mypy_plugin.typeops import class_of, display_text

if TYPE_CHECKING:
    from mypy.plugin import CommonPluginApi, MethodContext

    from tilecheck.mypy_plugin.build import Build

__all__ = ["Place", "refine_type", "reveal"]

Place = tuple[int, int, int, int]
"""First and last line and column of an expression, as in a span."""

_TILE: Final = re.compile(r"Tile\[([^|]*)\]")
_INT: Final = "builtins.int"
_UNKNOWN: Final = ("?", "...")


def reveal(ctx: MethodContext, build: Build, plugin: CommonPluginApi) -> Type:
    """The type of the argument of `reveal_type`, if the call is one that the plugin inserted."""
    if receiver(ctx.context) != REVEAL:
        return ctx.default_return_type
    own = get_proper_type(ctx.arg_types[0][0])
    known = build.types(ctx.api.path)
    text = known.get(_place(ctx.args[0][0])) if known else None
    return own if text is None else refine_type(own, text, plugin)


def refine_type(own: ProperType, text: str, plugin: CommonPluginApi) -> Type:
    """A type of mypy, completed from a text such as `Tile[float32, BM, 64]`."""
    found = _TILE.fullmatch(text)
    if found is None:
        return own
    dtype, *extents = _parts(found[1])
    is_tile = isinstance(own, Instance) and own.type.fullname == TILE
    if not (is_tile or isinstance(own, AnyType)) or "..." in extents:
        return own
    args = own.args if isinstance(own, Instance) else ()
    element = args[0] if args and not _says_nothing(args[0]) else _element(dtype, plugin)
    given = args[1:] if len(args) == len(extents) + 1 else (None,) * len(extents)
    shape = [_extent(extent, plugin) if mine is None or _says_nothing(mine) else mine
             for mine, extent in zip(given, extents, strict=True)]
    return class_of(plugin, TILE, element, *shape)


def _place(e: Expression) -> Place:
    return (e.line, e.column, e.end_line or e.line, e.end_column or 0)


def _says_nothing(t: Type) -> bool:
    """Whether a type is that of any extent, or of anything."""
    proper = get_proper_type(t)
    return isinstance(proper, AnyType) or (isinstance(proper, Instance) and proper.type.fullname == _INT)


def _element(dtype: str, plugin: CommonPluginApi) -> Type:
    if dtype in _UNKNOWN:
        return AnyType(TypeOfAny.special_form)
    return display_text(dtype) if "." in dtype else class_of(plugin, f"cuda.tile.{dtype}")


def _extent(text: str, plugin: CommonPluginApi) -> Type:
    number = class_of(plugin, _INT)
    if text.isdecimal() and isinstance(number, Instance):
        return LiteralType(int(text), number)
    return number if text in _UNKNOWN else display_text(text)


def _parts(text: str) -> Iterator[str]:
    """The parts of a text between the commas outside of brackets."""
    depth, begin = 0, 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1
    yield text[begin:].strip()
