"""The array of an access or a symbol: a parameter, an element of a list of arrays, or unknown.

Arrays are values: two that are equal are one object, so that comparing and hashing them costs nothing. They are
ordered by their text, which is how contracts and reports spell them; `str(array)` gives it.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

__all__ = ["ANY", "UNKNOWN_ARRAY", "Array", "ArrayElement", "ArrayParam", "Position", "UnknownArray", "array_from_text"]

Position: TypeAlias = int | None
"""Where an array stands in a list: a number, or `ANY` for an array whose position varies or is not known."""

ANY: Final = None

_KNOWN: Final[dict[str, Array]] = {}


class Array:
    """An array, as an access or a symbol names it.

    root   the parameter that it is, or that it is an element of
    """

    __slots__ = ("root", "text")

    at_any_position = False
    """Whether it stands for an array at any position of a list."""

    root: str
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __lt__(self, other: Array) -> bool:
        return self.text < other.text


class ArrayParam(Array):
    """An array that is a parameter of its own, or the name that host code has for one."""

    __slots__ = ()

    def __new__(cls, name: str) -> ArrayParam:
        known = _KNOWN.get(name)
        if known is None:
            known = _KNOWN[name] = _create(cls, name, name)
        if not isinstance(known, ArrayParam):
            raise ValueError(f"`{name}` is not the name of a parameter")
        return known

    def __reduce__(self) -> tuple[object, ...]:
        return (ArrayParam, (self.text,))


class ArrayElement(Array):
    """An array of a list that is passed as one parameter.

    position   its place in the list, or `ANY`
    """

    __slots__ = ("position",)

    position: Position

    @property
    def at_any_position(self) -> bool:  # type: ignore[override]
        return self.position is ANY

    def __new__(cls, root: str, position: Position) -> ArrayElement:
        text = f"{root}[{'*' if position is ANY else position}]"
        known = _KNOWN.get(text)
        if known is None:
            known = _KNOWN[text] = _create(cls, text, root)
            assert isinstance(known, ArrayElement)
            known.position = position
        if not isinstance(known, ArrayElement):
            raise ValueError(f"`{text}` is already the name of a parameter")
        return known

    def __reduce__(self) -> tuple[object, ...]:
        return (ArrayElement, (self.root, self.position))


class UnknownArray(Array):
    """Any array: the accessed array is unknown. There is one, `UNKNOWN_ARRAY`."""

    __slots__ = ()

    def __new__(cls) -> UnknownArray:
        known = _KNOWN.get("?")
        if known is None:
            known = _KNOWN["?"] = _create(cls, "?", "?")
        assert isinstance(known, UnknownArray)
        return known

    def __reduce__(self) -> tuple[object, ...]:
        return (UnknownArray, ())


def _create(kind: type[Array], text: str, root: str) -> Array:
    out = object.__new__(kind)
    out.text, out.root = text, root
    return out


UNKNOWN_ARRAY: Final = UnknownArray()

_ELEMENT: Final = re.compile(r"([^\W\d]\w*)\[(\d+|\*)\]")


def array_from_text(text: str) -> Array:
    """The array that a text of a contract, a report or host code names."""
    known = _KNOWN.get(text)
    if known is not None:
        return known
    found = _ELEMENT.fullmatch(text)
    if found is None:
        return ArrayParam(text)
    return ArrayElement(found[1], ANY if found[2] == "*" else int(found[2]))
