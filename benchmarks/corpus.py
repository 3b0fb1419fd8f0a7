"""Wall time, processor time and memory of the checker on a tree of kernels: cold, warm, and for a single file.

    python benchmarks/corpus.py PATH/TO/tilegym [--jobs 2] [--repeat 3]

Each run is a process of its own; the cold ones begin with an empty cache. Times of a run include its workers. The peak
is that of the largest of its processes; workers share most of their memory with the one that started them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    wall: float
    cpu: float
    peak_mb: float
    kernels: int


def measure(target: Path, folder: Path, cache: str, options: list[str]) -> Sample:
    """One run in a process of its own. Bytecode is cached, as it is in an installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"TILECHECK_CACHE_DIR": str(folder / cache), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    command = [sys.executable, "-m", "tilecheck", "--isolated", "--format", "json", "--no-respect-gitignore", *options]
    output = folder / "report.json"
    start = time.perf_counter()
    process = subprocess.Popen([*command, "-o", str(output), str(target)], env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"tilecheck ended with status {process.returncode}")
    kernels = len(json.loads(output.read_text(encoding="utf-8"))["kernels"])
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, kernels)


def show(name: str, samples: list[Sample]) -> None:
    """The best of the samples: what is above it is the machine's noise."""
    best = min(samples, key=lambda sample: sample.wall)
    print(
        f"{name:<12} wall {best.wall:6.2f} s   process {min(s.cpu for s in samples):6.2f} s"
        f"   peak {max(s.peak_mb for s in samples):5.0f} MB   {best.kernels} kernels"
    )


def single_file(tree: Path, lines: int = 300) -> Path:
    """The kernel file whose length is closest to `lines`."""
    candidates = [p for p in tree.rglob("*.py") if b"cuda.tile" in (data := p.read_bytes()) and b"kernel" in data]
    return min(candidates, key=lambda p: abs(p.read_bytes().count(b"\n") - lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    options = ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    file = single_file(arguments.tree)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure(file, folder, "unused", ["--no-cache"])
        single = [measure(file, folder, "unused", ["--no-cache"]) for _ in range(arguments.repeat)]
        cold = [measure(arguments.tree, folder, f"cache{i}", options) for i in range(arguments.repeat)]
        warm = [measure(arguments.tree, folder, "cache0", options) for _ in range(arguments.repeat)]
    show("cold", cold)
    show("warm", warm)
    show("single file", single)
    count = file.read_bytes().count(b"\n")
    print(f"             {file.name}, {count} lines")


if __name__ == "__main__":
    main()
