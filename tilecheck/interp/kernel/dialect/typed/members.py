"""Attributes and methods of the dialect's values, by their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.dtypes import I32
from tilecheck.interp.kernel.dialect.typed.kinds import (
    Bound,
    CellOf,
    CellsOf,
    Extents,
    Items,
    Loose,
    MutOf,
    PartOf,
    PiecesOf,
    RefOf,
    Tile,
    Type,
)
from tilecheck.interp.kernel.dialect.typed.operations import Given, constant, extents
from tilecheck.symbolic import ONE

if TYPE_CHECKING:
    from tilecheck.interp.kernel.dialect.typed.infer import Inference

__all__ = ["MEMBERS", "attribute"]


def attribute(owner: Type, name: str) -> Type:
    """`z.tile`, `t.shape`, or a method."""
    if isinstance(owner, MutOf) and name == "tile":
        return _shape(owner.parameter.tile)
    if isinstance(owner, PartOf) and name == "tile":
        return _shape(owner.tile)
    if isinstance(owner, Tile) and name == "shape":
        return None if owner.shape is None else _shape(owner.shape)
    return None if owner is None else Bound(owner, name)


def _shape(shape: Extents) -> Type:
    return Items(tuple(Loose("int", e) for e in shape))


def _piece(c: Inference, z: MutOf, g: Given) -> Type:
    return Tile(z.parameter.dtype, z.parameter.tile)


def _store(c: Inference, z: MutOf, g: Given) -> Type:
    from tilecheck.interp.kernel.dialect.typed.infer import check_store

    check_store(c, z, g.get(0, "tile"), g.span)
    return None


def _store_at(c: Inference, z: MutOf, g: Given) -> Type:
    from tilecheck.interp.kernel.dialect.typed.infer import check_store

    check_store(c, z, g.get(1, "tile"), g.span)
    return None


def _tile(g: Given, start: int = 0) -> Extents:
    given = g.positional[start:]
    nested = extents(given[0]) if len(given) == 1 and isinstance(given[0], Items) else None
    return nested if nested is not None else tuple(v.value if isinstance(v, Loose) else None for v in given)


def _number(c: Inference, owner: Type, g: Given) -> Type:
    return Tile(I32, ())


def _coordinates(c: Inference, z: MutOf, g: Given) -> Type:
    return Items((Tile(I32, ()),) * z.parameter.rank)


def _like(c: Inference, x: RefOf, g: Given) -> Type:
    z = g.get(0, "z")
    return Tile(x.parameter.dtype, z.parameter.tile if isinstance(z, MutOf) else None)


def _load(c: Inference, x: RefOf, g: Given) -> Type:
    return Tile(x.parameter.dtype, extents(g.get(1, "shape")))


def _element(c: Inference, x: RefOf, g: Given) -> Type:
    whole = all(isinstance(v, Loose) or (isinstance(v, Tile) and v.shape == ()) for v in g.positional)
    return Tile(x.parameter.dtype, () if whole else None)


def _row(c: Inference, x: RefOf, g: Given) -> Type:
    size = g.get(1, "length")
    return Tile(x.parameter.dtype, (ONE, size.value if isinstance(size, Loose) else None))


def _permute_load(c: Inference, x: RefOf, g: Given) -> Type:
    return x if all(constant(v) is not None for v in g.positional) else None


MEMBERS: Final[Mapping[tuple[type, str], Callable[[Inference, Any, Given], Type]]] = {
    (MutOf, "store"): _store, (MutOf, "store_at"): _store_at, (MutOf, "load"): _piece, (MutOf, "load_like"): _piece,
    (MutOf, "load_piece"): lambda c, z, g: Tile(z.parameter.dtype, _tile(g, 1)),
    (MutOf, "cell"): lambda c, z, g: CellOf(z.parameter.tile),
    (MutOf, "cells"): lambda c, z, g: CellsOf(z.parameter.tile),
    (MutOf, "pieces"): lambda c, z, g: PiecesOf(_tile(g)), (MutOf, "coords"): _coordinates,
    (MutOf, "place"): _coordinates, (MutOf, "extent"): _number,
    (RefOf, "load_like"): _like, (RefOf, "load"): _load, (RefOf, "at"): _element, (RefOf, "gather_row"): _row,
    (RefOf, "gather"): lambda c, x, g: Tile(x.parameter.dtype, None),
    (RefOf, "partition"): lambda c, x, g: PartOf(x.parameter.dtype, _tile(g)), (RefOf, "extent"): _number,
    (RefOf, "permute"): _permute_load, (RefOf, "padded"): lambda c, x, g: x, (PartOf, "tiles"): _number,
}
