"""What each kind of operation asks of its operands, as the front end of cuda.tile does: pure functions of a use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from tilecheck.dtypes import (
    ACCUMULATORS,
    BF16,
    BOOL,
    F8E8M0,
    F16,
    F32,
    F64,
    FLOATS,
    I8,
    I32,
    I64,
    INTEGERS,
    RESTRICTED,
    SCALED,
    U8,
    U32,
    U64,
    UNKNOWN,
    UNSIGNED,
    DType,
    ElementOf,
    ElementType,
    Weak,
    fits_into,
    get_concrete_type,
    holds,
    is_fraction,
    promote,
)
from tilecheck.interp.kernel.tile_types.extents import broadcastable, differ_always, do_clash, pairs, power_of_two
from tilecheck.interp.kernel.tile_types.uses import OPEN, Misfit, MisfitCode, Operand, Use, Verdict
from tilecheck.interp.kernel.values import Shape
from tilecheck.symbolic import Term, const

__all__ = ["check_use"]


def check_use(use: Use) -> Verdict:
    """The first thing that is wrong for certain, else whether anything may be."""
    verdict: Verdict = None
    for found in _CHECKS[use.kind](use):
        if found is not None and found != OPEN:
            return found
        verdict = found or verdict
    return verdict


def _open(*dtypes: ElementType | None) -> Verdict:
    """Open where a seen launch may tell types that are not known here."""
    return OPEN if any(isinstance(d, ElementOf) for d in dtypes) else None


def _types(
    how: str, *types: ElementType | None, words: tuple[str, ...] = (), code: MisfitCode = "TC502",
) -> Misfit:
    """A misfit of element types."""
    return Misfit(code, how, words, types=tuple(UNKNOWN if t is None else t for t in types))


def _differ(a: ElementType | None, b: ElementType | None) -> bool:
    """Whether two types are known by name and are not one."""
    return isinstance(a, DType) and isinstance(b, DType) and a is not b


_TRUTH: Final = (BOOL, Weak.BOOL)


# --- element by element ----------------------------------------------------------------------------------------------

def _clashes(shapes: Iterable[Shape | None], code_how: str = "combined") -> Iterator[Verdict]:
    known_shapes = [s for s in shapes if s is not None]
    for k, a in enumerate(known_shapes):
        for b in known_shapes[k + 1:]:
            for axis, x, y in pairs(a, b):
                clash = do_clash(x, y)
                if clash:
                    yield Misfit("TC501", code_how, (), (x, y), axis)
                elif clash is None:
                    yield OPEN


_LOGIC: Final = frozenset({"&", "|", "^"})
_SHIFTS: Final = frozenset({"<<", ">>"})
_ANY_NUMBER: Final = frozenset({"compare", "where"})
"""Operations that take types which do not otherwise take part in arithmetic."""


def _elementwise(use: Use) -> Iterator[Verdict]:
    """The last two operands are those that combine; of `where` the first is the condition."""
    yield from _clashes(o.shape for o in use.operands)
    x, y = use.operands[-2:]
    if isinstance(x.dtype, Weak) and isinstance(y.dtype, Weak):
        return
    op = use.op
    name = op.removeprefix("ct.")
    group = _GROUPS.get(name, name)
    if group in _LOGIC or group in _SHIFTS:
        yield from _bits(use, x, y, group in _SHIFTS)
        return
    if group not in _ANY_NUMBER:
        for o in (x, y):
            if o.dtype in RESTRICTED:
                yield _types("arithmetic", o.dtype)
    if group == "**" and x.dtype in FLOATS and y.dtype in INTEGERS:
        return
    yield from _promotes(x, y, group in ("/", "truediv"))
    numbers = group in ("compare", "where", "/", "truediv")
    if not numbers and x.dtype in _TRUTH and y.dtype in _TRUTH:
        yield Misfit("TC502", "truth", ())
    yield _open(x.dtype, y.dtype)


_GROUPS: Final[Mapping[str, str]] = {
    "==": "compare", "!=": "compare", "<": "compare", "<=": "compare", ">": "compare", ">=": "compare",
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), "compare"),
    "mod": "%", "pow": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_lshift": "<<",
    "bitwise_rshift": ">>",
}


def _promotes(x: Operand, y: Operand, divided: bool = False) -> Iterator[Verdict]:
    """A quotient has a fraction, so that any number will do."""
    if promote(x.dtype, y.dtype) is None:
        yield _types("promotion", x.dtype, y.dtype)
    for number, other in ((x, y), (y, x)):
        small = number.dtype is Weak.INT and other.dtype in INTEGERS and not divided
        if small and not holds(other.dtype, number.value):
            yield _types("range", other.dtype, words=(str(number.value),))


def _bits(use: Use, x: Operand, y: Operand, shift: bool) -> Iterator[Verdict]:
    for o in (x, y):
        if is_fraction(o.dtype) or o.dtype is Weak.FLOAT or (shift and o.dtype in _TRUTH):
            yield _types("shift" if shift else "bits", o.dtype)
    if not shift and (_differ(x.dtype, y.dtype) or {x.dtype, y.dtype} == {I8, Weak.BOOL}):
        yield _types("bits_differ", x.dtype, y.dtype)
    if shift or isinstance(x.dtype, Weak) or isinstance(y.dtype, Weak):
        yield from _promotes(x, y)
    yield _open(x.dtype, y.dtype)


def _unary(use: Use) -> Iterator[Verdict]:
    """Functions that take only numbers with a fraction, or only integers."""
    (x,) = use.operands
    fraction = use.op in ("ct.floor", "ct.ceil", "ct.isnan")
    wrong = x.dtype in INTEGERS or x.dtype is BOOL if fraction else is_fraction(x.dtype)
    if wrong:
        yield _types("only_fractions" if fraction else "only_integers", x.dtype)
    yield _open(x.dtype)


# --- memory ----------------------------------------------------------------------------------------------------------

def _check_conversion(value: Operand, target: Operand) -> Verdict:
    fits = fits_into(value.dtype, target.dtype, value.value)
    if fits is None:
        return _open(value.dtype, target.dtype)
    if fits:
        return None
    if value.dtype is Weak.INT and value.value is not None:
        return _types("number_stored", target.dtype, words=(str(value.value),))
    return _types("stored", value.dtype, target.dtype)


def _into(use: Use) -> Iterator[Verdict]:
    """The first operand is repeated to the shape of the second one and converted to its type, if that has one."""
    value, target = use.operands
    if value.shape is not None and target.shape is not None:
        fits = broadcastable(value.shape, target.shape)
        if fits is False:
            yield _not_into(value.shape, target.shape)
        elif fits is None:
            yield OPEN
    if target.dtype is not None:
        yield _check_conversion(value, target)


def _not_into(value: Shape, target: Shape) -> Misfit:
    if len(value) > len(target):
        return Misfit("TC503", "more_axes", (str(len(value)), str(len(target))))
    wrong = [(axis, x, y) for axis, x, y in pairs(value, target) if broadcastable((x,), (y,)) is False]
    axis, x, y = wrong[0]
    return Misfit("TC501", "into", (), (x, y), axis)


def _mask(use: Use) -> Iterator[Verdict]:
    mask, target = use.operands
    if (isinstance(mask.dtype, DType) and mask.dtype is not BOOL) or mask.dtype in (Weak.INT, Weak.FLOAT):
        yield _types("mask", mask.dtype)
    yield from _into(Use(use.kind, use.op, (mask, Operand(None, target.shape, None, target.made)), use.span))
    yield _open(mask.dtype)


def _store(use: Use) -> Iterator[Verdict]:
    """`numbers`: the count of the index."""
    tile, array = use.operands
    (count,) = use.numbers
    if tile.shape and len(tile.shape) != count:
        yield Misfit("TC503", "stored_rank", (str(len(tile.shape)), str(count)))
    yield from _array_rank(use, array, count)
    yield _check_conversion(tile, array)


def _array_rank(use: Use, array: Operand, count: int) -> Iterator[Verdict]:
    if array.shape is not None and len(array.shape) != count:
        yield Misfit("TC503", "array_rank", (str(count), str(len(array.shape))))
    elif array.shape is None and use.array:
        yield OPEN


def _load(use: Use) -> Iterator[Verdict]:
    """`numbers`: the count of the index. The operands are the array and the loaded tile."""
    array, tile = use.operands
    (count,) = use.numbers
    if tile.shape and len(tile.shape) != count:
        yield Misfit("TC503", "loaded_rank", (str(len(tile.shape)), str(count)))
    yield from _array_rank(use, array, count)


def _indices(use: Use) -> Iterator[Verdict]:
    """Indices of elements: integers whose shapes combine. `numbers`: whether tiles may be indices."""
    (tiles,) = use.numbers
    yield from _clashes((o.shape for o in use.operands), "indices")
    for place, o in enumerate(use.operands):
        if is_fraction(o.dtype) or o.dtype in _TRUTH or o.dtype is Weak.FLOAT:
            yield _types("index", o.dtype, words=(str(place),))
        if not tiles and o.dtype in UNSIGNED:
            yield _types("index_sign", o.dtype, words=(str(place),))
        if not tiles and o.shape:
            yield Misfit("TC503", "index_tile", (str(place),))
        yield _open(o.dtype)


_ATOMIC: Final[Mapping[str, frozenset[DType]]] = {
    **dict.fromkeys(("xchg", "cas"), frozenset({I32, I64, U32, U64, F32, F64})),
    "add": frozenset({I32, I64, U32, U64, F32, F64, F16, BF16}),
    **dict.fromkeys(("min", "max", "and", "or", "xor"), frozenset({I32, I64, U32, U64})),
}


def _atomic(use: Use) -> Iterator[Verdict]:
    """The operands are the updates and, last, the array with the shape of the indices."""
    *updates, array = use.operands
    which = use.op.rpartition("atomic_")[2].removeprefix("store_").removesuffix("_offset")
    takes = _ATOMIC[which]
    if isinstance(array.dtype, DType) and array.dtype not in takes:
        yield _types("atomic", array.dtype)
    for update in updates:
        shape = Operand(None, array.shape, None, array.made)
        yield from _into(Use("into", use.op, (update, shape), use.span))
        if which in ("and", "or", "xor"):
            mine = get_concrete_type(update.dtype, update.value)
            if _differ(mine, array.dtype):
                yield _types("atomic_bits", mine, array.dtype)
        else:
            yield _check_conversion(update, array)
    yield _open(array.dtype, *(u.dtype for u in updates))


# --- shapes ----------------------------------------------------------------------------------------------------------

def _extents(use: Use) -> Iterator[Verdict]:
    """A shape that a tile is to have."""
    (tile,) = use.operands
    for axis, extent in enumerate(tile.shape or ()):
        found = power_of_two(extent)
        if found is False:
            yield Misfit("TC504", "extent", (), (extent,), axis)
        elif found is None:
            yield OPEN


def _product(shape: Shape) -> Term:
    total = const(1)
    for e in shape:
        total = total * e
    return total


def _reshape(use: Use) -> Iterator[Verdict]:
    """From the shape of the first operand to that of the second, in which one extent may be -1."""
    old, new = use.operands
    if old.shape is None or new.shape is None:
        return
    free = [k for k, e in enumerate(new.shape) if e.constant is not None and e.constant < 0]
    if len(free) > 1:
        yield Misfit("TC501", "two_free", ())
        return
    if any(e.constant is not None and e.constant < -1 for e in new.shape):
        yield Misfit("TC501", "negative", (), tuple(new.shape))
        return
    have = _product(old.shape)
    rest = _product(tuple(e for k, e in enumerate(new.shape) if k not in free))
    if free:
        a, b = have.constant, rest.constant
        if a is not None and b is not None:
            if b == 0 or a % b:
                yield Misfit("TC501", "reshape", (), (have, rest))
        elif have != rest:
            yield OPEN
        return
    different = differ_always(have, rest)
    if different:
        yield Misfit("TC501", "reshape", (), (have, rest))
    elif different is None:
        yield OPEN


def _axes(use: Use) -> Iterator[Verdict]:
    """`numbers` are axes of the operand; of `ct.expand_dims` of the result."""
    (x,) = use.operands
    if x.shape is None:
        return
    rank = len(x.shape) + (use.op == "ct.expand_dims")
    for axis in use.numbers:
        if not -rank <= axis < rank:
            yield Misfit("TC503", "axis", (str(axis), str(rank)))
    # `ct.permute` compares the numbers as they are written
    seen = [a if use.op == "ct.permute" else a % rank for a in use.numbers] if rank else []
    if len(set(seen)) != len(seen) and use.op != "ct.transpose":
        yield Misfit("TC503", "twice", (str(next(a for a in seen if seen.count(a) > 1)),))


def _scalar(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape:
        yield Misfit("TC503", "scalar", (str(len(x.shape)),))


def _subscript(use: Use) -> Iterator[Verdict]:
    """`numbers`: the axes that `:` retains."""
    (x,) = use.operands
    (kept,) = use.numbers
    if x.shape is not None and kept > len(x.shape):
        yield Misfit("TC503", "subscript", (str(kept), str(len(x.shape))))


def _permute(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape is not None and len(use.numbers) != len(x.shape):
        yield Misfit("TC503", "axes_count", (str(len(use.numbers)), str(len(x.shape))))
    yield from _axes(use)


def _transpose(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.shape is None:
        return
    if len(x.shape) < 2:
        yield Misfit("TC503", "transpose", (str(len(x.shape)),))
    elif not use.numbers and len(x.shape) > 2:
        yield Misfit("TC503", "transpose_which", (str(len(x.shape)),))
    yield from _axes(use)


def _cat(use: Use) -> Iterator[Verdict]:
    """`numbers`: the axis."""
    tiles = use.operands
    if len(tiles) > 2:
        yield Misfit("TC501", "cat_count", (str(len(tiles)),))
    if len(tiles) != 2:
        return
    x, y = tiles
    if _differ(x.dtype, y.dtype):
        yield _types("together", x.dtype, y.dtype)
    else:
        yield _open(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return
    if len(x.shape) != len(y.shape):
        yield Misfit("TC503", "ranks", (str(len(x.shape)), str(len(y.shape))))
        return
    (axis,) = use.numbers
    rank = len(x.shape)
    if not -rank <= axis < rank:
        yield Misfit("TC503", "axis", (str(axis), str(rank)))
        return
    for k, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)):
        if k != axis % rank:
            different = differ_always(a, b)
            if different:
                yield Misfit("TC501", "cat", (), (a, b), k)
            elif different is None:
                yield OPEN
    whole = x.shape[axis % rank] + y.shape[axis % rank]
    power = power_of_two(whole)
    if power is False:
        yield Misfit("TC504", "cat", (), (whole,), axis % rank)
    elif power is None:
        yield OPEN


def _part(use: Use) -> Iterator[Verdict]:
    """A part of a tile: the tile, the part. `numbers`: the count of the index."""
    whole, part = use.operands
    if use.op.endswith("insert") and _differ(whole.dtype, part.dtype):
        yield _types("inserted", part.dtype, whole.dtype)
    if whole.shape is None:
        return
    for count in use.numbers:
        if count != len(whole.shape):
            yield Misfit("TC503", "part_index", (str(count), str(len(whole.shape))))
    if not part.shape:
        return
    if len(part.shape) != len(whole.shape):
        yield Misfit("TC503", "part_rank", (str(len(part.shape)), str(len(whole.shape))))
        return
    for k, (a, b) in enumerate(zip(whole.shape, part.shape, strict=True)):
        m, n = a.constant, b.constant
        if m is not None and n is not None:
            if n == 0 or m % n:
                yield Misfit("TC501", "part", (), (a, b), k)
        elif a != b:
            yield OPEN


# --- products --------------------------------------------------------------------------------------------------------

def _mma(use: Use) -> Iterator[Verdict]:
    """The operands are x, y and, except for `ct.matmul`, the accumulator."""
    x, y, *rest = use.operands
    scaled = use.op == "ct.mma_scaled"
    for name, o in zip(("first", "second", "added"), use.operands, strict=False):
        low = 1 if not rest else 2
        if o.shape is not None and len(o.shape) < low and not (name == "added" and not scaled):
            yield Misfit("TC505", "rank", (name, str(len(o.shape)), str(low)))
        elif scaled and o.shape is not None and len(o.shape) > 3:
            yield Misfit("TC505", "rank_of_scaled", (name, str(len(o.shape))))
    if x.shape and y.shape:
        yield from _extents_of_product(x.shape, y.shape, rest[0].shape if rest else None)
    if not scaled:
        yield from _types_of_product(use, x, y, rest[0] if rest else None)


def _extents_of_product(x: Shape, y: Shape, acc: Shape | None) -> Iterator[Verdict]:
    inner = (x[-1], y[-2] if len(y) > 1 else y[-1])
    different = differ_always(*inner)
    if different:
        yield Misfit("TC501", "inner", (), inner, len(x) - 1)
    elif different is None:
        yield OPEN
    if len(x) > 2 or len(y) > 2:
        yield from _clashes((x[:-2], y[:-2]), "batch")
    if acc is None or len(x) < 2 or len(y) < 2:
        return
    rank = max(len(x), len(y))
    if len(acc) != rank:
        yield Misfit("TC503", "added_rank", (str(len(acc)), str(rank)))
        return
    for k, (mine, made) in enumerate(((acc[-2], x[-2]), (acc[-1], y[-1]))):
        different = differ_always(mine, made)
        if different:
            yield Misfit("TC501", "added", (), (made, mine), rank - 2 + k)
        elif different is None:
            yield OPEN


def _types_of_product(use: Use, x: Operand, y: Operand, acc: Operand | None) -> Iterator[Verdict]:
    a, b = (get_concrete_type(o.dtype, o.value) for o in (x, y))
    name = use.op
    if name == "ct.mma":
        if _differ(a, b) and not {a, b} <= {I8, U8}:
            yield _types("operands", a, b, code="TC505")
        common: ElementType | None = a
    else:
        common = promote(a, b)
        if common is None:
            yield _types("operands", a, b, code="TC505")
            return
    takes = ACCUMULATORS.get(common) if isinstance(common, DType) else None
    if isinstance(common, DType) and takes is None:
        yield _types("no_product", common, code="TC505")
    if acc is not None and takes is not None and isinstance(acc.dtype, DType) and acc.dtype not in takes:
        yield _types("accumulator", common, acc.dtype, takes[-1], code="TC505")
    yield _open(a, b, acc.dtype if acc is not None else None)


def _scales(use: Use) -> Iterator[Verdict]:
    """The operands are x, its scales, y, its scales, the accumulator."""
    x, xs, y, ys, acc = use.operands
    for a, b, how in ((x, y, "operands"), (xs, ys, "scales")):
        if _differ(a.dtype, b.dtype):
            yield _types(how, a.dtype, b.dtype, code="TC505")
    if isinstance(x.dtype, DType) and x.dtype not in SCALED:
        yield _types("no_scaled", x.dtype, code="TC505")
    takes = SCALED.get(x.dtype, {}) if isinstance(x.dtype, DType) else {}
    if takes and isinstance(xs.dtype, DType) and xs.dtype not in takes:
        yield _types("scale", xs.dtype, x.dtype, *takes, code="TC505")
    if _differ(acc.dtype, F32):
        yield _types("accumulator", x.dtype, acc.dtype, F32, code="TC505")
    yield from _mma(Use("mma", "ct.mma_scaled", (x, y, acc), use.span))
    for tile, scales, axis in ((x, xs, -1), (y, ys, -2)):
        yield from _scaled_extents(tile, scales, axis, takes.get(xs.dtype, ()) if isinstance(xs.dtype, DType) else ())
    yield _open(x.dtype, xs.dtype, y.dtype, ys.dtype, acc.dtype)


def _scaled_extents(tile: Operand, scales: Operand, axis: int, sizes: tuple[int, ...]) -> Iterator[Verdict]:
    if tile.shape is None or scales.shape is None:
        return
    if len(scales.shape) not in (2, 3):
        yield Misfit("TC505", "rank_of_scaled", ("scales", str(len(scales.shape))))
        return
    if len(tile.shape) not in (2, 3):
        return
    if len(tile.shape) != len(scales.shape):
        yield Misfit("TC503", "ranks", (str(len(tile.shape)), str(len(scales.shape))))
        return
    place = len(tile.shape) + axis
    for k, (a, b) in enumerate(zip(tile.shape, scales.shape, strict=True)):
        if k != place:
            different = differ_always(a, b)
            if different:
                yield Misfit("TC501", "scales", (), (a, b), k)
            elif different is None:
                yield OPEN
    whole, count = tile.shape[place].constant, scales.shape[place].constant
    if whole is not None and count is not None:
        if sizes and (count == 0 or whole % count or whole // count not in sizes):
            yield Misfit(
                "TC505", "block", (" or ".join(map(str, sizes)),), (tile.shape[place], scales.shape[place]), place,
                (tile.dtype or UNKNOWN, scales.dtype or UNKNOWN))
    else:
        yield OPEN


# --- conversions -----------------------------------------------------------------------------------------------------

def _astype(use: Use) -> Iterator[Verdict]:
    """The second operand has the type. `numbers`: whether a rounding mode is given."""
    x, target = use.operands
    (rounded,) = use.numbers
    if is_fraction(x.dtype) and x.dtype is not F8E8M0 and target.dtype is F8E8M0 and not rounded:
        yield _types("rounding", x.dtype, target.dtype)
    elif rounded and isinstance(x.dtype, DType) and isinstance(target.dtype, DType) and not (
            is_fraction(x.dtype) and is_fraction(target.dtype)):
        yield _types("not_rounded", x.dtype, target.dtype)
    yield _open(x.dtype, target.dtype)


def _bitcast(use: Use) -> Iterator[Verdict]:
    x, target = use.operands
    mine = get_concrete_type(x.dtype, x.value)
    if BOOL in (mine, target.dtype):
        yield _types("bits_of_truth", mine, target.dtype)
    elif isinstance(mine, DType) and isinstance(target.dtype, DType) and mine.bits != target.dtype.bits:
        yield Misfit("TC502", "widths", (str(mine.bits), str(target.dtype.bits)), types=(mine, target.dtype))
    yield _open(mine, target.dtype)


def _pack(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.dtype is BOOL:
        yield _types("packed_truth", x.dtype)
    yield _open(x.dtype)


def _unpack(use: Use) -> Iterator[Verdict]:
    x, target = use.operands
    if x.shape is not None and len(x.shape) != 1:
        yield Misfit("TC503", "unpacked", (str(len(x.shape)),))
    mine = get_concrete_type(x.dtype, x.value)
    if _differ(mine, U8):
        yield _types("unpacked", mine)
    if target.dtype is BOOL:
        yield _types("packed_truth", target.dtype)
    yield _open(mine, target.dtype)


def _reduce(use: Use) -> Iterator[Verdict]:
    (x,) = use.operands
    if x.dtype in RESTRICTED:
        yield _types("reduced", x.dtype)
    yield from _axes(use)
    yield _open(x.dtype)


# --- control ---------------------------------------------------------------------------------------------------------

def _check_carried(use: Use) -> Iterator[Verdict]:
    """The operands are the values of a variable before a loop and at the end of its body."""
    before, after = use.operands
    mine, theirs = get_concrete_type(before.dtype, before.value), get_concrete_type(after.dtype, after.value)
    if before.shape is not None and after.shape is not None:
        if len(before.shape) != len(after.shape):
            yield Misfit("TC501", "carried_rank", (str(len(before.shape)), str(len(after.shape))))
            return
        for k, (a, b) in enumerate(zip(before.shape, after.shape, strict=True)):
            different = differ_always(a, b)
            if different:
                yield Misfit("TC501", "carried", (), (a, b), k)
            elif different is None:
                yield OPEN
    if _differ(mine, theirs):
        yield _types("carried", mine, theirs)
    elif mine != theirs:
        yield _open(mine, theirs)


_CHECKS: Final[Mapping[str, Callable[[Use], Iterator[Verdict]]]] = {
    "elementwise": _elementwise, "unary": _unary, "into": _into, "mask": _mask, "store": _store, "load": _load,
    "indices": _indices, "atomic": _atomic, "extents": _extents, "reshape": _reshape, "axes": _axes,
    "scalar": _scalar, "subscript": _subscript, "permute": _permute, "transpose": _transpose, "cat": _cat,
    "part": _part, "mma": _mma, "mma_scaled": _scales, "astype": _astype, "bitcast": _bitcast, "pack": _pack,
    "unpack": _unpack, "reduce": _reduce, "carried": _check_carried,
}
