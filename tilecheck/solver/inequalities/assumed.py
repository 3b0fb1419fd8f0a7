"""Assumptions of proofs on the signs of launch scalars."""

from __future__ import annotations

from typing import Final, TypeAlias

from tilecheck.symbolic import Cond

__all__ = ["NOTHING", "Assumed"]

Assumed: TypeAlias = frozenset[Cond]
"""Sign conditions on launch scalars that a proof rests on: `n >= 0`, `T >= 1`."""

NOTHING: Final[Assumed] = frozenset()
