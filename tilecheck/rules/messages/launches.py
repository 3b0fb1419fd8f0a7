"""Words that messages about launches that break a contract share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilecheck.diagnostics import Severity
from tilecheck.obligations.launch_breaches import Breach

__all__ = ["SAMPLED", "breach_severity", "values_of"]

SAMPLED: Final = "that was seen for all sizes that were tried, and is not proved for others"


def breach_severity(breach: Breach) -> Severity:
    """An error if the kernel went wrong in the numbers of the launch, or the author declared the clause."""
    return "error" if breach.executed and breach.result.state == "broken" and not breach.sampled else "warning"


def values_of(values: Iterable[tuple[str, int]]) -> str:
    """`n = 3, T = 4`"""
    return ", ".join(f"{name} = {value}" for name, value in values)
