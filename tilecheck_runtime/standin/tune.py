"""`ct.tune.exhaustive_search` on a CPU: runs every configuration once, so that all of them are checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.cpu.execution.execute import launch

__all__ = ["Measurement", "TuningResult", "exhaustive_search"]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A configuration and the time that it took, in microseconds."""

    config: Any
    mean_us: float
    num_samples: int = 1
    error_margin_us: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TuningResult:
    """The result of a search. `failures`: configuration, type of exception and message."""

    best: Measurement
    successes: Sequence[Measurement]
    failures: Sequence[tuple[Any, type[BaseException], str]]

    def summary(self, *, top_k: int = 10, bottom_k: int = 2) -> str:
        """One line: counts."""
        return f"{len(self.successes)} succeeded, {len(self.failures)} failed"

    def __str__(self) -> str:
        return self.summary()


def exhaustive_search(search_space: Sequence[Any], stream: Any, grid_fn: Callable[[Any], Any], kernel: Any,
                      args_fn: Callable[[Any], Any], hints_fn: Callable[[Any], Any] | None = None, *,
                      quiet: bool = False, single_run_timeout_sec: float | None = None,
                      flush_l2: bool = True) -> TuningResult:
    """Runs the kernel with every configuration. The best is the first that runs, because times on a CPU do not predict
    a GPU.

    Raises ValueError if the space is empty or no configuration runs.
    """
    if not search_space:
        raise ValueError("Search space is empty.")
    successes: list[Measurement] = []
    failures: list[tuple[Any, type[BaseException], str]] = []
    for config in search_space:
        try:
            began = time.perf_counter()
            chosen = kernel if hasattr(kernel, "_pyfunc") else kernel(config)
            launch(stream, grid_fn(config), chosen, args_fn(config))
            successes.append(Measurement(config=config, mean_us=(time.perf_counter() - began) * 1e6))
        except Exception as error:
            failures.append((config, type(error), str(error)))
    if not successes:
        config, kind, text = failures[0]
        raise ValueError(f"No valid config found in search space.\nConfig: {config}\n{kind.__name__}: {text}")
    result = TuningResult(best=successes[0], successes=tuple(successes), failures=tuple(failures))
    if not quiet:
        print(result)
    return result
