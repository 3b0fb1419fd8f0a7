"""The budget for deciding the pairs of one kernel.

It is counted in steps and not in seconds, so that verdicts are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["Effort"]

LIMIT: Final = 5_000
"""About ten seconds. The kernels of a large library need fewer than 1,500."""
DERIVATION: Final = 1
SEARCH: Final = 20
"""Steps of a derivation, and of a search for launches that collide."""

@dataclass
class Effort:
    """Steps that are done."""

    spent: int = 0

    def derivation(self) -> None:
        self.spent += DERIVATION

    def search(self) -> None:
        self.spent += SEARCH

    @property
    def over(self) -> bool:
        return self.spent > LIMIT
