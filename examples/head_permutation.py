"""(batch, head, row, column) to (batch, row, head, column): once with a race, once right.

In `permute_heads_racy` a block on grid axis 0 takes one head of one batch, and grid axis 1 says where to put it. The
head that was read never reaches the destination, so for each place there are `H` blocks that write it, each with
another head: whichever comes last wins. It compiles without a warning and gives the right answer for one head.

`permute_heads` writes each head to its own place, and needs one grid axis only. Run as a script this launches both on
arrays of NumPy, which `tilecheck run` executes on a CPU.
"""

import cuda.tile as ct

Int = ct.Constant[int]
ROWS = 32


@ct.kernel
def permute_heads_racy(src, dst, H: Int, BM: Int, BD: Int):
    batch_head, place = ct.bid(0), ct.bid(1)
    batch, head = batch_head // H, batch_head % H
    for m in range(ct.num_tiles(src, axis=2, shape=(1, 1, BM, BD))):
        tile = ct.load(src, index=(batch, head, m, 0), shape=(1, 1, BM, BD))
        ct.store(dst, index=(batch, m, place, 0), tile=ct.permute(tile, (0, 2, 1, 3)))


@ct.kernel
def permute_heads(src, dst, H: Int, BM: Int, BD: Int):
    batch, head = ct.bid(0) // H, ct.bid(0) % H
    for m in range(ct.num_tiles(src, axis=2, shape=(1, 1, BM, BD))):
        tile = ct.load(src, index=(batch, head, m, 0), shape=(1, 1, BM, BD))
        ct.store(dst, index=(batch, m, head, 0), tile=ct.permute(tile, (0, 2, 1, 3)))


def permuted(x):
    import torch

    batches, heads, rows, width = x.shape
    out = torch.empty((batches, rows, heads, width), dtype=x.dtype, device=x.device)
    grid = (batches * heads, 1, 1)
    ct.launch(torch.cuda.current_stream(), grid, permute_heads, (x, out, heads, ROWS, width))
    return out


def main():
    import numpy as np

    x = np.arange(2 * 4 * 8 * 4, dtype=np.float32).reshape(2, 4, 8, 4)
    batches, heads, rows, width = x.shape
    for kernel, grid in ((permute_heads_racy, (batches * heads, heads, 1)), (permute_heads, (batches * heads, 1, 1))):
        out = np.zeros((batches, rows, heads, width), x.dtype)
        ct.launch(None, grid, kernel, (x, out, heads, 4, width))
        print(f"{np.count_nonzero(out != x.transpose(0, 2, 1, 3))} of {out.size} elements are wrong")


if __name__ == "__main__":
    main()
