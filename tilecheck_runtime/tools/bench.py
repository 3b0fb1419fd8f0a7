"""Measures launches and compares them.

   bound = add.bind(z, x, y)
   print(bench(bound))               # median, and the spread of the middle half
   print(compare(bound, other))      # ratio of paired runs, with its confidence interval
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

from tilecheck_runtime.backends.selection.select import current
from tilecheck_runtime.tools.clocks import clock_for

__all__ = ["Comparison", "Timing", "bench", "compare"]

_DRAWS: Final = 2000
"""Number of bootstrap samples."""


@dataclass(frozen=True)
class Timing:
    """Durations of one call in microseconds, by sample."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """In microseconds."""
        return median(self.samples)

    @property
    def spread(self) -> tuple[float, float]:
        """The interquartile range."""
        if len(self.samples) < 2:
            return self.samples[0], self.samples[0]
        low, _, high = quantiles(self.samples, n=4)
        return low, high

    def __str__(self) -> str:
        low, high = self.spread
        return f"{self.median:.2f} us ({low:.2f} to {high:.2f}, {len(self.samples)} samples)"


@dataclass(frozen=True)
class Comparison:
    """Two calls, measured alternately, so that a device that heats up slows both.

    ratio     median over the pairs of the second duration divided by the first: below 1 the second is faster
    interval  95 % confidence interval of that median, by bootstrap
    """

    first: Timing
    second: Timing
    ratio: float
    interval: tuple[float, float]

    def within(self, tolerance: float) -> bool:
        """Returns whether the interval shows a difference of at most `tolerance`: 0.005 is half a percent."""
        return 1 - tolerance <= self.interval[0] and self.interval[1] <= 1 + tolerance

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.ratio:.4f} ({low:.4f} to {high:.4f}); {self.first.median:.2f} us and {self.second.median:.2f} us"


def bench(call: Callable[[], object], *, samples: int = 30, repeats: int = 1, warm_up: int = 3,
          flush: bool = True) -> Timing:
    """Measures a call that submits work to the default stream: a bound launch, `graph.start`, or a function.

    repeats  consecutive calls that form one sample, for calls that are too short to be measured alone
    flush    whether caches of a GPU are emptied before each sample
    """
    clock = clock_for(current())
    for _ in range(warm_up):
        clock.time(call, repeats, flush)
    return Timing(tuple(clock.time(call, repeats, flush) for _ in range(samples)))


def compare(first: Callable[[], object], second: Callable[[], object], *, samples: int = 30, repeats: int = 1,
            warm_up: int = 3, flush: bool = True) -> Comparison:
    """Measures two calls alternately, each first equally often. The arguments are those of `bench`."""
    clock = clock_for(current())
    for _ in range(warm_up):
        clock.time(first, repeats, flush)
        clock.time(second, repeats, flush)
    mine: list[float] = []
    theirs: list[float] = []
    for n in range(samples):
        turns = ((first, mine), (second, theirs))
        for call, into in turns if n % 2 == 0 else turns[::-1]:
            into.append(clock.time(call, repeats, flush))
    ratios = [b / a for a, b in zip(mine, theirs, strict=True)]
    return Comparison(Timing(tuple(mine)), Timing(tuple(theirs)), median(ratios), _interval(ratios))


def _interval(values: Sequence[float]) -> tuple[float, float]:
    draw = random.Random(0)
    medians = sorted(median(draw.choices(values, k=len(values))) for _ in range(_DRAWS))
    return medians[int(0.025 * _DRAWS)], medians[int(0.975 * _DRAWS)]
