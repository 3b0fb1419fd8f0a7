"""Rules for undefined lanes that several operations share.

An operation without a rule blurs: its result may be undefined anywhere, and no verdict on its loads can stand.
"""

from __future__ import annotations

from typing import Final

from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import constant_int, expand, reduced_axes
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.propagation import (
    TILES,
    closed_up,
    combine_lanes,
    elementwise,
    lose,
    lose_all,
    observe,
    scan_lanes,
    shadow_of,
    spread,
    with_shadow,
)
from tilecheck.interp.kernel.poison.sources import Shadow, blur, merge_poison
from tilecheck.interp.kernel.values import Int, Shape, Tuple, Value
from tilecheck.symbolic import ZERO


def add_builtin_poison(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The same for a builtin or library function."""
    if not m.knowledge.unspecified:
        return result
    if name in _HOLDING:
        if name in _ITEMS:
            # of a tile and not of items: what becomes of it is not followed
            lose_all(m, name, *(v for v in args.positional[:1] if isinstance(v, TILES)))
        return result
    return combine_operands(m, args, result) if name in _PLAIN else blur_operands(m, args, result)


_HOLDING: Final = frozenset({
    "tuple", "list", "enumerate", "zip", "reversed", "getattr", "len", "print", "range", "isinstance", "hasattr",
    "callable", "functools.partial", "functools.reduce", "sum", "math.prod", "min", "max", "all", "any", "divmod",
    "pow", "operator.add", "operator.mul", "type", "str", "repr",
})
"""Functions that pass their arguments, do not use their values, or consist of operators."""


_ITEMS: Final = frozenset({"all", "any", "sum", "math.prod", "tuple", "list", "enumerate", "zip", "reversed"})


_PLAIN: Final = frozenset({"abs", "int", "float", "bool"})


def blur_operands(m: Machine, args: Arguments, result: Value) -> Value:
    shadow = merge_poison(*(shadow_of(v) for v in args.values()))
    if not shadow:
        return result
    if not isinstance(result, TILES):
        lose(m, shadow, "an operation that is not followed")
        return result
    return with_shadow(result, blur(merge_poison(shadow, result.shadow)))


def combine_operands(m: Machine, args: Arguments, result: Value) -> Value:
    return elementwise(m, result, *args.values())


def keep_poison(m: Machine, args: Arguments, result: Value) -> Value:
    """The operation sees to it itself."""
    return result


def move_lanes(m: Machine, args: Arguments, result: Value) -> Value:
    """The tile is moved with its undefined lanes by the operation; where to must be known."""
    lose_all(m, "an index that is undefined", *args.values()[1:])
    return result


def lanes_shape(value: Value) -> Shape | None:
    return value.shape if isinstance(value, TILES) else ()


def _name_axes(axes: list[int], rank: int) -> str:
    if rank < 2:
        return ""
    return f"axis {axes[0]}" if len(axes) == 1 else "all axes" if len(axes) == rank else f"axes {tuple(axes)}"


def reduce_poison(how: str, m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    source = given.get("x", MISSING)
    items = expand(m, source) or (source,)
    keep = constant_int(given.get("keepdims", Int(ZERO)))
    out: list[Shadow] = []
    for item in items:
        shadow, shape = shadow_of(item), lanes_shape(item)
        if not shadow:
            continue
        axes = None if shape is None else reduced_axes(m, given.get("axis"), len(shape))
        if shape is None or axes is None or keep is None:
            observe(m, blur(shadow), m.path, how, "", args.span)
            continue
        rank = len(shape)
        kept = combine_lanes(m, shadow, frozenset(rank - 1 - k for k in axes), how, _name_axes(axes, rank), args.span)
        out.append(kept if keep else closed_up(kept, rank, axes))
    return _on_each(m, result, merge_poison(*out))


def scan_poison(how: str, m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    source = given.get("x", MISSING)
    items = expand(m, source) or (source,)
    backwards = "reverse" in given and constant_int(given["reverse"]) != 0
    out: list[Shadow] = []
    for item in items:
        shadow, shape = shadow_of(item), lanes_shape(item)
        if not shadow:
            continue
        axes = None if shape is None else reduced_axes(m, given.get("axis", Int(ZERO)), len(shape))
        if shape is None or axes is None or len(axes) != 1:
            observe(m, blur(shadow), m.path, how, "", args.span)
            continue
        rank = len(shape)
        out.append(scan_lanes(m, shadow, rank - 1 - axes[0], backwards, how, _name_axes(axes, rank), args.span))
    return _on_each(m, result, merge_poison(*out))


def _on_each(m: Machine, result: Value, shadow: Shadow) -> Value:
    if isinstance(result, Tuple):
        return Tuple(tuple(_on_each(m, v, shadow) for v in result.items))
    return with_shadow(result, ()) if not shadow else spread(m, result, shadow)
