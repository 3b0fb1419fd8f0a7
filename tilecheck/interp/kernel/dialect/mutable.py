"""`Mut`: stores to pieces, and everything that selects one."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tilecheck.dtypes import SOME_INTEGER
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.calls import unknown_call
from tilecheck.interp.kernel.coerce import constant_int, expand, to_bool, to_int, to_term
from tilecheck.interp.kernel.dialect.cells import (
    blame,
    extent,
    get_true_extent,
    origin_of,
    own,
    own_cell,
    placed_cell,
    require,
)
from tilecheck.interp.kernel.dialect.divisions import is_positive
from tilecheck.interp.kernel.dialect.fitting import agree, fit
from tilecheck.interp.kernel.dialect.methods import Method, takes
from tilecheck.interp.kernel.dialect.ownership import Construction, Held
from tilecheck.interp.kernel.dialect.values import Cell, Cells, Grain, Mutable, Pieces
from tilecheck.interp.kernel.footprints import Effect, element_access, tile_access
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Int,
    Shape,
    Tuple,
    Unknown,
    Value,
    View,
    array,
)
from tilecheck.solver.inequalities import entails
from tilecheck.symbolic import TRUE, Cond, Term, cdiv, conj, disj, enforceable, eq, ge, le, lt, mod
from tilecheck.symbolic.steps import ProofStep
from tilecheck.syntax.tree import Span

__all__ = ["METHODS", "fetch", "put"]

_DOUBT: Final = (ProofStep(Construction.SHAPE_OPEN),)


def _ref(z: Mutable) -> ArrayRef:
    return array(View(z.array))


def _construction(cell: Cell, grain: Grain) -> Construction:
    if grain.nested:
        return Construction.OWN_NESTED
    return Construction.OWN_CELLS if cell.schedule else Construction.OWN_CELL


# --- through cells ---------------------------------------------------------------------------------------------------

def put(m: Machine, z: Mutable, index: Value, value: Value, span: Span) -> None:
    """`z[index] = value`"""
    cell, grain = _select_cell(m, z, index, span)
    if cell is not None and grain is not None:
        _store(m, z, cell, grain, value, span, "store", _construction(cell, grain))


def fetch(m: Machine, z: Mutable, index: Value, span: Span) -> Value:
    """`z[index]`: a block reads back what is its own."""
    cell, grain = _select_cell(m, z, index, span)
    if cell is None or grain is None:
        return Data(z.parameter.tile)
    if grain.nested:
        blame(m, "TC501", span, z.name, "whole", shapes=(grain.tile, z.parameter.tile))
        return Data(z.parameter.tile)
    return _load(m, z, cell, grain, span)


def _select_cell(m: Machine, z: Mutable, index: Value, span: Span) -> tuple[Cell | None, Grain | None]:
    """Returns the cell of an index, if it is a cell of this array. Otherwise reports the rule that the index breaks."""
    if isinstance(index, Tuple) and len(index.items) == 1:
        index = index.items[0]
    if isinstance(index, Cell):
        grain = next((g for g in index.grains if g.array == z.array), None)
        if grain is not None and len(grain.tile) == z.parameter.rank:
            return index, grain
        other = index.grains[0]
        alike = len(other.tile) == z.parameter.rank and not other.nested and "differs" not in map(
            agree, other.tile, z.parameter.tile)
        blame(m, "TC105", span, z.name, "foreign", other.array.text, *(("alike",) if alike else ()))
        return None, None
    how, words = _strange(z, index)
    blame(m, "TC105", span, z.name, how, *words)
    return None, None


def _strange(z: Mutable, index: Value) -> tuple[str, tuple[str, ...]]:
    """Describes an index that is not a cell: the kind of fault and the words of its message."""
    cells = _cells_in(index)
    if cells:
        names = sorted({c.grains[0].array.text for c in cells})
        return "joined", tuple(names)
    if isinstance(index, Unknown):
        return ("computed", ()) if index.what == "operator" else ("lost", (index.what,))
    return "made", ()


def _cells_in(value: Value) -> list[Cell]:
    if isinstance(value, Choice):
        return [*_cells_in(value.then), *_cells_in(value.other)]
    return [value] if isinstance(value, Cell) else []


def _store(
    m: Machine, z: Mutable, cell: Cell, grain: Grain, value: Value, span: Span, op: str, by: Construction,
) -> None:
    how = fit(value, grain.tile)
    if how == "differs":
        m.written.add(z.array)
        blame(m, "TC501", span, z.name, "nested" if grain.nested else "stored",
              shapes=(shape_of(value) or (), grain.tile))
        return
    if grain.partial:
        m.written.add(z.array)
        return
    # elsewhere the shape is checked when the kernel is compiled
    open_ = how == "unknown" and grain.nested and cell.inside is TRUE
    held = Held(True, (ProofStep(by, (z.name,)),), doubt=_DOUBT if open_ else ())
    effect = Effect("write", op, "weak", "none", True, span, value=value, held=held)
    before = m.path
    m.assume(cell.inside)
    tile_access(m, _ref(z), _ints(cell.coordinates), grain.tile, tuple(range(len(grain.tile))), effect)
    m.path = before


def _load(m: Machine, z: Mutable, cell: Cell, grain: Grain, span: Span) -> Value:
    held = Held(True, (ProofStep(Construction.READS_OWN, (z.name,)),))
    effect = Effect("read", "load", "weak", "none", True, span, Const(0), held=held)
    before = m.path
    m.assume(cell.inside)
    value = tile_access(m, _ref(z), _ints(cell.coordinates), grain.tile, tuple(range(len(grain.tile))), effect)
    m.path = before
    return value


def _ints(terms: tuple[Term, ...]) -> tuple[Int, ...]:
    return tuple(Int(t, dtype=SOME_INTEGER) for t in terms)


# --- the only piece --------------------------------------------------------------------------------------------------

def _store_own(m: Machine, z: Mutable, args: Arguments) -> Value:
    value = args.take(("tile",))["tile"]
    _store(m, z, own_cell(m, z), z.grain, value, args.span, "store", Construction.OWN_PIECE)
    return NONE


def _load_own(m: Machine, z: Mutable, args: Arguments) -> Value:
    return _load(m, z, own_cell(m, z), z.grain, args.span)


def _load_like(m: Machine, z: Mutable, args: Arguments) -> Value:
    like = args.take(("z",))["z"]
    if not isinstance(like, Mutable):
        return unknown_call(m, "load_like of something that is not a mutable array", z, args)
    tile = like.parameter.tile
    if len(tile) != z.parameter.rank or "differs" in map(agree, z.parameter.tile, tile):
        blame(m, "TC501", args.span, z.name, "piece", like.name, shapes=(z.parameter.tile, tile))
        return Data(tile)
    for a, b in zip(z.parameter.tile, tile, strict=True):
        require(m, eq(a, b))
    # that both have one piece a block, it is the same one when they agree on the grid
    own(m, like)
    return _load_own(m, z, args)


def _scatter(m: Machine, z: Mutable, args: Arguments) -> Value:
    """Elements of the block's piece by their place in it; what lies outside the piece is not stored."""
    given = args.take(("indices", "values", "mask"))
    items = expand(m, given["indices"])
    indices = (given["indices"],) if items is None else items
    if len(indices) != z.parameter.rank:
        return unknown_call(m, "scatter with an index that is not known", z, args)
    local = tuple(to_int(m, i, args.span) for i in indices)
    for i in local:
        m.integer_use(i.term)
    value = given["values"]
    mask = to_bool(m, given["mask"], args.span) if "mask" in given else Bool(TRUE)
    at = origin_of(z, own(m, z))
    inside: Cond = conj(mask.cond, *(c for i, size in zip(local, z.parameter.tile, strict=True)
                                     for c in (ge(i.term, 0), lt(i.term, size))))
    index = tuple(replace(i, term=start + i.term) for i, start in zip(local, at, strict=True))
    shape = broadcast(*(i.shape for i in local), mask.shape)
    held = Held(True, (ProofStep(Construction.SCATTERS_OWN, (z.name,)),))
    effect = Effect("write", "scatter", "weak", "none", True, args.span, value=value, held=held)
    element_access(m, _ref(z), index, inside, shape, broadcast(shape, shape_of(value)), effect)
    return NONE


