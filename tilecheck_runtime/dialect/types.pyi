"""What type checkers and editors see of the dialect's parameter types. They need no plugin to refuse a store to an
input, a tile of another shape or element type, and an index where a cell is due.
"""

from collections.abc import Iterable
from typing import Any, Generic, Literal, Never, TypeVar, TypeVarTuple, overload

from cuda.tile import Tile as Tile

from tilecheck_runtime.dialect.dtypes import DType, Floating, Integral

__all__ = ["Cell", "Dyn", "Inner", "Mut", "Part", "Ref", "Shared", "SystemShared", "Tile"]

D = TypeVar("D", bound=DType)
F = TypeVar("F", bound=Floating)
I = TypeVar("I", bound=Integral)
N = TypeVar("N", bound=int)
Extents = TypeVarTuple("Extents")
Shape = TypeVarTuple("Shape")

class Dyn:
    """An extent that is known when the kernel is launched."""

class Cell(Generic[*Shape]):
    """Which piece of a partition to write: made by `cell()` and `cells()` only."""

    def __init__(self, not_made_by_hand: Never) -> None: ...

class Inner(Generic[*Shape]):
    """Which nested tile of a piece to write: made by `pieces()` only."""

    def __init__(self, not_made_by_hand: Never) -> None: ...

class Mut(Generic[D, *Extents]):
    """The part of an output that belongs to this block; the extents are those of a piece."""

    @property
    def array(self) -> Any:
        """The whole array as plain cuTile has it: an opt-out."""
    @property
    def tile(self) -> tuple[*Extents]:
        """Extents of a piece, which are constants."""
    def extent(self, axis: int) -> int:
        """The extent of my piece along an axis, without what lies past the end of the array."""
    def store(self, tile: Tile[D, *Extents]) -> None:
        """Writes my piece."""
    def load(self) -> Tile[D, *Extents]:
        """My piece as it is now; zero past the end of the array."""
    def load_like(self, z: Mut[Any, *Extents]) -> Tile[D, *Extents]:
        """The piece of this output where my piece of `z` is."""
    def cell(self) -> Cell[*Extents]:
        """My only cell."""
    def cells(self, other: Mut[Any, *Extents] | None = None) -> Iterable[Cell[*Extents]]:
        """My cells: one, or those that the schedule gives this block. With another output: valid for both."""
    def coords(self, cell: Cell[*Extents]) -> tuple[int, ...]:
        """Coordinates of a piece, counted in pieces along each axis."""
    def place(self, cell: Inner[*Shape], *tile: *Shape) -> tuple[int, ...]:
        """Coordinates of a nested tile, counted in such tiles along each axis of the array."""
    @overload
    def __setitem__(self, cell: Cell[*Extents], tile: Tile[D, *Extents]) -> None: ...
    @overload
    def __setitem__(self, cell: Inner[*Shape], tile: Tile[D, *Shape]) -> None: ...
    def __getitem__(self, cell: Cell[*Extents]) -> Tile[D, *Extents]: ...
    def pieces(self, *tile: *Shape) -> Iterable[Inner[*Shape]]:
        """Cells of the nested tiles of my piece, in C order. The tile must divide the piece."""
    def load_piece(self, cell: Inner[*Shape], *tile: *Shape) -> Tile[D, *Shape]:
        """A nested tile as it is now; zero past the end of the array."""
    def store_at(self, position: tuple[int, ...], tile: Tile[D, *Shape]) -> None:
        """Writes the nested tile at a position in my piece, counted in tiles of this shape from its start. A position
        outside my piece writes nothing."""
    def scatter(self, indices: tuple[Any, ...], values: Tile[D, *Shape] | float, mask: Any = True) -> None:
        """Writes elements of my piece by their place in it. Places outside it, and masked ones, are left alone."""

class Part(Generic[D, *Extents]):
    """An input in tiles, read only."""

    @property
    def tile(self) -> tuple[*Extents]: ...
    def __getitem__(self, index: int | tuple[int, ...]) -> Tile[D, *Extents]: ...
    def tiles(self, axis: int) -> int:
        """How many tiles there are along an axis."""

class Ref(Generic[D, *Extents]):
    """A whole input, read only; the extents are those of the array."""

    def load_like(self, z: Mut[Any, *Shape]) -> Tile[D, *Shape]:
        """The tile where my piece of an output is."""
    @overload
    def load(self, index: int | tuple[int, ...], shape: tuple[*Shape]) -> Tile[D, *Shape]: ...
    @overload
    def load(self, index: int, shape: N) -> Tile[D, N]:
        """The tile at an index, counted in tiles of this shape."""
    def partition(self, *tile: *Shape) -> Part[D, *Shape]:
        """The input in tiles."""
    def permute(self, *axes: int) -> Ref[D, *tuple[Any, ...]]:
        """The input with its axes in another order."""
    def padded(self, padding: Any) -> Ref[D, *Extents]:
        """The input with a `ct.PaddingMode` instead of zero past its end."""
    def extent(self, axis: int) -> int:
        """The extent of the array along an axis."""
    @overload
    def at(self: Ref[F, *Shape], *index: Any) -> float: ...
    @overload
    def at(self: Ref[I, *Shape], *index: Any) -> int:
        """One element; zero where the array has none."""
    def gather(self, indices: tuple[Any, ...]) -> Tile[D, *tuple[Any, ...]]:
        """Elements by index; zero where the array has none."""
    def gather_row(self, row: int, length: N) -> Tile[D, Literal[1], N]:
        """A row of a matrix as a tile of one row; zero where the array has none."""

class Shared(Generic[D, *Extents]):
    """An accumulator that all blocks of the launch update atomically."""

    def extent(self, axis: int) -> int:
        """The extent of the array along an axis."""
    def add(self, indices: Any, update: Any) -> None:
        """Adds to elements; updates outside the array are dropped."""
    def min(self, indices: Any, update: Any) -> None:
        """Lowers elements to the update."""
    def max(self, indices: Any, update: Any) -> None:
        """Raises elements to the update."""
    def and_(self, indices: Any, update: Any) -> None:
        """Clears the bits that the update does not have."""
    def or_(self, indices: Any, update: Any) -> None:
        """Sets the bits of the update."""
    def xor(self, indices: Any, update: Any) -> None:
        """Flips the bits of the update."""

class SystemShared(Shared[D, *Extents]):
    """An accumulator that other devices, or the host, update at the same time."""
