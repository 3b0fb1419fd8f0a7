"""Operations of cuda.tile that touch no memory: arithmetic, selection, factories, grid, static evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from tilecheck.dtypes import BOOL, DTYPES, I8, I16, I32, INTEGERS, U8, U16, U32, UNSIGNED, DType, holds, is_fraction
from tilecheck.interp.kernel.access import Claim
from tilecheck.interp.kernel.calls import Arguments, MethodOperation, Operation, unknown_call
from tilecheck.interp.kernel.coerce import (
    constant_int,
    extent,
    extent_of,
    rank_of,
    scalar_of,
    shape_from,
    to_array,
    to_bool,
    to_int,
    to_term,
)
from tilecheck.interp.kernel.induction import never_negative
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.lint_facts import Narrowing, SliceUse
from tilecheck.interp.kernel.operators import (
    binary,
    compare,
    data_function,
    invert,
    is_float,
    matmul_shape,
    negate_value,
    note_divided,
    select,
    shape_of,
)
from tilecheck.interp.kernel.overflow import bits_of, computed_in, fit_unrecorded, fit_value, wrap_constant
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Int,
    ParamRef,
    Shape,
    StaticIter,
    TileRef,
    Tuple,
    Unknown,
    Value,
    View,
)
from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.overflow import bound_below, numbers
from tilecheck.symbolic import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    app,
    bid,
    cdiv,
    conj,
    const,
    floordiv,
    grid,
    lane,
    maximum,
    mod,
)

MISSING = Unknown("missing argument")



def _two(args: Arguments, first: str = "x", second: str = "y") -> tuple[Value, Value]:
    given = args.take((first, second))
    return given.get(first, MISSING), given.get(second, MISSING)


def _one(args: Arguments, name: str = "x") -> Value:
    return args.take((name,)).get(name, MISSING)


# --- element-wise ----------------------------------------------------------------------------------------------------

def _binary(op: str, m: Machine, args: Arguments) -> Value:
    a, b = _two(args)
    return binary(m, op, a, b, args.span)


def _compare(op: str, m: Machine, args: Arguments) -> Value:
    a, b = _two(args)
    return compare(m, op, a, b, args.span)


def _float_function(name: str, m: Machine, args: Arguments) -> Value:
    return data_function(m, name, tuple(v for v in args.positional if not isinstance(v, TileRef)) or (MISSING,))


def _divmod(m: Machine, args: Arguments) -> Value:
    a, b = _two(args)
    return Tuple((binary(m, "//", a, b, args.span), binary(m, "%", a, b, args.span)))


def rounded_up(m: Machine, number: Term, size: Term) -> Term:
    """`ceil(number / size)`, in the form that is right for `size >= 1` where the launch passes sizes."""
    low = bound_below(size)
    if low is not None and low >= 0:
        m.sized |= numbers(size)
        return cdiv(number, size)
    return -floordiv(-number, size)


def cdiv_values(m: Machine, a: Value, b: Value, args: Arguments) -> Value:
    if isinstance(a, Choice) or isinstance(b, Choice) or is_float(a) or is_float(b):
        return m.fresh_int("cdiv", args.span, broadcast(shape_of(a), shape_of(b)))
    x, y = to_int(m, a, args.span), to_int(m, b, args.span)
    m.integer_use(y.term)
    number, size = fit_value(m, x), fit_value(m, y)
    result = rounded_up(m, number, size)
    computed_in(m, result, max(bits_of(x.dtype), bits_of(y.dtype)))
    if bits_of(x.dtype) <= 32:
        note_divided(m, result, number)
    return m.limit(Int(result, broadcast(x.shape, y.shape)), args.span)


def _cdiv(m: Machine, args: Arguments) -> Value:
    return cdiv_values(m, *_two(args), args)


def _negate(m: Machine, args: Arguments) -> Value:
    return negate_value(m, _one(args), args.span)


def _invert(m: Machine, args: Arguments) -> Value:
    return invert(m, _one(args), args.span)


def take_absolute(m: Machine, value: Value, args: Arguments) -> Value:
    if is_float(value):
        return data_function(m, "fabs", (value,))
    inner = to_int(m, value, args.span)
    number = fit_value(m, inner)
    return Int(maximum(number, -number), inner.shape)


def _abs(m: Machine, args: Arguments) -> Value:
    return take_absolute(m, _one(args), args)


def _where(m: Machine, args: Arguments) -> Value:
    given = args.take(("cond", "x", "y"))
    cond = to_bool(m, given.get("cond", MISSING), args.span)
    return select(m, cond, given.get("x", MISSING), given.get("y", MISSING), args.span)


# --- conversion ------------------------------------------------------------------------------------------------------

def _named_type(value: Value | None) -> DType | None:
    """The element type that a value is, such as `ct.float32`."""
    return DTYPES.get(value.name) if isinstance(value, TileRef) else None


def convert(m: Machine, value: Value, dtype: Value, args: Arguments) -> Value:
    target = _named_type(dtype)
    if isinstance(value, Unknown):
        return Data(None)
    if is_fraction(target):
        return data_function(m, "float", (value,)) if not isinstance(value, Data) else value
    if target is BOOL:
        return to_bool(m, value, args.span)
    if target is not None:
        return narrow_value(m, target, value, args)
    if isinstance(value, ParamRef):
        return Int(scalar_of(m, value))
    return value if isinstance(value, (Int, Data)) else Data(shape_of(value))


WRAPPING: Final = (I8, I16, U8, U16, U32)
"""Integer types that do not hold every index. Contracts bound the sizes of the others."""


def narrow_value(m: Machine, target: DType | None, value: Value, args: Arguments) -> Int:
    """The value as an element of an integer type, modulo its range. `target` is None if it is not known."""
    number = constant_int(value)
    if number is not None and target is not None and target.bits >= 32 and not holds(target, number):
        return wrap_constant(m, Int(const(number), shape_of(value), dtype=target))
    if target is None or target not in WRAPPING or isinstance(value, Bool):
        whole = to_int(m, value, args.span)
        if target is I32 and not m.doubled.isdisjoint(numbers(whole.term)):
            m.products.add(whole.term)
        if bits_of(whole.dtype) < bits_of(target):
            whole = replace(whole, term=fit_unrecorded(m, whole))
        if m.noting:
            m.notes.note_conversion(target, whole.term, m.path, args.span)
        return whole
    if isinstance(value, Data):
        return m.fresh_int(target.name, args.span, value.shape)
    inner, bits = to_int(m, value, args.span), target.bits
    if bits_of(inner.dtype) < bits:
        inner = replace(inner, term=fit_unrecorded(m, inner))
    if bits == 32 and never_negative(inner.term):
        return inner
    half = const(0 if target in UNSIGNED else 2 ** (bits - 1))
    result = m.limit(Int(mod(inner.term + half, const(2**bits)) - half, inner.shape), args.span)
    if m.noting:
        m.notes.narrowings[Narrowing(target, inner.term, result.term, m.path, args.span)] = None
    return result


def _astype(m: Machine, args: Arguments) -> Value:
    a, b = _two(args, "x", "dtype")
    return convert(m, a, b, args)


def _bitcast(m: Machine, args: Arguments) -> Value:
    a, b = _two(args, "x", "dtype")
    target = _named_type(b)
    if target in INTEGERS and isinstance(a, (Int, ParamRef)):
        return narrow_value(m, target, a, args)
    return Data(shape_of(a))


def _identity(m: Machine, args: Arguments) -> Value:
    return args.positional[0] if args.positional else _one(args)


def _divisible(m: Machine, args: Arguments) -> Value:
    """`assume_divisible_by(x, divisor)` yields x. Its claims about the storage of an array are not modelled."""
    given = args.take(("x", "divisor"))
    value = _identity(m, args)
    if "divisor" in given and not isinstance(value, ArrayRef) and m.recording and not m.host:
        claimed, divisor = to_int(m, value, args.span).term, to_term(m, given["divisor"], args.span)
        m.claims.append(Claim(claimed, divisor, m.path, m.exact, args.span))
    return value


def _astile(m: Machine, args: Arguments) -> Value:
    given = args.take(("value",))
    return convert(m, given.get("value", MISSING), given.get("dtype", MISSING), args)


# --- factories -------------------------------------------------------------------------------------------------------

def _arange(m: Machine, args: Arguments) -> Value:
    given = args.take(("size",))
    size = to_term(m, given.get("size", MISSING), args.span)
    start = to_int(m, given["start"], args.span).term if "start" in given else ZERO
    step = to_int(m, given["step"], args.span).term if "step" in given else ONE
    dtype = given.get("dtype")
    if is_fraction(_named_type(dtype)):
        return Data((size,))
    tile = Int(start + lane(0, size) * step, (size,))
    return narrow_value(m, _named_type(dtype), tile, args) if isinstance(dtype, TileRef) else tile


def _fill_tile(m: Machine, shape: Shape | None, value: Value, dtype: Value | None, args: Arguments) -> Value:
    target = _named_type(dtype)
    if is_fraction(target):
        return Data(shape)
    if target is BOOL:
        return Bool(to_bool(m, value, args.span).cond, shape)
    if target is not None or (dtype is None and not is_float(value)):
        inner = narrow_value(m, target, value, args)
        return Int(inner.term, shape) if inner.shape in ((), (ONE,)) else m.fresh_int("full", args.span, shape)
    return Data(shape)


def _full(m: Machine, args: Arguments) -> Value:
    given = args.take(("shape", "fill_value", "dtype"))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    return _fill_tile(m, shape, given.get("fill_value", MISSING), given.get("dtype"), args)


def _constant_tile(value: int, m: Machine, args: Arguments) -> Value:
    given = args.take(("shape", "dtype"))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    return _fill_tile(m, shape, Int(const(value)), given.get("dtype", MISSING), args)


# --- grid ------------------------------------------------------------------------------------------------------------

def _axis(m: Machine, args: Arguments) -> int | None:
    axis = constant_int(_one(args, "axis"))
    under = conj(*(c for c in conjuncts(m.path) if not c.varying))
    if axis in (0, 1, 2):
        m.axes.add((axis, under))
        return axis
    m.axes.update((k, under) for k in range(3))
    return None


def _bid(m: Machine, args: Arguments) -> Value:
    axis = _axis(m, args)
    return m.fresh_int("bid", args.span) if axis is None else Int(bid(axis))


def _num_blocks(m: Machine, args: Arguments) -> Value:
    axis = _axis(m, args)
    if axis is not None:
        return Int(grid(axis))
    where = to_int(m, _one(args, "axis"), args.span).term
    return Int(app("num_blocks", where))


def _num_tiles(m: Machine, args: Arguments) -> Value:
    from tilecheck.interp.kernel.memory import permutation

    given = args.take(("array", "axis", "shape"))
    ref = to_array(m, given.get("array", MISSING))
    axis = constant_int(given.get("axis", MISSING))
    shape = shape_from(m, given.get("shape", MISSING), args.span)
    if ref is None or axis is None or shape is None:
        return m.fresh_int("num_tiles", args.span)
    for _, view in ref.options:
        m.shows_rank(view.root, len(shape))
    axes = permutation(m, given.get("order"), len(shape))
    place = axis + len(shape) if axis < 0 else axis
    if axes is None or not 0 <= place < len(shape):
        return m.fresh_int("num_tiles", args.span)
    return Int(cdiv(extent_of(m, ref, axes[place]), shape[place]))


# --- reductions and products -----------------------------------------------------------------------------------------

def _mma(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "y", "acc"))
    return Data(shape_of(given.get("acc", MISSING)))


def _mma_scaled(m: Machine, args: Arguments) -> Value:
    given = args.take(("x", "xs", "y", "ys", "acc"))
    return Data(shape_of(given.get("acc", MISSING)))


def _matmul(m: Machine, args: Arguments) -> Value:
    a, b = _two(args)
    return Data(matmul_shape(shape_of(a), shape_of(b)))


# --- static ----------------------------------------------------------------------------------------------------------

def _static_assert(m: Machine, args: Arguments) -> Value:
    if args.positional:
        test = to_bool(m, args.positional[0], args.span).cond
        if test is not FALSE and not m.host:
            m.asserted.update(conjuncts(test))
            if not test.varying and not m.loops and m.path is TRUE and m.recording:
                m.guards.append(test)
            m.assume(test)
    return NONE


def _static_iter(m: Machine, args: Arguments) -> Value:
    return StaticIter(args.positional[0]) if args.positional else MISSING


def _ignore(m: Machine, args: Arguments) -> Value:
    return NONE


def _wait(m: Machine, args: Arguments) -> Value:
    if m.noting:
        m.notes.note_wait(m.path)
    return NONE


def _convert_to(name: str, m: Machine, args: Arguments) -> Value:
    """A dtype called as a function, `ct.int32(x)`."""
    return convert(m, args.positional[0], TileRef(name), args) if args.positional else MISSING


# --- methods of arrays and views -------------------------------------------------------------------------------------

def _array_slice(m: Machine, owner: Value, args: Arguments) -> Value:
    given = args.take(("axis", "start", "stop"))
    ref = to_array(m, owner)
    axis = constant_int(given.get("axis", MISSING))
    if ref is None or axis is None or "start" not in given or "stop" not in given:
        return unknown_call(m, "slice along an axis that is not known", owner, args)
    rank = rank_of(m, ref)
    if axis < 0:
        if rank is None:
            if m.knowledge.written is not None:
                return unknown_call(m, "slice along an axis that is not known", owner, args)
            rank = 1 - axis
        axis += rank
    start, stop = to_term(m, given["start"], args.span), to_term(m, given["stop"], args.span)
    out = []
    for cond, view in ref.options:
        before = view.slice_of(axis)
        base = ZERO if before is None else before[0]
        kept = tuple(s for s in view.slices if s[0] != axis)
        if m.noting:
            whole = extent(m, view, axis) if before is None else before[1] - before[0]
            m.notes.slices[SliceUse(
                view.root, axis, start, stop, whole, conj(m.path, cond), m.exact, args.span)] = None
        slices = tuple(sorted((*kept, (axis, base + start, base + stop)), key=lambda s: s[0]))
        out.append((cond, View(view.root, view.member, slices, view.tile, view.steps, view.raw, view.padding)))
    return ArrayRef(tuple(out))


def _tiled_view(m: Machine, owner: Value, args: Arguments) -> Value:
    given = args.take(("tile_shape",))
    ref = to_array(m, owner)
    shape = shape_from(m, given.get("tile_shape", MISSING), args.span)
    steps_value = given.get("traversal_steps")
    steps = None
    if steps_value is not None and not (isinstance(steps_value, Const) and steps_value.value is None):
        steps = shape_from(m, steps_value, args.span)
        if steps is None:
            return unknown_call(m, "tiled_view with steps that are not known", owner, args)
    if ref is None or shape is None:
        return unknown_call(m, "tiled_view with a shape that is not known", owner, args)
    padding = given.get("padding_mode")
    return ArrayRef(tuple((c, View(v.root, v.member, v.slices, shape, steps, padding=padding)) for c, v in ref.options))


def _raw_memory(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    if ref is None:
        return unknown_call(m, "get_raw_memory", owner, args)
    return ArrayRef(tuple((c, View(v.root, v.member, v.slices, raw=True)) for c, v in ref.options))


def _view_tiles(m: Machine, owner: Value, args: Arguments) -> Value:
    ref = to_array(m, owner)
    axis = constant_int(_one(args, "axis"))
    if ref is None or axis is None or len(ref.options) != 1:
        return m.fresh_int("num_tiles", args.span)
    view = ref.options[0][1]
    if view.tile is None or not -len(view.tile) <= axis < len(view.tile):
        return m.fresh_int("num_tiles", args.span)
    place = axis % len(view.tile)
    size = extent_of(m, ref, place)
    if view.steps is None or view.steps == view.tile:
        return Int(cdiv(size, view.tile[place]))
    return Int(app("num_tiles", size, view.tile[place], view.steps[place]))


def _tile_method(operation: Callable[[Machine, Arguments], Value]) -> Callable[[Machine, Value, Arguments], Value]:
    def method(m: Machine, owner: Value, args: Arguments) -> Value:
        return operation(m, Arguments((owner, *args.positional), args.keywords, args.complete, args.span))

    return method


_FLOATS = (
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil",
    "atan2", "truediv", "sigmoid", "erf", "log1p", "expm1", "rint", "round",
)
_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "pow": "**", "minimum": "min",
    "maximum": "max", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_lshift": "<<",
    "bitwise_rshift": ">>",
}
_COMPARE = {
    "greater": ">", "greater_equal": ">=", "less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=",
}


def _isnan(m: Machine, args: Arguments) -> Value:
    return m.fresh_truth("data", args.span, shape_of(_one(args)))


OPERATIONS: Final[Mapping[str, Operation]] = {
    **{name: partial(_float_function, name) for name in _FLOATS},
    **{name: partial(_binary, op) for name, op in _BINARY.items()},
    **{name: partial(_compare, op) for name, op in _COMPARE.items()},
    **{name: partial(_convert_to, name) for name in DTYPES},
    "divmod": _divmod, "cdiv": _cdiv, "negative": _negate, "bitwise_not": _invert, "abs": _abs, "where": _where,
    "isnan": _isnan, "astype": _astype, "bitcast": _bitcast, "astile": _astile, "arange": _arange, "full": _full,
    "zeros": partial(_constant_tile, 0), "ones": partial(_constant_tile, 1), "bid": _bid, "num_blocks": _num_blocks,
    "num_tiles": _num_tiles, "mma": _mma, "mma_scaled": _mma_scaled, "matmul": _matmul,
    "static_assert": _static_assert, "assert_": _static_assert, "static_eval": _identity, "static_iter": _static_iter,
    "grid_dependency_control_wait": _wait, "grid_dependency_control_launch_dependents": _ignore,
    "ensure_constant": _identity, "assume_divisible_by": _divisible, "printf": _ignore, "print": _ignore,
    "pack_to_bytes": lambda m, args: Data(None), "unpack_from_bytes": lambda m, args: Data(None),
}
METHODS: Final[Mapping[str, MethodOperation]] = {
    "slice": _array_slice, "tiled_view": _tiled_view, "get_raw_memory": _raw_memory, "num_tiles": _view_tiles,
    "astype": _tile_method(_astype),
}
TILE_METHODS: Final = frozenset({"astype"})

__all__ = ["METHODS", "OPERATIONS", "TILE_METHODS", "convert"]
