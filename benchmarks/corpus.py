"""Wall time, processor time and memory of the checker on a tree of kernels: cold, warm, and for a single file.

    python benchmarks/corpus.py PATH/TO/tilegym [--jobs 2] [--repeat 3]

Each run is a process of its own; the cold ones begin with an empty cache. The peak is that of the largest process, and
workers share most of their memory with the process that started them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
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


def measure(target: Path, cache: Path, options: list[str]) -> Sample:
    """One run in a process of its own."""
    environment = {**os.environ, "TILECHECK_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "tilecheck", "--isolated", "--format", "json", "--no-respect-gitignore", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([*command, str(target)], env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(wall, cpu, after.ru_maxrss / 1024, len(json.loads(done.stdout)["kernels"]))


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
    with tempfile.TemporaryDirectory() as folder:
        cold = [measure(arguments.tree, Path(folder) / str(i), options) for i in range(arguments.repeat)]
        warm = [measure(arguments.tree, Path(folder) / "0", options) for _ in range(arguments.repeat)]
        file = single_file(arguments.tree)
        single = [measure(file, Path(folder) / "s", ["--no-cache"]) for _ in range(arguments.repeat)]
    show("cold", cold)
    show("warm", warm)
    show("single file", single)
    count = file.read_bytes().count(b"\n")
    print(f"             {file.name}, {count} lines")


if __name__ == "__main__":
    main()
