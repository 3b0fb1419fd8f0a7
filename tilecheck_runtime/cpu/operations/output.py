"""Text of values as the device prints it: as `printf` of C would, elements of tiles in brackets."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import FLOAT, DType
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.tile import Tile, extend
from tilecheck_runtime.errors.language import TileTypeError, TileValueError

__all__ = ["NAMES"]

_INTEGERS: Final = frozenset("diuoxX")
_FLOATS: Final = frozenset("eEfFgGaA")
_C: Final = re.compile(r"%(?:%|(?P<flags>[0 #+-]?\d*(?:\.\d+)?)(?:hh|h|ll|l)?(?P<kind>[a-zA-Z]))")
_PYTHON: Final = re.compile(
    r"(?P<align>[<>^])?(?P<sign>[+ -])?(?P<alternate>#)?(?P<zero>0)?(?P<width>\d+)?(?P<precision>\.\d+)?"
    rf"(?P<kind>[{''.join(sorted(_INTEGERS | _FLOATS))}])?")


def _kind_of(dtype: DType) -> str:
    return "f" if dtype.category >= FLOAT else "d"


def _conversion(dtype: DType, flags: str, kind: str, what: str) -> Callable[[Any], str]:
    """The function that formats an element. Raises TileTypeError for a conversion of other elements."""
    if kind not in (_FLOATS if dtype.category >= FLOAT else _INTEGERS):
        raise TileTypeError(f"{what} does not format elements of {dtype}")
    if kind in "aA":
        return lambda item: item.hex() if kind == "a" else item.hex().upper()
    return lambda item: f"%{flags}{kind}" % item


def _render(data: Any, convert: Callable[[Any], str]) -> str:
    if isinstance(data, list):
        return "[" + ", ".join(_render(item, convert) for item in data) + "]"
    return convert(data)


def _text(tile: Tile, flags: str, kind: str, what: str) -> str:
    data = np.asarray(tile.data)
    plain = data if data.dtype.kind in "biuf" else data.astype(np.float32)
    return _render(plain.tolist(), _conversion(tile.dtype, flags, kind, what))


def _format(tile: Tile, spec: str) -> str:
    """A tile in an f-string."""
    found = _PYTHON.fullmatch(spec)
    if found is None:
        raise TileValueError(f"format {spec!r} is not supported")
    zero = "" if found["align"] == "<" else found["zero"] or ""
    sign = "" if found["sign"] in (None, "-") else found["sign"]
    flags = ("-" if found["align"] == "<" else "") + sign + (found["alternate"] or "") + zero
    size = (found["width"] or "") + (found["precision"] or "")
    return _text(tile, flags + size, found["kind"] or _kind_of(tile.dtype), f"format {spec!r}")


def print_(*args: Any, sep: str = " ", end: str = "\n") -> None:
    """Prints values."""
    builtins.print(*args, sep=sep, end=end)


def printf(format: str, *args: Any) -> None:
    """Formats as C does; the elements of a tile are in brackets. Raises TileTypeError if the arguments do not fit."""
    values = iter(args)

    def text(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        return _text(astile_like(next(values)), match["flags"], match["kind"], f"printf with {match[0]!r}")

    if sum(m[0] != "%%" for m in _C.finditer(format)) != len(args):
        raise TileTypeError(f"printf: {len(args)} values for format {format!r}")
    builtins.print(_C.sub(text, format), end="")


NAMES: Final[Mapping[str, Callable[..., Any]]] = {"print": print_, "printf": printf}

extend(Tile, {"__format__": _format, "__str__": lambda tile: _format(tile, ""),
              "__repr__": lambda tile: _format(tile, "")})
