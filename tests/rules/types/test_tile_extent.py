"""TC504: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, operation

CASES = (
    Case("extent", operation("""\
z = ct.load(a, (0, 0), (4, 48))
"""), """\
TC304 warning on line 6: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC504 error on line 6: `ct.load` cannot produce a tile of shape (4, 48): dim 1 is 48, but extents are powers
    of two
    help: use 64; elements outside the array are padded or clipped
"""),
    Case("extent 2", operation("""\
z = ct.arange(100, dtype=ct.int32)
"""), """\
TC304 warning on line 6: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC504 error on line 6: `ct.arange` cannot produce a tile of shape (100,): dim 0 is 100, but extents are powers
    of two
    help: use 128; mask the lanes that are not needed
"""),
    Case("extent 3", operation("""\
z = ct.zeros((4, 0), ct.float32)
"""), """\
TC304 warning on line 6: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC504 error on line 6: `ct.zeros` cannot produce a tile of shape (4, 0): dim 1 is 0, but extents are powers of
    two
    help: use a positive power of two
"""),
    Case("cat", operation("""\
x = ct.full((4,), s, ct.float32)
y = ct.full((2,), s, ct.float32)
z = ct.cat((x, y), 0)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC504 error on line 8: `ct.cat` of tiles of shapes (4,) and (2,) yields 6 along dim 0, which is not a power of
    two
    help: concatenate tiles of equal extents
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
