"""TC501 tile-shape: a tile whose extents are not those that its place asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.provenance import origin_notes, shape_text

__all__ = ["CODE", "diagnose", "diagnose_types"]

CODE = "TC501"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    """The finding at an access."""
    assert s.fault is not None
    return _finding(s.fault, model)


def diagnose_types(model: KernelModel) -> Iterator[Diagnostic]:
    """The findings at operations that touch no memory."""
    for fault in model.ownership.typed:
        if fault.code == CODE:
            yield _finding(fault, model)


def _finding(fault: Fault, model: KernelModel) -> Diagnostic:
    message, help_ = _WORDS[fault.how](fault)
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, origin_notes(model, fault.shapes), help_)


def _axes(shape: Sized) -> str:
    return f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"


def _two(f: Fault) -> tuple[str, str]:
    first, second = f.shapes
    return shape_text(first), shape_text(second)


def _stored(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    scalar = tile == "()"
    what = "a scalar" if scalar else f"a tile of shape {tile}"
    return (f"{what} is stored to a piece of `{f.array}`, which is {piece}",
            f"store a tile of shape {piece}" + (f": `ct.full({f.array}.tile, ...)`" if scalar else ""))


def _nested(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    return (f"a tile of shape {tile} is stored to a nested piece of `{f.array}`, which is {piece}",
            f"store a tile of shape {piece}")


def _fetched(f: Fault) -> tuple[str, str]:
    tile, piece = _two(f)
    return (f"a tile of shape {tile} is read back from a nested piece of `{f.array}`, which is {piece}",
            f"`{f.array}.load_piece(cell, {piece.strip('(),')})`")


def _whole(f: Fault) -> tuple[str, str]:
    nested, piece = _two(f)
    return (f"`{f.array}[...]` reads the whole piece back, {piece}, and this is the cell of a nested tile of {nested}",
            f"`{f.array}.load_piece(cell, {nested.strip('(),')})`")


def _ranks(f: Fault) -> tuple[str, str]:
    array, piece = f.shapes
    return (f"`{f.array}` has {_axes(array)}, and a piece of `{f.words[0]}` has {len(piece)}",
            f"load the tile by its index instead: `{f.array}.partition(...)[...]`")


def _piece(f: Fault) -> tuple[str, str]:
    mine, theirs = _two(f)
    return (f"a piece of `{f.array}` is {mine}, and one of `{f.words[0]}` is {theirs}: it has no tile at that place",
            f"read back what the block owns of it: `{f.array}.load()`")


def _indexed(f: Fault) -> tuple[str, str]:
    given, array = f.shapes
    return f"`{f.array}` has {_axes(array)}, and the index has {len(given)}", "give one index for each axis"


def _partition(f: Fault) -> tuple[str, str]:
    given, array = f.shapes
    return (f"`{f.array}` has {_axes(array)}, and is partitioned into tiles of {len(given)}",
            "give one extent for each axis")


def _starred(f: Fault) -> tuple[str, str]:
    (name,) = f.words
    return (f"`{f.array}.{name}` takes the extents of a tile one by one, and this is a tuple of them",
            f"put a star before it: `{f.array}.{name}(*tile)`")


def _order(f: Fault) -> tuple[str, str]:
    (array,) = f.shapes
    straight = range(len(array))
    given = ", ".join("?" if w == "None" else w for w in f.words)
    turned = ", ".join(str(k) for k in reversed(straight))
    return (f"`{f.array}` has {_axes(array)}, and `permute({given})` does not name each of them once",
            f"name the axes {', '.join(map(str, straight))} in the order of the view: `{f.array}.permute({turned})`")


def _orders(f: Fault) -> tuple[str, str]:
    (array,) = f.shapes
    turned = ", ".join(str(k) for k in reversed(range(len(array))))
    return (f"in which order `permute` puts the {_axes(array)} of `{f.array}` is not known when the kernel is checked",
            f"write the axes as numbers: `{f.array}.permute({turned})`")


def _together(f: Fault) -> tuple[str, str]:
    other, first = _two(f)
    return (f"`{f.words[0]}` and `{f.array}` cannot be walked together: pieces of {first} and of {other}",
            "walk each by itself, or give both the same tile")


def _product(f: Fault) -> tuple[str, str]:
    x, y, acc = (shape_text(s) for s in f.shapes)
    return (f"the operands of `ct.{f.words[0]}` do not fit: {x} times {y}, added to {acc}" if f.shapes[2] else
            f"the operands of `ct.{f.words[0]}` do not fit: {x} times {y}",
            "the first is (M, K), the second (K, N) and what is added to (M, N)")


def _combined(f: Fault) -> tuple[str, str]:
    first, second = _two(f)
    return f"tiles of shapes {first} and {second} are combined", "give both the same extents, or extents of 1"


_WORDS: Final[Mapping[str, Callable[[Fault], tuple[str, str]]]] = {
    "stored": _stored, "nested": _nested, "fetched": _fetched, "whole": _whole,
    "like": _ranks, "piece": _piece, "indexed": _indexed, "partition": _partition,
    "pieces": _partition, "starred": _starred, "order": _order, "orders": _orders, "together": _together,
    "product": _product, "combined": _combined,
}
