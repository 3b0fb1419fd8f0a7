"""Launch scalars: numbers that are the same in every block of a launch.

A symbol says by its type what it is: the extent or stride of an array, a dimension of the grid, the value of a
parameter, the length of a list. `key` is its text in the contract language, by which atoms are ordered; nothing reads
a fact off it. Text becomes a symbol in two places: where a contract is parsed, and in `symbol_from_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeAlias

from tilecheck.symbolic.arrays import Array, array_from_text
from tilecheck.symbolic.atoms import BY_PARTS, Atom

__all__ = [
    "EXTENTS", "SIZES", "SYMBOLS", "Extent", "ExtentAt", "GridDim", "Item", "LeadingSize", "Length", "Rank", "Scalar",
    "Size", "Stand", "Stride", "Symbol", "symbol_from_text",
]

Epoch: TypeAlias = tuple[int, int]
"""How often a list may have been changed: under the name that it has, and under any."""


BY_TEXT: Final[dict[str, Symbol]] = {}


class Symbol(Atom):
    """A launch scalar. `name` is its text."""

    __slots__ = ("name",)

    name: str

    def _intern_symbol(self, parts: tuple[object, ...], text: str) -> Any:
        """This symbol, or the one with its text that there is already."""
        other = BY_TEXT.setdefault(text, self)
        if other is self:
            self.name = text
            return self._intern(parts, text, False)
        if type(other) is not type(self):
            raise ValueError(f"`{text}` is {type(other).__name__} and {type(self).__name__}")
        return other


class Scalar(Symbol):
    """The value of a parameter, of an attribute (`cfg.BLOCK`), or of another name of the source."""

    __slots__ = ()

    def __new__(cls, name: str) -> Scalar:
        known: Scalar | None = BY_PARTS.get((cls, name))
        return object.__new__(cls)._intern_symbol((cls, name), name) if known is None else known

    def _arguments(self) -> tuple[object, ...]:
        return (self.name,)


class GridDim(Symbol):
    """The number of blocks on axis 0, 1 or 2 of the grid: `grid[0]`."""

    __slots__ = ("axis",)

    axis: int

    def __new__(cls, axis: int) -> GridDim:
        known: GridDim | None = BY_PARTS.get((cls, axis))
        if known is None:
            new = object.__new__(cls)
            new.axis = axis
            known = new._intern_symbol((cls, axis), f"grid[{axis}]")
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.axis,)


class _OfAxis(Symbol):
    __slots__ = ("array", "axis")

    _member: ClassVar[str]

    array: Array
    axis: int

    def __new__(cls, array: Array, axis: int) -> Any:
        known = BY_PARTS.get((cls, array, axis))
        if known is None:
            new = object.__new__(cls)
            new.array, new.axis = array, axis
            known = new._intern_symbol((cls, array, axis), f"{array.text}.{cls._member}[{axis}]")
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.array, self.axis)


class Extent(_OfAxis):
    """The number of elements of an array along an axis: `x.shape[0]`. In host code an axis below 0 counts from the
    last axis of an array whose rank is not known."""

    __slots__ = ()

    _member = "shape"


class Stride(_OfAxis):
    """The distance in memory of two neighbours along an axis, in elements: `x.strides[0]`."""

    __slots__ = ()

    _member = "strides"


class _OfArray(Symbol):
    __slots__ = ("array",)

    _form: ClassVar[str]

    array: Array

    def __new__(cls, array: Array) -> Any:
        known = BY_PARTS.get((cls, array))
        if known is None:
            new = object.__new__(cls)
            new.array = array
            known = new._intern_symbol((cls, array), cls._form.format(array.text))
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.array,)


class Size(_OfArray):
    """The number of all elements of an array: `numel(x)`."""

    __slots__ = ()

    _form = "numel({})"


class Rank(_OfArray):
    """The number of axes of an array: `x.ndim`."""

    __slots__ = ()

    _form = "{}.ndim"


class LeadingSize(_OfArray):
    """The product of all extents of an array but the last: `x.shape[:-1]`."""

    __slots__ = ()

    _form = "{}.shape[:-1]"


class Length(Symbol):
    """The number of items of a list: `len(xs)`.

    epoch   in host code, how often the list may have been changed before; None for the list as it was passed
    """

    __slots__ = ("array", "epoch")

    array: Array
    epoch: Epoch | None

    def __new__(cls, array: Array, epoch: Epoch | None = None) -> Length:
        known: Length | None = BY_PARTS.get((cls, array, epoch))
        if known is None:
            new = object.__new__(cls)
            new.array, new.epoch = array, epoch
            mark = "" if epoch is None else f"@{epoch[0]}.{epoch[1]}"
            known = new._intern_symbol((cls, array, epoch), f"len({array.text}{mark})")
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.array, self.epoch)


class Item(_OfArray):
    """A number in a list or tuple that is passed as one parameter: `sizes[2]`."""

    __slots__ = ()

    _form = "{}"


class ExtentAt(Symbol):
    """An extent of an array along an axis that is not known.

    number   counts from 1; each time that such an extent is asked for it may be another one
    """

    __slots__ = ("array", "number")

    array: Array
    number: int

    def __new__(cls, array: Array, number: int) -> ExtentAt:
        known: ExtentAt | None = BY_PARTS.get((cls, array, number))
        if known is None:
            new = object.__new__(cls)
            new.array, new.number = array, number
            mark = "" if number == 1 else f"#{number}"
            known = new._intern_symbol((cls, array, number), f"{array.text}.shape[i]{mark}")
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.array, self.number)


class Stand(Symbol):
    """A number that a procedure puts in the place of an expression. No source spells it."""

    __slots__ = ()

    def __new__(cls, text: str) -> Stand:
        known: Stand | None = BY_PARTS.get((cls, text))
        return object.__new__(cls)._intern_symbol((cls, text), text) if known is None else known

    def _arguments(self) -> tuple[object, ...]:
        return (self.key,)


SYMBOLS: Final = (Scalar, Item, GridDim, Extent, ExtentAt, LeadingSize, Stride, Size, Rank, Length, Stand)
"""All kinds of symbols."""

EXTENTS: Final = (Extent, ExtentAt, LeadingSize)
"""The kinds that are extents of arrays, or products of them."""

SIZES: Final = (*EXTENTS, GridDim, Length, Size)
"""The kinds that count something, and so are never negative."""

_FORM: Final = re.compile(
    r"grid\[(?P<grid>[012])\]"
    r"|(?P<extent>.+)\.shape\[(?P<axis>-?\d+)\]"
    r"|(?P<some>.+)\.shape\[i\](?:#(?P<number>\d+))?"
    r"|(?P<leading>.+)\.shape\[:-1\]"
    r"|(?P<stride>.+)\.strides\[(?P<step>-?\d+)\]"
    r"|numel\((?P<size>.+)\)"
    r"|len\((?P<list>[^@]+)(?:@(?P<own>\d+)\.(?P<any>\d+))?\)"
    r"|(?P<rank>.+)\.ndim"
    r"|(?P<item>[^\W\d]\w*\[(?:\d+|\*)\])",
    re.DOTALL)
"""The texts of all symbols but scalars; no two forms have a text in common but `grid[0]`, which is not an item."""


def symbol_from_text(text: str) -> Symbol:
    """The symbol that is written so, in a contract or as the name of a value in host code."""
    known = BY_TEXT.get(text)
    if known is not None:
        return known
    found = _FORM.fullmatch(text)
    kind = None if found is None else found.lastgroup
    return Scalar(text) if found is None or kind is None else _FROM_TEXT[kind](found)


_FROM_TEXT: Final[dict[str, Callable[[re.Match[str]], Symbol]]] = {
    "grid": lambda m: GridDim(int(m["grid"])),
    "axis": lambda m: Extent(array_from_text(m["extent"]), int(m["axis"])),
    "some": lambda m: ExtentAt(array_from_text(m["some"]), 1),
    "number": lambda m: ExtentAt(array_from_text(m["some"]), int(m["number"])),
    "leading": lambda m: LeadingSize(array_from_text(m["leading"])),
    "step": lambda m: Stride(array_from_text(m["stride"]), int(m["step"])),
    "size": lambda m: Size(array_from_text(m["size"])),
    "list": lambda m: Length(array_from_text(m["list"])),
    "any": lambda m: Length(array_from_text(m["list"]), (int(m["own"]), int(m["any"]))),
    "rank": lambda m: Rank(array_from_text(m["rank"])),
    "item": lambda m: Item(array_from_text(m["item"])),
}
