"""What TC504 reports, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, operation

CASES = (
    Case("extent", operation("""\
z = ct.load(a, (0, 0), (4, 48))
"""), """\
TC304 warning on line 6: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and what leads to it alone
    help: store `z` or what is made of it, or delete it
TC504 error on line 6: a tile of shape (4, 48) cannot be made by `ct.load`: dim 1 is 48, and extents are
    powers of two
    help: take 64; what lies outside of the array is padded or clipped
"""),
    Case("extent 2", operation("""\
z = ct.arange(100, dtype=ct.int32)
"""), """\
TC304 warning on line 6: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and what leads to it alone
    help: store `z` or what is made of it, or delete it
TC504 error on line 6: a tile of shape (100,) cannot be made by `ct.arange`: dim 0 is 100, and extents are
    powers of two
    help: take 128; leave out what is too much with a mask
"""),
    Case("extent 3", operation("""\
z = ct.zeros((4, 0), ct.float32)
"""), """\
TC304 warning on line 6: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and what leads to it alone
    help: store `z` or what is made of it, or delete it
TC504 error on line 6: a tile of shape (4, 0) cannot be made by `ct.zeros`: dim 1 is 0, and extents are powers
    of two
    help: take a positive power of two
"""),
    Case("cat", operation("""\
x = ct.full((4,), s, ct.float32)
y = ct.full((2,), s, ct.float32)
z = ct.cat((x, y), 0)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and what leads to it alone
    help: store `z` or what is made of it, or delete it
TC504 error on line 8: `ct.cat` of tiles of shapes (4,) and (2,) yields 6 along dim 0, which is no power of
    two
    help: put together tiles of equal extents
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
