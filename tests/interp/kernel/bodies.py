"""Bodies of kernels that together use every construct; a test compares each model with the real accesses."""

PRELUDE = """
import functools
from dataclasses import dataclass
import cuda.tile as ct

Int = ct.Constant[int]
I32 = ct.int32
F32 = ct.float32
LIMIT = 3


@dataclass(frozen=True)
class Pair:
    a: int
    b: int

    def mix(self, k):
        return self.a * k + self.b


def clamp(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v


def twice(f, v, *, plus=0):
    return f(f(v)) + plus


def row_of(p, width):
    return p // width, p % width


@ct.kernel
def kernel(x, y, z, ys, n: int, T: Int, FLAG: ct.Constant[bool]):
"""

BODIES = """
ct.store(z, (ct.bid(0), 1), ct.full((T, 2), 1, F32), order=(1, 0))
--
ct.store(z, (ct.bid(0), 1), ct.full((T, 2), 1, F32), order='F')
--
ct.store(z, (ct.bid(0), 0), 1.0)
--
s = y.slice(0, n, n + 9)
ct.store(s, (ct.bid(0),), ct.full((T,), 1, F32))
--
s = z.slice(1, 2, 7).slice(0, n, n + 3).slice(1, 1, 4)
ct.scatter(s, (ct.bid(0), ct.arange(4, dtype=I32)), 1.0)
--
v = y.tiled_view((T,), traversal_steps=(max(T // 2, 1),))
v.store((ct.bid(0),), ct.full((T,), 1, F32))
--
v = z.tiled_view((T, 2))
for j in range(v.num_tiles(1)):
    v.atomic_store_add((ct.bid(0), j), ct.full((T, 2), 1, F32))
--
r = y.get_raw_memory()
o = ct.arange(T, dtype=I32)
r.store_offset(ct.bid(0) * T + o, 1.0, mask=o < n)
--
rows = ct.arange(T, dtype=I32) * 2 + ct.bid(0)
ct.store_advanced_indexing(z, (rows, ct.Slice(4, 2)), ct.full((T, 2), 1, F32))
--
o = ct.arange(T, dtype=I32)
ct.scatter(z, (o[:, None], o[None, :] + ct.bid(0)), 1.0, mask=(o < n)[:, None])
--
o = ct.arange(8, dtype=I32)
t = ct.reshape(o + ct.bid(0) * 8, (2, 4))
ct.scatter(y, ct.transpose(t), 1.0)
ct.scatter(y, ct.permute(t, (1, 0)) * 2, 2.0)
ct.scatter(y, ct.reshape(ct.transpose(t), (8,)), 2.0)
--
o = ct.arange(8, dtype=I32)
ct.scatter(y, ct.extract(o, (1,), (4,)) + ct.bid(0), 1.0)
--
o = ct.arange(4, dtype=I32)
g = o[:, None] * 4 + o[None, :]
ct.scatter(y, ct.reshape(g, (16,)) + ct.bid(0), 1.0)
ct.scatter(y, ct.reshape(g, (2, 8)) * 2, 1.0)
--
o = ct.arange(T, dtype=I32)
ct.scatter(y, ct.where(o < n, o + ct.bid(0) * n, y.shape[0]), 1.0)
--
o = ct.arange(T, dtype=I32)
m = ~(o < n) | (o == 0)
ct.scatter(y, ct.where(m, o, -1), 1.0, mask=m)
--
o = ct.arange(T, dtype=I32) ^ 1
ct.scatter(y, (o << 1) + (ct.bid(0) & 1), 1.0)
--
o = ct.arange(T, dtype=I32)
ct.scatter(y, ct.gather(x, o + ct.bid(0), mask=o < n, padding_value=-1), 1.0)
--
a = ct.load(x, (ct.bid(0),), (1,)).item()
b = ct.gather(x, (ct.bid(0) + 1,)).item()
for i in range(min(a, b), max(a, b)):
    ct.scatter(y, i, 1.0)
--
t = ct.load(x, (ct.bid(0),), (T,), padding_mode=ct.PaddingMode.ZERO)
ct.scatter(y, t * 2 + 1, 1.0)
--
w = ys[0] if n > 2 else ys[1]
ct.store(w, (ct.bid(0),), ct.full((T,), 1, F32))
--
for g in range(len(ys)):
    for i in range(ct.bid(0), ct.cdiv(ys[g].shape[0], T), ct.num_blocks(0)):
        ct.store(ys[g], (i,), ct.full((T,), 1, F32))
--
i = ct.bid(0)
for j in range(n):
    while i < j * 3:
        ct.scatter(y, i, 1.0)
        i += 2
--
i = ct.bid(0)
for j in range(n):
    i += 2
    if j % 2 == 1:
        i += 4
    ct.scatter(y, i, 1.0)
ct.scatter(y, i, 2.0)
--
i = ct.bid(0)
k = 0
for j in range(n):
    k = i
    i = i + j
    ct.scatter(y, k, 1.0)
ct.scatter(y, i, 2.0)
--
for j in range(8):
    if j == 2:
        continue
    if j == n:
        break
    ct.scatter(y, j * 4 + ct.bid(0), 1.0)
ct.scatter(x, 0, 1)
--
j = 0
while True:
    ct.scatter(y, j, 1.0)
    j += 2
    if j > n:
        break
ct.scatter(y, j + 1, 2.0)
--
for j in range(ct.bid(0), 9, n):
    for k in range(j, j + 2):
        ct.scatter(z, (j, k), 1.0)
--
if ct.bid(0) >= n:
    return
if FLAG and n > 2 or T == 4:
    ct.scatter(y, ct.bid(0), 1.0)
elif not FLAG:
    ct.scatter(y, ct.bid(0) + 1, 1.0)
else:
    ct.scatter(y, ct.bid(0) + 2, 1.0)
ct.scatter(z, (0, 0), 1.0)
--
i = 1 if FLAG else 2
if n > 2:
    i = i * 3
    if FLAG:
        i += 1
ct.scatter(y, i + ct.bid(0), 1.0, mask=0 < i <= 4)
--
ct.scatter(y, clamp(ct.bid(0) * 2 - 1, 0, LIMIT), 1.0)
--
p = Pair(ct.bid(0), b=n)
ct.scatter(y, p.mix(LIMIT), 1.0)
--
g = lambda v: v * 2 + 1
ct.scatter(y, twice(g, ct.bid(0), plus=n), 1.0)
--
def inner(v, *rest):
    return v + n + rest[0]
h = functools.partial(inner, 3)
ct.scatter(y, h(ct.bid(0)), 1.0)
--
for k, w in ct.static_iter(((0, y), (1, x))):
    ct.scatter(w, 2 * ct.bid(0) + k, 1)
--
q, r = row_of(ct.bid(0), n)
ct.scatter(z, (q, r), 1.0)
ct.scatter(z, divmod(ct.bid(0) + 5, 3), 1.0)
--
m, w = z.shape
ct.scatter(y, ct.bid(0) * (m - 12) + w // 5, 1.0)
--
a, b = ct.bid(0), n
for i in range(3):
    a, b = b, a
    ct.scatter(y, a, 1.0)
--
offs = ct.bid(0) * T + ct.arange(T, dtype=I32)
for i in range(n):
    ct.scatter(y, offs, 1.0)
    offs += 2 * T
--
acc = 0
for i in range(n):
    if i % 2 == 0:
        for j in range(i):
            acc += 3
    ct.scatter(y, acc + ct.bid(0), 1.0)
--
for i in range(n):
    for j in range(i, n):
        if i + j == ct.bid(0):
            ct.scatter(z, (i, j), 1.0)
--
c = ct.atomic_add(x, 0, 1)
if c == n:
    ct.scatter(y, 3, 1.0)
ct.atomic_max(x, (ct.bid(0),), 4, check_bounds=False)
--
o = ct.arange(T, dtype=I32)
ct.scatter(y, ct.minimum(o * 3, n) + ct.maximum(ct.bid(0), 1), 1.0)
ct.scatter(y, ct.cat((o, o + T), 0), 1.0)
--
t = ct.full((T, 2), 1, F32)
if FLAG:
    t = ct.reshape(t, (2, T))
ct.store(z, (0, ct.bid(0)), t)
--
t = ct.expand_dims(ct.arange(T, dtype=I32), 0)
ct.scatter(z, (ct.broadcast_to(t, (2, T)), ct.arange(2, dtype=I32)[:, None]), 1.0)
--
s = ct.sum(ct.arange(T, dtype=I32))
ct.scatter(y, s + ct.bid(0), 1.0)
ct.scatter(y, ct.max(ct.arange(T, dtype=I32), axis=0), 1.0)
--
i = n
while i > 0:
    ct.scatter(y, i * 2 + ct.bid(0), 1.0)
    i -= 1
--
i = 1
while i < 20:
    ct.scatter(y, i + ct.bid(0), 1.0)
    i = i * 2
--
ct.store(z, (ct.bid(0), 0), ct.load(z, (0, ct.bid(0)), (2, T), order=(1, 0)))
--
ct.scatter(y, -(-ct.bid(0) // 2) + (-n) % 5, 1.0)
ct.scatter(y, ct.cdiv(ct.bid(0) + n, 2), 1.0)
--
total = sum((1, 2, n))
flags = tuple(k * 2 for k in ct.static_iter((1, 2, 3)))
ct.scatter(y, total + flags[-1] + flags[0], 1.0)
""".strip("\n").split("\n--\n")
