"""Every finding's message, place, notes and help, word for word: they are what an author reads."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = """\
import cuda.tile as ct
from tilecheck import requires

Int = ct.Constant[int]


"""

KERNELS = {
    "write": """\
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
""",
    "pair": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    t = ct.load(a, (i,), (T,))
    ct.store(c, (2 * i,), t)
    ct.store(c, (i + 1,), t)
""",
    "loop": """\
@ct.kernel
def k(a, c, n: int, T: Int):
    for i in range(ct.bid(0), n):
        ct.store(c, (i,), ct.load(a, (i,), (T,)))
""",
    "step": """\
@ct.kernel
def k(a, c, T: Int):
    o = ct.bid(0) * (T // 2) + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))
""",
    "part": """\
@ct.kernel
def k(a, c, H: Int, T: Int):
    ct.store(c, (ct.bid(0) // 2,), ct.load(a, (ct.bid(0),), (T,)))
""",
    "conditional": """\
@ct.kernel
def k(a, c, S: Int, T: Int):
    o = ct.bid(0) * S + ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))
""",
    "data": """\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.load(ids, (ct.bid(0),), (1,)).item()
    ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)))
""",
    "read": """\
@ct.kernel
def k(c, T: Int):
    i = ct.bid(0)
    t = ct.load(c, (i + 1,), (T,))
    ct.store(c, (i,), t)
""",
    "readdata": """\
@ct.kernel
def k(ids, c, T: Int):
    i = ct.bid(0)
    j = ct.load(ids, (i,), (1,)).item()
    t = ct.load(c, (j, 0), (1, T))
    ct.store(c, (i, 0), t)
""",
    "readcond": """\
@ct.kernel
def k(c, S: Int, T: Int):
    i = ct.bid(0)
    o = ct.arange(T, dtype=ct.int32)
    ct.scatter(c, i * S + o, ct.gather(c, i * S + o))
""",
    "dup": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    o = i * T + ct.arange(T, dtype=ct.int32) // 2
    ct.scatter(c, o, ct.load(a, (i,), (T,)))
""",
    "dupcond": """\
@ct.kernel
def k(a, c, S: Int, T: Int, U: Int):
    i = ct.bid(0)
    o = ct.arange(T, dtype=ct.int32)[:, None] * S + ct.arange(U, dtype=ct.int32)[None, :]
    ct.scatter(c, (i, o), ct.gather(a, (i, o)))
""",
    "dupdata": """\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    o = ct.gather(ids, (i, ct.arange(T, dtype=ct.int32)))
    ct.scatter(c, (i, o), ct.gather(a, (i, o)))
""",
    "mixed": """\
@ct.kernel
def k(n, c, T: Int):
    i = ct.bid(0)
    ct.atomic_add(n, (0,), 1)
    t = ct.load(n, (0,), (1,))
    ct.store(c, (i,), ct.broadcast_to(t, (T,)))
""",
    "weak": """\
@ct.kernel
def k(n, T: Int):
    if ct.bid(0) >= 0:
        ct.atomic_add(n, (0,), 1, memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.BLOCK)
""",
    "order": """\
@ct.kernel
def k(x, n: int, T: Int):
    b = ct.bid(0) * n
    for i in range(n):
        s = x.slice(0, (b + n - i) * T, (b + n) * T + T)
        ct.store(s, (i,), ct.full((T,), i, ct.float32))
""",
    "lock": """\
@ct.kernel
def k(lock, s, T: Int):
    if ct.bid(0) >= 0:
        while ct.atomic_cas(lock, (0,), 0, 1, memory_order=ct.MemoryOrder.RELAXED).item() == 1:
            pass
        ct.store(s, (0,), ct.load(s, (0,), (T,)) + 1)
        ct.atomic_xchg(lock, (0,), 0, memory_order=ct.MemoryOrder.RELAXED)
""",
    "goodlock": """\
@ct.kernel
def k(lock, s, T: Int):
    if ct.bid(0) >= 0:
        while ct.atomic_cas(lock, (0,), 0, 1, memory_order=ct.MemoryOrder.ACQUIRE).item() == 1:
            pass
        ct.store(s, (0,), ct.load(s, (0,), (T,)) + 1)
        ct.atomic_xchg(lock, (0,), 0, memory_order=ct.MemoryOrder.RELEASE)
