"""Each block transposes one tile. The axes of the destination are swapped, and both grid axes still reach it."""

import cuda.tile as ct

ROWS, COLUMNS = 64, 32


@ct.kernel
def transpose_tiles(x, out, T: ct.Constant[int], U: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (T, U))))


def transposed(x):
    import torch

    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    grid = (ct.cdiv(rows, ROWS), ct.cdiv(columns, COLUMNS), 1)
    ct.launch(torch.cuda.current_stream(), grid, transpose_tiles, (x, out, ROWS, COLUMNS))
    return out
