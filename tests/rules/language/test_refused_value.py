"""TC605: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("items", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = a[0]
    a[1] = n
    t = ct.load(a, (0,), (T,))
    y = t[0]
    t[0] = 1
    z = 'text'[0]
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: an item of an array: a kernel loads tiles
    help: use `ct.load` or `ct.gather`
TC605 error on line 13: an item of an array is set: a kernel stores tiles
    help: use `ct.store` or `ct.scatter`
TC605 error on line 15: an item of a tile
    help: use `ct.extract(t, index, shape)`; `t[None, :]` adds an axis
TC605 error on line 16: an item of a tile is set: it does not change
    help: compute a new value; `ct.where` selects elements
TC605 error on line 17: an item of a string
    help: compute it in `ct.static_eval`
TC102 warning on line 18: could not prove that blocks write disjoint parts of `b`: assignment to an item may
    read and write all of `b`
    help: write `b` through an index that each block computes from its own coordinates
"""),
    Case("tuple", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = (1, 2)[n]
    y = (1, 2)[2]
    z = (1, 2)['first']
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: an index of a tuple that is not a constant
    help: use a constant, or `if` and `elif`
TC605 error on line 13: index 2 of a tuple with 2 items
    help: use an index from -2 to 1
TC605 error on line 14: an index of a tuple that is a string
    help: use an integer constant
"""),
    Case("operators", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = n + None
    y = -(1, 2)
    z = n is n
    w = a + 1
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: `+` of a number and `None`
    help: compare with `is`, or use a number
TC605 error on line 13: `-` of a tuple
    help: use its items
TC605 error on line 14: `is` of values of which none is `None`
    help: compare with `==`
TC605 error on line 15: `+` of an array and a number
    help: load a tile: `ct.load(a, index, shape)`
"""),
    Case("truth", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if ct.load(a, (0,), (T,)) > 0:
        print(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC301 warning on line 12: a branch condition uses lanes of the tile loaded from `a` that lie outside it and
    have an unspecified value, unless `T <= a.shape[0]`
    note on line 12: the tile of `a` is loaded here, without a padding mode
    note: with T = 2, a.shape[0] = 1, lane 1 of the tile would be element 1, and the last one of `a` is 0
    help: load `a` with padding_mode=ct.PaddingMode.ZERO
TC605 error on line 12: a tile decides a branch
    help: compare it with a number; of a tile, select with `ct.where`
"""),
    Case("module value", raw("""\
ROWS = [1, 2]
TABLE = {1: 2}


@ct.kernel
def k(a, b, n: int, T: Int):
    print(ROWS[0], TABLE)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 16: `ROWS` is a list: a kernel uses numbers, strings, tuples and functions of a module
    help: make it a tuple, or pass it as an argument
TC605 error on line 16: `TABLE` is a dict: a kernel uses numbers, strings, tuples and functions of a module
    help: make it a tuple, or pass it as an argument
"""),
    Case("constant value", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = 3j
    y = b'text'
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: a complex number is not a value of the device language
    help: use an integer or a float
TC605 error on line 13: bytes is not a value of the device language
    help: use an integer or a float
"""),
    Case("returned", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        return n
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 13: a kernel returns a number
    help: store it in an array
"""),
    Case("unpack", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x, y = n
    z, w = 1, 2, 3
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: a number is unpacked into 2 names
    help: unpack a tuple
TC605 error on line 13: a tuple of 3 items is unpacked into 2 names
    help: write 3 names
"""),
    Case("context", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    with n:
        pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: `with` of a number
    help: use a function that `contextmanager` decorates
"""),
    Case("starred", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = (*n, 1)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: `*` before a number: only a tuple can be unpacked
    help: name the items
"""),
    Case("static assertions", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    ct.static_assert(n > 3)
    ct.static_assert(T)
    ct.static_assert(False)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: `ct.static_assert` of a condition that is not known when the kernel is compiled
    help: use `ct.assert_`
TC605 error on line 13: `ct.static_assert` of a number
    help: compare it: the condition is a boolean
TC605 error on line 14: this assertion of the compiler fails
    help: launch with constants for which it holds
"""),
    Case("raised", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    raise ct.static_exception(ValueError('no'))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: the compiler raises this exception
    help: launch with other constants, or put the `raise` under a condition that is a constant
"""),
    Case("argument", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = ct.bid(n)
    y = ct.zeros((n,), float)
    z = ct.exp(None)
    ct.printf('%d %d', n)
    w = ct.load(a, (1.5,), (T,))
    print(len(n), ct.bid(3))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC605 error on line 12: `axis` of `ct.bid` is a number that is not known when the kernel is compiled
    help: it takes a constant
TC304 warning on line 13: `y` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `y` or a value computed from it, or delete it
TC605 error on line 13: `shape` of `ct.zeros` is a number that is not known when the kernel is compiled
    help: it takes constants: annotate it as `ct.Constant[int]`
TC605 error on line 14: `x` of `ct.exp` is `None`
    help: it takes a tile or a number
TC605 error on line 15: `format` of `ct.printf` is for 2 values, and 1 are passed
    help: it takes one directive for each value
TC304 warning on line 16: `w` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `w` or a value computed from it, or delete it
TC502 error on line 16: index 0 of `ct.load` is a float, but indices are integers
    help: convert it first: `ct.astype(i, ct.int32)`
TC605 error on line 17: `x` of `len` is a number
    help: it takes a tuple
TC605 error on line 17: `axis` of `ct.bid` is 3
    help: it takes 0, 1 or 2
TC101 error on line 18: blocks (0, 0, 0) and (0, 0, 1) both write b[0]
    note: with grid (2, 2, 2) and T = 2, b.shape[0] = 4: block (0, 0, 0) and block (0, 0, 1) write b[0]
    note on line 18: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: let the index of `b` depend on `ct.bid(2)`: blocks that differ only in it write the same location
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
