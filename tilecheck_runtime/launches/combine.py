"""Combines operations."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import MovedError
from tilecheck_runtime.launches.flight import Flight, JointFlight
from tilecheck_runtime.launches.operation import Listed, Operation, Recorder
from tilecheck_runtime.ownership.storage import LOCK

__all__ = ["Zip", "zip"]


class Zip(Listed[tuple[Any, ...]]):
    """Independent operations, whose results form a tuple."""

    def __init__(self, parts: tuple[Operation[Any], ...]) -> None:
        super().__init__()
        self._parts = parts

    @property
    def what(self) -> str:
        return f"the `zip` of {' and '.join(p.what for p in self._parts) or 'nothing'}"

    def _begin(self, place: Location) -> Flight[tuple[Any, ...]]:
        flights: list[Flight[Any]] = []
        try:
            for part in self._parts:
                flights.append(part._begin(place))
        except BaseException as error:
            try:
                JointFlight(flights).wait()  # operations under way end before the error is reported
            except Exception as further:
                error.add_note(f"another operation of the same `zip` failed as well: {further}")
            raise
        return JointFlight(flights)

    def _record(self, recorder: Recorder, place: Location) -> Any:
        return tuple(part._record(recorder, place) for part in self._parts)


def zip(*operations: Operation[Any]) -> Operation[tuple[Any, ...]]:
    """Runs operations that do not depend on each other. The result is the tuple of their results, in order.

    Raises TypeError for an argument that is not an operation, and MovedError for one that has run or occurs twice; then
    all of them can still be run.
    """
    with LOCK:
        for place, operation in enumerate(operations):
            if not isinstance(operation, Operation):
                raise TypeError(f"`zip` takes operations that have not run, such as `kernel(...)`, not {operation!r}")
            operation._check_not_run()
            if any(operation is other for other in operations[:place]):
                raise MovedError(f"{operation.what} is given to `zip` twice; an operation runs once",
                                 use=current_location(),
                                 before=operation._place, what="built", fix="build another one: call the kernel again")
        return Zip(tuple(o._hand_over("zip") for o in operations))
