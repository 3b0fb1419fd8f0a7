"""A program that launches prebuilt kernels on a fake device, without `cuda.tile` and without a compiler:

    python -m tests.runtime.compile.without_tools FOLDER
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.modules["cuda.tile"] = None  # type: ignore[assignment]
    os.environ.update(TILECHECK_TILEIRAS="/there/is/none", TILECHECK_KERNEL_CACHE="off", TILECHECK_BACKEND="cuda")

import tilecheck_runtime as tcr
from tests.runtime.backends.cuda.fake import fake_gpu
from tests.runtime.gpu.ahead import plus
from tilecheck_runtime import f32
from tilecheck_runtime.backends.cuda.loading import Loader
from tilecheck_runtime.backends.selection import select


class Function:
    """Code that runs nowhere."""

    name = "plus"

    def decode_parameters(self, parameters):
        return None

    def run(self, grid, values):
        print("ran", grid)


def main(folder):
    _, backend = fake_gpu()
    select._cuda = lambda ordinal: backend
    backend.driver.load = lambda cubin: cubin
    backend.driver.function = lambda library, symbol: Function()
    backend.loader = Loader(backend.driver, 0)
    print(*tcr.load(folder, compile=False))
    x, y, z = tcr.ones((1024,), f32), tcr.ones((1024,), f32), tcr.zeros((1024,), f32).partition(128)
    for _ in range(2):
        z = plus(z, x, y).sync()
    try:
        plus(tcr.zeros((1000,), f32).partition(128), x, y).sync()
    except tcr.MissingVariantError as error:
        print("refused:", error.summary)
    try:
        plus(z, x, x.view[:512])
    except tcr.ContractError:
        print("guarded")


if __name__ == "__main__":
    main(sys.argv[1])
