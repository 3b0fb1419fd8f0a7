"""The dialect against hand-written cuTile Python on a GPU: launch overhead, an element-wise add, a matrix product.

    python benchmarks/gpu.py [--only launch add gemm] [--json FILE] [--plot FILE.svg] [--quick]

Safe and hand-written kernels have the same tiles, schedule and hints and run in turns in one process; ratios are
medians over pairs with a 95 % confidence interval, and below 1 the dialect is faster. `torch` gives cuBLAS. Prints
tables and writes JSON with card, driver, versions and every sample.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Grouped, Mut, Ref, bf16, f32, kernel
from tilecheck_runtime.backends.select import current
from tilecheck_runtime.tools.bench import Comparison, bench, compare

sys.path.insert(0, str(Path(__file__).parent))
from bars import picture

Const: Any = ct.Constant[int]
B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def _raw_add(z: Any, x: Any, y: Any, tile: Const) -> None:
    i = ct.bid(0)
    a = ct.load(x, (i,), (tile,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(y, (i,), (tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(z, (i,), a + b)


raw_add: Any = ct.kernel(_raw_add)


@kernel(occupancy=1)
def gemm(z: Mut[bf16, BM, BN], x: Ref[bf16, Dyn, Dyn], y: Ref[bf16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        z[cell] = ct.astype(acc, ct.bfloat16)


def _raw_gemm(z: Any, x: Any, y: Any, bm: Const, bn: Const, bk: Const, group: Const) -> None:
    """Persistent, in groups of rows: the order in which `Grouped(group)` deals out pieces."""
    rows, columns = ct.cdiv(z.shape[0], bm), ct.cdiv(z.shape[1], bn)
    for tile in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        many = group * columns
        top = tile // many * group
        inside = tile % many
        height = min(rows - top, group)
        m, n = top + inside % height, inside // height
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(ct.cdiv(x.shape[1], bk)):
            a = ct.load(x, (m, k), (bm, bk), padding_mode=ct.PaddingMode.ZERO)
            b = ct.load(y, (k, n), (bk, bn), padding_mode=ct.PaddingMode.ZERO)
            acc = ct.mma(a, b, acc)
        ct.store(z, (m, n), ct.astype(acc, ct.bfloat16))


raw_gemm: Any = ct.kernel(_raw_gemm, occupancy=1)


class Shown:
    """Our memory as `ct.launch` takes it."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        layout, memory = handle._layout, handle._storage.memory
        size = layout.itemsize
        self.__cuda_array_interface__ = {
            "shape": layout.shape, "strides": tuple(s * size for s in layout.strides), "version": 3,
            "typestr": f"<{'f' if layout.dtype.name == 'float32' else 'V'}{size}",
            "data": (memory.address + layout.offset, False),
        }


def torch_view(handle: Any) -> Any:
    """Our memory as a tensor of torch."""
    import torch

    shown = Shown(handle)
    layout = handle._layout
    if layout.dtype.name == "float32":
        return torch.as_tensor(shown, device="cuda")
    shown.__cuda_array_interface__["typestr"] = "<i2"
    return torch.as_tensor(shown, device="cuda").view(torch.bfloat16)


