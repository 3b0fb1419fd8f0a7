"""A program that launches prebuilt kernels, on a machine without `cuda.tile` and without a compiler:

    python -m tests.runtime.gpu.prebuilt FOLDER
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.modules["cuda.tile"] = None  # type: ignore[assignment]
    os.environ.update(TILECHECK_TILEIRAS="/there/is/none", TILECHECK_KERNEL_CACHE="off", TILECHECK_BACKEND="cuda")

import tilecheck_runtime as tcr
from tilecheck_runtime import f32

if __name__ == "__main__":
    from tests.runtime.gpu.ahead import plus

    tcr.load(sys.argv[1], compile=False)
    x, y = tcr.arange(1024, dtype=f32), tcr.arange(1024, dtype=f32)
    z = tcr.zeros((1024,), f32).partition(128)
    for _ in range(3):
        z = plus(z, x, y).sync()
        assert (z.numpy() == 2 * x.numpy()).all()
    try:
        plus(tcr.zeros((1000,), f32).partition(128), x, y).sync()
    except tcr.MissingVariantError as error:
        print("refused:", error.summary)
    try:
        plus(z, z.unpartition(), x)
    except tcr.OwnershipError as error:
        print("guarded:", type(error).__name__)
