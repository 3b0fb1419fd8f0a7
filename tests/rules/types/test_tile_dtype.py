"""TC502: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, launch, operation

CASES = (
    Case("element type", dialect("""\
def k(z: Mut[f16, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))
"""), """\
TC502 error on line 12: a tile of float32 is stored to a piece of `z`, whose elements are float16
    note on line 11: float16 from the annotation of `z`
    help: convert it first: `ct.astype(t, ct.float16)`
"""),
    Case("arithmetic", operation("""\
x = ct.full((4, 8), s, ct.float8_e4m3fn)
z = x + x
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `+` of a tile of float8_e4m3fn, which does not support arithmetic
    help: convert it first: `ct.astype(t, ct.float32)`
"""),
    Case("promotion", operation("""\
x = ct.full((4, 8), s, ct.float16)
y = ct.full((4, 8), s, ct.bfloat16)
z = x * y
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 8: `*` of float16 from line 6 and bfloat16 from line 7, which have no type in common
    help: convert one of them: `ct.astype(t, ct.float16)`
"""),
    Case("range", operation("""\
x = ct.full((4, 8), n, ct.int8)
z = x + 300
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `+` with 300, which int8 cannot represent
    help: convert the tile to a wider type first: `ct.astype(t, ct.int32)`
"""),
    Case("truth", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = (x > 0) + (x < 1)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `+` of two booleans
    help: convert them first: `ct.astype(t, ct.int32)`, or combine them with `&`
"""),
    Case("bits", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = x & 1
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `&` of float32: bitwise operations take integers and booleans
    help: convert it to an integer type of its width with `ct.bitcast` first
"""),
    Case("shift", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = x << 1
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `<<` of float32: shifts take integers
    help: convert it first: `ct.astype(t, ct.int32)`
"""),
    Case("bits_differ", operation("""\
x = ct.full((4,), n, ct.int32)
y = ct.full((4,), n, ct.int64)
z = x | y
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 8: `|` of int32 and int64: bitwise operations take operands of one type
    help: convert one of them: `ct.astype(t, ct.int32)`
"""),
    Case("only_fractions", operation("""\
x = ct.full((4,), n, ct.int32)
z = ct.floor(x)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `ct.floor` of int32: it only takes floats
    help: convert it first with `ct.astype`
"""),
    Case("only_integers", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ~x
"""), """\
TC502 error on line 7: `ct.bitwise_not` of float32: it only takes integers and booleans
    help: convert it first with `ct.astype`
"""),
    Case("mask", operation("""\
i = ct.arange(8, dtype=ct.int32)
z = ct.gather(a, (i, 0), mask=i)
"""), """\
TC304 warning on line 7: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: the mask of `ct.gather` is of int32, but a mask is boolean
    help: compare it first: `mask=t != 0`
"""),
    Case("index", operation("""\
z = ct.load(a, (0.5, 0), (4, 8))
"""), """\
TC304 warning on line 6: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 6: index 0 of `ct.load` is a float, but indices are integers
    help: convert it first: `ct.astype(i, ct.int32)`
"""),
    Case("index_sign", operation("""\
z = ct.load(a, (ct.uint32(n), 0), (4, 8))
"""), """\
TC304 warning on line 6: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 6: index 0 of `ct.load` is of uint32, but indices of tiles are signed
    help: convert it first: `ct.int32(i)`
"""),
    Case("rounding", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.astype(x, ct.float8_e8m0fnu)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: float32 is not rounded to the nearest float8_e8m0fnu: that type only has powers of two
    help: specify the rounding: `ct.astype(t, ct.float8_e8m0fnu, rounding_mode=ct.RoundingMode.RP)`
"""),
    Case("not_rounded", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.astype(x, ct.int32, rounding_mode=ct.RoundingMode.RZ)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: a conversion from float32 to int32 has no rounding mode: only conversions between
    floats have one
    help: leave out `rounding_mode`
"""),
    Case("bits_of_truth", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.bitcast(x > 0, ct.uint8)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `ct.bitcast` from bool_ to uint8: booleans have no bit representation
    help: use `ct.astype`
"""),
    Case("widths", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.bitcast(x, ct.int64)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 7: `ct.bitcast` from float32 of 32 bits to int64 of 64
    help: cast to a type of the same width, or convert the value with `ct.astype`
"""),
    Case("packed_truth", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.pack_to_bytes(x > 0)
"""), """\
TC502 error on line 7: `ct.pack_to_bytes` with bool_: booleans cannot be packed
    help: convert them first: `ct.astype(t, ct.uint8)`
"""),
    Case("unpacked", operation("""\
x = ct.full((32,), n, ct.int32)
z = ct.unpack_from_bytes(x, ct.float16)
"""), """\
TC502 error on line 7: `ct.unpack_from_bytes` of int32: it takes bytes
    help: convert it with `ct.pack_to_bytes` first
"""),
    Case("reduced", operation("""\
x = ct.full((4, 8), s, ct.float8_e4m3fn)
z = ct.sum(x)
"""), """\
TC502 error on line 7: `ct.sum` of float8_e4m3fn, which does not support arithmetic
    help: convert it first: `ct.astype(t, ct.float32)`
"""),
    Case("together", operation("""\
x = ct.full((4,), s, ct.float16)
y = ct.full((4,), s, ct.float32)
z = ct.cat((x, y), 0)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 8: `ct.cat` of float16 from line 6 and float32 from line 7
    help: convert one of them: `ct.astype(t, ct.float16)`
"""),
    Case("inserted", operation("""\
x = ct.full((4,), s, ct.float16)
y = ct.full((2,), s, ct.float32)
z = ct.insert(x, (0,), y)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 8: float32 is inserted into a tile of float16
    help: convert it first: `ct.astype(t, ct.float16)`
"""),
    Case("carried", operation("""\
x = ct.zeros((4, 8), ct.float16)
for i in range(n):
    x = x + ct.full((4, 8), s, ct.float32)
"""), """\
TC502 error on line 8: `x` is float16 before the loop from line 6 and float32 at the end of an iteration
    help: start with float32, or convert it back in the loop: `ct.astype(x, ct.float16)`
TC304 warning on line 8: `x` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `x` or a value computed from it, or delete it
"""),
    Case("stored in a launch", launch("float16", "float32", """\
ct.store(a, (0,), ct.load(b, (0,), (8,)))
"""), """\
TC502 error on line 7: a tile of float32 from line 7 is stored to `a`, whose elements are float16: that loses
    precision
    note on line 13: in this launch `b` holds float32 elements and `a` holds float16 elements
    help: convert it first: `ct.astype(t, ct.float16)`
"""),
    Case("stored in a launch 2", launch("int32", "float32", """\
ct.atomic_add(a, (0,), ct.load(b, (0,), ()))
"""), """\
TC502 error on line 7: `ct.atomic_add` updates elements of int32 with float32
    note on line 13: in this launch `b` holds float32 elements and `a` holds int32 elements
    help: convert it first: `ct.astype(t, ct.int32)`
"""),
    Case("stored in a launch 3", launch("int32", "int32", """\
i = ct.arange(8, dtype=ct.int32)
z = ct.gather(a, i, padding_value=0.5)
"""), """\
TC304 warning on line 8: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC502 error on line 8: `ct.gather` pads with a float where elements are int32
    note on line 14: in this launch `a` holds int32 elements
    help: pad with a value of int32
"""),
    Case("number_stored in a launch", launch("int8", "int8", """\
ct.scatter(a, ct.arange(8, dtype=ct.int32), 300)
"""), """\
TC502 error on line 7: 300 is stored to `a`, whose elements are int8 and cannot represent it
    note on line 13: in this launch `a` holds int8 elements
    help: store a number that int8 can represent
"""),
    Case("atomic in a launch", launch("float32", "int8", """\
ct.atomic_max(a, (0,), 1)
"""), """\
TC502 error on line 7: `ct.atomic_max` does not exist for elements of float32
    note on line 13: in this launch `a` holds float32 elements
    help: store the elements that are updated atomically in an array of int32 or float32
"""),
    Case("atomic_bits in a launch", launch("int64", "int8", """\
ct.atomic_or(a, (0,), 1)
"""), """\
TC502 error on line 7: `ct.atomic_or` updates elements of int64 with int32: it requires the same type
    note on line 13: in this launch `a` holds int64 elements
    help: convert it first: `ct.astype(t, ct.int64)`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
