"""Runs small kernels that tests write in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.sanitizer.report import Report

Body = Callable[..., Any]


def run(body: Body, *args: Any, grid: tuple[int, ...] = (1,), seed: int | None = 0) -> Report:
    """A function as a kernel over a grid. The front end does not see it, because it is not a `ct.kernel`."""
    return sanitize(body, grid, args, seed=seed)


def codes(report: Report) -> set[tuple[str, str]]:
    """Codes with the source line that each stands on, stripped."""
    return {(event.code, _line(event.file, event.line)) for event in report.events}


def _line(file: str, number: int) -> str:
    with open(file, encoding="utf-8") as stream:
        return stream.read().splitlines()[number - 1].strip()


def floats(*shape: int) -> Any:
    """Distinct small floats."""
    return (np.arange(int(np.prod(shape)), dtype=np.float32) + 1).reshape(shape)


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


Shapes = Sequence[int]
