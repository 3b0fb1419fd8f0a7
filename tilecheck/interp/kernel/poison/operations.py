"""The rule of each operation of cuda.tile for undefined lanes, applied to what the operation yields.

An operation that has no rule blurs: its result may be undefined anywhere, and no verdict on its loads can stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from tilecheck.dtypes import DTYPES
from tilecheck.interp.kernel.coerce import constant_int, expand, to_bool
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.propagation import (
    TILES,
    closed_up,
    combine_lanes,
    elementwise,
    lose,
    lose_all,
    observe,
    place_part,
    product,
    scan_lanes,
    shadow_of,
    spread,
    with_shadow,
)
from tilecheck.interp.kernel.poison.sources import Shadow, blur, merge_poison
from tilecheck.interp.kernel.values import Const, Int, Shape, Tuple, Unknown, Value
from tilecheck.symbolic import ZERO

if TYPE_CHECKING:
    from tilecheck.interp.kernel.calls import Arguments

__all__ = ["add_builtin_poison", "add_poison"]

Rule: TypeAlias = "Callable[[Machine, Arguments, Value], Value]"

MISSING: Final = Unknown("missing argument")


def add_poison(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The result of an operation of cuda.tile, or of a method of a tile, with its undefined lanes."""
    if not m.knowledge.unspecified:
        return result
    return _RULES.get(name, _coarse)(m, args, result)


