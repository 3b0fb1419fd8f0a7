"""Whether the file that a function came from still says what the function does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Final

__all__ = ["unchanged"]

_FUTURES: Final = 0x1000000
"""Compiler flag of `from __future__ import annotations`."""


@lru_cache(maxsize=4096)
def unchanged(function: FunctionType) -> bool:
    """Whether the source that the checker reads is that of a function: asked when the function is first compiled.

    A file may have been edited since it was imported, and then what is proved of it says nothing about the function.
    """
    code = function.__code__
    try:
        with open(code.co_filename, "rb") as file:
            module = compile(file.read(), code.co_filename, "exec", flags=code.co_flags & _FUTURES, dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return False
    return any(_alike(code, found) for found in _codes(module))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _alike(a: CodeType, b: CodeType) -> bool:
    if (a.co_name, a.co_firstlineno, a.co_code, a.co_names, a.co_varnames, a.co_freevars) != (
            b.co_name, b.co_firstlineno, b.co_code, b.co_names, b.co_varnames, b.co_freevars):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(
        _alike(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else (type(x), x) == (type(y), y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True))
