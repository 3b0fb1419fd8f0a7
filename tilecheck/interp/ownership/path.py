"""The paths through a function: each is a list of choices, and a path more is one choice changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from heapq import heappop, heappush
from typing import Final, TypeVar

__all__ = ["MOST_PATHS", "Path", "paths"]

MOST_PATHS: Final = 96
"""Paths that are followed through one function; those with fewer unusual choices first."""

T = TypeVar("T")


class Path:
    """One way through a function. The first choices are given; after them the usual one is taken."""

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        self.given = given
        self.taken: list[tuple[int, int]] = []
        self._known: dict[Hashable, int] = {}

    def choose(self, options: int, usual: int = 0, about: Hashable = None) -> int:
        """One of `options` possibilities; the same for the same question `about` something that has not changed."""
        if about is not None and about in self._known:
            return self._known[about]
        at = len(self.taken)
        chosen = self.given[at] if at < len(self.given) else usual
        self.taken.append((chosen, options))
        if about is not None:
            self._known[about] = chosen
        return chosen

    def get_choice(self, about: Hashable) -> int | None:
        """The earlier choice for the same test; None if there is none."""
        return self._known.get(about)

    def list_alternatives(self) -> Iterator[tuple[int, ...]]:
        """The choices of the paths that branch off from this one after its given choices."""
        choices = tuple(chosen for chosen, _ in self.taken)
        for at in range(len(self.given), len(self.taken)):
            chosen, options = self.taken[at]
            yield from ((*choices[:at], other) for other in range(options) if other != chosen)


def paths(follow: Callable[[Path], T], most: int = MOST_PATHS) -> Iterator[T]:
    """The result of each path, for at most `most` paths. Other paths are not interpreted."""
    queue: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
    number = 0
    while queue and most:
        changed, _, given = heappop(queue)
        path = Path(given)
        yield follow(path)
        most -= 1
        for other in path.list_alternatives():
            number += 1
            heappush(queue, (changed + 1, number, other))
