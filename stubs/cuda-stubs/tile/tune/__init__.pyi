# Types of `cuda.tile.tune`.

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cuda.tile import kernel as _kernel

__all__ = ["Measurement", "TuningResult", "exhaustive_search"]

_T = TypeVar("_T")

@dataclass(frozen=True, kw_only=True)
class Measurement(Generic[_T]):
    config: _T
    mean_us: float
    num_samples: int
    error_margin_us: float

@dataclass(frozen=True, kw_only=True)
class TuningResult(Generic[_T]):
    best: Measurement[_T]
    successes: Sequence[Measurement[_T]]
    failures: Sequence[tuple[_T, type[BaseException], str]]
    def summary(self, *, top_k: int = 10, bottom_k: int = 2) -> str: ...

def exhaustive_search(
    search_space: Sequence[_T],
    stream: Any,
    grid_fn: Callable[[_T], tuple[int, ...]],
    kernel: _kernel[...] | Callable[[_T], _kernel[...]],
    args_fn: Callable[[_T], tuple[Any, ...]],
    hints_fn: Callable[[_T], dict[str, Any]] | None = None,
    *,
    quiet: bool = False,
    single_run_timeout_sec: float | None = None,
    flush_l2: bool = True,
) -> TuningResult[_T]: ...
