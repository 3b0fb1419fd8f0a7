"""TC603: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("builtin", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(sum((1, n)), round(n), sorted((1, 2)))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 12: `sum` has no translation in a kernel
    help: add the items: `a + b`; of a tile, use `ct.sum`
TC603 error on line 12: `round` has no translation in a kernel
    help: use `ct.floor(x + 0.5)`
TC603 error on line 12: `sorted` has no translation in a kernel
    help: sort in the host code, or in `ct.static_eval`
"""),
    Case("library", raw("""\
import math
import random

import numpy as np


@ct.kernel
def k(a, b, n: int, T: Int):
    print(np.sin(n), math.floor(n), random.random())
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 18: `numpy.sin` is a function of Python: a kernel cannot call it
    help: write `ct.sin`
TC603 error on line 18: `math.floor` is a function of Python: a kernel cannot call it
    help: write `ct.floor`
TC603 error on line 18: `random.random` is a function of Python: a kernel cannot call it
    help: compute it in the host code and pass it, or put a computation of constants in `ct.static_eval`
"""),
    Case("class", raw("""\
class Loose:
    pass


@ct.kernel
def k(a, b, n: int, T: Int):
    print(Loose(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 16: `Loose(...)`: a kernel creates instances of frozen dataclasses only
    help: make it a frozen dataclass, or pass a tuple
TC603 error on line 16: `Loose` takes at most 0 positional arguments, and 1 are passed
    help: its parameters are `()`
"""),
    Case("cached", raw("""\
import functools


@functools.cache
def helper(n):
    return n


@ct.kernel
def k(a, b, n: int, T: Int):
    print(helper(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 20: `helper` is wrapped by `functools.cache`: a kernel calls plain functions
    help: call the function that is wrapped, or compute the value in `ct.static_eval`
"""),
    Case("kernel", raw("""\
@ct.kernel
def other(a):
    pass


@ct.kernel
def k(a, b, n: int, T: Int):
    other(a)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 17: `other` is a kernel: it is launched, not called
    help: move the body into a plain function that both call
"""),
    Case("arguments", raw("""\
def helper(n):
    return n


@ct.kernel
def k(a, b, n: int, T: Int):
    print(min(1, 2, n), ct.exp(), ct.cdiv(n, 2, 3), ct.zeros(shape=4), ct.abs(x=n), helper(1, 2), helper(m=1))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 16: `min` takes two values, and 3 are passed
    help: its parameters are `min(min(a, b), c)`
TC603 error on line 16: `ct.exp` needs an argument for `x`
    help: its parameters are `(x, /, *, rounding_mode)`
TC603 error on line 16: `ct.cdiv` takes at most 2 positional arguments, and 3 are passed
    help: its parameters are `(x, y, /)`
TC603 error on line 16: `ct.zeros` needs an argument for `dtype`
    help: its parameters are `(shape, dtype)`
TC603 error on line 16: `ct.abs` takes `x` by position only
    help: its parameters are `(x, /)`
TC603 error on line 16: `helper` takes at most 1 positional arguments, and 2 are passed
    help: its parameters are `(n)`
TC603 error on line 16: `helper` takes no keyword `m`
    help: its parameters are `(n)`
"""),
    Case("two values", raw("""\
def helper(n):
    return n


@ct.kernel
def k(a, b, n: int, T: Int):
    helper(n, n=n)
    ct.full((T,), 0, ct.float32, dtype=ct.float32)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 16: `helper` gets `n` twice
    help: its parameters are `(n)`
TC603 error on line 17: `ct.full` gets `dtype` twice
    help: its parameters are `(shape, fill_value, dtype)`
"""),
    Case("constant", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(float(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 12: `float` of a value that is not known when the kernel is compiled
    help: use `x.astype(ct.float32)`
"""),
    Case("value", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    n(3)
    (1, 2)()
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 12: a number is called
    help: call a function or an operation of `cuda.tile`
TC603 error on line 13: a tuple is called
    help: call a function or an operation of `cuda.tile`
"""),
    Case("starred", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(*n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC603 error on line 12: `*` before a number: only a tuple can be unpacked into arguments
    help: pass the items one by one
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
