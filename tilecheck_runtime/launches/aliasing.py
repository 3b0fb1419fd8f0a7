"""Whether the arguments of one launch get in each other's way."""

from __future__ import annotations

from functools import partial

from tilecheck_runtime.errors.locations import here
from tilecheck_runtime.errors.ownership import AliasedError
from tilecheck_runtime.launches.arguments import Given, shown
from tilecheck_runtime.ownership.regions import meet
from tilecheck_runtime.ownership.state import Use, check

__all__ = ["usable"]


def usable(kernel: str, given: Given) -> None:
    """Raises AliasedError when the kernel would write memory that it also gets through another argument, and else the
    OwnershipError that forbids the use of one of them. The caller holds the lock."""
    written = {**given.outputs, **given.accumulators}
    for name, handle in written.items():
        for other, second in given.arrays.items():
            if other != name and meet(handle.region, second.region):
                raise AliasedError(
                    f"{shown(name, handle)} and {shown(other, second)} of `{kernel}` share memory, and the kernel "
                    f"writes `{name}`", names=(name, other), use=here(),
                    fix=f"pass a copy as `{other}`: `.copy()`, taken before the other one is partitioned")
    for name, handle in written.items():
        check(handle, Use.WRITE, partial(shown, name, handle))
    for name, source in given.inputs.items():
        check(source, Use.READ, partial(shown, name, source))
