"""Limits of a GPU, checked before anything is compiled or launched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tilecheck_runtime.backends.interface import Job
from tilecheck_runtime.errors.ownership import GridError, LaunchArgumentError
from tilecheck_runtime.ownership.memory import Strided

__all__ = ["check_limits"]

_INT32: Final = 1 << 31
_GRID: Final = (1 << 24) - 1


def check_limits(job: Job, device: str) -> None:
    """Raises LaunchArgumentError for an array on another device, or one whose extents or strides do not fit in 32 bits,
    and GridError for a grid that is too large."""
    for axis, extent in enumerate(job.grid):
        if extent > _GRID:
            raise GridError(f"the grid of `{job.kernel}` has {extent} blocks along axis {axis}, of at most {_GRID}",
                            use=job.place, fix="take larger pieces, or map the partition to fewer blocks: "
                            "`.map(Linear(), 1024)`")
    for name, argument in zip(_parameter_names(job), job.arguments, strict=False):
        if isinstance(argument, Strided):
            _check_array(job, name, argument, device)


def _parameter_names(job: Job) -> Sequence[str]:
    code: Any = job.function.__code__
    return tuple(code.co_varnames[:code.co_argcount])


def _check_array(job: Job, name: str, array: Strided, device: str) -> None:
    there = array.memory.device
    if there != device:
        raise LaunchArgumentError(f"`{name}` of `{job.kernel}` lies on {there}, and the launch is on {device}",
                                  names=(name,), use=job.place, fix="bring all arguments to one device: "
                                  "`tilecheck_runtime.from_numpy(x.numpy())`")
    for what, numbers in (("extent", array.shape), ("stride", array.strides)):
        for axis, number in enumerate(numbers):
            if number >= _INT32:
                raise LaunchArgumentError(
                    f"`{name}` of `{job.kernel}` has {what} {number} along axis {axis}, and kernels count in 32 bits",
                    names=(name,), use=job.place, fix="launch it over parts: `x.view[...]`")
