"""Searches the fastest of several configurations: tiles, schedules, hints.

   best = tune(lambda tile: add.bind(zeros.partition(tile), x, y), [{"tile": 512}, {"tile": 1024}]).best
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilecheck_runtime.backends.selection.select import current
from tilecheck_runtime.tools.bench import bench

__all__ = ["Trial", "Tuned", "tune"]


@dataclass(frozen=True)
class Trial:
    """One configuration.

    microseconds  median duration of a launch; None if it failed
    error         the reason of the failure
    resumed       whether the record already contained it
    """

    config: Mapping[str, Any]
    microseconds: float | None
    error: str | None = None
    resumed: bool = False


@dataclass(frozen=True)
class Tuned:
    """The results of a search, fastest first, failures last."""

    trials: tuple[Trial, ...]

    @property
    def best(self) -> Mapping[str, Any]:
        """The fastest configuration."""
        return self.trials[0].config

    def __str__(self) -> str:
        return "\n".join(f"{t.config}: {t.error if t.microseconds is None else f'{t.microseconds:.2f} us'}"
                         for t in self.trials)


def tune(make: Callable[..., Callable[[], object]], space: Sequence[Mapping[str, Any]], *, record: Path | None = None,
         key: str = "", samples: int = 10, repeats: int = 1, seconds: float = math.inf) -> Tuned:
    """Measures `make(**config)`, a bound launch or a function that submits one, for every configuration.

    record   a file of JSON lines: its results for this key and device are reused, so that an interrupted search
             continues
    key      other inputs of the measurements, such as shapes
    seconds  time after which no further configuration starts: list those first that are likely to be best

    Raises ValueError if the space is empty or no configuration runs.
    """
    if not space:
        raise ValueError("there is nothing to choose from: give at least one configuration")
    place = {"key": key, "device": _device()}
    known = dict(_read(record, place))
    trials: list[Trial] = []
    end = time.monotonic() + seconds
    for config in space:
        name = json.dumps(config, sort_keys=True, default=str)
        found = known.get(name)
        if found is None and trials and time.monotonic() > end:
            found = Trial(config, None, f"not tried, as {seconds:.0f} s were over")
        elif found is None:
            found = _try_config(make, config, samples, repeats)
            _append(record, {**place, "config": name, "us": found.microseconds, "error": found.error})
        else:
            found = Trial(config, found.microseconds, found.error, resumed=True)
        trials.append(found)
    trials.sort(key=lambda t: (t.microseconds is None, t.microseconds or 0.0))
    if trials[0].microseconds is None:
        raise ValueError(f"no configuration runs; the first: {trials[0].config}: {trials[0].error}")
    return Tuned(tuple(trials))


def _try_config(make: Callable[..., Callable[[], object]], config: Mapping[str, Any], samples: int,
                repeats: int) -> Trial:
    try:
        call = make(**config)
        timing = bench(call, samples=samples, repeats=repeats)
        wait = getattr(call, "wait", None)
        if wait is not None:
            wait()
    except Exception as error:
        return Trial(config, None, f"{type(error).__name__}: {error}")
    return Trial(config, timing.median)


def _device() -> str:
    backend: Any = current()
    driver = getattr(backend, "driver", None)
    return str(backend.device) if driver is None else str(driver.name(backend.ordinal))


def _read(record: Path | None, place: Mapping[str, str]) -> Iterator[tuple[str, Trial]]:
    """Yields the results in a record for a key and device. Skips lines that an interruption truncated."""
    if record is None or not record.exists():
        return
    for line in record.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        if all(entry.get(name) == value for name, value in place.items()):
            yield entry["config"], Trial({}, entry["us"], entry["error"])


def _append(record: Path | None, entry: Mapping[str, Any]) -> None:
    if record is not None:
        with record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
