"""What the findings TC501 to TC505 at operations say: the types in numbers and names, where they come from, and a line
that fixes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tilecheck.interp.kernel.tile_types.uses import Misfit, Operand, Use
from tilecheck.rules.messages.provenance import shape_text
from tilecheck.rules.messages.wording import spelled
from tilecheck.symbolic import Term
from tilecheck.syntax.tree import Span

__all__ = ["worded"]

Words: TypeAlias = "Callable[[Use, Misfit, str], tuple[str, str]]"


def worded(use: Use, found: Misfit, file: str) -> tuple[str, str]:
    """The message and the help. `file` is that of the kernel; lines of others are named with theirs."""
    return _WORDS[found.code, found.how](use, found, file)


def _line(made: Span | None, file: str) -> str:
    if made is None:
        return ""
    return f" from line {made.line}" if made.file == file else f" from {made.file}:{made.line}"


def _dim(use: Use, f: Misfit, file: str, operands: tuple[Operand, ...] | None = None) -> str:
    """`dim 1: BK from line 9, BN from line 12`"""
    first, second = operands or (use.operands[-2], use.operands[-1])
    a, b = f.terms
    return f"dim {f.axis}: {spelled(a)}{_line(first.made, file)}, {spelled(b)}{_line(second.made, file)}"


def _shapes(*operands: Operand) -> str:
    return " and ".join("?" if o.shape is None else shape_text(o.shape) for o in operands)


def _axes(n: str) -> str:
    return f"{n} {'axis' if n == '1' else 'axes'}"


def _entries(n: str) -> str:
    return f"{n} {'entry' if n == '1' else 'entries'}"


def _op(use: Use) -> str:
    return f"`{use.op}`"


def _named(dtype: str) -> str:
    return {"~int": "an integer", "~float": "a number with a fraction", "~bool": "a truth value"}.get(dtype, dtype)


# --- TC501 -----------------------------------------------------------------------------------------------------------

def _meeting(use: Use, f: Misfit) -> tuple[Operand, Operand]:
    """The two operands whose extents meet along the axis."""
    rank = max(len(o.shape or ()) for o in use.operands)
    found: list[Operand] = []
    for term in f.terms:
        for o in use.operands:
            place = (f.axis or 0) - rank + len(o.shape or ())
            if o not in found and o.shape is not None and 0 <= place < len(o.shape) and o.shape[place] == term:
                found.append(o)
                break
    return (found[0], found[1]) if len(found) == 2 else (use.operands[-2], use.operands[-1])


def _combined(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    pair = _meeting(use, f)
    return (f"{_op(use)} combines tiles of shapes {_shapes(*pair)}; {_dim(use, f, file, pair)}",
            "give both the same extent there, or one of them an extent of 1")


def _indices(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    pair = _meeting(use, f)
    return (f"the indices of {_op(use)} have shapes {_shapes(*pair)}, which do not combine; {_dim(use, f, file, pair)}",
            "add axes to the indices so that each runs along its own: `rows[:, None]`, `columns[None, :]`")


def _into(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    value, target = use.operands[0], use.operands[-1]
    return (f"a tile of shape {_shapes(value)} cannot be repeated to {_shapes(target)} by {_op(use)}; "
            f"{_dim(use, f, file, (value, target))}", f"give it an extent of 1 or of {spelled(f.terms[1])} there")


def _reshape(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    old, new = use.operands
    have, want = f.terms
    return (f"{_op(use)} from {_shapes(old)} to {_shapes(new)}: a tile of {spelled(have)} elements"
            f"{_line(old.made, file)} cannot become one of {spelled(want)}", "give it a shape with as many elements")


def _two_free(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} to {_shapes(use.operands[1])}: only one extent can be -1", "write all extents but one"


def _negative(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} to {_shapes(use.operands[1])}: an extent is positive, or -1",
            "write the extents, or -1 for one of them")


def _cat_count(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"`ct.cat` puts two tiles together, and this is {f.words[0]} of them",
            "put them together two by two: `ct.cat((ct.cat((a, b), axis), ct.cat((c, d), axis)), axis)`")


def _cat(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"`ct.cat` along dim {use.numbers[0]} of tiles of shapes {_shapes(*use.operands)}; {_dim(use, f, file)}",
            "tiles are put together whose extents differ along that axis only")


def _part(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    whole, part = use.operands
    return (f"{_op(use)}: {_shapes(part)} is no part of a tile of shape {_shapes(whole)}; "
            f"{_dim(use, f, file, (whole, part))}", f"take an extent that divides {spelled(f.terms[0])}")


def _inner(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y = use.operands[:2]
    a, b = f.terms
    return (f"the operands of {_op(use)} do not meet: {_shapes(x)} times {_shapes(y)}; dim {f.axis} of the first: "
            f"{spelled(a)}{_line(x.made, file)}, dim {max(len(y.shape or ()) - 2, 0)} of the second: "
            f"{spelled(b)}{_line(y.made, file)}",
            "the first is (M, K) and the second (K, N): exchange or transpose them, or load them with one K")


def _batch(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y = use.operands[:2]
    return (f"the leading axes of the operands of {_op(use)} do not combine, {_shapes(x, y)}; "
            f"{_dim(use, f, file, (x, y))}", "give both the same leading extents, or extents of 1")


def _added(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    x, y, acc = use.operands
    first = x if f.axis == len(acc.shape or ()) - 2 else y
    return (f"{_op(use)} of {_shapes(x)} times {_shapes(y)} is added to {_shapes(acc)}; "
            f"{_dim(use, f, file, (first, acc))}", "what is added to is (M, N) for (M, K) times (K, N)")


def _scales(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"the scales of `ct.mma_scaled` do not go with the tile that they are for; dim {f.axis}: "
            f"{spelled(f.terms[0])} of the tile, {spelled(f.terms[1])} of the scales",
            "scales have the shape of their tile but along K")


def _carried(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    before, after = use.operands
    return (f"`{use.op}` is a tile of shape {_shapes(before)} before the loop and {_shapes(after)} at the end of an "
            f"iteration; {_dim(use, f, file)}", "give it one shape, or use another name in the loop")


def _carried_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    before, after = use.operands
    return (f"`{use.op}` has shape {_shapes(before)}{_line(before.made, file)} before the loop and "
            f"{_shapes(after)}{_line(after.made, file)} at the end of an iteration",
            f"start with a tile of that shape: `ct.zeros({_shapes(after)}, ...)`")


# --- TC502 -----------------------------------------------------------------------------------------------------------

def _arithmetic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} of a tile of {f.words[0]}, which takes no part in arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _promotion(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    x, y = use.operands[-2:]
    return (f"{_op(use)} of {_named(a)}{_line(x.made, file)} and {_named(b)}{_line(y.made, file)}, which have no type "
            "in common", f"convert one of them: `ct.astype(t, ct.{b if a.startswith('~') else a})`")


def _range(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} with {f.words[0]}, which {f.words[1]} does not hold",
            "convert the tile to a wider type first: `ct.astype(t, ct.int32)`")


def _truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} of two truth values", "convert them first: `ct.astype(t, ct.int32)`, or combine them with `&`"


def _bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} of {_named(f.words[0])}: bits are those of integers and truth values",
            "`ct.bitcast` it to an integer type of its width first")


def _shift(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} of {_named(f.words[0])}: integers are shifted", "convert it first: `ct.astype(t, ct.int32)`"


def _bits_differ(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return (f"{_op(use)} of {a} and {b}: bits are combined of one type",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _only(what: str) -> Words:
    def words(use: Use, f: Misfit, file: str) -> tuple[str, str]:
        return f"{_op(use)} of {f.words[0]}: it takes {what} only", "convert it first with `ct.astype`"

    return words


def _into_array(use: Use) -> str:
    return f" to `{use.array}`" if use.array else ""


def _stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    if use.kind == "atomic":
        return (f"{_op(use)} updates elements of {wanted} with {_named(given)}",
                f"convert it first: `ct.astype(t, ct.{wanted})`")
    if use.op.endswith("padding"):
        return (f"`{use.op.removesuffix(' padding')}` pads with {_named(given)} where elements are {wanted}",
                f"pad with a value of {wanted}")
    return (f"a tile of {_named(given)}{_line(use.operands[0].made, file)} is stored{_into_array(use)}, whose elements "
            f"are {wanted}: that loses some of it", f"convert it first: `ct.astype(t, ct.{wanted})`")


def _number_stored(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return (f"{given} is stored{_into_array(use)}, whose elements are {wanted} and do not hold it",
            f"write a number that {wanted} holds")


def _mask(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"the mask of {_op(use)} is of {_named(f.words[0])}, and a mask is of truth values",
            "compare it first: `mask=t != 0`")


def _index(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    place, dtype = f.words
    return (f"index {place} of {_op(use)} is {_named(dtype)}, and indices are integers",
            "convert it first: `ct.astype(i, ct.int32)`")


def _index_sign(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    place, dtype = f.words
    return (f"index {place} of {_op(use)} is of {dtype}, and indices of tiles have a sign",
            "convert it first: `ct.int32(i)`")


def _atomic(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} on elements of {f.words[0]}, for which there is none",
            "keep what is updated atomically in an array of int32 or float32")


def _atomic_bits(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return (f"{_op(use)} updates elements of {wanted} with {given}: it asks for the same type",
            f"convert it first: `ct.astype(t, ct.{wanted})`")


def _rounding(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return (f"{given} is not rounded to the nearest {wanted}: it holds powers of two only",
            f"say how: `ct.astype(t, ct.{wanted}, rounding_mode=ct.RoundingMode.RP)`")


def _not_rounded(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return (f"a conversion from {given} to {wanted} has no rounding mode: only one between numbers with a fraction has",
            "leave out `rounding_mode`")


def _bits_of_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return f"`ct.bitcast` from {given} to {wanted}: truth values have no bits to read", "use `ct.astype`"


def _widths(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, mine, wanted, theirs = f.words
    return (f"`ct.bitcast` from {given} of {mine} bits to {wanted} of {theirs}",
            "cast to a type of the same width, or convert the value with `ct.astype`")


def _packed_truth(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} with {f.words[0]}: truth values are not packed", "convert them first: `ct.astype(t, ct.uint8)`"


def _unpacked(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} of {f.words[0]}: bytes are unpacked", "`ct.pack_to_bytes` it first"


def _reduced(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} of {f.words[0]}, which takes no part in arithmetic",
            "convert it first: `ct.astype(t, ct.float32)`")


def _together(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return (f"`ct.cat` of {a}{_line(use.operands[0].made, file)} and {b}{_line(use.operands[1].made, file)}",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _inserted(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, wanted = f.words
    return f"{given} is inserted into a tile of {wanted}", f"convert it first: `ct.astype(t, ct.{wanted})`"


def _carried_type(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return (f"`{use.op}` is {a} before the loop{_line(use.operands[0].made, file)} and {b} at the end of an iteration",
            f"start with {b}, or convert it back in the loop: `ct.astype({use.op}, ct.{a})`")


# --- TC503 -----------------------------------------------------------------------------------------------------------

def _more_axes(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    value, target = use.operands[0], use.operands[-1]
    return (f"a tile of shape {_shapes(value)}{_line(value.made, file)} has more axes than {_shapes(target)}, to which "
            f"{_op(use)} repeats it", "reduce or reshape it first")


def _stored_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    tile, count = f.words
    return (f"a tile of {_axes(tile)}, {_shapes(use.operands[0])}{_line(use.operands[0].made, file)}, is stored"
            f"{_into_array(use)} at an index with {_entries(count)}",
            "give the tile and the index one entry for each axis of the array")


def _loaded_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    tile, count = f.words
    return (f"a tile of {_axes(tile)}, {_shapes(use.operands[1])}, is loaded from an index with {_entries(count)}",
            "give the shape and the index one entry for each axis of the array")


def _array_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    count, rank = f.words
    return f"`{use.array}` has {_axes(rank)}, and the index has {_entries(count)}", "give one entry for each axis"


def _index_tile(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,) = f.words
    return (f"index {place} of {_op(use)} is a tile, {_shapes(use.operands[int(place)])}, and the index of a tile is a "
            "number", "use `ct.gather` or `ct.scatter` for the indices of elements")


def _axis(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    axis, rank = f.words
    return (f"axis {axis} of {_op(use)} does not exist: {_shapes(use.operands[0])}{_line(use.operands[0].made, file)} "
            f"has {_axes(rank)}{' with the new one' if use.op == 'ct.expand_dims' else ''}",
            f"take one of {-int(rank)} to {int(rank) - 1}" if int(rank) else "a scalar has no axis")


def _twice(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{_op(use)} names axis {f.words[0]} twice", "name each axis once"


def _axes_count(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, rank = f.words
    return (f"{_op(use)} names {_axes(given)} of a tile that has {rank}, {_shapes(use.operands[0])}",
            "name each axis once, in the order of the result")


def _transposed(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} of a tile of {_axes(f.words[0])}, {_shapes(use.operands[0])}",
            "add an axis first: `t[None, :]`")


def _transposed_which(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} does not say which two of the {_axes(f.words[0])} of {_shapes(use.operands[0])} it exchanges",
            "name them: `ct.transpose(t, -1, -2)`")


def _scalar(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} is filled with a tile, {_shapes(use.operands[0])}{_line(use.operands[0].made, file)}, and it "
            "takes a number", "use `ct.broadcast_to`")


def _subscript(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    kept, rank = f.words
    return (f"`:` stands for {_axes(kept)} of a tile that has {rank}, {_shapes(use.operands[0])}",
            "write one `:` for each axis of the tile, and `None` for each new one")


def _ranks(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return (f"{_op(use)} of tiles of {_axes(a)} and of {_axes(b)}", "give both the same number of axes")


def _part_index(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    count, rank = f.words
    return (f"the index of {_op(use)} has {_entries(count)}, and the tile has {_axes(rank)}, "
            f"{_shapes(use.operands[0])}", "give one entry for each axis of the tile")


def _part_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)}: the part has {_axes(f.words[0])} and the tile {f.words[1]}, {_shapes(use.operands[0])}",
            "give the part one extent for each axis of the tile")


def _added_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} yields {_axes(f.words[1])} and is added to a tile of {f.words[0]}, "
            f"{_shapes(use.operands[2])}", "what is added to is (M, N) for (M, K) times (K, N)")


def _unpacked_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{_op(use)} of a tile of {_axes(f.words[0])}: it takes one of one axis",
            "reshape it first: `ct.reshape(t, (-1,))`")


# --- TC504 -----------------------------------------------------------------------------------------------------------

def _extent(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (extent,) = f.terms
    return (f"a tile of shape {_shapes(use.operands[0])} cannot be made by {_op(use)}: dim {f.axis} is "
            f"{spelled(extent)}, and extents are powers of two",
            _rounded(extent, use.op in ("ct.load", "ct.num_tiles", "view.tiled_view")))


def _rounded(extent: Term, array: bool) -> str:
    n = extent.constant
    if n is None or n <= 0:
        return "take a positive power of two"
    up = 1 << (n - 1).bit_length()
    return f"take {up}; " + ("what lies outside of the array is padded or clipped" if array else
                             "leave out what is too much with a mask")


def _cat_extent(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (whole,) = f.terms
    return (f"`ct.cat` of tiles of shapes {_shapes(*use.operands)} yields {spelled(whole)} along dim {f.axis}, which "
            "is no power of two", "put together tiles of equal extents")


# --- TC505 -----------------------------------------------------------------------------------------------------------

_ORDINAL: Final[Mapping[str, str]] = {
    "first": "the first operand", "second": "the second operand", "added": "what is added to", "scales": "the scales"}


def _product_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    which, rank, low = f.words
    return (f"{_ORDINAL[which]} of {_op(use)} has {_axes(rank)}, and a product takes at least {low}",
            "add an axis: `t[None, :]`, or use `ct.sum(x * y)`")


def _scaled_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    which, rank = f.words
    return f"{_ORDINAL[which]} of {_op(use)} has {_axes(rank)}: it takes 2 or 3", "reshape it to (M, K) or (B, M, K)"


def _operands(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    x, y = use.operands[0], use.operands[2 if use.kind == "mma_scaled" else 1]
    return (f"the operands of {_op(use)} are of {a}{_line(x.made, file)} and of {b}{_line(y.made, file)}",
            f"convert one of them: `ct.astype(t, ct.{a})`")


def _no_product(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"there is no {_op(use)} of {f.words[0]}", "convert both operands: `ct.astype(t, ct.float16)`")


def _no_scaled(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"there is no {_op(use)} of {f.words[0]}: it takes float8_e4m3fn, float8_e5m2 and float4_e2m1fn",
            "use `ct.mma`")


def _accumulator(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, acc, wanted = f.words
    return (f"{_op(use)} of {given} cannot be added to {acc}{_line(use.operands[-1].made, file)}",
            f"accumulate in {wanted}: `ct.zeros(..., ct.{wanted})`")


def _scale_types(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return f"the scales of {_op(use)} are of {a} and of {b}", f"convert one of them: `ct.astype(t, ct.{a})`"


def _scale(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, dtype, takes = f.words
    return f"scales of {given} do not go with operands of {dtype}", f"use scales of {takes}"


def _block(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    dtype, scales, sizes = f.words
    whole, count = (spelled(t) for t in f.terms)
    several = "scale" if count == "1" else "scales"
    return (f"{whole} elements of {dtype} along K have {count} {several} of {scales}, and {sizes} elements share one",
            f"give one scale to every {sizes} elements along K")


_WORDS: Final[Mapping[tuple[str, str], Words]] = {
    ("TC501", "combined"): _combined, ("TC501", "indices"): _indices, ("TC501", "into"): _into,
    ("TC501", "reshape"): _reshape, ("TC501", "two_free"): _two_free, ("TC501", "negative"): _negative,
    ("TC501", "cat_count"): _cat_count, ("TC501", "cat"): _cat, ("TC501", "part"): _part, ("TC501", "inner"): _inner,
    ("TC501", "batch"): _batch, ("TC501", "added"): _added, ("TC501", "scales"): _scales,
    ("TC501", "carried"): _carried, ("TC501", "carried_rank"): _carried_rank,
    ("TC502", "arithmetic"): _arithmetic, ("TC502", "promotion"): _promotion, ("TC502", "range"): _range,
    ("TC502", "truth"): _truth, ("TC502", "bits"): _bits, ("TC502", "shift"): _shift,
    ("TC502", "bits_differ"): _bits_differ, ("TC502", "only_fractions"): _only("numbers with a fraction"),
    ("TC502", "only_integers"): _only("integers and truth values"), ("TC502", "stored"): _stored,
    ("TC502", "number_stored"): _number_stored, ("TC502", "mask"): _mask, ("TC502", "index"): _index,
    ("TC502", "index_sign"): _index_sign, ("TC502", "atomic"): _atomic, ("TC502", "atomic_bits"): _atomic_bits,
    ("TC502", "rounding"): _rounding, ("TC502", "not_rounded"): _not_rounded,
    ("TC502", "bits_of_truth"): _bits_of_truth, ("TC502", "widths"): _widths,
    ("TC502", "packed_truth"): _packed_truth, ("TC502", "unpacked"): _unpacked, ("TC502", "reduced"): _reduced,
    ("TC502", "together"): _together, ("TC502", "inserted"): _inserted, ("TC502", "carried"): _carried_type,
    ("TC503", "more_axes"): _more_axes, ("TC503", "stored_rank"): _stored_rank,
    ("TC503", "loaded_rank"): _loaded_rank, ("TC503", "array_rank"): _array_rank,
    ("TC503", "index_tile"): _index_tile, ("TC503", "axis"): _axis, ("TC503", "twice"): _twice,
    ("TC503", "axes_count"): _axes_count, ("TC503", "scalar"): _scalar, ("TC503", "subscript"): _subscript,
    ("TC503", "transpose"): _transposed,
    ("TC503", "transpose_which"): _transposed_which, ("TC503", "ranks"): _ranks,
    ("TC503", "part_index"): _part_index, ("TC503", "part_rank"): _part_rank,
    ("TC503", "added_rank"): _added_rank, ("TC503", "unpacked"): _unpacked_rank,
    ("TC504", "extent"): _extent, ("TC504", "cat"): _cat_extent,
    ("TC505", "rank"): _product_rank, ("TC505", "rank_of_scaled"): _scaled_rank, ("TC505", "operands"): _operands,
    ("TC505", "no_product"): _no_product, ("TC505", "no_scaled"): _no_scaled,
    ("TC505", "accumulator"): _accumulator, ("TC505", "scales"): _scale_types, ("TC505", "scale"): _scale,
    ("TC505", "block"): _block,
}
