"""mypy's error codes for rules: one for each kind of fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CODES", "FAILURE", "RULES_OF"]

FAILURE: Final = "tile-failure"
"""What could not be checked."""

RULES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "tile-race": ("TC101", "TC102", "TC103", "TC106", "TC107", "TC108", "TC111"),
    "tile-ownership": ("TC104", "TC105", "TC109", "TC110"),
    "tile-bounds": ("TC201", "TC202", "TC203", "TC204", "TC205", "TC206", "TC207", "TC305"),
    "tile-padding": ("TC301", "TC303"),
    "tile-unused": ("TC302", "TC304"),
    "tile-alias": ("TC401",),
    "tile-moved": ("TC402", "TC406"),
    "tile-in-flight": ("TC403", "TC407"),
    "tile-never-run": ("TC404",),
    "tile-launch": ("TC405", "TC408"),
    "tile-shape": ("TC501", "TC503", "TC504", "TC505"),
    "tile-dtype": ("TC502",),
    "tile-opt-out": ("TC901", "TC902"),
    FAILURE: (),
}
"""The rules that each code stands for. A rule is never moved to another code."""

CODES: Final[Mapping[str, str]] = {rule: code for code, rules in RULES_OF.items() for rule in rules}
"""The code of each rule."""
