"""One program on both backends, with inputs that differ by run and outputs that hold poison before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

import tilecheck_runtime as tcr

MARGIN: Final = 64
"""Elements around an output that nothing may touch."""


@contextmanager
def backend(name: str) -> Iterator[None]:
    """New tensors lie there meanwhile."""
    before = os.environ.get("TILECHECK_BACKEND")
    os.environ["TILECHECK_BACKEND"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["TILECHECK_BACKEND"]
        else:
            os.environ["TILECHECK_BACKEND"] = before


class Poisoned:
    """Room for an output amid poison, on the backend of the day."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, shift: int = 0) -> None:
        self.shape, self.count = shape, int(np.prod(shape))
        self.poison = np.nan if np.issubdtype(np.float64, np.floating) and dtype.__name__.startswith(("f", "b")) else 77
        self.start = MARGIN + shift
        self.whole = tcr.full((self.start + self.count + MARGIN,), self.poison, dtype)

    @property
    def tensor(self) -> Any:
        return self.whole.view[self.start:self.start + self.count].reshape(*self.shape)

    def check(self) -> Any:
        """The output as a NumPy array in double precision, after looking at the margins."""
        values = np.asarray(self.whole.numpy()).astype(np.float64)
        outside = np.concatenate([values[:self.start], values[self.start + self.count:]])
        same = np.isnan(outside) if np.isnan(self.poison) else outside == self.poison
        assert same.all(), f"{(~same).sum()} elements around an output of shape {self.shape} were written"
        return values[self.start:self.start + self.count].reshape(self.shape)


def close(found: Any, wanted: Any, tolerance: float) -> None:
    """Compares with a reference in double precision, relative to its largest element."""
    wanted = np.asarray(wanted, np.float64)
    assert found.shape == wanted.shape
    assert np.isfinite(found).all(), f"{(~np.isfinite(found)).sum()} elements were not written, or are not finite"
    worst = np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30)
    assert worst <= tolerance, f"off by {worst:.2e}, allowed are {tolerance:.0e}"


def on_both(program: Callable[[np.random.Generator], list[tuple[Any, Any, float]]], seed: int) -> None:
    """Runs a program on the GPU and under the sanitizer of the CPU, each against its reference and with the other."""
    found = {}
    for name in ("cuda", "cpu"):
        with backend(name):
            found[name] = program(np.random.default_rng(seed))
        for values, wanted, tolerance in found[name]:
            close(values, wanted, tolerance)
    for (one, _, tolerance), (other, _, _) in zip(found["cuda"], found["cpu"], strict=True):
        close(one, other, 2 * tolerance)
