"""The syntax that describes arguments of a launch, for machines without a GPU and without the arrays.

   z=[4096, 4096] / [128, 128] by Grouped(8) on 132, x=f16[4096, 4096], bk=64

An array is given by its extents, after its element type if the kernel does not declare it. An output is divided into
pieces after `/`, which a schedule assigns to blocks after `by` and `on`. `: (8192, 1)` gives the strides, in elements,
of an array that is not in C order; `@ 4` the alignment of its address, in bytes, if it is less than 16.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from tilecheck_runtime.dialect.schedules import Grouped, Linear, Range, Schedule, Walk
from tilecheck_runtime.errors.compilation import SketchError

__all__ = ["Number", "SketchedArray", "parse_sketch"]

Number: TypeAlias = int | float | bool
_EXAMPLE: Final = "write it as in `z=[4096, 4096]/[128, 128], x=f16[4096, 4096], bk=64`"
_SCHEDULES: Final = {"Linear": Linear, "Grouped": Grouped, "Walk": Walk, "Range": Range}
_ARRAY: Final = re.compile(r"""
    (?P<dtype>[A-Za-z_]\w*)? \s* \[ (?P<shape>[^\]]*) \] \s*
    (?: / \s* \[ (?P<tile>[^\]]*) \] \s* )?
    (?: by \s+ (?P<schedule>[A-Z].*\)) \s* )?
    (?: on \s+ (?P<blocks>\d+) \s* )?
    (?: : \s* \( (?P<strides>[^)]*) \) \s* )?
    (?: @ \s* (?P<alignment>\d+) \s* )?
""", re.VERBOSE)
_NUMBERS: Final[Mapping[str, Number]] = {"True": True, "true": True, "False": False, "false": False}
ALIGNMENTS: Final = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class SketchedArray:
    """A described array.

    dtype      as written; None if omitted
    tile       extents of pieces; None if omitted
    blocks     to which a schedule assigns pieces
    strides    in elements
    alignment  of the address, in bytes
    """

    dtype: str | None
    shape: tuple[int, ...]
    tile: tuple[int, ...] | None
    schedule: Schedule | None
    blocks: int | None
    strides: tuple[int, ...]
    alignment: int


def parse_sketch(text: str) -> dict[str, SketchedArray | Number]:
    """Returns arguments by parameter name. Raises SketchError, naming the part that cannot be parsed."""
    found: dict[str, SketchedArray | Number] = {}
    for item in _split_items(text):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name.isidentifier():
            raise SketchError(f"`{item.strip()}` does not say which parameter it is for", fix=_EXAMPLE)
        if name in found:
            raise SketchError(f"`{name}` is given twice", fix="leave one of them out")
        found[name] = _parse_number(name, value) if "[" not in value else _parse_array(name, value)
    return found


def _split_items(text: str) -> Iterator[str]:
    """Splits a text at commas outside of brackets."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        yield text[start:]


def _parse_number(name: str, text: str) -> Number:
    if text in _NUMBERS:
        return _NUMBERS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise SketchError(f"`{name}` is `{text}`, which is neither a number nor an array", fix=_EXAMPLE)


def _parse_array(name: str, text: str) -> SketchedArray:
    found = _ARRAY.fullmatch(text)
    if found is None:
        raise SketchError(f"`{name}` is `{text}`, which cannot be read", fix=_EXAMPLE)
    shape = _parse_extents(name, found["shape"])
    tile = None if found["tile"] is None else _parse_extents(name, found["tile"])
    strides = _in_c_order(shape) if found["strides"] is None else _parse_extents(name, found["strides"])
    for what, values in (("pieces", tile), ("strides", strides)):
        if values is not None and len(values) != len(shape):
            raise SketchError(f"`{name}` has {len(shape)} extents and {what} of {len(values)}",
                              fix="give as many of one as of the other")
    if tile is not None and 0 in tile:
        raise SketchError(f"`{name}` is divided into pieces without elements", fix="take pieces of at least 1")
    alignment = int(found["alignment"] or 16)
    if alignment not in ALIGNMENTS:
        raise SketchError(f"`{name}` is aligned to {alignment} bytes",
                          fix=f"give one of {', '.join(map(str, ALIGNMENTS))}")
    schedule = None if found["schedule"] is None else _parse_schedule(name, found["schedule"])
    if (schedule is None) != (found["blocks"] is None):
        raise SketchError(f"`{name}` has a schedule or a number of blocks without the other",
                          fix="write both, as in `by Linear() on 132`, or neither")
    return SketchedArray(found["dtype"], shape, tile, schedule, int(found["blocks"]) if found["blocks"] else None,
                         strides,
                         alignment)


def _parse_extents(name: str, text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if words and not words[-1]:
        words.pop()
    if not all(re.fullmatch(r"\d+", word) for word in words):
        raise SketchError(f"`{name}` has `{text.strip()}` where numbers belong", fix=_EXAMPLE)
    return tuple(int(word) for word in words)


def _in_c_order(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _parse_schedule(name: str, text: str) -> Schedule:
    try:
        return _parse_call(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, TypeError, KeyError, ValueError):
        raise SketchError(f"`{name}` has the schedule `{text.strip()}`, which is none",
                          fix="write Linear(), Grouped(8), Walk(0) or Range(Linear(), 0, 64)") from None


def _parse_call(node: ast.expr) -> Schedule:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise ValueError
    given = [_parse_call(a) if isinstance(a, ast.Call) else ast.literal_eval(a) for a in node.args]
    kind: Callable[..., Schedule] = _SCHEDULES[node.func.id]
    if any(not isinstance(a, int) for a in (given[1:] if kind is Range else given)):
        raise ValueError
    return kind(*given)