def add_builtin_poison(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The same for a builtin or library function."""
    if not m.knowledge.unspecified:
        return result
    if name in _HOLDING:
        if name in _ITEMS:
            # of a tile and not of items: what becomes of it is not followed
            lose_all(m, name, *(v for v in args.positional[:1] if isinstance(v, TILES)))
        return result
    return _elementwise(m, args, result) if name in _PLAIN else _coarse(m, args, result)


_HOLDING: Final = frozenset({
    "tuple", "list", "enumerate", "zip", "reversed", "getattr", "len", "print", "range", "isinstance", "hasattr",
    "callable", "functools.partial", "functools.reduce", "sum", "math.prod", "min", "max", "all", "any", "divmod",
    "pow", "operator.add", "operator.mul", "type", "str", "repr",
})
"""Functions that pass their arguments, do not use their values, or consist of operators."""
_ITEMS: Final = frozenset({"all", "any", "sum", "math.prod", "tuple", "list", "enumerate", "zip", "reversed"})
_PLAIN: Final = frozenset({"abs", "int", "float", "bool"})


def _coarse(m: Machine, args: Arguments, result: Value) -> Value:
    shadow = merge_poison(*(shadow_of(v) for v in args.values()))
    if not shadow:
        return result
    if not isinstance(result, TILES):
        lose(m, shadow, "an operation that is not followed")
        return result
    return with_shadow(result, blur(merge_poison(shadow, result.shadow)))


def _elementwise(m: Machine, args: Arguments, result: Value) -> Value:
    return elementwise(m, result, *args.values())


def _own(m: Machine, args: Arguments, result: Value) -> Value:
    """The operation sees to it itself."""
    return result


def _move_lanes(m: Machine, args: Arguments, result: Value) -> Value:
    """The tile is moved with its undefined lanes by the operation; where to must be known."""
    lose_all(m, "an index that is undefined", *args.values()[1:])
    return result


def _check_operands(m: Machine, args: Arguments, result: Value) -> Value:
    if args.positional:
        test = to_bool(m, args.positional[0], args.span)
        observe(m, test.shadow, m.path, "branch", "", args.span)
    return result


# --- reductions, scans, products -------------------------------------------------------------------------------------

def _shape(value: Value) -> Shape | None:
    return value.shape if isinstance(value, TILES) else ()


def _axes(m: Machine, value: Value | None, rank: int) -> list[int] | None:
    if value is None or value == Const(None):
        return list(range(rank))
    items = expand(m, value)
    axes = [constant_int(v) for v in (items if items is not None else (value,))]
    if any(a is None or not -rank <= a < rank for a in axes):
        return None
    return [a % rank for a in axes if a is not None]


def _name_axes(axes: list[int], rank: int) -> str:
    if rank < 2:
        return ""
    return f"axis {axes[0]}" if len(axes) == 1 else "all axes" if len(axes) == rank else f"axes {tuple(axes)}"


def _reduce_lanes(how: str, m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    source = given.get("x", MISSING)
    items = expand(m, source) or (source,)
    keep = constant_int(given.get("keepdims", Int(ZERO)))
    out: list[Shadow] = []
    for item in items:
        shadow, shape = shadow_of(item), _shape(item)
        if not shadow:
            continue
        axes = None if shape is None else _axes(m, given.get("axis"), len(shape))
        if shape is None or axes is None or keep is None:
            observe(m, blur(shadow), m.path, how, "", args.span)
            continue
        rank = len(shape)
        kept = combine_lanes(m, shadow, frozenset(rank - 1 - k for k in axes), how, _name_axes(axes, rank), args.span)
        out.append(kept if keep else closed_up(kept, rank, axes))
    return _on_each(m, result, merge_poison(*out))


def _scan_lanes(how: str, m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "axis"))
    source = given.get("x", MISSING)
    items = expand(m, source) or (source,)
    backwards = "reverse" in given and constant_int(given["reverse"]) != 0
    out: list[Shadow] = []
    for item in items:
        shadow, shape = shadow_of(item), _shape(item)
        if not shadow:
            continue
        axes = None if shape is None else _axes(m, given.get("axis", Int(ZERO)), len(shape))
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


def _mma(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y", "acc"))
    parts = product(m, given.get("x", MISSING), given.get("y", MISSING), args.span, "mma")
    return spread(m, result, merge_poison(parts, shadow_of(given.get("acc", MISSING))))


def _mma_scaled(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    parts = [product(m, given.get(a, MISSING), given.get(b, MISSING), args.span, "mma_scaled")
             for a, b in (("x", "y"), ("xs", "ys"))]
    return spread(m, result, merge_poison(*parts, shadow_of(given.get("acc", MISSING))))


def _matmul(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    return spread(m, result, product(m, given.get("x", MISSING), given.get("y", MISSING), args.span, "matmul"))


# --- parts -----------------------------------------------------------------------------------------------------------

def _cat(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("tiles", "axis"))
    tiles = expand(m, given.get("tiles", MISSING)) or ()
    shadows = [shadow_of(t) for t in tiles]
    if not any(shadows):
        return result
    axis = constant_int(given.get("axis", Int(ZERO)))
    whole = _shape(result)
    shapes = [_shape(t) for t in tiles]
    if axis is None or not whole or any(s is None or len(s) != len(whole) for s in shapes):
        return spread(m, result, blur(merge_poison(*shadows)))
    rank = len(whole)
    place = axis % rank
    start, parts = ZERO, []
    for shadow, shape in zip(shadows, shapes, strict=True):
        assert shape is not None
        parts.append(place_part(shadow, place, shape[place], start, whole[place], rank))
        start = start + shape[place]
    return spread(m, result, merge_poison(*parts))


def _insert(m: Machine, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "index", "value"))
    lose_all(m, "an index that is undefined", given.get("index", MISSING))
    return spread(m, result, merge_poison(
        shadow_of(given.get("x", MISSING)), blur(shadow_of(given.get("value", MISSING)))))


def _same_lanes(m: Machine, args: Arguments, result: Value) -> Value:
    """Element-wise where the shape stays as it was."""
    shadow = shadow_of(args.values()[0]) if args.values() else ()
    if not shadow:
        return result
    same = _shape(result) is not None and _shape(result) == _shape(args.values()[0])
    return spread(m, result, shadow if same else blur(shadow))


_ELEMENTWISE: Final = (
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil",
    "atan2", "truediv", "sigmoid", "erf", "log1p", "expm1", "rint", "round", "sub", "mul", "floordiv", "mod", "pow",
    "add", "minimum", "maximum", "bitwise_xor", "bitwise_lshift", "bitwise_rshift", "greater", "greater_equal", "less",
    "less_equal", "equal", "not_equal", "cdiv", "negative", "bitwise_not", "abs", "isnan", "astype", "astile", "arange",
    "full", *DTYPES,
)
_SELF: Final = (
    "where", "divmod", "bitwise_and", "bitwise_or", "load", "store", "gather", "scatter", "atomic_cas",
    "load_advanced_indexing", "store_advanced_indexing", "Slice", "static_eval", "static_iter", "ensure_constant",
    "assume_divisible_by", "printf", "print", "zeros", "ones", "bid", "num_blocks", "num_tiles",
    "grid_dependency_control_wait", "grid_dependency_control_launch_dependents",
    *(f"atomic_{k}" for k in ("add", "max", "min", "and", "or", "xor", "xchg")),
)
"""Operations that see to it themselves, and those for which an undefined lane cannot matter."""

_RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(_SELF, _own),
    **dict.fromkeys(("reshape", "permute", "transpose", "extract", "broadcast_to", "expand_dims", "item"), _move_lanes),
    **{name: partial(_reduce_lanes, name) for name in ("sum", "prod", "max", "min", "argmax", "argmin", "reduce")},
    **{name: partial(_scan_lanes, name) for name in ("cumsum", "cumprod", "scan")},
    "mma": _mma, "mma_scaled": _mma_scaled, "matmul": _matmul, "cat": _cat, "insert": _insert, "bitcast": _same_lanes,
    "static_assert": _check_operands, "assert_": _check_operands,
}
