"""Measures the cost of the steps of a launch on the host: `python benchmarks/host_cost.py`, on a GPU."""

from __future__ import annotations

import ctypes
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tilecheck_runtime as tcr
from tilecheck_runtime import f32
from tilecheck_runtime.backends.selection.select import current

sys.path.insert(0, str(Path(__file__).parent))
from adding import add


def best(name: str, call: Callable[[], object], number: int = 100) -> None:
    """Prints the fastest of many rounds, waiting for the device between them."""
    backend: Any = current()
    found = []
    for _ in range(60):
        backend.default.synchronize()
        found.append(timeit.timeit(call, number=number) / number * 1e6)
    found.sort()
    print(f"{name:32} {found[0]:7.2f} us, median {found[len(found) // 2]:7.2f}")


def main() -> None:
    backend: Any = current()
    driver, stream = backend.driver, backend.default
    x, y = tcr.ones((1024,), f32), tcr.ones((1024,), f32)
    z = tcr.zeros((1024,), f32).partition(128)
    for _ in range(3):
        z = add(z, x, y).sync()
    known = z._core.site.last
    again = known.packed
    code, address = again._taken[0], again._address
    best("the driver, by cuda.bindings", lambda: driver.launch(code, (8, 1, 1), stream.handle, address))
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuLaunchKernel.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
    plain = int(again._taken[0]), 8, 1, 1, 1, 1, 1, 0, int(stream.handle), again._address, 0
    best("the driver, by ctypes", lambda: cuda.cuLaunchKernel(*plain))
    best("with the users of memory", lambda: again.launch(stream, (), ("add", None)))

    def unbound() -> None:
        nonlocal z
        z = add(z, x, y).start().take_early()

    best("unbound", unbound)
    real, status = driver.bindings.cuLaunchKernel, (0,)

    class Quiet:
        def __getattr__(self, name: str) -> Any:
            return getattr(bindings, name)

        def cuLaunchKernel(self, *_: object) -> tuple[int]:
            return status

    bindings = driver.bindings
    driver.bindings = Quiet()
    best("unbound, without the driver", unbound)
    bound = add.bind(tcr.zeros((1024,), f32).partition(128), x, y)
    best("bound, without the driver", bound)
    bound.wait()
    driver.bindings = bindings
    assert driver.bindings.cuLaunchKernel is real or real is not None
    best("bound", bound)
    bound.wait()


if __name__ == "__main__":
    main()
