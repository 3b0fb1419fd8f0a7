"""Arrays, views and the memory operations of the fake `cuda.tile`; each operation leaves a `Record`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from tests.oracle import poison
from tests.oracle.log import Block, Mode, Positions, Record
from tests.oracle.machine import Machine, Ticks, lines_now
from tests.oracle.poison import Marks
from tests.oracle.values import (
    DTYPES,
    DType,
    RankError,
    Tile,
    TileError,
    UndefinedBehaviour,
    astype,
    extents,
    marks_of,
    raw,
    to_whole_shape,
)


class PaddingMode(Enum):
    UNDETERMINED = 0
    ZERO = 1
    NEG_ZERO = 2
    NAN = 3
    POS_INF = 4
    NEG_INF = 5


class MemoryOrder(Enum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class MemoryScope(Enum):
    NONE = "none"
    BLOCK = "block"
    CLUSTER = "cluster"
    DEVICE = "device"
    SYS = "sys"


_PADDING = {PaddingMode.NAN: float("nan"), PaddingMode.POS_INF: float("inf"), PaddingMode.NEG_INF: float("-inf")}
_WIDE = (MemoryScope.DEVICE, MemoryScope.SYS)
_ACQUIRES = (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL)
_RELEASES = (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL)
NOTHING: Positions = np.empty(0, dtype=np.int64)


def _merge(first: dict[Block, int], second: dict[Block, int]) -> dict[Block, int]:
    return {block: max(first.get(block, -1), second.get(block, -1)) for block in first.keys() | second.keys()}


def _record(storage: Storage, mode: Mode, elements: Positions, op: str, order: MemoryOrder = MemoryOrder.WEAK,
            scope: MemoryScope = MemoryScope.NONE, duplicates: Positions = NOTHING) -> None:
    Ticks.tick()
    strong = order is not MemoryOrder.WEAK and scope in _WIDE
    if strong and order in _ACQUIRES and op.startswith("atomic_cas"):
        # taking a lock orders its critical sections in every schedule; other atomics happen to be ordered in this one
        for position in elements.tolist():
            released = Machine.released.get((storage.name, position))
            if released is not None:
                Machine.seen = _merge(Machine.seen, released)
                Machine.seen.pop(Machine.block, None)
    Machine.log.records.append(Record(storage.name, mode, elements, strong, order.value, scope.value, lines_now(),
                                      Machine.block, Machine.number, Machine.seen, duplicates, op))
    if strong and order in _RELEASES:
        mine = {**Machine.seen, Machine.block: Machine.number}
        for position in elements.tolist():
            before = Machine.released.get((storage.name, position), {})
            Machine.released[storage.name, position] = _merge(before, mine)
    Machine.number += 1


class Storage:
    """The memory under an array."""

    __slots__ = ("data", "dtype", "name")

    def __init__(self, name: str, data: Any, dtype: DType) -> None:
        self.name, self.data, self.dtype = name, data, dtype


class Shape(tuple[int, ...]):
    """Extents or strides of a parameter, which say what rank a use of them needs."""

    name: str
    unpacked: ClassVar[str] = ""
    """The array whose extents were last iterated over."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, Tile):
            place = int(place)
        if isinstance(place, int) and not -len(self) <= place < len(self):
            raise RankError(self.name, max(place + 1, -place), "an extent")
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[int]:
        Shape.unpacked = self.name
        return super().__iter__()


def _name_extents(values: Iterable[int], name: str) -> Shape:
    shape = Shape(values)
    shape.name = name
    return shape


