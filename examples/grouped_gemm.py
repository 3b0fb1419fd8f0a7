"""A matrix product whose blocks visit the result in groups of rows, for the sake of the cache.

The order of a group rotates and the last group may be smaller; still each tile of the result belongs to one block.
"""

import cuda.tile as ct

Int = ct.Constant[int]
GROUP = 8
TILE_M, TILE_N, TILE_K = 128, 128, 64


def grouped(M, N, tm, tn, p):
    """The tile that block p computes."""
    rows, columns = ct.cdiv(M, tm), ct.cdiv(N, tn)
    width = GROUP * columns
    first = (p // width) * GROUP
    size = min(rows - first, GROUP)
    return first + p % size, (p % width) // size


@ct.kernel
def gemm(A, B, C, tm: Int, tn: Int, tk: Int):
    i, j = grouped(C.shape[0], C.shape[1], tm, tn, ct.bid(0))
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, (i, k), (tm, tk), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, (k, j), (tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(C, (i, j), ct.astype(acc, C.dtype))


def product(a, b):
    import torch

    m, n = a.shape[0], b.shape[1]
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (ct.cdiv(m, TILE_M) * ct.cdiv(n, TILE_N), 1, 1)
    ct.launch(torch.cuda.current_stream(), grid, gemm, (a, b, out, TILE_M, TILE_N, TILE_K))
    return out
