"""The dialect against hand-written cuTile Python on a GPU: launch overhead, an element-wise add, a matrix product.

    python benchmarks/gpu.py [--only start launch add gemm] [--json FILE] [--plot FILE.svg] [--record FILE] [--quick]
                             [--all]

Safe and hand-written kernels have the same tiles, schedule and hints and run in turns in one process; ratios are
medians over pairs with a 95 % confidence interval, and below 1 the dialect is faster. `torch` gives cuBLAS. Tiles,
schedules and hints of the product are tried first, the best kinds of them, or with `--all` every known one;
with `--record` recorded trials are not repeated: `products_tried.jsonl` is such a record, of an H100. Prints tables
and the requirements with their results, and writes JSON with card, driver, versions and every sample. Takes about
two minutes, and ten with `--all`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck_runtime import f32
from tilecheck_runtime.backends.selection.select import current
from tilecheck_runtime.tools.bench import bench, compare

sys.path.insert(0, str(Path(__file__).parent))
import products
from adding import add, raw_add
from bars import picture
from machine_code import same_code
from shown import against_by_hand, comparison_facts, torch_view
from starting import starting


def host_time(call: Callable[[], object], wait: Callable[[], object], count: int, rounds: int) -> float:
    """Microseconds of the host for one call, in a stream of `count`: the median of `rounds`."""
    found = []
    for _ in range(rounds):
        wait()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        found.append((time.perf_counter() - begin) / count * 1e6)
    wait()
    return median(found)


def launches(quick: bool) -> dict[str, Any]:
    """Host time of launches of one small kernel."""
    count, rounds = (1000, 5) if quick else (1000, 15)
    backend: Any = current()
    stream = int(backend.default.handle)
    x, y = tcr.ones((1024,), f32), tcr.ones((1024,), f32)
    z = add(tcr.zeros((1024,), f32).partition(128), x, y).sync()
    raw = [torch_view(h) for h in (z, x, y)]

    def raw_once() -> None:
        ct.launch(stream, (8, 1, 1), raw_add, (*raw, 128))

    raw_once()
    bound = add.bind(z, x, y)
    bound()
    wait = backend.default.synchronize
    other = tcr.zeros((1024,), f32).partition(128)

    def guarded_raw() -> None:
        tcr.launch(stream, (8, 1, 1), raw_add, (*raw, 128))

    def unbound() -> None:
        """A launch whose result is taken before it has finished, as in a chain."""
        nonlocal other
        other = add(other, x, y).start().take_early()

    def launch_into_new_memory() -> None:
        """A launch into memory without an earlier launch, as in `add(zeros(...).partition(128), x, y)`."""
        add(spare.pop(), x, y).start().take_early()

    def allocate_and_launch() -> None:
        """The same with the allocation of that memory."""
        add(tcr.zeros((1024,), f32).partition(128), x, y).start().take_early()

    spare: list[Any] = []
    calls: dict[str, Callable[[], object]] = {
        "ct.launch": raw_once, "bound": bound, "unbound": unbound, "guarded_raw": guarded_raw,
        "unbound_fresh": launch_into_new_memory}
    turns: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        spare += [tcr.zeros((1024,), f32).partition(128) for _ in range(count // 10)]
        for name, values in turns.items():
            values.append(host_time(calls[name], wait, count // 10 if name == "unbound_fresh" else count, 1))
        bound.wait()
    found: dict[str, Any] = {f"{name}_us": median(values) for name, values in turns.items()}
    found["by_ct.launch"] = {name: median(a / b for a, b in zip(values, turns["ct.launch"], strict=True))
                             for name, values in turns.items()}
    z = bound.release()

    def launch_and_wait() -> None:
        nonlocal z
        z = add(z, x, y).sync()

    def raw_waited() -> None:
        raw_once()
        backend.driver.synchronize(backend.default.handle)  # `wait` does not do this for launches of other libraries

    found["unbound_created_us"] = host_time(allocate_and_launch, wait, count // 10, rounds)
    found["unbound_sync_us"] = host_time(launch_and_wait, wait, count // 5, rounds)
    found["ct.launch_sync_us"] = host_time(raw_waited, wait, count // 5, rounds)
    operation: Any = add(z, x, y)
    for _ in range(999):
        operation = operation.then(lambda part: add(part, x, y))
    graph = tcr.graph(operation)
    graph.replay()
    begin = time.perf_counter()
    for _ in range(20):
        graph.start()
    graph.wait()
    found["graph_us_a_kernel"] = (time.perf_counter() - begin) / 20 / 1000 * 1e6
    return found


def adds(quick: bool) -> dict[str, Any]:
    """An element-wise add of 256 Mi elements, and the bandwidth of copies on this card."""
    n, samples = 1 << 28, 15 if quick else 40
    backend: Any = current()
    stream = int(backend.default.handle)
    x, y = tcr.ones((n,), f32), tcr.ones((n,), f32)
    found: dict[str, Any] = {}
    for tile in (512, 1024, 2048):
        z = tcr.zeros((n,), f32).partition(tile)
        raw = [torch_view(h) for h in (z, x, y)]
        arch = backend.arch
        same = same_code(add.compile(z, x, y).cubin, raw_add, (*raw, tile), arch)
        bound = add.bind(z, x, y)

        def by_hand(raw: Any = raw, tile: int = tile) -> None:
            ct.launch(stream, (-(-n // tile), 1, 1), raw_add, (*raw, tile))

        result = compare(by_hand, bound, samples=samples, flush=False)
        found[str(tile)] = {**comparison_facts(result, same), "dialect_TB_s": 3 * 4 * n / result.second.median / 1e6,
                            "raw_TB_s": 3 * 4 * n / result.first.median / 1e6}
        z = bound.release()
        del bound, raw, z
    found["copy_TB_s"] = 2 * 4 * n / bench(copies(x, y), samples=samples, flush=False).median / 1e6
    return found


def copies(x: Any, y: Any) -> Callable[[], object]:
    """Copies one tensor into another with the device's own engine, on the default stream."""
    backend: Any = current()
    source, target = (h._storage.memory for h in (x, y))
    return lambda: backend.driver.copy(target.address, source.address, source.nbytes, backend.default.handle)


