"""A persistent kernel: fewer blocks than rows, each takes every num_blocks-th row."""

import cuda.tile as ct


@ct.kernel
def softmax_rows(x, out, T: ct.Constant[int]):
    for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        values = ct.load(x, (row, 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
        powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
        ct.store(out, (row, 0), powers / ct.sum(powers, axis=1, keepdims=True))


def softmax(x):
    import torch

    out = torch.empty_like(x)
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    width = 1 << (x.shape[1] - 1).bit_length()
    grid = (min(multiprocessors, x.shape[0]), 1, 1)
    ct.launch(torch.cuda.current_stream(), grid, softmax_rows, (x, out, width))
    return out
