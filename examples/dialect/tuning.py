"""The fastest tile of an add, with a record on disk that an interrupted search goes on from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel
from tilecheck_runtime.tools.tune import Tuned

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def search(n: int, tiles: list[int], record: Path | None = None) -> Tuned:
    x, y = tcr.ones((n,), f32), tcr.ones((n,), f32)

    def make(tile: int) -> tcr.BoundLaunch:
        return add.bind(tcr.zeros((n,), f32).partition(tile), x, y)

    return tcr.tune(make, [{"tile": tile} for tile in tiles], record=record, key=f"add of {n}", samples=5)


def main() -> None:
    print(search(1 << 12, [256, 1024, 4096], Path(sys.argv[1]) if len(sys.argv) > 1 else None))


if __name__ == "__main__":
    main()