# --- cells ---------------------------------------------------------------------------------------------------------

def _cell(m: Machine, z: Mutable, args: Arguments) -> Value:
    return own_cell(m, z)


def _cells(m: Machine, z: Mutable, args: Arguments) -> Value:
    """One cell a block or what a schedule gives it; those of several arrays are walked together."""
    grains = [z.grain]
    for other in args.values():
        if not isinstance(other, Mutable):
            return unknown_call(m, "cells with something that is not a mutable array", z, args)
        if len(other.parameter.tile) != len(z.parameter.tile) or "differs" in map(
                agree, other.parameter.tile, z.parameter.tile):
            blame(m, "TC501", args.span, other.name, "together", z.name,
                  shapes=(other.parameter.tile, z.parameter.tile))
            return Unknown("cells of arrays that are cut differently")
        if other.name != z.name:
            _walked_together(m, z, other)
            grains.append(other.grain)
    return Cells(tuple(grains))


def _walked_together(m: Machine, z: Mutable, other: Mutable) -> None:
    for k, (a, b) in enumerate(zip(z.parameter.tile, other.parameter.tile, strict=True)):
        require(m, eq(a, b))
        require(m, eq(cdiv(extent(z.array, k), a), cdiv(extent(other.array, k), b)))


def _coordinates(m: Machine, z: Mutable, args: Arguments) -> Value:
    """`z.coords(cell)`: of a nested tile, those of the piece that it is in."""
    cell = args.take(("cell",))["cell"]
    grain = _grain_of(z, cell)
    if isinstance(cell, Cell) and grain is not None:
        return Tuple(_ints(own(m, z) if grain.nested else cell.coordinates))
    if isinstance(cell, Cell):
        blame(m, "TC105", args.span, z.name, "coordinates", cell.grains[0].array.text)
    elif isinstance(cell, Int | Const) or (isinstance(cell, Unknown) and cell.what == "operator"):
        blame(m, "TC105", args.span, z.name, "numbered")
    return _numbers(m, z, args)


