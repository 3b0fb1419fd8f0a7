"""Every finding of the lint rules, word for word: message, place, notes and help are what an author reads."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

CODES = {"TC111", "TC203", "TC204", "TC207", "TC302", "TC304", "TC305", "TC408"}

HEAD = """\
import cuda.tile as ct
import torch

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


"""

KERNELS = {
    "tile": """\
@ct.kernel
def second_axis_by_elements(x, y, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j * U), (T, U))
    ct.store(y, (i, j), t)
""",
    "tile_constant": """\
@ct.kernel
def constant_tile(a, c):
    i = ct.bid(0)
    t = ct.load(a, (i * 128, 0), (128, 1))
    ct.store(c, (i, 0), t)
""",
    "tile_decoded": """\
@ct.kernel
def decoded_and_multiplied(a, c, N: Int, T: Int):
    p = ct.bid(0)
    row, col = p // N, p % N
    t = ct.load(a, (row * T, col * T), (T, T))
    ct.store(c, (row, col), t)
""",
    "part": """\
@ct.kernel
def extract_by_elements(x, y):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (16, 64))
    acc = ct.zeros((16, 16), ct.float32)
    for k in range(4):
        acc = acc + ct.extract(t, (0, k * 16), (16, 16))
    ct.store(y, (i, 0), acc)
""",
    "gathered": """\
@ct.kernel
def gather_from_tile_index(x, y, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i + ct.arange(T, dtype=ct.int32))
    ct.store(y, (i,), t)
""",
    "slice_before": """\
@ct.kernel
def slice_from_before(x, o, T: Int):
    i = ct.bid(0)
    s = x.slice(0, i * T - 1, i * T + T)
    ct.store(o, (i,), ct.load(s, (0,), (T,)))
""",
    "slice_reversed": """\
@ct.kernel
def slice_backwards(x, o, T: Int):
    s = x.slice(0, x.shape[0], 0)
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,), padding_mode=ZERO))
""",
    "slice_beyond": """\
@ct.kernel
def slice_of_a_slice(x, o, n: int, T: Int):
    s = x.slice(0, 0, n)
    t = s.slice(0, 0, n + T)
    ct.store(o, (ct.bid(0),), ct.load(t, (ct.bid(0),), (T,), padding_mode=ZERO))
""",
    "narrowed": """\
@ct.kernel
def index_in_16_bits(x, o, T: Int):
    offs = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32)).astype(ct.int16)
    ct.store(o, (ct.bid(0),), ct.gather(x, offs))
""",
    "narrowed_lanes": """\
@ct.kernel
def lanes_in_8_bits(x, o):
    offs = ct.arange(256, dtype=ct.int8)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, (ct.bid(0), offs)).reshape((1, 256)))
""",
    "narrowed_product": """\
@ct.kernel
def wide_product_narrowed(x, o, S: int, T: Int):
    row = ct.astype(ct.bid(0), ct.int64)
    offs = ct.astype(row * S + ct.arange(T, dtype=ct.int64), ct.int32)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, offs).reshape((1, T)))
""",
    "declared_wide": """\
@ct.kernel
@requires("M * N <= 2**40", "N <= 2**35", "T <= N")
def declared_beyond_32_bits(x, o, M: int, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))
    ct.store(o, (i, 0), t.reshape((1, T)))
""",
    "launched_wide": """\
@ct.kernel
def launched_beyond_32_bits(x, o, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))
    ct.store(o, (i, 0), t.reshape((1, T)))


def launch_beyond_32_bits(stream, x, o):
    ct.launch(stream, (1 << 16,), launched_beyond_32_bits, (x, o, 1 << 17, 128))
""",
    "mask": """\
@ct.kernel
def combined_mask_forgotten(x, o, M: int, N: int, T: Int):
    rows = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    cols = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    ct.scatter(o, (rows[:, None], cols[None, :]), ct.gather(x, (rows[:, None], cols[None, :])))
""",
    "result": """\
@ct.kernel
def chain_goes_nowhere(x, w, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    scale = ct.load(w, (i,), (T,))
    scaled = t * scale
    ct.store(o, (i,), t)
""",
    "loaded": """\
@ct.kernel
def scalar_loaded_in_vain(x, n, o, T: Int):
    i = ct.bid(0)
    count = ct.load(n, (i,), (1,)).item()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))
""",
    "helper": """\
def scaled_by_mean(t):
    mean = ct.sum(t, axis=0, keepdims=True) / 4.0
    return t * 2.0


