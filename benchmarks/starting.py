"""How long the first launch of a program takes: `python benchmarks/starting.py` measures it in programs of their own,
with an empty cache and with the cache of the program before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["starting"]


def starting() -> dict[str, Any]:
    """Milliseconds, by cache and by step."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        return {"empty cache": _program(folder), "kept": _program(folder), "kept, again": _program(folder)}


def _program(folder: str) -> dict[str, float]:
    environment = {**os.environ, "TILECHECK_KERNEL_CACHE": os.path.join(folder, "kernels")}
    done = subprocess.run([sys.executable, __file__, "--measure"], env=environment, check=True, capture_output=True,
                          text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measure() -> dict[str, float]:
    found, last = {}, time.perf_counter()

    def step(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        found[name], last = 1e3 * (now - last), time.perf_counter()

    import tilecheck_runtime as tcr

    step("import tilecheck_runtime")
    import cuda.tile  # noqa: F401

    step("import cuda.tile")
    from tilecheck_runtime.backends.selection.select import current

    current()
    step("driver and context")
    sys.path.insert(0, str(Path(__file__).parent))
    from adding import add

    step("the kernel's module")
    x, y = tcr.ones((1024,), tcr.f32), tcr.ones((1024,), tcr.f32)
    z = tcr.zeros((1024,), tcr.f32).partition(128)
    step("tensors")
    z = add(z, x, y).sync()
    step("first launch")
    z = add(z, x, y).sync()
    step("second launch")
    assert (z.numpy() == 2).all()
    found["torch was imported"] = float("torch" in sys.modules)
    return found


if __name__ == "__main__":
    inside = "--measure" in sys.argv
    print(json.dumps(_measure() if inside else starting(), indent=None if inside else 1))
