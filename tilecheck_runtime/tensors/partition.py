"""Partitions: tensors divided into disjoint pieces, ready to be written by a launch."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.dialect.schedules import (
    MOST,
    Grouped,
    Linear,
    Range,
    Schedule,
    Single,
    Walk,
    count_streamed,
    largest_number,
)
from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import GridError, LaunchArgumentError, ReadOnlyError
from tilecheck_runtime.ownership.handles import Handle, as_strided, label
from tilecheck_runtime.ownership.regions import has_distinct_elements
from tilecheck_runtime.ownership.state import Use, check, end_handle
from tilecheck_runtime.ownership.storage import LOCK, Hold, Mode
from tilecheck_runtime.tensors.capturing import refuse_in_capture

if TYPE_CHECKING:
    from tilecheck_runtime.tensors.tensor import Tensor

__all__ = ["Partition", "move_into_partition", "transfer_hold", "transfer_partition"]

MOST_AXES: Final = 5


@dataclass(frozen=True)
class Cut:
    """The division of a tensor.

    tile      extents of a piece; pieces at the far edges are clipped
    schedule  assigns pieces to blocks
    blocks    number of blocks that share the pieces; None for one piece per block
    prefix    whether the grid may be smaller than the partition
    """

    tile: tuple[int, ...]
    schedule: Schedule
    blocks: int | None
    prefix: bool


class Partition(Handle):
    """Disjoint pieces of a tensor, as `Cut` describes them. A launch that writes it takes it and returns it as its
    result."""

    __slots__ = ()
    kind = "partition"
    _instead = "take a copy of the elements first: `.unpartition().copy()`; for another process, `.numpy()`"

    @property
    def tile(self) -> tuple[int, ...]:
        return self._cut.tile

    @property
    def schedule(self) -> Schedule:
        return self._cut.schedule

    @property
    def blocks(self) -> int | None:
        return self._cut.blocks

    @property
    def prefix(self) -> bool:
        return self._cut.prefix

    @property
    def _cut(self) -> Cut:
        found: Cut = self._core.cut
        return found

    @property
    def tiles(self) -> tuple[int, ...]:
        """The number of pieces along each axis."""
        return tuple(-(-n // t) for n, t in zip(self.shape, self.tile, strict=True))

    @property
    def grid(self) -> tuple[int, int, int]:
        """The grid of a launch: a block for each piece, leading axes merged if there are more than three; or the number
        of blocks of a mapped partition."""
        if self.blocks is not None:
            return self.blocks, 1, 1
        first, *rest = self.tiles
        while len(rest) > 2:
            first *= rest.pop(0)
        second, third = (*rest, 1, 1)[:2]
        return first, second, third

    def numpy(self) -> Any:
        """The elements of the whole tensor as a new NumPy array. Raises OwnershipError."""
        refuse_in_capture("the elements of a partition are read", "read them after a replay: `graph.result.numpy()`")
        with LOCK:
            check(self, Use.READ)
            return backend_of(self._storage.memory.device).download(as_strided(self))

    def unpartition(self) -> Tensor:
        """Moves the pieces back into a tensor. Raises OwnershipError."""
        from tilecheck_runtime.tensors.tensor import Tensor

        with LOCK:
            check(self, Use.OWN)
            end_handle(self, "a tensor", "use what `.unpartition()` returned")
            return Tensor.of(self._storage, self._layout, self._parent)

    def map(self, schedule: Schedule, blocks: int) -> Partition:
        """Moves it into a partition in which `blocks` blocks own several pieces each, assigned by a schedule.

        Raises GridError for a prefix partition, and if `blocks` is not between 1 and the number of items of the
        schedule.
        """
        count = operator.index(blocks)
        with LOCK:
            check(self, Use.OWN)
            if self.prefix:
                raise GridError(f"{label(self)} is a prefix partition, which cannot be mapped", names=(label(self),),
                                use=current_location(),
                                fix="partition it with `.partition(...)`; to write part of the pieces, map "
                                "it with `Range(schedule, start, stop)`")
            _check_schedule(self, schedule, count)
            end_handle(self, "a mapped partition", "use what `.map()` returned")
            return _make_partition(self, self.tile, schedule, count, False)


def _check_schedule(partition: Partition, schedule: Schedule, blocks: int) -> None:
    """Raises GridError for a schedule that cannot assign the pieces of a partition to that many blocks."""

    def refusal(why: str, fix: str) -> GridError:
        name = label(partition)
        return GridError(f"{name} {why}", names=(name,), use=current_location(), fix=fix)

    base = schedule.schedule if isinstance(schedule, Range) else schedule
    if not isinstance(base, (Linear, Grouped, Walk)):
        raise refusal(f"cannot be mapped by {base!r}", "map it with `Linear()`, `Grouped(size)`, `Walk(axis)`, or a "
                      "`Range` of one of them")
    if isinstance(base, Walk) and not 0 <= base.axis < partition.ndim:
        raise refusal(f"has {partition.ndim} axes and none of number {base.axis} to walk",
                      f"walk one from 0 to {partition.ndim - 1}")
    if isinstance(base, Grouped) and (partition.ndim < 2 or base.size < 1):
        raise refusal(f"has {partition.ndim} axes and cannot be walked in groups of {base.size} rows",
                      "groups take two axes and at least one row: map it with `Linear()`")
    most = count_streamed(schedule, partition.tiles)
    start, stop = (schedule.start, schedule.stop) if isinstance(schedule, Range) else (0, most)
    if not 0 <= start <= stop <= most:
        raise refusal(f"deals out {most} items by {base}, and {start} to {stop} is not a part of them",
                      f"give a start and a stop from 0 to {most}")
    count = stop - start
    if not 1 <= blocks <= count:
        raise refusal(f"is mapped to {blocks} blocks, but {schedule} deals out {count} items of its {partition.tiles} "
                      "pieces", f"ask for 1 to {count} blocks" if count else "take a range that is not empty")
    if largest_number(schedule, partition.tiles, blocks) > MOST:
        raise refusal(f"has {partition.tiles} pieces, more than {schedule} can number in 32 bits",
                      "take larger pieces, or smaller groups")


def move_into_partition(owner: Handle, tile: tuple[Any, ...], prefix: bool) -> Partition:
    """Moves a handle into a partition. Raises OwnershipError if it is not exclusively owned now, and
    LaunchArgumentError for invalid pieces."""
    with LOCK:
        check(owner, Use.PARTITION)
        extents = _extents(owner, tile)
        if not has_distinct_elements(owner.region):
            name = label(owner)
            raise ReadOnlyError(f"{name} cannot be partitioned: with strides {owner.strides} several of its elements "
                                "lie at one address", names=(name,), use=current_location(),
                                fix="partition a copy: `.copy()`")
        end_handle(owner, "a partition", "use what came of the partition, or partition a copy: "
                   f"`.copy().partition({', '.join(map(str, extents))})`")
        return _make_partition(owner, extents, Single(), None, prefix)


def _extents(owner: Handle, tile: tuple[Any, ...]) -> tuple[int, ...]:
    def refusal(why: str, fix: str) -> LaunchArgumentError:
        name = label(owner)
        return LaunchArgumentError(f"{name} {why}", names=(name,), use=current_location(), fix=fix)

    if not 1 <= owner.ndim <= MOST_AXES:
        raise refusal(f"has {owner.ndim} axes; a partition has 1 to {MOST_AXES}",
                      "merge or add axes with `.reshape(...)`")
    wrong = ("one extent is due for each axis" if len(tile) != owner.ndim else
             "extents are integers" if not all(hasattr(n, "__index__") for n in tile) else
             "extents are positive" if any(operator.index(n) < 1 for n in tile) else None)
    if wrong is not None:
        raise refusal(f"of shape {owner.shape} cannot be divided into pieces of {tile}: {wrong}",
                      f"write `.partition({', '.join(['16'] * owner.ndim)})`, for instance")
    return tuple(operator.index(n) for n in tile)


def _make_partition(source: Handle, tile: tuple[int, ...], schedule: Schedule, blocks: int | None, prefix: bool,
                    what: str = "a partition", place: Location | None = None) -> Partition:
    hold = source._storage.hold(Mode.PARTITIONED, source.region, place or current_location(), what)
    made = Partition.of(source._storage, source._layout, source._parent, hold)
    made._core.cut = Cut(tile, schedule, blocks, prefix)
    made._core.region, made._core.strided = source._core.region, source._core.strided  # the memory is the same
    return made


def transfer_partition(partition: Partition, what: str = "a partition", place: Location | None = None) -> Partition:
    """Returns a new handle on a partition, for a launch that took it or for the caller that gets it back."""
    return transfer_hold(partition,
                         partition._storage.hold(Mode.PARTITIONED, partition.region, place or current_location(), what))


def transfer_hold(partition: Partition, hold: Hold) -> Partition:
    """Like `transfer_partition`, with an existing hold."""
    made = Partition()
    made._core, made._hold, made._moved = partition._core, hold, None
    return made
