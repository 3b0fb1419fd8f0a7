"""TC606: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw
from tilecheck.api import check_source

CASES = (
    Case("undefined", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(missing)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 12: `missing` is not defined
    help: define it, or import it
"""),
    Case("unset", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(x)
    x = n
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 12: `x` is used before it is set
    help: set it above
"""),
    Case("path", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        x = 1
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 12: `x` has a value after this statement on some paths only, and line 14 uses it
    help: set it before the statement
"""),
    Case("loop", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in range(n):
        x = i
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 12: `x` has a value after this statement on some paths only, and line 14 uses it
    help: set it before the statement
"""),
    Case("kinds", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        x = 1
    else:
        x = None
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 15: `x` is a number or `None` after this statement, by the path, and line 16 uses it
    help: give it the same kind and type on both paths
"""),
    Case("types", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        x = 1
    else:
        x = 1.5
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 15: `x` is int32 or float32 after this statement, by the path, and line 16 uses it
    help: give it the same kind and type on both paths
"""),
    Case("lengths", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if n > 3:
        x = (1, 2)
    else:
        x = (1,)
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 15: `x` is a tuple of 2 items or one of 1 after this statement, by the path, and line 16
    uses it
    help: give it the same kind and type on both paths
"""),
    Case("carried", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    x = None
    for i in range(n):
        x = i
    print(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 14: `x` is `None` before the loop and a number at the end of an iteration
    help: use another name in the loop
"""),
    Case("expression", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(1 if n > 3 else None)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 12: this is a number or `None`, by a condition that is known at run time only
    help: give both alternatives the same kind and type
"""),
    Case("returned", raw("""\
def helper(n):
    if n > 3:
        return 1
    return None


@ct.kernel
def k(a, b, n: int, T: Int):
    helper(n)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC606 error on line 13: this function returns a number or `None`, by the path that was taken
    help: return the same kind and type on all paths
"""),
    Case("constant condition", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if T > 3:
        x = 1
    print(x)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)


def test_code_may_bind_names_that_its_text_does_not_show() -> None:
    kernel = "\n@ct.kernel\ndef k(a):\n    ct.store(a, (Q,), 1.0)\n"
    for binding in ("exec('Q = 4')", "globals().update(Q=4)", "import builtins\nbuiltins.Q = 4"):
        source = f"import cuda.tile as ct\n{binding}\n{kernel}"
        report = check_source(source)
        assert not [d for d in report.diagnostics if d.code == "TC606"], binding
