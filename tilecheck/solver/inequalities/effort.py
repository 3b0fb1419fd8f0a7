"""Limits for the search for certificates. Work is counted in steps, so that results do not depend on the machine."""

from __future__ import annotations

from typing import final

__all__ = ["Budget", "FailedSearch"]


class Budget:
    """Remaining work for a family of questions. Once it is spent, the search for certificates stops."""

    __slots__ = ("left", "settled")

    def __init__(self, nodes: int) -> None:
        self.left = nodes
        self.settled = 0
        """Finished cases of all case splits that share this budget."""


@final
class FailedSearch:
    """A cached search without a result: its depth, whether a deeper one could go further, and the work that it took.

    A cache hit is charged the same work as the search, so that results do not depend on the state of the cache.
    """

    __slots__ = ("cut", "depth", "left", "looked", "nodes", "total")

    def __init__(self, depth: int, cut: bool, nodes: int, looked: int, total: int, left: int) -> None:
        self.depth, self.cut = depth, cut
        self.nodes, self.looked, self.total, self.left = nodes, looked, total, left
