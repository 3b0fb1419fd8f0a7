"""Findings of a run, as data."""

from __future__ import annotations

from dataclasses import dataclass

from tilecheck_runtime.sanitizer.sites import Site

__all__ = ["Event", "Point"]

Block = tuple[int, int, int]


@dataclass(frozen=True)
class Point:
    """An executed operation: its site, its block and its iterations, outermost loop first."""

    site: Site
    block: Block
    loops: tuple[int, ...] = ()


@dataclass(frozen=True)
class Event:
    """One finding, located at `point`.

    code     of the rule, such as TC101
    message  one sentence, without location
    kernel   name of the kernel
    grid     of the launch
    array    name of the parameter, with its index for an array in a list; None if no array is involved
    element  index in that array
    other    the other operation of a pair, or the origin of undefined lanes
    notes    further sentences
    times    number of occurrences at this pair of sites
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