class Array:
    """A global array, or a view of one."""

    __slots__ = ("offset", "shape", "storage", "strides")

    def __init__(self, storage: Storage, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> None:
        self.storage, self.offset = storage, offset
        self.shape, self.strides = _name_extents(shape, storage.name), _name_extents(strides, storage.name)

    @property
    def dtype(self) -> DType:
        return self.storage.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def slice(self, axis: Any, start: Any, stop: Any) -> Array:
        axis, start, stop = int(axis) % self.ndim, int(start), int(stop)
        if not 0 <= start <= stop <= self.shape[axis]:
            Machine.note_undefined(f"slice {start}:{stop} of an axis of {self.shape[axis]}")
        shape = (*self.shape[:axis], max(stop - start, 0), *self.shape[axis + 1:])
        return Array(self.storage, shape, self.strides, self.offset + start * self.strides[axis])

    def tiled_view(self, tile_shape: Any, *, padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
                   traversal_steps: Any = None) -> TiledView:
        shape = extents(tile_shape)
        return TiledView(
            self, shape, shape if traversal_steps is None else to_whole_shape(traversal_steps), padding_mode
        )

    def get_raw_memory(self) -> RawMemory:
        return RawMemory(self)


def array(name: str, shape: Sequence[int], dtype: DType = DTYPES["float32"], fill: Any = 0,
          strides: Sequence[int] | None = None) -> Array:
    """A fresh array, row-major unless strides are given. `fill` is a number or the values in row-major order."""
    steps: list[int] = list(strides) if strides is not None else []
    if strides is None:
        size = 1
        for extent in reversed(shape):
            steps.insert(0, size)
            size *= max(extent, 1)
    total = 1 + sum(max(n - 1, 0) * s for n, s in zip(shape, steps, strict=True))
    data = np.zeros(total if min(shape, default=1) > 0 else 0, dtype=dtype.numpy)
    result = Array(Storage(name, data, dtype), tuple(shape), tuple(steps))
    if np.ndim(fill):
        values = np.ravel(fill)[:data.size]
        data[:values.size] = values
    elif fill:
        data[:] = fill
    return result


def _check_inside(storage: Storage, positions: Positions, what: str) -> Positions:
    """Positions within the storage; any other is undefined behaviour (a raw offset, or a view that reaches outside)."""
    ok = (positions >= 0) & (positions < storage.data.size)
    if not ok.all():
        note = Machine.note_outside if what.endswith("_offset") else Machine.note_unrelated
        note(storage.name, f"{what} outside the storage of {storage.name}")
    return positions[ok]


@dataclass(frozen=True)
class _Window:
    """The elements of one tile: positions of those in bounds, and where they lie in the tile."""

    positions: Any
    cut: tuple[slice, ...]
    full: bool

    def lanes(self, shape: tuple[int, ...]) -> Any:
        """Which lanes of the tile are in bounds."""
        inside = np.zeros(shape, dtype=bool)
        inside[self.cut] = True
        return inside


def _window(view: Array, axes: tuple[int, ...], origin: Sequence[int], shape: tuple[int, ...],
            check_bounds: bool, what: str) -> _Window | None:
    if not len(axes) == len(origin) == len(shape) == view.ndim:
        raise RankError(view.storage.name, max(len(origin), len(shape)), what)
    positions: Any = np.full((1,) * view.ndim, view.offset, dtype=np.int64)
    cuts: list[slice] = []
    full = True
    for place, (axis, low, size) in enumerate(zip(axes, origin, shape, strict=True)):
        limit = view.shape[axis]
        if not 0 <= low < limit:
            Machine.note_outside(view.storage.name, f"{what} of a tile wholly outside {view.storage.name}")
            return None
        count = min(size, limit - low)
        full = full and count == size
        cuts.append(slice(0, count))
        line = (low + np.arange(count)) * view.strides[axis]
        positions = positions + line.reshape((-1,) + (1,) * (view.ndim - 1 - place))
    if not full and not check_bounds:
        Machine.note_outside(view.storage.name, f"unchecked {what} across the edge of {view.storage.name}")
    return _Window(positions, tuple(cuts), full)


def _load_window(view: Array, window: _Window | None, shape: tuple[int, ...], padding: PaddingMode, op: str,
                 order: MemoryOrder = MemoryOrder.WEAK, scope: MemoryScope = MemoryScope.NONE) -> Tile:
    storage = view.storage
    if window is None:
        return Tile(np.zeros(shape, dtype=storage.dtype.numpy), storage.dtype)
    inside = _check_inside(storage, window.positions.ravel(), op)
    _record(storage, "read", inside, op, order, scope)
    if inside.size != window.positions.size:
        raise UndefinedBehaviour(f"{op} outside the storage of {storage.name}")
    values = storage.data[window.positions]
    if window.full:
        return Tile(values, storage.dtype)
    padded = np.full(shape, _fill(storage, padding), dtype=storage.dtype.numpy)
    padded[window.cut] = values
    return Tile(
        padded, storage.dtype, _mark_undefined(storage, window.lanes(shape)) if _is_unspecified(padding) else None
    )


def _fill(storage: Storage, padding: PaddingMode) -> Any:
    return _PADDING.get(padding, 0) if storage.dtype.kind == "f" else 0


def _is_unspecified(padding: PaddingMode) -> bool:
    return padding is PaddingMode.UNDETERMINED


def _mark_undefined(storage: Storage, inside: Any) -> Marks:
    """Marks of the lanes outside an array that a load leaves undefined."""
    return poison.padding(storage.name, inside)


def _store_window(view: Array, window: _Window | None, values: Any, marks: Marks, op: str,
                  order: MemoryOrder = MemoryOrder.WEAK, scope: MemoryScope = MemoryScope.NONE) -> None:
    if window is None:
        return
    if marks is not None:
        poison.observe(np.broadcast_to(marks, values.shape)[window.cut], "store")
    storage, flat = view.storage, window.positions.ravel()
    inside = _check_inside(storage, flat, op)
    _record(storage, "write", inside, op, order, scope, _find_repeated(inside) if 0 in view.strides else NOTHING)
    if inside.size == flat.size:
        storage.data[window.positions] = values[window.cut]


def _find_repeated(positions: Positions) -> Positions:
    if positions.size < 2:
        return NOTHING
    ordered = np.sort(positions)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])