def told(comparison: Comparison) -> dict[str, Any]:
    return {"ratio": comparison.ratio, "interval": comparison.interval, "first_us": comparison.first.median,
            "second_us": comparison.second.median, "first": comparison.first.samples,
            "second": comparison.second.samples}


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
    begin = time.perf_counter()
    z = add(tcr.zeros((1024,), f32).partition(128), x, y).sync()
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    z = add(z, x, y).sync()
    second = time.perf_counter() - begin
    raw = [torch_view(h) for h in (z, x, y)]

    def raw_once() -> None:
        ct.launch(stream, (8, 1, 1), raw_add, (*raw, 128))

    raw_once()
    bound = add.bind(z, x, y)
    bound()
    wait = backend.default.synchronize
    found: dict[str, Any] = {"first_launch_ms": first * 1e3, "second_launch_ms": second * 1e3}
    turns: dict[str, list[float]] = {"ct.launch": [], "bound": [], "guarded_raw": []}

    def guarded_raw() -> None:
        tcr.launch(stream, (8, 1, 1), raw_add, (*raw, 128))

    for _ in range(rounds):
        turns["guarded_raw"].append(host_time(guarded_raw, wait, count // 5, 1))
        turns["ct.launch"].append(host_time(raw_once, wait, count, 1))
        turns["bound"].append(host_time(bound, wait, count, 1))
    found |= {f"{name}_us": median(values) for name, values in turns.items()}
    z = bound.release()

    def unbound() -> None:
        nonlocal z
        flight = add(z, x, y).start()
        z = flight.early()

    def waited() -> None:
        nonlocal z
        z = add(z, x, y).sync()

    found["unbound_us"] = host_time(unbound, wait, count // 5, rounds)
    found["unbound_sync_us"] = host_time(waited, wait, count // 5, rounds)
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
    found["bound_by_ct.launch"] = found["bound_us"] / found["ct.launch_us"]
    found["unbound_by_ct.launch"] = found["unbound_us"] / found["ct.launch_us"]
    return found


def adds(quick: bool) -> dict[str, Any]:
    """An element-wise add of 256 Mi elements, and the bandwidth of copies on this card."""
    n, samples = 1 << 28, 15 if quick else 40
    stream = int(current().default.handle)  # type: ignore[attr-defined]
    x, y = tcr.ones((n,), f32), tcr.ones((n,), f32)
    found: dict[str, Any] = {}
    for tile in (512, 1024, 2048):
        z = tcr.zeros((n,), f32).partition(tile)
        raw = [torch_view(h) for h in (z, x, y)]
        bound = add.bind(z, x, y)

        def by_hand(raw: Any = raw, tile: int = tile) -> None:
            ct.launch(stream, (-(-n // tile), 1, 1), raw_add, (*raw, tile))

        result = compare(by_hand, bound, samples=samples, flush=False)
        found[str(tile)] = {**told(result), "dialect_TB_s": 3 * 4 * n / result.second.median / 1e6,
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


def products(quick: bool) -> dict[str, Any]:
    """A persistent bf16 matrix product, against the same by hand and against cuBLAS."""
    import torch

    backend: Any = current()
    blocks, samples = backend.driver.multiprocessors(backend.ordinal), 15 if quick else 60
    stream = int(backend.default.handle)
    theirs = torch.cuda.ExternalStream(stream)
    found: dict[str, Any] = {}
    bm, bn, bk, group = 128, 128, 64, 8
    for n in (4096, 8192):
        x, y = (tcr.randn((n, n), bf16, seed=s) if n <= 1024 else random_bf16(n, s) for s in (1, 2))
        z = tcr.zeros((n, n), bf16).partition(bm, bn).map(Grouped(group), blocks)
        raw = [torch_view(h) for h in (z, x, y)]
        out = torch.empty_like(raw[0])
        bound = gemm.bind(z, x, y, bk)

        def cublas(raw: Any = raw, out: Any = out) -> None:
            with torch.cuda.stream(theirs):
                torch.mm(raw[1], raw[2], out=out)

        def by_hand(raw: Any = raw, n: int = n) -> None:
            ct.launch(stream, (blocks, 1, 1), raw_gemm, (*raw, bm, bn, bk, group))

        repeats = 10 if n == 4096 else 3
        same = compare(by_hand, bound, samples=samples, repeats=repeats, flush=False)
        best = compare(cublas, bound, samples=samples, repeats=repeats, flush=False)
        bound.wait()
        rows = torch.arange(0, n, n // 64, device="cuda")
        wanted = raw[1][rows].double() @ raw[2].double()
        wrong = ((raw[0][rows].double() - wanted).abs().max() / wanted.abs().max()).item()
        flop = 2 * n**3 / 1e6
        found[str(n)] = {
            "by_hand": told(same), "cublas": told(best), "off_from_f64": wrong,
            "dialect_TFLOP_s": flop / best.second.median, "cublas_TFLOP_s": flop / best.first.median,
            "by_hand_TFLOP_s": flop / same.first.median, "tile": [bm, bn, bk], "group": group, "blocks": blocks,
        }
        del bound, raw, out, z, x, y
    return found


def random_bf16(n: int, seed: int) -> Any:
    """Normal numbers made on the device, as many would take long on the host."""
    import torch

    made = torch.randn((n, n), device="cuda", dtype=torch.bfloat16, generator=torch.Generator("cuda").manual_seed(seed))
    return tcr.from_dlpack(made)


PARTS = {"launch": launches, "add": adds, "gemm": products}


def machine() -> dict[str, Any]:
    backend: Any = current()
    return {"card": backend.driver.name(backend.ordinal), "driver": backend.driver.version(),
            "cuda.tile": ct.__version__, "python": platform.python_version()}


def short(value: Any) -> Any:
    """Without samples, for people."""
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items() if not isinstance(v, tuple) or len(v) == 2}
    if isinstance(value, tuple):
        return tuple(short(v) for v in value)
    return round(value, 4) if isinstance(value, float) else value


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    chosen = parser.parse_args(arguments)
    found: dict[str, Any] = {"machine": machine()}
    for name in chosen.only:
        found[name] = PARTS[name](chosen.quick)
        print(name, json.dumps(short(found[name]), indent=1), flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if chosen.plot:
        chosen.plot.write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
