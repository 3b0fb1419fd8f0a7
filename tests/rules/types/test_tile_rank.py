"""TC503: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, launch, operation

CASES = (
    Case("more_axes", operation("""\
x = ct.full((2, 4, 8), s, ct.float32)
z = ct.broadcast_to(x, (4, 8))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: a tile of shape (2, 4, 8) from line 6 has more axes than (4, 8), to which
    `ct.broadcast_to` broadcasts it
    help: reduce or reshape it first
"""),
    Case("stored_rank", operation("""\
x = ct.full((8,), s, ct.float32)
ct.store(b, (0, 0), x)
"""), """\
TC503 error on line 7: a tile of 1 axis, (8,) from line 6, is stored to `b` at an index with 2 entries
    help: give the tile and the index one entry for each axis of the array
"""),
    Case("index_tile", operation("""\
i = ct.arange(8, dtype=ct.int32)
z = ct.load(a, (i, 0), (8, 8))
"""), """\
TC304 warning on line 7: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: index 0 of `ct.load` is a tile, (8,), but the index of a tile is a number
    help: use `ct.gather` or `ct.scatter` for the indices of elements
"""),
    Case("axis", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.sum(x, axis=2)
"""), """\
TC503 error on line 7: axis 2 of `ct.sum` does not exist: (4, 8) from line 6 has 2 axes
    help: take one of -2 to 1
"""),
    Case("axis 2", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.expand_dims(x, 4)
"""), """\
TC503 error on line 7: axis 4 of `ct.expand_dims` does not exist: (4, 8) from line 6 has 3 axes with the new
    one
    help: take one of -3 to 2
"""),
    Case("axis 3", operation("""\
z = ct.cumsum(ct.full((), s, ct.float32), 0)
"""), """\
TC503 error on line 6: axis 0 of `ct.cumsum` does not exist: () from line 6 has 0 axes
    help: a scalar has no axis
"""),
    Case("twice", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.sum(x, axis=(0, -2))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: `ct.sum` names axis 0 twice
    help: name each axis once
"""),
    Case("axes_count", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.permute(x, (0, 1, 2))
"""), """\
TC503 error on line 7: `ct.permute` names 3 axes of a tile that has 2, (4, 8)
    help: name each axis once, in the order of the result
"""),
    Case("scalar", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.full((4,), x, ct.float32)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: `ct.full` gets a tile, (4, 8) from line 6, but it takes a number
    help: use `ct.broadcast_to`
"""),
    Case("subscript", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = x[:, :, :, None]
"""), """\
TC503 error on line 7: `:` stands for 3 axes of a tile that has 2, (4, 8)
    help: write one `:` for each axis of the tile, and `None` for each new one
"""),
    Case("transpose", operation("""\
x = ct.full((8,), s, ct.float32)
z = ct.transpose(x)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: `ct.transpose` of a tile of 1 axis, (8,)
    help: add an axis first: `t[None, :]`
"""),
    Case("transpose_which", operation("""\
x = ct.full((2, 4, 8), s, ct.float32)
z = ct.transpose(x)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: `ct.transpose` does not say which two of the 3 axes of (2, 4, 8) it exchanges
    help: name them: `ct.transpose(t, -1, -2)`
"""),
    Case("ranks", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((8,), s, ct.float32)
z = ct.cat((x, y), 0)
"""), """\
TC503 error on line 8: `ct.cat` of tiles of 2 axes and of 1 axis
    help: give both the same number of axes
"""),
    Case("part_index", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.extract(x, (0,), (4, 4))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 7: the index of `ct.extract` has 1 entry, but the tile has 2 axes, (4, 8)
    help: give one entry for each axis of the tile
"""),
    Case("part_rank", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((4,), s, ct.float32)
z = ct.insert(x, (0, 0), y)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 8: `ct.insert`: the part has 1 axis and the tile 2, (4, 8)
    help: give the part one extent for each axis of the tile
"""),
    Case("added_rank", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((8, 4), s, ct.float32)
z = ct.mma(x, y, ct.zeros((2, 4, 4), ct.float32))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC503 error on line 8: `ct.mma` yields 2 axes and is added to a tile of 3, (2, 4, 4)
    help: the accumulator is (M, N) for (M, K) times (K, N)
"""),
    Case("unpacked", operation("""\
x = ct.full((4, 8), n, ct.uint8)
z = ct.unpack_from_bytes(x, ct.float16)
"""), """\
TC503 error on line 7: `ct.unpack_from_bytes` of a tile of 2 axes: it takes one of one axis
    help: reshape it first: `ct.reshape(t, (-1,))`
"""),
    Case("array_rank in a launch", launch("int64", "int8", """\
t = ct.load(a, (0, 0), (8, 8))
"""), """\
TC304 warning on line 7: `t` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `t` or a value computed from it, or delete it
TC503 error on line 7: `a` has 1 axis, but the index has 2 entries
    note on line 13: in this launch `a` has 1 axis
    help: give one entry for each axis
"""),
    Case("array_rank in a launch 2", launch("int64", "int8", """\
t = ct.gather(a, (0, 0))
"""), """\
TC304 warning on line 7: `t` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `t` or a value computed from it, or delete it
TC503 error on line 7: `a` has 1 axis, but the index has 2 entries
    note on line 13: in this launch `a` has 1 axis
    help: give one entry for each axis
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
