"""A kernel that prints, as a program: what a device prints goes to the output of its process."""

from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def print_sum(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    tile = x.load_like(z)
    ct.printf("block %d adds up to %f\n", ct.bid(0), ct.sum(tile))
    z.store(tile)


if __name__ == "__main__":
    z = print_sum(tcr.zeros((64,), f32).partition(32), tcr.ones((64,), f32)).sync()
    assert (z.numpy() == 1).all()
