"""The part of an output that belongs to a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["Mut"]


@dataclass(frozen=True)
class Mut:
    """An output in pieces.

    name      of the parameter, for messages
    array     the whole array
    tile      extents of a piece
    `placed`  the placement of the pieces of this block
    whole     for each axis, whether the array is a single piece along it
    check     whether a piece may extend past the end of the array
    digits    splits the number of a nested tile
    """

    name: Any
    array: Any
    tile: Any
    placed: Any
    whole: Any
    check: Any
    digits: Any

    def store(self, tile: Any) -> None:
        """Writes the whole piece."""
        name, given, piece = self.name, tile.shape, self.tile
        ct.static_assert(given == piece, f"TC501: a tile of shape {given} is stored to the piece of '{name}', whose "
                         f"shape is {piece}")
        ct.store(self.array, self.placed.own(), tile, check_bounds=self.check)

    def load(self) -> Any:
        """The current contents of the piece; zero past the end of the array."""
        return ct.load(self.array, self.placed.own(), self.tile, padding_mode=ct.PaddingMode.ZERO)

    def load_like(self, z: Any) -> Any:
        """The tile of this output at the location of the piece of `z`."""
        name, other, given, piece = self.name, z.name, z.tile, self.tile
        ct.static_assert(given == piece, f"TC501: '{name}' is in pieces of {piece}, '{other}' in pieces of {given}; an "
                         "output can be read like one that has equal pieces")
        return self.load()

    def cell(self) -> Any:
        """The only cell of this block."""
        return self.placed.cell()

    def cells(self, other: Any = None) -> Any:
        """The cells of this block; also those of `other` if both outputs are walked together."""
        if other is not None:
            name, piece, mark = self.name, self.tile, self.placed.mark
            second, theirs, their_mark = other.name, other.tile, other.placed.mark
            ct.static_assert(piece == theirs and mark == their_mark,
                             f"TC105: '{name}' and '{second}' cannot be walked together: that takes equal pieces and "
                             f"schedules, and they have {piece}, {mark} and {theirs}, {their_mark}")
        return self.placed.cells()

    def resolve_cell(self, number: Any) -> Any:
        """The cell of a number, with its coordinates computed."""
        return self.placed.resolve(number)

    def coords(self, cell: Any) -> Any:
        """Coordinates of the piece, in pieces along each axis."""
        return self.placed.coords(cell)

    def place(self, cell: Any, *tile: Any) -> Any:
        """Coordinates of a nested tile of that shape, in units of such tiles along each axis of the array."""
        return self._where(cell, tile)

    def extent(self, axis: Any) -> Any:
        """The extent of the block's piece along an axis, without the part past the end of the array."""
        return self._extents()[axis]

    def _extents(self) -> Any:
        place, piece, whole, shape = self.placed.own(), self.tile, self.whole, self.array.shape
        return tuple(shape[k] if whole[k] else min(piece[k], shape[k] - place[k] * piece[k])
                     for k in ct.static_iter(range(len(piece))))

    def _counts(self, tile: Any) -> Any:
        """Nested tiles in the block's piece along each axis."""
        name, piece, whole = self.name, self.tile, self.whole
        ct.static_assert(len(tile) == len(piece),
                         f"TC501: a nested tile of shape {tile} in a piece of '{name}', whose shape is {piece}")
        ct.static_assert(all(w or n % t == 0 for n, t, w in zip(piece, tile, whole, strict=True)),
                         f"TC109: nested tiles of shape {tile} do not divide the piece of '{name}', {piece}, and would "
                         "reach into that of another block: take a divisor")
        extents = self._extents()
        return tuple(ct.cdiv(extents[k], tile[k]) for k in ct.static_iter(range(len(tile))))

    def _nested_index(self, tile: Any, local: Any) -> Any:
        """The index of the nested tile with these coordinates in the block's piece, in tiles of the array."""
        place, piece, whole = self.placed.own(), self.tile, self.whole
        return tuple(local[k] if whole[k] else place[k] * (piece[k] // tile[k]) + local[k]
                     for k in ct.static_iter(range(len(piece))))

    def pieces(self, *tile: Any) -> Any:
        """Cells of the nested tiles of the block's piece, in C order."""
        counts = self._counts(tile)
        total = 1
        for k in ct.static_iter(range(len(tile))):
            total = counts[k] if k == 0 else total * counts[k]
        return range(total)

    def _where(self, cell: Any, tile: Any) -> Any:
        """Index of a cell for a tile that is a piece, or nested in one."""
        piece = self.tile
        return (self.placed.coords(cell) if tile == piece
                else self._nested_index(tile, self.digits(cell, self._counts(tile))))

    def __setitem__(self, cell: Any, tile: Any) -> None:
        ct.store(self.array, self._where(cell, tile.shape), tile, check_bounds=self.check)

    def __getitem__(self, cell: Any) -> Any:
        return ct.load(self.array, self.placed.coords(cell), self.tile, padding_mode=ct.PaddingMode.ZERO)

    def load_piece(self, cell: Any, *tile: Any) -> Any:
        """The current contents of a nested tile; zero past the end of the array."""
        return ct.load(self.array, self._where(cell, tile), tile, padding_mode=ct.PaddingMode.ZERO)

    def _holds(self, position: Any, tile: Any) -> Any:
        """Whether the block's piece contains a nested tile at a position."""
        counts = self._counts(tile)
        held = True
        for k in ct.static_iter(range(len(tile))):
            held = held & (position[k] >= 0) & (position[k] < counts[k])
        return held

    def store_at(self, position: Any, tile: Any) -> None:
        """Writes the nested tile at a position in the block's piece, counted in tiles of this shape. Positions outside
        of the piece are ignored."""
        shape = tile.shape
        if self._holds(position, shape):
            ct.store(self.array, self._nested_index(shape, position), tile)

    def scatter(self, indices: Any, values: Any, mask: Any = True) -> None:
        """Writes elements of the block's piece, by their index in it. Elements outside of the piece are ignored."""
        name, place, piece, extents = self.name, self.placed.own(), self.tile, self._extents()
        given = len(indices)
        ct.static_assert(given == len(piece), f"TC501: {given} indices for '{name}', whose pieces are {piece}")
        inside = mask
        for k in ct.static_iter(range(len(piece))):
            inside = inside & (indices[k] >= 0) & (indices[k] < extents[k])
        elements = tuple(place[k] * piece[k] + indices[k] for k in ct.static_iter(range(len(piece))))
        ct.scatter(self.array, elements, values, mask=inside)
