"""Every block writes its own number into its own piece: the smallest kernel there is."""

from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck_runtime import Mut, i32, kernel

B = TypeVar("B", bound=int)


@kernel
def hello(z: Mut[i32, B]) -> None:
    block = z.coords(z.cell())[0]
    z.store(ct.full(z.tile, block, ct.int32))


def main() -> None:
    z = hello(tcr.zeros((10,), i32).partition(4)).sync()
    assert z.numpy().tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    print("blocks:", z.numpy())


if __name__ == "__main__":
    main()
