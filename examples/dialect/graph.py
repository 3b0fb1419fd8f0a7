"""A chain that is captured once and replayed with other inputs: a kernel then costs the host next to nothing."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def step(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    """One step of a relaxation towards x."""
    z.store(z.load() * 0.5 + x.load_like(z) * 0.5)


def main() -> None:
    x = tcr.ones((1000,), f32)
    chain: tcr.Operation[tcr.Partition] = step(tcr.zeros((1000,), f32).partition(128), x)
    for _ in range(9):
        chain = chain.then(lambda z: step(z, x))
    graph = tcr.graph(chain)
    assert np.allclose(graph.replay().numpy(), 1 - 0.5**10)

    graph.update(x, np.full(1000, 3, np.float32))  # copied into the memory that the graph reads
    graph.start()
    graph.start()
    graph.wait()
    assert np.allclose(graph.result.numpy(), 3, atol=1e-4)

    try:
        x.partition(128)  # the graph still reads it
    except tcr.GraphLifetimeError as error:
        print(error.summary)
    del graph, chain
    x.partition(128)


if __name__ == "__main__":
    main()
