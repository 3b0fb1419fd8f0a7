"""An opt-out: rows go where an index array says, so only the caller can know that no two go to one place."""

from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct
import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, i32, kernel, unsafe

N = TypeVar("N", bound=int)


@unsafe("`place` is a permutation of the rows: `permuted` makes it one")
@kernel
def scattered(z: Mut[f32, Literal[1], N], x: Ref[f32, Dyn, Dyn], place: Ref[i32, Dyn]) -> None:
    row = z.coords(z.cell())[0]
    ct.store(z.array, (place.at(row), 0), x.load_like(z))


def permuted(x: tcr.Tensor, seed: int) -> tuple[tcr.Partition, np.ndarray]:
    order = np.random.default_rng(seed).permutation(x.shape[0]).astype(np.int32)
    z = tcr.zeros(x.shape, f32).partition(1, 1 << (x.shape[1] - 1).bit_length())
    return scattered(z, x, tcr.from_numpy(order)).sync(), order


def main() -> None:
    x = tcr.randn((9, 20), f32, seed=1)
    z, order = permuted(x, 7)
    assert np.array_equal(z.numpy()[order], x.numpy())
    print("rows went to", order)


if __name__ == "__main__":
    main()