""",
    "contradiction": """\
@requires("T <= 4 and T >= 8")
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
""",
    "lists": """\
@ct.kernel
def k(xs, n: int, T: Int):
    for g in range(n):
        ct.store(xs[g], (ct.bid(0),), ct.full((T,), 0, ct.float32))
    ct.store(xs[0], (0,), ct.full((T,), 0, ct.float32))
""",
    "below": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i - 1,), (T,)))
""",
    "shares": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    tiles = ct.num_tiles(a, 0, (T,))
    size = ct.cdiv(tiles, ct.num_blocks(0))
    total = ct.zeros((T,), ct.float32)
    for j in range(size):
        total = total + ct.load(a, (i * size + j,), (T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i,), total)
""",
    "beyond": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for j in range(ct.num_tiles(a, 1, (1, T)) + 1):
        acc = acc + ct.load(a, (i, j), (1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), acc)
""",
    "list": """\
@requires("len(xs) == 2")
@ct.kernel
def k(xs, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(xs[2], (i,), (T,)))
""",
    "unchecked": """\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    at = ct.gather(ids, i * T + ct.arange(T, dtype=ct.int32))
    ct.store(c, (i,), ct.gather(a, at, check_bounds=False))
""",
    "unchecked row": """\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    row = ct.load(ids, (i,), (1,)).item()
    ct.scatter(c, (i, ct.arange(T, dtype=ct.int32)),
               ct.gather(a, (row, ct.arange(T, dtype=ct.int32)), check_bounds=False))
""",
    "unchecked below": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    at = i * T + ct.arange(T, dtype=ct.int32)
    ct.store(c, (i,), ct.gather(a, at - 1, check_bounds=False))
""",
    "assumed": """\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    n = ct.assume_divisible_by(ct.load(ids, (i,), (1,)).item(), 16)
    ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)) + n)
""",
    "assumed falsely": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.assume_divisible_by(ct.bid(0), 16)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))
""",
    "spill": """\
@ct.kernel
def k(a, c, H: Int, T: Int):
    o = ct.bid(0) * H + ct.arange(T, dtype=ct.int32)
    x = ct.gather(a, o + H // 2)
    ct.scatter(c, o + H // 2, x)
    ct.scatter(c, o, x)
""",
    "large grid": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))


def go(stream):
    import torch

    x = torch.zeros(1024)
    ct.launch(stream, (9,), k, (x, torch.empty(1152), 128))
""",
    "small grid": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x):
    import torch

    out = torch.empty_like(x)
    ct.launch(stream, (x.shape[0] // 128,), k, (x, out, 128))
    return out
""",
    "alias": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), k, (x, x, 128))
""",
    "unread": """\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x, y):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128), 4), k, (x, y, 128))
""",
    "broken": """\
@ct.kernel
def k(a, c, S: Int, T: Int):
    o = ct.bid(0) * S + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))


def go(stream, x, y):
    ct.launch(stream, (8,), k, (x, y, 64, 128))
""",
    "padmax": """\
@ct.kernel
def k(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T))
    ct.store(o, (i, 0), ct.max(t, axis=1, keepdims=True))
""",
    "padmma": """\
