"""How fast launches are, and whether one is faster than another.

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
"""Of the bootstrap."""


@dataclass(frozen=True)
class Timing:
    """Microseconds of one call, sample by sample."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """In microseconds."""
        return median(self.samples)

    @property
    def spread(self) -> tuple[float, float]:
        """What half of the samples lie between."""
        if len(self.samples) < 2:
            return self.samples[0], self.samples[0]
        low, _, high = quantiles(self.samples, n=4)
        return low, high

    def __str__(self) -> str:
        low, high = self.spread
        return f"{self.median:.2f} us ({low:.2f} to {high:.2f}, {len(self.samples)} samples)"


@dataclass(frozen=True)
class Comparison:
    """Two calls, measured in turns, so that a device that grows warm slows both.

    ratio     median over the pairs of how long the second takes by the first's time: below 1 the second is faster
    interval  95 % confidence interval of that median, by bootstrap
    """

    first: Timing
    second: Timing
    ratio: float
    interval: tuple[float, float]

    def within(self, tolerance: float) -> bool:
        """Whether the interval says that they differ by no more than that: 0.005 is half a percent."""
        return 1 - tolerance <= self.interval[0] and self.interval[1] <= 1 + tolerance

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.ratio:.4f} ({low:.4f} to {high:.4f}); {self.first.median:.2f} us and {self.second.median:.2f} us"


def bench(call: Callable[[], object], *, samples: int = 30, repeats: int = 1, warm_up: int = 3,
          flush: bool = True) -> Timing:
    """Measures something that hands over work to the default stream: a bound launch, `graph.start`, or a function.

    repeats  calls in a row that make one sample, for what is too short to be measured alone
    flush    whether caches of a GPU are emptied before each sample
    """
    clock = clock_for(current())
    for _ in range(warm_up):
        clock.time(call, repeats, flush)
    return Timing(tuple(clock.time(call, repeats, flush) for _ in range(samples)))


def compare(first: Callable[[], object], second: Callable[[], object], *, samples: int = 30, repeats: int = 1,
            warm_up: int = 3, flush: bool = True) -> Comparison:
    """Measures two things in turns, each first as often as second. Arguments are those of `bench`."""
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
