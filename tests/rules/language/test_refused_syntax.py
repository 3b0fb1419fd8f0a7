"""TC602: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("variadic", raw("""\
@ct.kernel
def variadic(a, *rest):
    pass


@ct.kernel
def k(a, b, n: int, T: Int):
    pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 11: `*rest` of a kernel: a launch passes a fixed number of arguments
    help: name each parameter, or pass a tuple
"""),
    Case("targets", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x, *y = 1, 2, 3
    a.scale = x
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: a starred target in an assignment: the compiler unpacks a tuple into single names
    help: name each item, or take a slice of the tuple: `rest = t[1:]`
TC602 error on line 13: an assignment to an attribute: objects do not change inside a kernel
    help: use a variable
"""),
    Case("loop else", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in range(n):
        pass
    else:
        print(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 15: `else` of a `for` loop: the compiler does not translate it
    help: set a flag in the loop and test it afterwards
"""),
    Case("static jump", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in ct.static_iter((1, 2)):
        if n > i:
            break
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 14: `break` in a loop over `ct.static_iter`: the compiler repeats the body for every item
    help: put the rest of the body under an `if`, or loop over a `range`
"""),
    Case("generator return", raw("""\
from contextlib import contextmanager


@contextmanager
def section(n):
    yield n
    return


@ct.kernel
def k(a, b, n: int, T: Int):
    with section(n):
        pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 16: `return` in a function that `contextmanager` decorates
    help: let the function end after its `yield`
"""),
    Case("raise", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        raise ValueError(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 13: `raise` of an exception at run time: a kernel has none
    help: use `ct.assert_(condition)`; while the kernel is compiled, `raise ct.static_exception(error)`
"""),
    Case("async", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    async def later():
        pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `async` and `await`: a kernel has no event loop
    help: write a plain function
"""),
    Case("nested decorator", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    @staticmethod
    def twice(t):
        return t * 2
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 13: a decorator of a function inside a function
    help: define the function at module level, or call the decorator on it before the kernel is defined
"""),
    Case("scope", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    global ZERO
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `global`: a kernel does not change variables of other scopes
    help: return the value, or store it in an array
TC102 warning on line 13: could not prove that blocks write disjoint parts of `b`: statement not understood:
    global may read and write all of `b`
    help: write `b` through an index that each block computes from its own coordinates
"""),
    Case("del", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = n
    del x
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 13: `del`: variables of a kernel are not deleted
    help: delete the line: the compiler frees unused values
"""),
    Case("match", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    match n:
        case 1:
            pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `match`: the compiler does not translate it
    help: use `if` and `elif`
TC102 warning on line 15: could not prove that blocks write disjoint parts of `b`: statement not understood:
    match may read and write all of `b`
    help: write `b` through an index that each block computes from its own coordinates
"""),
    Case("try", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    try:
        print(n)
    finally:
        pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `try`: nothing is raised inside a kernel
    help: delete the `try` and test the condition that would raise
"""),
    Case("assert", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    assert n > 3
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `assert`: the compiler does not translate it
    help: use `ct.assert_(condition)`, or `ct.static_assert(condition)` for constants
"""),
    Case("class", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    class Local:
        pass
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: a class that is defined inside a function
    help: define a frozen dataclass at module level
"""),
    Case("import", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    import math
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `import` inside a function
    help: import at module level
"""),
    Case("static functions", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    ct.static_eval(1, 2)
    x = ct.static_iter((1, 2))
    y = ct.static_exception(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `ct.static_eval` with a wrong number of arguments
    help: pass one expression; `ct.static_assert` takes a message as well
TC602 error on line 13: `ct.static_iter` outside of a `for`
    help: write `for x in ct.static_iter(...)`
TC602 error on line 14: `ct.static_exception` outside of `raise`
    help: write `raise ct.static_exception(...)`
"""),
    Case("generator", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = tuple(i for i in range(3))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: this generator expression runs over something other than `ct.static_iter`
    help: write `tuple(... for x in ct.static_iter(...))`
"""),
    Case("displays", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = [n]
    y = {n}
    z = {n: 1}
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: a list: the device language has tuples only
    help: write a tuple: `(a, b)`
TC602 error on line 13: a set: the device language has tuples only
    help: write a tuple: `(a, b)`
TC602 error on line 14: a dict: the device language has tuples only
    help: use variables or a frozen dataclass; `ct.static_eval` may use a dict of constants
"""),
    Case("comprehension", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = [i for i in range(3)]
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: a comprehension: the device language has tuples only
    help: write `tuple(... for x in ct.static_iter(...))`
"""),
    Case("walrus", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(x := n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: an assignment expression
    help: assign on a line of its own
"""),
    Case("yield", raw("""\
def helper(n):
    yield n


@ct.kernel
def k(a, b, n: int, T: Int):
    helper(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 11: `yield`: a function that a kernel calls returns once
    help: return a tuple
"""),
    Case("formats", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(f"{n!r}", f"{n:{n}}")
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 12: `!r`, `!s` or `!a` in a formatted string
    help: leave the conversion out
TC602 error on line 12: a format that is computed in a formatted string
    help: write the format as text
"""),
    Case("statement never reached", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if False:
        x = [n]
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 13: a list: the device language has tuples only
    help: write a tuple: `(a, b)`
"""),
    Case("of a helper", raw("""\
def helper(n):
    return [n]


@ct.kernel
def k(a, b, n: int, T: Int):
    helper(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC602 error on line 11: a list: the device language has tuples only
    help: write a tuple: `(a, b)`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
