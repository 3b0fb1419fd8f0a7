"""Checks for arguments of one launch that share memory."""

from __future__ import annotations

from functools import partial

from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import AliasedError
from tilecheck_runtime.launches.arguments import Arguments, show_argument
from tilecheck_runtime.ownership.regions import overlap
from tilecheck_runtime.ownership.state import Use, check

__all__ = ["check_aliasing"]


def check_aliasing(kernel: str, given: Arguments) -> None:
    """Raises AliasedError if the kernel would write memory that it also receives through another argument, else the
    OwnershipError that forbids the use of an argument. The caller holds the lock."""
    written = {**given.outputs, **given.accumulators}
    for name, handle in written.items():
        for other, second in given.arrays.items():
            if other != name and overlap(handle.region, second.region):
                raise AliasedError(
                    f"{show_argument(name, handle)} and {show_argument(other, second)} of `{kernel}` share memory, "
                    f"and the kernel writes `{name}`", names=(name, other), use=current_location(),
                    fix=f"pass a copy as `{other}`: `.copy()`, taken before the other one is partitioned")
    for name, handle in written.items():
        check(handle, Use.WRITE, partial(show_argument, name, handle))
    for name, source in given.inputs.items():
        check(source, Use.READ, partial(show_argument, name, source))