@ct.kernel
def k(A, B, C, tm: Int, tn: Int, tk: Int):
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(A, 1, (tm, tk))):
        b = ct.load(B, (k, 0), (tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ct.load(A, (ct.bid(0), k), (tm, tk)), b, acc)
    ct.store(C, (ct.bid(0), 0), acc)
""",
    "padmask": """\
@ct.kernel
def k(x, o, n: int, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    t = ct.where((ct.arange(T, dtype=ct.int32) < n)[None, :], t, 0.0)
    ct.store(o, (ct.bid(0), 0), ct.cumprod(t, axis=1, reverse=True))
""",
    "padindex": """\
@ct.kernel
def k(ids, x, o, T: Int):
    j = ct.load(ids, (ct.bid(0),), (T,))
    ct.store(o, (ct.bid(0),), ct.gather(x, j))
""",
    "padbranch": """\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (0,), (T,))
    if ct.extract(t, (T - 1,), (1,)).item() > 0:
        ct.store(o, (ct.bid(0),), ct.full((1,), 1, ct.float32))
""",
    "padatomic": """\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.atomic_add(o, ct.arange(T, dtype=ct.int32), t)
""",
    "padrefuted": """\
@ct.kernel
def k(x, o):
    s = x.slice(0, 0, 5)
    t = ct.load(s, (0,), (8,))
    ct.store(o, (ct.bid(0),), ct.sum(t, axis=0, keepdims=True))
""",
    "paddtype": """\
@ct.kernel
def k(ids, x, o, T: Int):
    j = ct.load(ids, (ct.bid(0),), (T,), padding_mode=ct.PaddingMode.NAN)
    ct.store(o, (ct.bid(0),), ct.gather(x, j))
""",
    "padlaunch": """\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(o, (ct.bid(0), 0), ct.max(t, axis=1, keepdims=True))


def go(stream, n, m):
    import torch

    x = torch.empty((n, m), dtype=torch.uint8)
    o = torch.empty((n, 1), dtype=torch.uint8)
    ct.launch(stream, (n,), k, (x, o, 128))
""",
}

FINDINGS: dict[str, list[tuple[str, str, int, str, list[str], str | None]]] = {
    "write": [
        (
            "TC101", "error", 9,
            "blocks 0 and 1 both write c[0]",
            [
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]",
                "tile 0 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 9, store at `(ct.bid(0),)` in place of `(0,)`, as the tile is loaded from `a`: no two "
                "blocks write one element of `c` then"
            ),
        ),
    ],
    "pair": [
        (
            "TC101", "error", 12,
            "blocks 2 and 3 both write c[8]",
            [
                "the other write to `c` is here",
                "with grid (5, 1, 1) and T = 2, c.shape[0] = 18: block 2 and block 3 write c[8]",
                "tile 4 in block 2",
                "tile 4 in block 3",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 12, store at `(2 * i + 1,)` in place of `(i + 1,)`: no two blocks write one element "
                "of `c` then"
            ),
        ),
    ],
    "loop": [
        (
            "TC101", "error", 10,
            "blocks 0 and 1 both write c[2]",
            [
                (
                    "with grid (2, 1, 1) and T = 2, c.shape[0] = 8, n = 4: block 0 at i = 1 and block 1 at i = "
                    "1 write c[2]"
                ),
                "with `range(ct.bid(0), n, ct.num_blocks(0))` here no two blocks meet",
                "tile 1 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 9, write `range(ct.bid(0), n, ct.num_blocks(0))` in place of `range(ct.bid(0), n)`: "
                "no two blocks write one element of `c` then"
            ),
        ),
    ],
    "step": [
        (
            "TC101", "error", 10,
            "blocks 0 and 1 both write c[1]",
            [
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[1]",
                "with `T` here no two blocks meet",
                "element 1 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 9, write `ct.bid(0) * T` in place of `ct.bid(0) * (T // 2)`: no two blocks write one "
                "element of `c` then"
            ),
        ),
    ],
    "part": [
        (
            "TC101", "error", 9,
            "blocks 0 and 1 both write c[0]",
            [
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]",
                "tile 0 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 9, store at `(ct.bid(0),)` in place of `(ct.bid(0) // 2,)`, as the tile is loaded "
                "from `a`: no two blocks write one element of `c` then"
            ),
        ),
    ],
    "conditional": [
        (
            "TC102", "warning", 10,
            "blocks write disjoint parts of `c` only if `grid[1]*T <= S`",
            [
                "with grid (2, 2, 1) and S = 3, T = 2, c.shape[0] = 7 two blocks write c[3]",
            ],
            "declare what every launch satisfies: @requires(\"grid[1]*T <= S\")",
        ),
    ],
    "data": [
        (
            "TC102", "warning", 10,
            (
                "could not prove that blocks write disjoint parts of `c`: the place depends on data; "
                "`injective(ids)` would settle it"
            ),
            [
                "the place is read from `ids` here",
            ],
            "if it holds, say so in the kernel: # tilecheck: requires injective(ids)",
        ),
    ],
    "read": [
        (
            "TC103", "error", 10,
            "block 0 reads c[2], which block 1 writes in the same launch",
            [
                "`c` is written here",
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 6: block 1 writes and block 0 reads c[2]",
                "tile 1 in block 1",
                "tile 1 in block 0",
            ],
            (
                "each of these ends the race, and only you know which is meant:\n(a) on line 11, write "
                "`ct.store(out, (i,), t)`, with `out` one more array of the kernel: all blocks read `c` as it "
                "was before the launch then\n(b) on line 10, read at `(i,)` in place of `(i + 1,)`, if a block "
                "is to read what it writes itself"
            ),
        ),
    ],
    "readdata": [
        (
            "TC103", "warning", 11,
            (
                "could not prove that no block reads what another one writes to `c`: the place "
                "depends on the contents of `ids`"
            ),
            [
                "`c` is written here",
            ],
            (
                "read what other blocks write to `c` in a second launch, or read from an array that "
                "nobody writes"
            ),
        ),
    ],
    "readcond": [
        (
            "TC103", "warning", 11,
            "a block may read what another one writes to `c` unless `T <= S`",
            [
                "`c` is written here",
            ],
            "declare what every launch satisfies: @requires(\"T <= S\")",
        ),
    ],
    "dup": [
        (
            "TC106", "error", 11,
            "one scatter writes c[0] twice: from lane 0 and from lane 1",
            [
                (
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 4, in block 0; which of the two values "
                "stays is undefined"
            ),
            ],
            "give every lane its own element of `c`, or mask the lanes that repeat one",
        ),
    ],
    "dupcond": [
        (
            "TC106", "warning", 11,
            "lanes write different elements of `c` only if `U <= S`",
            [
            ],
            "declare what every launch satisfies: @requires(\"U <= S\")",
        ),
    ],
    "dupdata": [
        (
            "TC106", "warning", 11,
            "could not prove that the lanes of this scatter write different elements of `c`",
            [
            ],
            "if it holds, say so in the kernel: # tilecheck: requires injective(ids)",
        ),
    ],
    "mixed": [
        (
            "TC107", "error", 11,
            "block 0 plainly reads n[0] while block 1 updates it atomically",
            [
                "`n` is updated atomically here",
                (
                "with grid (2, 1, 1) and n.shape[0] = 2: block 1 updates and block 0 plainly reads "
                "the element"
            ),
            ],
            "read it with an atomic, or do it in another launch",
        ),
    ],
    "weak": [
        (
            "TC107", "error", 10,
            "block 1 updates (scope block) n[0] while block 0 updates it atomically",
            [
                (
                "with grid (2, 1, 1) and n.shape[0] = 2: block 0 updates and block 1 updates (scope "
                "block) the element"
            ),
            ],
            "use memory_scope=ct.MemoryScope.DEVICE for what several blocks touch",
        ),
    ],
    "order": [
        (
            "TC108", "error", 12,
            "two iterations of the loop write x[8], and the compiler leaves these stores unordered",
            [
                "with grid (2, 1, 1) and T = 2, n = 4, block 0: at i = 0 and at i = 1",
            ],
            "take the view of `x` outside the loop, or move the view and keep the index fixed",
        ),
    ],
    "lock": [
        (
            "TC108", "error", 12,
            (
                "the lock `lock` does not order this access to `s`: it may move out of the locked "
                "part"
            ),
            [
                "with grid (2, 1, 1) and T = 2, s.shape[0] = 4 blocks 0 and 1 meet in s[0]",
            ],
            (
                "take `lock` with memory_order=ct.MemoryOrder.ACQUIRE and give it back with RELEASE, "
                "both with memory_scope=ct.MemoryScope.DEVICE"
            ),
        ),
        (
            "TC108", "error", 12,
            (
                "the lock `lock` does not order this access to `s`: it may move out of the locked "
                "part"
            ),
            [
                "with grid (2, 1, 1) and T = 2, s.shape[0] = 4 blocks 1 and 0 meet in s[0]",
            ],
            (
                "take `lock` with memory_order=ct.MemoryOrder.ACQUIRE and give it back with RELEASE, "
                "both with memory_scope=ct.MemoryScope.DEVICE"
            ),
        ),
    ],
    "goodlock": [
    ],
    "contradiction": [
        (
            "TC901", "warning", 7,
            "`T <= 4 and T >= 8` has no effect: no launch can satisfy what `k` declares",
            [],
            "declare only what every launch of the kernel satisfies",
        ),
        (
            "TC101", "error", 10,
            "blocks 0 and 1 both write c[0]",
            [
                "with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]",
                "tile 0 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "on line 10, store at `(ct.bid(0),)` in place of `(0,)`, as the tile is loaded from `a`: no "
                "two blocks write one element of `c` then"
            ),
        ),
    ],
    "lists": [
        (
            "TC101", "error", 11,
            "blocks 0 and 1 both write xs[0][0]",
            [
                "with grid (5, 1, 1) and T = 1: block 0 and block 1 write xs[0][0]",
                "tile 0 in both blocks",
                (
                    "a race even where both blocks store the same value: the memory model leaves the result "
                    "undefined"
                ),
            ],
            (
                "each of these keeps the blocks apart, and only you know which is meant:\n(a) on line 11, "
                "store at `(ct.bid(0),)` in place of `(0,)`\n(b) on line 11, let one block do it, under `if "
                "ct.bid(0) == 0:`"
            ),
        ),
    ],
    "below": [
        (
            "TC201", "error", 10,
            "block 0 asks for tile -1 along axis 0 of `a`, which has 2 tiles (4 elements)",
            [
                (
                    "with grid (2, 1, 1) and T = 2, a.shape[0] = 4: block 0 asks for tile -1 along axis 0 of "
                    "`a`, which has 2 tiles (4 elements)"
                ),
                "-1 in block 0; tiles are 0 to 1",
                (
                    "a tile that is wholly outside is undefined behaviour: the bounds check covers tiles that "
                    "stick out"
                ),
            ],
            (
                "on line 10, write `max(i - 1, 0)` in place of `i - 1`, or leave out the blocks for which it "
                "is negative with `if i - 1 >= 0:`; tiles are not counted from the end"
            ),
        ),
    ],
    "shares": [
        (
            "TC201", "warning", 14,
            (
            "the index along axis 0 of `a` runs past the end in the last blocks unless `grid[0]*((cdiv(a.shape[0], T) "
            "- 1) // grid[0]) + grid[0] <= cdiv(a.shape[0], T)`"
            ),
            ["a tile that is wholly outside is undefined behaviour: the bounds check covers tiles that stick out"],
            "end each share at the number of tiles: `min((s + 1) * size, ct.num_tiles(...))`",
        ),
    ],
    "beyond": [
        (
            "TC201", "error", 12,
            "block 0 at j = 2 asks for tile 2 along axis 1 of `a`, which has 2 tiles (4 elements)",
            [
                (
                    "with grid (2, 1, 1) and T = 2, a.shape[1] = 4: block 0 at j = 2 asks for tile 2 along "
                    "axis 1 of `a`, which has 2 tiles (4 elements)"
                ),
                "`j` comes to 2 here",
                "2 in block 0; tiles are 0 to 1",
                (
                    "a tile that is wholly outside is undefined behaviour: the bounds check covers tiles that "
                    "stick out"
                ),
            ],
            (
                "on line 11, write `range(ct.num_tiles(a, 1, (1, T)))` in place of `range(ct.num_tiles(a, 1, "
                "(1, T)) + 1)`: then the loop ends with the last tile of `a`"
            ),
        ),
    ],
    "list": [
        (
            "TC201", "error", 11,
            "block 0 asks for array 2 in `xs`, which has 2",
            [
                "with grid (2, 1, 1) and len(xs) = 2: block 0 asks for array 2 in `xs`, which has 2",
                (
                "a tile that is wholly outside is undefined behaviour: the bounds check covers tiles that "
                "stick out"
                ),
            ],
            "keep the index in `xs` below `len(xs)`",
        ),
    ],
    "unchecked": [
        (
            "TC202", "warning", 11,
            (
            "without a bounds check, the index `ids[T*bid(0) + lane]` along axis 0 of `a` must stay "
            "inside, which is not proved: it depends on the contents of `ids`; `range(ids, 0, "
            "a.shape[0])` would settle it"
            ),
            [],
            "if it does, say so in the kernel: # tilecheck: requires range(ids, 0, a.shape[0])",
        ),
    ],
    "unchecked row": [
        (
            "TC202", "warning", 12,
            (
            "without a bounds check, the index `ids[bid(0)]` along axis 0 of `a` must stay inside, "
            "which is not proved: it depends on the contents of `ids`; `range(ids, 0, a.shape[0])` "
            "would settle it"
            ),
            [],
            "if it does, say so in the kernel: # tilecheck: requires range(ids, 0, a.shape[0])",
        ),
    ],
    "unchecked below": [
        (
            "TC202", "error", 11,
            "block 0 touches element -1 along axis 0 of `a`, which has 4 elements, and nothing checks it",
            [
                (
                "with grid (2, 1, 1) and T = 2, a.shape[0] = 4: block 0 touches element -1 along axis 0 of "
                "`a`, which has 4 elements"
                ),
            ],
            "leave out `check_bounds=False`, or keep the index inside",
        ),
    ],
    "assumed": [
        (
            "TC202", "warning", 10,
            (
            "the compiler relies on what is assumed here, and it is not proved: whether "
            "int(ids[bid(0)]) is a multiple of 16 is not known"
            ),
            [],
            "assume a divisor that divides every value, or leave the assumption out",
        ),
    ],
    "assumed falsely": [
        (
            "TC202", "error", 9,
            "what is assumed here is false: in block 1 dividing by 16 leaves 1",
            [],
            "assume a divisor that divides every value, or leave the assumption out",
        ),
    ],
    "spill": [
        (
            "TC206", "warning", 10,
            "what this reads of `a` runs into the next row unless `H // 2 + T <= H`",
            [
                "the write that does the same is here",
                "rows begin `H` elements apart",
                "a block takes `T` elements of its row",
                "with H = 4, T = 4 block 0 reads a[2:6]",
                (
                    "the row of block 0 ends with a[3]: a[4:6] is of the next row, and goes into the result of "
                    "this one"
                ),
            ],
            (
                "each of these keeps the blocks to their rows:\n(a) on lines 10 and 11, add `mask=H // 2 + "
                "ct.arange(T, dtype=ct.int32) < H`; on line 12, add `mask=ct.arange(T, dtype=ct.int32) < H`: "
                "the lanes past the end of the row are left out then\n(b) declare what every launch satisfies, "
                "if it does: @requires(\"H // 2 + T <= H\")"
            ),
        ),
        (
            "TC206", "warning", 11,
            (
                "what this writes to `c` runs into the next row, which belongs to another block, unless `H // "
                "2 + T <= H`"
            ),
            [
                "together with the write to `c` here",
                "with grid (2, 1, 1) and H = 4, T = 4, c.shape[0] = 10 two blocks write c[4]",
                "rows begin `H` elements apart",
                "a block takes `T` elements of its row",
                "element 4 in block 0",
                "element 4 in block 1",
            ],
            (
                "each of these keeps the blocks to their rows:\n(a) on lines 10 and 11, add `mask=H // 2 + "
                "ct.arange(T, dtype=ct.int32) < H`; on line 12, add `mask=ct.arange(T, dtype=ct.int32) < H`: "
                "the lanes past the end of the row are left out then\n(b) declare what every launch satisfies, "
                "if it does: @requires(\"H // 2 + T <= H\")"
            ),
        ),
    ],
    "large grid": [
        (
            "TC205", "error", 17,
            (
            "this launch has 9 blocks on axis 0, more than `a` has tiles for: it breaks `grid[0] <= "
            "cdiv(a.shape[0], T)`"
            ),
            [
                "here the clause says 9 <= cdiv(1024, 128)",
                "`a` is accessed here, and a tile that is wholly outside is undefined",
            ],
            "launch no more blocks than the array has tiles: `grid[0] <= cdiv(a.shape[0], T)`",
        ),
    ],
    "small grid": [
        (
            "TC205", "warning", 17,
            (
            "this launch does not write all of `c`, which `empty_like` leaves uninitialised: its "
            "blocks end before axis 0 does (say, with x.shape[0] = 129)"
            ),
            [
                "covering it takes x.shape[0] <= x.shape[0] // 128*128",
                "each block writes its own tile of `c` here",
            ],
            "round the number of blocks up: `ct.cdiv(n, T)`, not `n // T`",
        ),
    ],
    "alias": [
        (
            "TC401", "error", 14,
            "`x` is passed as `a` and as `c`, and `k` writes `c`",
            [
                (
                "the compiler takes arguments for separate storage and may keep an old value of `a` "
                "after a write to `c`"
            ),
                "the kernel is here",
            ],
            "pass another array as `a`, or a copy",
        ),
    ],
    "unread": [
        (
            "TC405", "error", 14,
            (
                "`k` never reads `ct.bid(1)`, and this launch has 4 blocks on that axis: they all do "
                "the same work and write the same elements"
            ),
            [
                "the kernel is here",
            ],
            "launch with extent 1 on axis 1, or let the kernel read `ct.bid(1)`",
        ),
    ],
    "broken": [
        (
            "TC206", "warning", 10,
            "what this writes to `c` runs into the next row, which belongs to another block, unless `T <= S`",
            [
                "with grid (2, 1, 1) and S = 3, T = 4, c.shape[0] = 7 two blocks write c[3]",
                "rows begin `S` elements apart",
                "a block takes `T` elements of its row",
                "element 3 in both blocks",
            ],
            (
                "each of these keeps the blocks to their rows:\n(a) on line 10, add `mask=ct.arange(T, "
                "dtype=ct.int32) < S`: the lanes past the end of the row are left out then\n(b) declare what "
                "every launch satisfies, if it does: @requires(\"T <= S\")"
            ),
        ),
        (
            "TC206", "warning", 10,
            "what this reads of `a` runs into the next row unless `T <= S`",
            [
                "the write that does the same is here",
                "rows begin `S` elements apart",
                "a block takes `T` elements of its row",
                "with S = 3, T = 4 block 1 reads a[3:7]",
                (
                    "the row of block 1 ends with a[5]: a[6] is of the next row, and goes into the result of "
                    "this one"
                ),
            ],
            (
                "each of these keeps the blocks to their rows:\n(a) on line 10, add `mask=ct.arange(T, "
                "dtype=ct.int32) < S`: the lanes past the end of the row are left out then\n(b) declare what "
                "every launch satisfies, if it does: @requires(\"T <= S\")"
            ),
        ),
        (
            "TC405", "error", 14,
            "this launch breaks `T <= S`, which `k` needs",
            [
                "here the clause says 128 <= 64",
                "the kernel is here",
                "what this does with `c` needs it",
            ],
            "launch `k` with a grid, shapes and constants that satisfy `T <= S`",
        ),
    ],
    "padmax": [
        (
            "TC301", "warning", 11,
            (
                "the maximum over axis 1 uses lanes of the tile loaded from `x` that lie outside it and have an "
                "unspecified value, unless `T <= x.shape[1]`"
            ),
            [
                "the tile of `x` is loaded here, without a padding mode",
                (
                    "with T = 2, x.shape[1] = 1, lane 1 of the tile along axis 1 would be element 1, and the last "
                    "one of `x` is 0"
                ),
            ],
            "load `x` with padding_mode=ct.PaddingMode.NEG_INF",
        ),
    ],
    "padmma": [
        (
            "TC301", "warning", 12,
            (
                "the matrix product uses lanes of the tile loaded from `A` that lie outside it and have an "
                "unspecified value, unless `A.shape[1] % tk == 0`"
            ),
            [
                "the tile of `A` is loaded here, without a padding mode",
                (
                    "with A.shape[1] = 5, tk = 2, lane 1 of the tile along axis 1 would be element 5, and the last "
                    "one of `A` is 4"
                ),
            ],
            "load `A` with padding_mode=ct.PaddingMode.ZERO",
        ),
    ],
    "padmask": [
        (
            "TC301", "warning", 11,
            (
                "the running product over axis 1 uses lanes of the tile loaded from `x` that lie outside it and "
                "have an unspecified value, unless `n <= x.shape[1]`"
            ),
            [
                "the tile of `x` is loaded here, without a padding mode",
                (
                    "with T = 2, n = 2, x.shape[1] = 1, lane 1 of the tile along axis 1 would be element 1, and the"
                    " last one of `x` is 0"
                ),
            ],
            (
                "replace the lanes outside `x` by the identity of the operation with `ct.where`, or load with "
                "padding_mode=ct.PaddingMode.ZERO where that is 0"
            ),
        ),
    ],
    "padindex": [
        (
            "TC301", "warning", 10,
            (
                "an index into `x` uses lanes of the tile loaded from `ids` that lie outside it and have an "
                "unspecified value, unless `ids.shape[0] % T == 0`"
            ),
            [
                "the tile of `ids` is loaded here, without a padding mode",
                "with T = 2, ids.shape[0] = 3, lane 1 of the tile would be element 3, and the last one of `ids` is 2",
            ],
            "load `ids` with padding_mode=ct.PaddingMode.ZERO",
        ),
    ],
    "padbranch": [
        (
            "TC301", "warning", 10,
            (
                "a condition that decides what is done uses lanes of the tile loaded from `x` that lie "
                "outside it and have an unspecified value, unless `T <= x.shape[0]`"
            ),
            [
                "the tile of `x` is loaded here, without a padding mode",
            ],
            "load `x` with padding_mode=ct.PaddingMode.ZERO",
        ),
    ],
    "padatomic": [
        (
            "TC301", "warning", 10,
            (
                "the atomic update of `o` uses lanes of the tile loaded from `x` that lie outside it and have an "
                "unspecified value, unless `x.shape[0] % T == 0`"
            ),
            [
                "the tile of `x` is loaded here, without a padding mode",
                (
                    "with T = 2, o.shape[0] = 2, x.shape[0] = 3, lane 1 of the tile would be element 3, and the "
                    "last one of `x` is 2"
                ),
            ],
            "load `x` with padding_mode=ct.PaddingMode.ZERO",
        ),
    ],
    "padrefuted": [
        (
            "TC301", "error", 11,
            "the sum uses lanes of the tile loaded from `x` that lie outside it and have an unspecified value",
            [
                "the tile of `x` is loaded here, without a padding mode",
                "lane 5 of the tile would be element 5, and the last one of `x` is 4",
            ],
            "load `x` with padding_mode=ct.PaddingMode.ZERO",
        ),
    ],
    "paddtype": [
        (
            "TC303", "error", 9,
            "`ids` holds integers, which have no NaN to pad with",
            [
                "its elements are used as indices here",
            ],
            "load `ids` with padding_mode=ct.PaddingMode.ZERO and replace the lanes outside with `ct.where`",
        ),
    ],
    "padlaunch": [
        (
            "TC303", "error", 9,
            "`x` holds uint8 elements, which have no negative infinity to pad with",
            [
                "it is passed an array of uint8 here",
            ],
            "load `x` with padding_mode=ct.PaddingMode.ZERO and replace the lanes outside with `ct.where`",
        ),
    ],
}


@pytest.mark.parametrize("name", KERNELS)
def test_findings_are_said_in_these_words(name: str) -> None:
    report = check_source(HEAD + KERNELS[name])
    said = [(d.code, d.severity, d.span.line, d.message, [n.message for n in d.notes], d.help)
            for d in report.diagnostics]
    assert said == FINDINGS[name]
    assert not report.failures


@pytest.mark.parametrize("name", KERNELS)
def test_messages_name_the_array_and_nothing_internal(name: str) -> None:
    for d in check_source(HEAD + KERNELS[name]).diagnostics:
        text = " ".join((d.message, d.help or "", *(n.message for n in d.notes)))
        assert not any(mark in text for mark in ("lane0", "#i@", "ceil<", "Opaque", "None", "'"))
        assert d.help
