"""Where an access has its index, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from tilecheck.interp.kernel.access import Access
from tilecheck.repair.candidates.scene import Scene
from tilecheck.syntax.tree import Attribute, BinOp, Call, Constant, Expr, Name, Sequence, Span, UnaryOp

__all__ = ["Index", "Loaded", "find_load", "format_index", "index_of", "replace_index"]

_READS: Final = frozenset({"load", "gather"})
_ALIKE: Final = frozenset({
    "abs", "add", "astype", "cos", "exp", "exp2", "floor", "log", "log2", "maximum", "minimum", "mul", "negative",
    "pow", "rsqrt", "sin", "sqrt", "sub", "tanh", "truediv", "where",
})
"""Operations whose result has in each place what they make of their operands there."""


class Index(Struct, frozen=True):
    """The index of an access, one part for each axis of the array.

    whole    the expression that stands in the call
    written  where the parts stand: the same, or what the name in the call was bound to
    """

    whole: Expr
    written: Expr
    parts: tuple[Expr, ...]

    @property
    def is_tuple(self) -> bool:
        return isinstance(self.written, Sequence)


def index_of(scene: Scene, call: Call) -> Index | None:
    """The index that a load, store, gather or scatter takes; None for any other call."""
    whole = _get_argument(scene, call, ("index", "indices"), 1)
    if whole is None:
        return None
    written = scene.resolve(whole)
    if isinstance(written, Sequence):
        starred = any(type(item).__name__ == "Starred" for item in written.items)
        return None if starred else Index(whole, written, written.items)
    return Index(whole, whole, (whole,))


def replace_index(
    scene: Scene, index: Index, parts: tuple[Expr, ...], texts: tuple[str, ...]
) -> tuple[Span, Expr, str]:
    """The smallest edit that gives an index other parts: the span, the node and the text."""
    if not index.is_tuple:
        return index.whole.span, parts[0], texts[0]
    changed = [k for k, p in enumerate(index.parts) if scene.text(p.span) != texts[k]]
    if len(changed) == 1 and index.written is index.whole:
        (k,) = changed
        return index.parts[k].span, parts[k], texts[k]
    return index.whole.span, Sequence("tuple", parts, index.whole.span), format_index(texts)


def format_index(texts: tuple[str, ...]) -> str:
    """The text of an index."""
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


class Loaded(Struct, frozen=True):
    """The load of a tile: the call, and its index in the order of the axes of the stored tile."""

    call: Call
    parts: tuple[Expr, ...]
    permuted: bool


def find_load(scene: Scene, access: Access) -> Loaded | None:
    """The load that a stored tile is computed from, element by element; None if there is none, or if several with
    different indices."""
    call = scene.calls.get(access.span)
    tile = None if call is None else _get_argument(scene, call, ("tile", "value"), 2)
    found: dict[tuple[str, ...], Loaded] = {}
    for load, order in _find_sources(scene, tile, None, 0) if tile is not None else ():
        index = index_of(scene, load)
        if index is None or (order is not None and sorted(order) != list(range(len(index.parts)))):
            return None
        parts = index.parts if order is None else tuple(index.parts[k] for k in order)
        found.setdefault(tuple(scene.text(p.span) for p in parts), Loaded(load, parts, order is not None))
    return next(iter(found.values())) if len(found) == 1 else None


def _get_argument(scene: Scene, call: Call, names: tuple[str, ...], place: int) -> Expr | None:
    for keyword in call.keywords:
        if keyword.name in names:
            return keyword.value
    place -= _is_method(scene, call)
    return call.args[place] if 0 <= place < len(call.args) else None


def _is_method(scene: Scene, call: Call) -> bool:
    return isinstance(call.func, Attribute) and f"{scene.text(call.func.value.span)}." != scene.module


def _get_name(call: Call) -> str:
    return call.func.attr if isinstance(call.func, Attribute) else call.func.id if isinstance(call.func, Name) else ""


_Order = tuple[int, ...] | None


def _find_sources(scene: Scene, e: Expr, order: _Order, depth: int) -> Iterator[tuple[Call, _Order]]:
    """The loads in an expression, each with the axes of the load in the order of the axes of the expression."""
    e = scene.resolve(e)
    if depth > 12:
        return
    if isinstance(e, BinOp):
        yield from _find_sources(scene, e.left, order, depth + 1)
        yield from _find_sources(scene, e.right, order, depth + 1)
    elif isinstance(e, UnaryOp):
        yield from _find_sources(scene, e.operand, order, depth + 1)
    elif isinstance(e, Call):
        name, method = _get_name(e), _is_method(scene, e)
        operands = (e.func.value, *e.args) if method and isinstance(e.func, Attribute) else e.args
        if name in _READS:
            yield e, order
        elif name == "permute" and len(operands) == 2:
            axes = _read_constants(operands[1])
            if axes is not None:
                yield from _find_sources(scene, operands[0], axes if order is None else tuple(axes[k] for k in order),
                                    depth + 1)
        elif name == "transpose" and len(operands) == 1:
            yield from _find_sources(scene, operands[0], (1, 0) if order is None else order[::-1], depth + 1)
        elif name in _ALIKE:
            for operand in operands:
                yield from _find_sources(scene, operand, order, depth + 1)


def _read_constants(e: Expr) -> tuple[int, ...] | None:
    items = e.items if isinstance(e, Sequence) else ()
    found = tuple(i.value for i in items if isinstance(i, Constant) and type(i.value) is int)
    return found if found and len(found) == len(items) else None