def verdicts(found: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The requirements, in words and numbers, and whether they are met."""
    launch, added, gemm = found.get("launch"), found.get("add"), found.get("gemm")
    if "start" in found:
        first = found["start"]["kept, again"]["first launch"]
        yield f"first launch of a program, with a warm cache: {first:.0f} ms <= 1000 ms", first <= 1000
    if launch:
        kinds = {"bound": ("of a launch that is bound", 1.05), "unbound": ("of a launch that is unbound", 2.0),
                 "guarded_raw": ("of a raw launch with guards", 2.0)}
        for name, (what, most) in kinds.items():
            ratio = launch["by_ct.launch"][name]
            yield f"host time {what}: {ratio:.2f} of ct.launch's <= {most}", ratio <= most
        graph = launch["graph_us_a_kernel"]
        yield f"a kernel in a graph of 1000: {graph:.2f} us <= 1.4 us", graph <= 1.4
    for part, results in (("add, tile", added or {}), ("product", gemm or {})):
        for name, result in results.items():
            if isinstance(result, Mapping):
                yield against_by_hand(f"{part} {name}", result["by_hand"] if part == "product" else result)
    if added:
        best = max(v["dialect_TB_s"] for v in added.values() if isinstance(v, Mapping)) / added["copy_TB_s"]
        yield f"bandwidth of an add: {100 * best:.1f} % of that of copies >= 99 %", best >= 0.99
    for name, result in (gemm or {}).items():
        if isinstance(result, Mapping):
            ratio, low, high = result["of_cublas"]
            yield (f"product {name}: {100 * ratio:.1f} % of cuBLAS ({100 * low:.1f} to {100 * high:.1f}) >= 98 %, with "
                   f"{result['config']}"), ratio >= 0.98


def machine() -> dict[str, Any]:
    backend: Any = current()
    return {"card": backend.driver.name(backend.ordinal), "driver": backend.driver.version(),
            "cuda.tile": ct.__version__, "python": platform.python_version()}


def remove_samples(value: Any) -> Any:
    """A result without its samples, for printing."""
    if isinstance(value, dict):
        return {k: remove_samples(v) for k, v in value.items() if not isinstance(v, tuple) or len(v) == 2}
    if isinstance(value, tuple):
        return tuple(remove_samples(v) for v in value)
    return round(value, 4) if isinstance(value, float) else value


def main(arguments: list[str]) -> None:
    parts: dict[str, Callable[[bool], dict[str, Any]]] = {
        "start": lambda quick: starting(), "launch": launches, "add": adds, "gemm": products.products}
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=parts, default=list(parts))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--record", type=Path, help="earlier trials of products, to resume from")
    parser.add_argument("--all", action="store_true", help="try every configuration of the product")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    chosen = parser.parse_args(arguments)
    parts["gemm"] = partial(products.products, record=chosen.record, all_of_them=chosen.all)
    found: dict[str, Any] = {"machine": machine()}
    for name in chosen.only:
        found[name] = parts[name](chosen.quick)
        print(name, json.dumps(remove_samples(found[name]), indent=1), flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    for text, reached in verdicts(found):
        print(f"{'reached' if reached else 'MISSED '}  {text}")
    if chosen.plot:
        chosen.plot.write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