def _axes(order: Any, rank: int) -> tuple[int, ...]:
    if isinstance(order, str):
        return tuple(range(rank)) if order == "C" else tuple(reversed(range(rank)))
    return to_whole_shape(order)


def load(array: Array, index: Any, shape: Any, *, order: Any = "C",
         padding_mode: PaddingMode = PaddingMode.UNDETERMINED, check_bounds: Any = True, latency: Any = None,
         allow_tma: Any = None, memory_order: MemoryOrder = MemoryOrder.WEAK,
         memory_scope: MemoryScope = MemoryScope.NONE) -> Tile:
    sizes, places = extents(shape), to_whole_shape(index)
    if sizes == () and len(places) == array.ndim:
        sizes = (1,) * array.ndim
    origin = [i * n for i, n in zip(places, sizes, strict=False)] if len(places) == len(sizes) else list(places)
    window = _window(array, _axes(order, array.ndim), origin, sizes, bool(check_bounds), "load")
    return _load_window(array, window, sizes, padding_mode, "load", memory_order, memory_scope)


def store(array: Array, index: Any, tile: Any, *, order: Any = "C", check_bounds: Any = True, latency: Any = None,
          allow_tma: Any = None, memory_order: MemoryOrder = MemoryOrder.WEAK,
          memory_scope: MemoryScope = MemoryScope.NONE) -> None:
    values, places, marks = np.asarray(raw(tile)), to_whole_shape(index), marks_of(tile)
    if values.ndim == 0:
        values = values.reshape((1,) * len(places))
    origin = [i * n for i, n in zip(places, values.shape, strict=False)]
    if len(places) != values.ndim:
        raise TileError(f"store: index of {len(places)}, tile of {values.ndim}")
    window = _window(array, _axes(order, array.ndim), origin, values.shape, bool(check_bounds), "store")
    _store_window(array, window, values, marks, "store", memory_order, memory_scope)


