"""TC408: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host, raw

CASES = (
    Case("arguments", raw("""\
@ct.kernel
def scale(x, o, n: int, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, offs) * 2, mask=offs < n)


@ct.kernel
def scale_all(xs, n: int, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    for k in range(len(xs)):
        ct.scatter(xs[k], offs, ct.gather(xs[k], offs) * 2, mask=offs < n)


def launch_wrong(stream, x, flag):
    o = torch.empty_like(x)
    n = x.shape[0]
    blocks = ct.cdiv(n, 128)
    ct.launch(stream, (blocks,), scale, (x, o, n))
    ct.launch(stream, (blocks,), scale, (x, o, n, 128, 1))
    ct.launch(stream, (blocks,), scale, (x, 3, n, 128))
    ct.launch(stream, (blocks,), scale, (x, o, n, o))
    ct.launch(stream, (blocks,), scale, (x, o, None, 128))
    ct.launch(stream, (blocks,), scale, (x, "o", n, 128))
    ct.launch(stream, (blocks,), scale, ([x], o, n, 128))
    ct.launch(stream, [blocks], scale, (x, o, n, 128))
    ct.launch(stream, (blocks, 1, 1, 1), scale, (x, o, n, 128))
    ct.launch(stream, (n / 128,), scale, (x, o, n, 128))
    ct.launch(stream, (blocks,), scale, [x, o, n, 128])
    ct.launch(stream, (blocks,), scale, (x, o, n), T=128)
    ct.launch(stream, (blocks,), scale_all, (o, n, 128))
"""), """\
TC408 error on line 28: `scale` takes 4 arguments, and 3 are passed
    note on line 11: the kernel is here
    help: pass `T` too
TC408 error on line 29: `scale` takes 4 arguments, and 5 are passed
    note on line 11: the kernel is here
    help: pass `(x, o, n, T)` and nothing else
TC408 error on line 30: `3` is passed as `o`: an int, where `scale` takes an array
    note on line 11: the kernel is here
    help: pass an array as `o`
TC408 error on line 31: `o` is passed as `T`: an array, where `scale` takes a compile-time constant
    note on line 11: the kernel is here
    help: pass a compile-time constant as `T`
TC408 error on line 32: `None` is passed as `n`: None, where `scale` takes a number
    note on line 11: the kernel is here
    help: pass a number as `n`
TC408 error on line 33: `"o"` is passed as `o`: a string, where `scale` takes an array
    note on line 11: the kernel is here
    help: pass an array as `o`
TC408 error on line 34: `[x]` is passed as `x`: a list, where `scale` takes an array
    note on line 11: the kernel is here
    help: pass an array as `x`
TC408 error on line 35: the grid of this launch is a list: it must be a tuple
    note on line 11: the kernel is here
    help: write `(blocks,)`, `(x, y)` or `(x, y, z)`
TC408 error on line 36: the grid of this launch has 4 components: a grid has at most three
    note on line 11: the kernel is here
    help: merge two axes into one and separate them in the kernel with `//` and `%`
TC408 error on line 37: component 0 of the grid of this launch is a float
    note on line 11: the kernel is here
    help: use `ct.cdiv(n, T)` or `n // T`
TC408 error on line 38: the arguments of this launch are a list: they must be a tuple
    note on line 11: the kernel is here
    help: write `(a, b, c)`
TC408 error on line 39: `ct.launch` takes no keyword `T`: arguments of the kernel are passed by position in a
    tuple
    note on line 11: the kernel is here
    help: pass the argument in the tuple, at the position of the parameter
TC408 error on line 40: `o` is passed as `xs`: an array, where `scale_all` takes a list of arrays
    note on line 18: the kernel is here
    help: pass a list of arrays as `xs`
"""),
    Case("missing", host("""\
add(z.partition(16), x).sync()
"""), """\
TC408 error on line 34: `add` takes 3 arguments (z, x, y): `y` is missing
    note on line 13: the kernel is here
    help: pass `y` as well
"""),
    Case("too many", host("""\
add(z.partition(16), x, y, n).sync()
"""), """\
TC408 error on line 34: `add` takes 3 arguments (z, x, y): 4 are passed
    note on line 13: the kernel is here
    help: leave out the last 1
"""),
    Case("no such name", host("""\
add(z.partition(16), x, w=y).sync()
"""), """\
TC408 error on line 34: `add` takes 3 arguments (z, x, y): it has none named `w`
    note on line 13: the kernel is here
    help: leave out `w=...`
"""),
    Case("twice", host("""\
add(z.partition(16), x, x=y).sync()
"""), """\
TC408 error on line 34: `add` takes 3 arguments (z, x, y): `x` is passed twice
    note on line 13: the kernel is here
    help: leave out `x=...`
"""),
    Case("tensor for an output", host("""\
add(z, x, y).sync()
"""), """\
TC408 error on line 34: `z` is passed as `z` of `add`: that is an output, which takes a partition, not a
    tensor
    note on line 13: the kernel is here
    help: divide it into pieces: `z.partition(16)`
"""),
    Case("partition for an input", host("""\
add(z.partition(16), x.partition(16), y).sync()
"""), """\
TC408 error on line 34: `x.partition(16)` is passed as `x` of `add`: that is an input, which takes a tensor,
    not a partition
    note on line 13: the kernel is here
    help: pass `x` itself: the kernel divides its inputs
"""),
    Case("number for an array", host("""\
add(z.partition(16), 2, y).sync()
"""), """\
TC408 error on line 34: `2` is passed as `x` of `add`: that is an input, which takes a tensor, not a number
    note on line 13: the kernel is here
    help: make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`
"""),
    Case("array for a number", host("""\
fixed(z.partition(16), x, y, 3).sync()
"""), """\
TC408 error on line 34: `y` is passed as `by` of `fixed`: that is a number of type float, not a tensor
    note on line 24: the kernel is here
    help: pass a number as `by`
"""),
    Case("float for an int", host("""\
fixed(z.partition(16), x, 2.0, 1.5).sync()
"""), """\
TC408 error on line 34: `1.5` is passed as `n` of `fixed`: that is a number of type int, not a float
    note on line 24: the kernel is here
    help: pass a number as `n`
"""),
    Case("element type", host("""\
add(z.partition(16), tcr.ones((64,), f16), y).sync()
"""), """\
TC408 error on line 34: `tcr.ones((64,), f16)` is passed as `x` of `add`: that is an array of f32, not one of
    f16
    note on line 13: the kernel is here
    help: convert it: `.astype(f32)`
"""),
    Case("rank", host("""\
add(z.partition(16), tcr.ones((8, 8), f32), y).sync()
"""), """\
TC408 error on line 34: `tcr.ones((8, 8), f32)` is passed as `x` of `add`: that is an array with 1 axis, not
    one of shape (8, 8)
    note on line 13: the kernel is here
    help: give it the shape that the kernel asks for: `.reshape(...)`
"""),
    Case("operation for an array", host("""\
add(z.partition(16), add(tcr.zeros((64,), f32).partition(16), x, x), y).sync()
"""), """\
TC408 error on line 34: `add(tcr.zeros((64,), f32).partition(16), x, x)` is passed as `x` of `add`: that is an
    input, which takes a tensor, not an operation that has not run
    note on line 13: the kernel is here
    help: run it first: `.sync()`
"""),
    Case("unused parameter", raw("""\
@ct.kernel
def k(x, mode, T: Int):
    ct.store(x, (ct.bid(0),), ct.zeros((T,), ct.float32))


def go(stream, x):
    ct.launch(stream, (4,), k, (x, None, 16))
"""), """\
TC408 error on line 16: `None` is passed as `mode`: None cannot be passed to a kernel
    note on line 11: the kernel is here
    help: pass an array, an int, a float or a bool
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
