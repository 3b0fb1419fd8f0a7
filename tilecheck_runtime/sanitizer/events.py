"""Findings of a run: plain data."""

from __future__ import annotations

from dataclasses import dataclass

from tilecheck_runtime.sanitizer.sites import Site

__all__ = ["Event", "Point"]

Block = tuple[int, int, int]


@dataclass(frozen=True)
class Point:
    """An operation that was executed: where, in which block and in which iterations, outermost loop first."""

    site: Site
    block: Block
    loops: tuple[int, ...] = ()


@dataclass(frozen=True)
class Event:
    """One finding. It stands on `point`.

    code     of the rule, such as TC101
    message  one sentence, without place
    kernel   name of the kernel
    grid     of the launch
    array    name of the parameter; of an array in a list, with its number; None when no array is involved
    element  index in that array
    other    the other operation of a pair, or where undefined lanes come from
    notes    further sentences
    times    how often it happened at this pair of places
    """

    code: str
    message: str
    kernel: str
    grid: Block
    array: str | None
    element: tuple[int, ...] | None
    point: Point
    other: Point | None = None
    notes: tuple[str, ...] = ()
    times: int = 1

    @property
    def file(self) -> str:
        return self.point.site.span.file

    @property
    def line(self) -> int:
        return self.point.site.span.line

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of both operations."""
        return (self.line,) if self.other is None else (self.line, self.other.site.span.line)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of both operations, that of `point` last."""
        return (self.point.block,) if self.other is None else (self.other.block, self.point.block)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.code} {self.message} [{self.kernel}]"
