"""Locations in the source of kernels, as small numbers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Final

from tilecheck.syntax.tree import Span

__all__ = ["MARK", "Site", "Sites", "definition"]

MARK: Final = "__tilecheck_kernel__"
"""A global of every function that runs as part of a kernel; it distinguishes its frames from those of the executor."""

_NOWHERE: Final = Span("<unknown>", 0, 0, 0, 0)


@dataclass(frozen=True)
class Site:
    """An operation in the source of a kernel.

    spans  its location, then the calls of helpers that led there, innermost first
    """

    spans: tuple[Span, ...]

    @property
    def span(self) -> Span:
        return self.spans[0]

    @property
    def order(self) -> tuple[tuple[str, int, int], ...]:
        """Sorts in reading order: by the outermost call first."""
        return tuple((s.file, s.line, s.column) for s in reversed(self.spans))


class Sites:
    """Numbers the locations at which operations were executed."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._chains: list[tuple[tuple[CodeType, int], ...]] = []

    def current_site(self) -> int:
        """The number of the place in the kernel that called into the executor."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and MARK not in frame.f_globals:
            frame = frame.f_back
        if frame is None:
            return self._number(())
        outer = frame.f_back
        if outer is None or outer.f_globals.get("__name__") == "tilecheck_runtime.cpu.execution.execute":
            return self._number(((frame.f_code, frame.f_lasti),))
        chain = [(frame.f_code, frame.f_lasti)]
        while outer is not None and outer.f_globals.get("__name__") != "tilecheck_runtime.cpu.execution.execute":
            if MARK in outer.f_globals:
                chain.append((outer.f_code, outer.f_lasti))
            outer = outer.f_back
        return self._number(tuple(chain))

    def _number(self, chain: tuple[tuple[CodeType, int], ...]) -> int:
        known = self._numbers.get(chain)
        if known is None:
            known = self._numbers[chain] = len(self._chains)
            self._chains.append(chain)
        return known

    def site(self, number: int) -> Site:
        """The location of a number."""
        return Site(tuple(_span(code, instruction) for code, instruction in self._chains[number]) or (_NOWHERE,))


def definition(code: CodeType) -> Site:
    """The location of a function definition."""
    return Site((Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0),))


def _span(code: CodeType, instruction: int) -> Span:
    positions = list(code.co_positions())
    line, last, column, end = positions[instruction // 2] if instruction // 2 < len(positions) else (None,) * 4
    first = line or code.co_firstlineno
    return Span(code.co_filename, first, column or 0, last or first, end or 0)