@ct.kernel
def helper_computes_in_vain(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))


@ct.kernel
def helper_called_again(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))
""",
    "remainder": """\
@ct.kernel
def remainder_by_a_local(A, c, tm: Int, tk: Int):
    i = ct.bid(0)
    steps = A.shape[1] // tk
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)
""",
    "remainder_host": """\
@ct.kernel
def steps_from_the_host(A, c, steps: int, tm: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, 64), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


def launch_steps(stream, A, c):
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), steps_from_the_host, (A, c, A.shape[1] // 64, 32))
""",
    "arguments": """\
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
""",
    "never_waits": """\
@ct.kernel
def never_waits(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(o, (i,), t)


def launch(stream, x, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), never_waits, (x, o, 128), programmatic_dependent_launch=True)
""",
    "waits_late": """\
@ct.kernel
def waits_on_one_path(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


def launch(stream, x, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), waits_on_one_path, (x, o, 1, 128),
              programmatic_dependent_launch=True)
""",
    "mask_of_tiles": """\
@ct.kernel
def k(x, o, n: int, T: Int):
    i = ct.bid(0)
    unused = ct.arange(T, dtype=ct.int32) < n
    ct.store(o, (i,), ct.load(x, (i,), (T,)))
""",
    "mask_unchecked": """\
@ct.kernel
def k(x, o, n: int, T: Int):
    cols = ct.arange(T, dtype=ct.int32)
    unused = cols < n
    ct.scatter(o, (ct.bid(0), cols), ct.gather(x, (ct.bid(0), cols), check_bounds=False))
""",
}

FINDINGS = {
    "tile": [
        (
            "TC203", "warning", 13,
            (
                "the tile index `U*bid(1)` of `x` along axis 1 is an element offset: an index counts tiles of `U` "
                "elements"
            ),
            [
                "with U = 4 block 1 takes the elements 16 to 19 along axis 1, not 4 to 7",
            ],
            "pass `bid(1)`: load multiplies the index by the extent of the tile itself",
        ),
    ],
    "tile_constant": [
        (
            "TC203", "warning", 13,
            (
                "the tile index `128*bid(0)` of `a` along axis 0 is an element offset: an index counts tiles of "
                "128 elements"
            ),
            [
                "block 1 takes the elements 16384 to 16511 along axis 0, not 128 to 255",
            ],
            "pass `bid(0)`: load multiplies the index by the extent of the tile itself",
        ),
    ],
    "tile_decoded": [
        (
            "TC203", "warning", 14,
            (
                "the tile index `T*(bid(0) // N)` of `a` along axis 0 is an element offset: an index counts tiles "
                "of `T` elements"
            ),
            [
            ],
            "pass `bid(0) // N`: load multiplies the index by the extent of the tile itself",
        ),
    ],
    "part": [
        (
            "TC203", "warning", 16,
            "the index `16*k` of extract along axis 1 is an element offset: it counts parts of 16 elements",
            [
            ],
            "pass `k`: extract multiplies the index by the extent of the part",
        ),
    ],
    "gathered": [
        (
            "TC203", "warning", 13,
            (
                "`ct.bid(0)` is used as an element index of `x`: blocks read overlapping elements and write "
                "separate tiles"
            ),
            [
                "with T = 4 block 1 reads x[1] to x[4] and writes the elements 4 to 7",
            ],
            "begin at element `bid(0) * T`",
        ),
    ],
    "slice_before": [
        (
            "TC204", "error", 13,
            "this slice of `x` along axis 0 begins at `T*bid(0) - 1`, before the array",
            [
                "with bid(0) = 0, T = 1, x.shape[0] = 1 it selects the elements -1 to 1 of 1",
                "nothing checks a slice when the kernel runs",
            ],
            "begin at 0 or later: a negative bound does not count from the end",
        ),
    ],
    "slice_reversed": [
        (
            "TC204", "error", 12,
            "this slice of `x` along axis 0 ends at `0`, before it begins at `x.shape[0]`",
            [
                "with x.shape[0] = 1 it selects the elements 1 to 0 of 1",
                "nothing checks a slice when the kernel runs",
            ],
            "pass the smaller of the two ends first",
        ),
    ],
    "slice_beyond": [
        (
            "TC204", "error", 13,
            "this slice of `x` along axis 0 ends at `T + n`, past the extent `n`",
            [
                "with T = 1, n = 1 it selects the elements 0 to 2 of 1",
                "nothing checks a slice when the kernel runs",
            ],
            "stop at `n`",
        ),
    ],
    "narrowed": [
        (
            "TC207", "warning", 12,
            "`T*bid(0) + lane` is narrowed to int16 and becomes an index of `x`: from 32768 on it is another index",
            [
                "`x` is indexed here",
            ],
            "keep the index in int32",
        ),
    ],
    "narrowed_lanes": [
        (
            "TC207", "warning", 12,
            "`ct.arange(256)` is narrowed to int8 and becomes an index of `x`: from 128 on it is another index",
            [
                "`x` is indexed here",
            ],
            "keep the index in int32",
        ),
    ],
    "narrowed_product": [
        (
            "TC207", "warning", 13,
            "`S*bid(0) + lane` is narrowed to int32 and becomes an index of `x`: from 2**31 on it is another index",
            [
                "`x` is indexed here",
            ],
            "keep the index in int64",
        ),
    ],
    "declared_wide": [
        (
            "TC207", "warning", 14,
            "the index of `x` may wrap: it is computed in 32 bits, and `N <= 2**35` admits sizes beyond 2**31",
            [
            ],
            (
                "compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with "
                "`ct.IndexedWithInt64`"
            ),
        ),
    ],
    "launched_wide": [
        (
            "TC207", "warning", 13,
            (
                "the index of `x` wraps: it is computed in 32 bits, and reaches `grid[0]*N + T`, which is 2**31 "
                "or more in a visible launch"
            ),
            [
                "it is launched here",
            ],
            (
                "compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with "
                "`ct.IndexedWithInt64`"
            ),
        ),
    ],
    "mask": [
        (
            "TC302", "warning", 14,
            "`mask` is computed and never used: it limits no access",
            [
                (
                    "accesses check bounds against the array by themselves; the mask would have kept out lanes "
                    "that lie inside the array and are still not meant"
                ),
            ],
            "pass it where it belongs, as `mask=mask`, or delete it",
        ),
    ],
    "result": [
        (
            "TC304", "warning", 15,
            "`scaled` is computed and never reaches memory: nothing that is stored depends on it",
            [
                "the compiler removes it, and what leads to it alone",
            ],
            "store `scaled` or what is made of it, or delete it",
        ),
    ],
    "loaded": [
        (
            "TC304", "warning", 13,
            "`count` is loaded and never reaches memory: nothing that is stored depends on it",
            [
                "the compiler removes it, and what leads to it alone",
            ],
            "store `count` or what is made of it, or delete it",
        ),
    ],
    "helper": [
        (
            "TC304", "warning", 11,
            "`mean` is computed and never reaches memory: nothing that is stored depends on it",
            [
                "the compiler removes it, and what leads to it alone",
            ],
            "store `mean` or what is made of it, or delete it",
        ),
    ],
    "remainder": [
        (
            "TC305", "warning", 15,
            (
                "this loop walks `A` in A.shape[1] // tk tiles of tk: where A.shape[1] is no multiple of tk, the "
                "last A.shape[1] % tk elements are left out"
            ),
            [
                "`A` is accessed here",
            ],
            (
                "run to `ct.cdiv(A.shape[1], tk)` with a padding that does not count, or declare "
                "`@requires(\"A.shape[1] % tk == 0\")`"
            ),
        ),
    ],
    "remainder_host": [
        (
            "TC305", "warning", 14,
            (
                "this loop walks `A` in A.shape[1] // 64 tiles of 64: where A.shape[1] is no multiple of 64, the "
                "last A.shape[1] % 64 elements are left out"
            ),
            [
                "`steps` is `A.shape[1] // 64` in this launch",
                "`A` is accessed here",
            ],
            (
                "run to `ct.cdiv(A.shape[1], 64)` with a padding that does not count, or declare "
                "`@requires(\"A.shape[1] % 64 == 0\")`"
            ),
        ),
    ],
    "arguments": [
        (
            "TC408", "error", 28,
            "`scale` takes 4 arguments, and 3 are passed",
            [
                "the kernel is here",
            ],
            "pass `T` too",
        ),
        (
            "TC408", "error", 29,
            "`scale` takes 4 arguments, and 5 are passed",
            [
                "the kernel is here",
            ],
            "pass `(x, o, n, T)` and nothing else",
        ),
        (
            "TC408", "error", 30,
            "`3` is passed as `o`: an int, where `scale` takes an array",
            [
                "the kernel is here",
            ],
            "pass an array as `o`",
        ),
        (
            "TC408", "error", 31,
            "`o` is passed as `T`: an array, where `scale` takes a compile-time constant",
            [
                "the kernel is here",
            ],
            "pass a compile-time constant as `T`",
        ),
        (
            "TC408", "error", 32,
            "`None` is passed as `n`: None, where `scale` takes a number",
            [
                "the kernel is here",
            ],
            "pass a number as `n`",
        ),
        (
            "TC408", "error", 33,
            "`\"o\"` is passed as `o`: a string, where `scale` takes an array",
            [
                "the kernel is here",
            ],
            "pass an array as `o`",
        ),
        (
            "TC408", "error", 34,
            "`[x]` is passed as `x`: a list, where `scale` takes an array",
            [
                "the kernel is here",
            ],
            "pass an array as `x`",
        ),
        (
            "TC408", "error", 35,
            "the grid of this launch is a list: it must be a tuple",
            [
                "the kernel is here",
            ],
            "write `(blocks,)`, `(x, y)` or `(x, y, z)`",
        ),
        (
            "TC408", "error", 36,
            "the grid of this launch has 4 components: a grid has at most three",
            [
                "the kernel is here",
            ],
            "fold two axes into one and take them apart in the kernel with `//` and `%`",
        ),
        (
            "TC408", "error", 37,
            "component 0 of the grid of this launch is a float",
            [
                "the kernel is here",
            ],
            "use `ct.cdiv(n, T)` or `n // T`",
        ),
        (
            "TC408", "error", 38,
            "the arguments of this launch are a list: they must be a tuple",
            [
                "the kernel is here",
            ],
            "write `(a, b, c)`",
        ),
        (
            "TC408", "error", 39,
            "`ct.launch` takes no keyword `T`: arguments of the kernel are passed by place in a tuple",
            [
                "the kernel is here",
            ],
            "pass the argument in the tuple, in the place of the parameter",
        ),
        (
            "TC408", "error", 40,
            "`o` is passed as `xs`: an array, where `scale_all` takes a list of arrays",
            [
                "the kernel is here",
            ],
            "pass a list of arrays as `xs`",
        ),
    ],
    "never_waits": [
        (
            "TC111", "error", 13,
            (
                "`never_waits` may start while the launch before it still runs, and touches `x` here without ever "
                "waiting for it"
            ),
            [
                "it is launched with programmatic_dependent_launch=True here",
                "what the launch before it writes is visible only after the wait",
            ],
            "call `ct.grid_dependency_control_wait()` before the first access, on every path",
        ),
    ],
    "waits_late": [
        (
            "TC111", "error", 15,
            (
                "`waits_on_one_path` may start while the launch before it still runs, and touches `x` here on a "
                "path that has not waited for it"
            ),
            [
                "it is launched with programmatic_dependent_launch=True here",
                "what the launch before it writes is visible only after the wait",
            ],
            "call `ct.grid_dependency_control_wait()` before the first access, on every path",
        ),
    ],
    "mask_of_tiles": [
        (
            "TC302", "warning", 13,
            "`unused` is computed and never used: it limits no access",
            [
                (
                    "accesses check bounds against the array by themselves; the mask would have kept out lanes "
                    "that lie inside the array and are still not meant"
                ),
            ],
            "apply it, `ct.where(unused, ..., 0)`, or delete it",
        ),
    ],
    "mask_unchecked": [
        (
            "TC302", "warning", 13,
            "`unused` is computed and never used: it limits no access",
            [
                (
                    "some accesses of this kernel do not check bounds: without a mask they touch whatever the "
                    "index says"
                ),
            ],
            "pass it where it belongs, as `mask=unused`, or delete it",
        ),
    ],
}


@pytest.mark.parametrize("name", KERNELS)
def test_findings_are_said_in_these_words(name: str) -> None:
    report = check_source(HEAD + KERNELS[name])
    said = [(d.code, d.severity, d.span.line, d.message, [n.message for n in d.notes], d.help)
            for d in report.diagnostics if d.code in CODES]
    assert said == FINDINGS[name]
    assert not report.failures


@pytest.mark.parametrize("name", KERNELS)
def test_messages_name_nothing_internal(name: str) -> None:
    for d in check_source(HEAD + KERNELS[name]).diagnostics:
        text = " ".join((d.message, d.help or "", *(n.message for n in d.notes)))
        assert not any(mark in text for mark in ("lane0", "#", "ceil<", "Opaque", "Term", "@4"))
        assert d.help
