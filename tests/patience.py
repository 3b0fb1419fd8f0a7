"""How long tests wait for another process or thread."""

from __future__ import annotations

from typing import Final

__all__ = ["PATIENCE"]

PATIENCE: Final = 600.0
"""Seconds. The end of it means a hang: a busy machine never takes this long."""