class TiledView:
    """A view of an array as tiles; `traversal_steps` are the distances between their origins."""

    def __init__(self, base: Array, shape: tuple[int, ...], steps: tuple[int, ...], padding: PaddingMode) -> None:
        self.base, self.tile_shape, self.traversal_steps, self.padding = base, shape, steps, padding
        for op in ("add", "max", "min", "and", "or", "xor"):
            setattr(self, f"atomic_store_{op}", lambda index, update, op=op: self._atomic(op, index, update))

    @property
    def dtype(self) -> DType:
        return self.base.dtype

    def num_tiles(self, axis: Any) -> int:
        return -(-self.base.shape[int(axis)] // self.traversal_steps[int(axis)])

    def _window(self, index: Any, check_bounds: Any, what: str) -> _Window | None:
        places = to_whole_shape(index)
        if len(places) != len(self.traversal_steps):
            raise TileError(f"{what}: index of {len(places)} for a view of rank {len(self.traversal_steps)}")
        origin = [i * s for i, s in zip(places, self.traversal_steps, strict=True)]
        return _window(self.base, tuple(range(self.base.ndim)), origin, self.tile_shape, bool(check_bounds), what)

    def load(self, index: Any, *, check_bounds: Any = True, latency: Any = None, allow_tma: Any = None) -> Tile:
        window = self._window(index, check_bounds, "tiled_view.load")
        return _load_window(self.base, window, self.tile_shape, self.padding, "tiled_view.load")

    def store(self, index: Any, tile: Any, *, check_bounds: Any = True, latency: Any = None,
              allow_tma: Any = None) -> None:
        window = self._window(index, check_bounds, "tiled_view.store")
        values = np.broadcast_to(raw(tile), self.tile_shape)
        _store_window(self.base, window, values, marks_of(tile), "tiled_view.store")

    def _atomic(self, op: str, index: Any, update: Any) -> None:
        window = self._window(index, True, f"tiled_view.atomic_store_{op}")
        if window is not None:
            values = np.broadcast_to(raw(update), self.tile_shape)[window.cut].ravel()
            if (marks := marks_of(update)) is not None:
                poison.observe(np.broadcast_to(marks, self.tile_shape)[window.cut], "atomic")
            _atomic(self.base.storage, window.positions.ravel(), f"atomic_store_{op}", _UPDATES[op], (values,),
                    MemoryOrder.RELAXED, MemoryScope.DEVICE)


def num_tiles(array: Array, axis: Any, shape: Any, order: Any = "C") -> int:
    axes, sizes, place = _axes(order, array.ndim), extents(shape), int(axis)
    if len(sizes) != array.ndim:
        raise RankError(array.storage.name, len(sizes), "num_tiles")
    return -(-array.shape[axes[place]] // sizes[place])


@dataclass(frozen=True)
class _Lanes:
    """An element access: the broadcast shape, the active lanes and the positions they touch.

    `marks` tells the lanes of which it is undefined what they touch.
    """

    shape: tuple[int, ...]
    active: Any
    positions: Positions
    marks: Marks = None


def _lanes(view: Array, indices: Any, mask: Any, check_bounds: Any, what: str) -> _Lanes:
    parts = [np.asarray(raw(i)) for i in (indices if isinstance(indices, (tuple, list)) else (indices,))]
    if len(parts) != view.ndim:
        raise RankError(view.storage.name, len(parts), what)
    for part in parts:
        if part.dtype.kind not in "iu":
            raise TileError(f"{what}: an index that is not an integer")
    shape = np.broadcast_shapes(*(p.shape for p in parts))
    active: Any = np.ones(shape, dtype=bool)
    if mask is not None:
        active = active & np.broadcast_to(np.asarray(raw(mask), dtype=bool), shape)
    place: Any = np.full(shape, view.offset, dtype=np.int64)
    inside: Any = np.ones(shape, dtype=bool)
    for part, limit, stride in zip(parts, view.shape, view.strides, strict=True):
        inside = inside & (part >= 0) & (part < limit)
        place = place + part * stride
    marks = _observe_indices(indices, parts, mask, view, shape, active, bool(check_bounds))
    if not check_bounds and (active & ~inside).any():
        Machine.note_outside(view.storage.name, f"unchecked {what} outside {view.storage.name}")
    active = active & inside
    return _Lanes(shape, active, np.asarray(place[active], dtype=np.int64).ravel(), marks)


def _observe_indices(indices: Any, parts: Sequence[Any], mask: Any, view: Array, shape: tuple[int, ...], active: Any,
                     check_bounds: bool) -> Marks:
    """Returns the marks of undefined indices and masks in lanes that some of their values do not drop."""
    given = indices if isinstance(indices, (tuple, list)) else (indices,)
    marks = [marks_of(i) for i in given]
    of_mask = marks_of(mask)
    if of_mask is None and all(m is None for m in marks):
        return None
    kept: Any = np.ones(shape, dtype=bool)
    if check_bounds:
        for part, limit, own in zip(parts, view.shape, marks, strict=True):
            unknown = poison.live(np.broadcast_to(0 if own is None else own, part.shape)) != 0
            kept = kept & (unknown | ((part >= 0) & (part < limit)))
    masked: Any = 0 if of_mask is None else np.where(kept, np.broadcast_to(of_mask, shape), 0)
    indexed = poison.union(shape, *marks)
    indexed = 0 if indexed is None else np.where(kept & (active | (poison.live(masked) != 0)), indexed, 0)
    poison.observe(masked, "mask")
    poison.observe(indexed, "index")
    return poison.union(shape, masked, indexed)


def gather(array: Array, indices: Any, *, mask: Any = None, padding_value: Any = 0, check_bounds: Any = True,
           latency: Any = None) -> Tile:
    lanes = _lanes(array, indices, mask, check_bounds, "gather")
    return _read_lanes(array.storage, lanes, padding_value, "gather")


def _read_lanes(storage: Storage, lanes: _Lanes, padding: Any, op: str) -> Tile:
    inside = _check_inside(storage, lanes.positions, op)
    _record(storage, "read", inside, op)
    if inside.size != lanes.positions.size:
        raise UndefinedBehaviour(f"{op} outside the storage of {storage.name}")
    values = np.array(np.broadcast_to(np.asarray(raw(padding)), lanes.shape), dtype=storage.dtype.numpy)
    values[lanes.active] = storage.data[lanes.positions]
    return Tile(values, storage.dtype, lanes.marks)


def scatter(array: Array, indices: Any, value: Any, *, mask: Any = None, check_bounds: Any = True,
            latency: Any = None) -> None:
    _write_lanes(array.storage, _lanes(array, indices, mask, check_bounds, "scatter"), value, "scatter")


def _write_lanes(storage: Storage, lanes: _Lanes, value: Any, op: str) -> None:
    inside = _check_inside(storage, lanes.positions, op)
    _record(storage, "write", inside, op, duplicates=_find_repeated(inside))
    if (marks := marks_of(value)) is not None:
        poison.observe(np.broadcast_to(marks, lanes.shape)[lanes.active], "store")
    if inside.size == lanes.positions.size:
        storage.data[lanes.positions] = np.broadcast_to(np.asarray(raw(value)), lanes.shape)[lanes.active]


class Slice:
    """A dense range in advanced indexing."""

    def __init__(self, start: Any, length: Any, /) -> None:
        self.start, (self.length,) = int(start), extents(length)


def _index_lanes(view: Array, indices: Any, what: str) -> _Lanes:
    parts: list[Any] = []
    rank = len(indices)
    if rank != view.ndim:
        raise RankError(view.storage.name, rank, what)
    for axis, part in enumerate(indices):
        line = part.start + np.arange(part.length) if isinstance(part, Slice) else np.asarray(raw(part))
        if line.ndim != 1:
            raise TileError(f"{what}: exactly one index is a 1-d tile")
        parts.append(line.reshape((-1,) + (1,) * (rank - 1 - axis)))
        if isinstance(part, Slice) and not 0 <= part.start < view.shape[axis]:
            Machine.note_outside(view.storage.name, f"{what} of a tile wholly outside {view.storage.name}")
    return _lanes(view, tuple(parts), None, True, what)


def load_advanced_indexing(array: Array, indices: Any, *, padding_mode: PaddingMode = PaddingMode.UNDETERMINED,
                           latency: Any = None, allow_tma: Any = None) -> Tile:
    lanes = _index_lanes(array, indices, "load_advanced_indexing")
    tile = _read_lanes(array.storage, lanes, _fill(array.storage, padding_mode), "load_advanced_indexing")
    if _is_unspecified(padding_mode) and not lanes.active.all():
        undefined = _mark_undefined(array.storage, lanes.active)
        return Tile(tile.data, tile.dtype, poison.union(tile.shape, tile.marks, undefined))
    return tile


def store_advanced_indexing(array: Array, indices: Any, tile: Any, *, latency: Any = None,
                            allow_tma: Any = None) -> None:
    lanes = _index_lanes(array, indices, "store_advanced_indexing")
    _write_lanes(array.storage, lanes, tile, "store_advanced_indexing")


_UPDATES: dict[str, Callable[..., Any]] = {
    "add": lambda old, new: old + new, "max": max, "min": min, "and": lambda old, new: int(old) & int(new),
    "or": lambda old, new: int(old) | int(new), "xor": lambda old, new: int(old) ^ int(new),
    "xchg": lambda old, new: new, "cas": lambda old, expected, desired: desired if old == expected else old,
}


def _atomic(storage: Storage, positions: Positions, op: str, update: Callable[..., Any], operands: Iterable[Any],
            order: MemoryOrder, scope: MemoryScope) -> list[Any]:
    """Applies an atomic lane by lane and returns what each lane found."""
    inside = _check_inside(storage, positions, op)
    _record(storage, "atomic", inside, op, order, scope)
    if inside.size != positions.size:
        raise UndefinedBehaviour(f"{op} outside the storage of {storage.name}")
    found: list[Any] = []
    for position, *values in zip(positions.tolist(), *operands, strict=True):
        old = storage.data[position]
        found.append(old)
        storage.data[position] = update(old, *values)
    return found


def _atomic_lanes(storage: Storage, lanes: _Lanes, name: str, values: tuple[Any, ...], order: MemoryOrder,
                  scope: MemoryScope) -> Tile:
    spread = [np.broadcast_to(np.asarray(raw(v)), lanes.shape) for v in values]
    for marks in map(marks_of, values):
        if marks is not None:
            poison.observe(np.broadcast_to(marks, lanes.shape)[lanes.active], "atomic")
    result = np.array(spread[0], dtype=storage.dtype.numpy)
    operands = [s[lanes.active].ravel() for s in spread]
    result[lanes.active] = _atomic(storage, lanes.positions, f"atomic_{name}", _UPDATES[name], operands, order, scope)
    return astype(Tile(result, None, lanes.marks), storage.dtype)


def _atomic_function(name: str) -> Callable[..., Tile]:
    def operation(array: Array, indices: Any, *values: Any, check_bounds: Any = True,
                  memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
                  memory_scope: MemoryScope = MemoryScope.DEVICE) -> Tile:
        lanes = _lanes(array, indices, None, check_bounds, f"atomic_{name}")
        return _atomic_lanes(array.storage, lanes, name, values, memory_order, memory_scope)

    return operation


ATOMICS = {f"atomic_{name}": _atomic_function(name) for name in _UPDATES}


class RawMemory:
    """Memory from the base of an array on, by element offset and without any check."""

    def __init__(self, base: Array) -> None:
        self.base = base
        for name in _UPDATES:
            setattr(self, f"atomic_{name}_offset", lambda *a, name=name, **k: self._atomic(name, *a, **k))

    @property
    def dtype(self) -> DType:
        return self.base.dtype

    def _lanes(self, offset: Any, mask: Any) -> _Lanes:
        place = np.asarray(raw(offset))
        active: Any = np.ones(place.shape, dtype=bool)
        if mask is not None:
            active = np.broadcast_to(np.asarray(raw(mask), dtype=bool), place.shape)
        marks = poison.union(place.shape, marks_of(mask), None if (own := marks_of(offset)) is None else np.where(
            active, np.broadcast_to(own, place.shape), 0))
        poison.observe(marks, "index")
        return _Lanes(place.shape, active, np.asarray(self.base.offset + place[active], dtype=np.int64).ravel(), marks)

    def load_offset(self, offset: Any, *, mask: Any = None, padding_value: Any = 0, latency: Any = None) -> Tile:
        return _read_lanes(self.base.storage, self._lanes(offset, mask), padding_value, "load_offset")

    def store_offset(self, offset: Any, value: Any, *, mask: Any = None, latency: Any = None) -> None:
        _write_lanes(self.base.storage, self._lanes(offset, mask), value, "store_offset")

    def _atomic(self, name: str, offset: Any, *values: Any, mask: Any = None,
                memory_order: MemoryOrder = MemoryOrder.ACQ_REL,
                memory_scope: MemoryScope = MemoryScope.DEVICE) -> Tile:
        lanes = self._lanes(offset, mask)
        return _atomic_lanes(self.base.storage, lanes, name, values, memory_order, memory_scope)


def blocks_of(grid: Block) -> Iterator[Block]:
    """Blocks of a grid, axis 0 fastest."""
    return ((x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0]))