def _place(m: Machine, z: Mutable, args: Arguments) -> Value:
    """`z.place(inner, *tile)`: where a nested tile is, in such tiles over the whole array."""
    cell = args.take(("cell",))["cell"]
    grain = _grain_of(z, cell)
    tile = _tile(m, args.positional[1:], args)
    known = grain is not None and grain.nested and tile == grain.tile
    return Tuple(_ints(cell.coordinates)) if known and isinstance(cell, Cell) else _numbers(m, z, args)


def _grain_of(z: Mutable, cell: Value) -> Grain | None:
    return next((g for g in cell.grains if g.array == z.array), None) if isinstance(cell, Cell) else None


def _numbers(m: Machine, z: Mutable, args: Arguments) -> Value:
    """Numbers of no cell: what they select is checked where they are used."""
    return Tuple(tuple(m.fresh_int(f"coordinate{k}", args.span) for k in range(z.parameter.rank)))


def _pieces(m: Machine, z: Mutable, args: Arguments) -> Value:
    if any(isinstance(v, Tuple) for v in args.positional):
        blame(m, "TC501", args.span, z.name, "starred", "pieces")
        return Unknown("nested pieces by a tuple", frozenset())
    tile = _tile(m, args.positional, args)
    grain = None if tile is None else _nest_tiles(m, z, tile, args.span)
    return Unknown("nested pieces of another rank") if grain is None else Pieces(z, grain)


def _nest_tiles(m: Machine, z: Mutable, tile: Shape, span: Span) -> Grain | None:
    """Tiles of this shape in the pieces, which they must divide."""
    if len(tile) != z.parameter.rank:
        blame(m, "TC501", span, z.name, "pieces", shapes=(tile, z.parameter.tile))
        return None
    partial = False
    for k, (inner, outer) in enumerate(zip(tile, z.parameter.tile, strict=True)):
        if not is_positive(m, inner) and enforceable(eq(inner, 0)):
            require(m, ge(inner, 1))
        divides, single = eq(mod(outer, inner), 0), le(extent(z.array, k), outer)
        if enforceable(divides) and divides.op != "false":
            require(m, disj(divides, single))
        elif divides.op == "false" and entails(m.holdings.declared, single):
            require(m, single)
        else:
            known = inner.constant is not None and outer.constant is not None
            words = (str(k), str(inner.constant), str(outer.constant)) if known else ()
            blame(m, "TC109", span, z.name, "nested" if words else "open", *words)
            partial = True
    return Grain(z.array, tile, True, partial)


def _tile(m: Machine, given: tuple[Value, ...], args: Arguments) -> Shape | None:
    return None if args.keywords or not given else tuple(to_term(m, v, args.span) for v in given)


def _store_at(m: Machine, z: Mutable, args: Arguments) -> Value:
    """A nested tile at a place in the piece that a value selects; outside the piece nothing is stored."""
    given = args.take(("position", "tile"))
    tile, position = given["tile"], given["position"]
    shape, items = shape_of(tile), expand(m, position)
    if shape is None or items is None or len(items) != z.parameter.rank:
        return unknown_call(m, "store_at of a tile or at a position that is not known", z, args)
    grain = _nest_tiles(m, z, shape, args.span)
    if grain is not None:
        cell = placed_cell(m, z, grain, tuple(to_term(m, v, args.span) for v in items))
        _store(m, z, cell, grain, tile, args.span, "store", Construction.OWN_SELECTED)
    return NONE


def _load_piece(m: Machine, z: Mutable, args: Arguments) -> Value:
    """A nested tile as it is now."""
    tile = _tile(m, args.positional[1:], args)
    if tile is None:
        return unknown_call(m, "load_piece", z, args)
    cell, grain = _select_cell(m, z, args.take(("cell",))["cell"], args.span)
    if cell is None or grain is None:
        return Data(tile)
    if tile != grain.tile:
        blame(m, "TC501", args.span, z.name, "fetched", shapes=(tile, grain.tile))
        return Data(tile)
    return _load(m, z, cell, grain, args.span)


def _extent(m: Machine, z: Mutable, args: Arguments) -> Value:
    axis = constant_int(args.take(("axis",))["axis"])
    if axis is None or not -z.parameter.rank <= axis < z.parameter.rank:
        return m.fresh_int("extent", args.span)
    return Int(get_true_extent(z, own(m, z), axis % z.parameter.rank), dtype=SOME_INTEGER)


METHODS: Final[dict[str, Method]] = {
    "store": takes(_store_own, "tile"), "load": takes(_load_own), "load_like": takes(_load_like, "z"),
    "scatter": takes(_scatter, "indices values mask", 1), "cell": takes(_cell), "cells": takes(_cells, "other", 1),
    "coords": takes(_coordinates, "cell"), "place": takes(_place, "cell", rest=True),
    "pieces": takes(_pieces, rest=True), "extent": takes(_extent, "axis"),
    "store_at": takes(_store_at, "position tile"), "load_piece": takes(_load_piece, "cell", rest=True),
}
