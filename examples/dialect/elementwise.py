"""Element by element: an add, and a * x + y. Pieces clip what their tile has too much at the edges."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def saxpy(y: Mut[f32, B], a: float, x: Ref[f32, Dyn]) -> None:
    """In place: what is written is read back first, which only its owner can do."""
    y.store(a * x.load_like(y) + y.load())


def main() -> None:
    x, y = tcr.randn((1000,), f32, seed=1), tcr.randn((1000,), f32, seed=2)
    z = add(tcr.zeros((1000,), f32).partition(128), x, y).sync()
    assert np.array_equal(z.numpy(), x.numpy() + y.numpy())
    before = y.numpy()
    y = saxpy(y.partition(128), 2.0, x).sync().unpartition()
    assert np.allclose(y.numpy(), 2 * x.numpy() + before, atol=1e-6)
    print("add and saxpy:", z.numpy()[:3], y.numpy()[:3])


if __name__ == "__main__":
    main()
