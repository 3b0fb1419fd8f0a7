"""A bf16 matrix product against cuBLAS and against the same by hand: tiles, schedules and hints are tried first."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Grouped, Mut, Ref, bf16, kernel
from tilecheck_runtime.backends.selection.select import current
from tilecheck_runtime.tools.bench import compare
from tilecheck_runtime.tools.tune import Tuned, tune

sys.path.insert(0, str(Path(__file__).parent))
from machine_code import same_code
from shown import comparison_facts, torch_view

Const: Any = ct.Constant[int]
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
SIZES: Final = (4096, 8192)
SECONDS: Final = 25.0
"""For trying configurations, for each size."""
_FINALISTS: Final = 2
"""Configurations that are measured against cuBLAS in turns, because a device that grows warm favours the first one."""


@kernel
def gemm(z: Mut[bf16, BM, BN], x: Ref[bf16, Dyn, Dyn], y: Ref[bf16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        z[cell] = ct.astype(acc, ct.bfloat16)


def raw_gemm(z: Any, x: Any, y: Any, bm: Const, bn: Const, bk: Const, group: Const) -> None:
    """In groups of rows, one block after the other: the order in which `Grouped(group)` deals out pieces."""
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


def space() -> list[dict[str, Any]]:
    """The kinds that were fastest on an H100 of all that `everything` lists, likeliest first: 745 TFLOP/s at 4096 and
    757 at 8192 with the first two."""
    return [{"tile": tile, "hints": hints, "group": group, "persistent": True} for tile, hints, group in (
        ((128, 128, 64), {}, 8), ((128, 128, 64), {"occupancy": 1}, 8), ((128, 128, 64), {"occupancy": 1}, 4),
        ((128, 256, 64), {"num_ctas": 2}, 8))]


def all_configurations() -> list[dict[str, Any]]:
    """All that was ever tried, which takes minutes. `num_ctas` thread blocks share a tile; with `persistent` there are
    as many blocks as run at a time, else one for each piece. Left out is what spills: 256-wide tiles on one thread
    block. On an H100, at 4096: other groups cost 3 to 20 %; tiles of 128 x 256 and 256 x 128 on two thread blocks 10 to
    17 %; depths of 32 and 128 11 to 14 %; one block for each piece 15 %; two blocks on a multiprocessor, two thread
    blocks for 128 x 128, and 256 x 256 are two to seventeen times slower."""
    found = []
    for tile, hints, groups in (
        ((128, 128, 64), {"occupancy": 1}, (1, 4, 8, 16, 32)),
        ((128, 128, 64), {"occupancy": 2}, (8,)),
        ((128, 128, 64), {}, (8,)),
        ((128, 128, 64), {"num_ctas": 2, "occupancy": 1}, (8, 16)),
        ((128, 128, 128), {"occupancy": 1}, (8,)),
        ((128, 128, 32), {"occupancy": 1}, (8,)),
        ((128, 256, 64), {"num_ctas": 2, "occupancy": 1}, (1, 4, 8, 16)),
        ((128, 256, 64), {"num_ctas": 2}, (8,)),
        ((256, 128, 64), {"num_ctas": 2, "occupancy": 1}, (1, 4, 8, 16)),
        ((256, 128, 64), {"num_ctas": 2}, (8,)),
        ((256, 256, 64), {"num_ctas": 2, "occupancy": 1}, (4,)),
        ((256, 256, 64), {"num_ctas": 4, "occupancy": 1}, (4, 8)),
        ((128, 64, 64), {"occupancy": 2}, (8,)),
    ):
        for group in groups:
            found.append({"tile": tile, "hints": hints, "group": group, "persistent": True})
    found += [{"tile": tile, "hints": hints, "group": 8, "persistent": False} for tile, hints in (
        ((128, 128, 64), {"occupancy": 1}), ((128, 256, 64), {"num_ctas": 2, "occupancy": 1}),
        ((256, 128, 64), {"num_ctas": 2, "occupancy": 1}))]
    return found


def blocks_of(n: int, tile: Sequence[int], hints: Mapping[str, Any], persistent: bool) -> int:
    """How many blocks there are, in units of tile blocks."""
    backend: Any = current()
    pieces = -(-n // tile[0]) * -(-n // tile[1])
    many = backend.driver.multiprocessors(backend.ordinal) // (hints.get("num_ctas") or 1)
    many *= hints.get("occupancy") or 1
    return min(pieces, many) if persistent else pieces


def compiled_ahead(configurations: Sequence[Mapping[str, Any]], arch: str) -> float:
    """Compiles everything side by side, in processes that share the cache; the seconds that it took."""
    begin = time.perf_counter()
    code = ("import sys; sys.path[:0] = sys.argv[1:3]; from products import compile_configuration; "
            "compile_configuration(eval(sys.argv[3]), sys.argv[4])")
    folders = [str(Path(__file__).parent), str(Path(tcr.__file__).parent.parent)]

    def one(config: Mapping[str, Any]) -> None:
        subprocess.run([sys.executable, "-c", code, *folders, repr(config), arch], check=False, capture_output=True,
                       env={**os.environ, "TILECHECK_BACKEND": "cpu"})

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, configurations))
    return time.perf_counter() - begin


def compile_configuration(config: Mapping[str, Any], arch: str) -> None:
    """One of them, by a description of its arguments. Code does not depend on how many blocks there are."""
    bm, bn, bk = config["tile"]
    n = SIZES[0]
    gemm.replace_hints(**config["hints"]).compile(
        f"z=[{n}, {n}]/[{bm}, {bn}] by Grouped({config['group']}) on 8, x=[{n}, {n}], y=[{n}, {n}], bk={bk}", arch=arch)


def random_bf16(n: int, seed: int) -> Any:
    """Normal numbers made on the device, as many would take long on the host."""
    import torch

    made = torch.randn((n, n), device="cuda", dtype=torch.bfloat16, generator=torch.Generator("cuda").manual_seed(seed))
    return tcr.from_dlpack(made)


def tune_product(n: int, x: Any, y: Any, record: Path | None, configurations: Sequence[Mapping[str, Any]],
          seconds: float) -> Tuned:
    """Every configuration, measured alone."""

    def make(tile: Sequence[int], hints: Mapping[str, Any], group: int, persistent: bool) -> Any:
        z = tcr.zeros((n, n), bf16).partition(*tile[:2]).map(Grouped(group), blocks_of(n, tile, hints, persistent))
        return gemm.replace_hints(**hints).bind(z, x, y, tile[2])

    return tune(make, configurations, record=record, key=f"bf16 product {n}", samples=7, repeats=5 if n <= 4096 else 2,
                seconds=seconds)


def products(quick: bool, record: Path | None = None, all_of_them: bool = False) -> dict[str, Any]:
    """The fastest configurations against cuBLAS and by hand, in turns."""
    configurations = all_configurations() if all_of_them else space()
    import torch

    backend: Any = current()
    samples = 15 if quick else 60
    stream = int(backend.default.handle)
    theirs = torch.cuda.ExternalStream(stream)
    found: dict[str, Any] = {"compiled_ahead_s": compiled_ahead(configurations, backend.arch)}
    for n in SIZES:
        x, y = (random_bf16(n, s) for s in (1, 2))
        begin = time.perf_counter()
        trials = tune_product(n, x, y, record, configurations, 10 * SECONDS if all_of_them else SECONDS)
        seconds = time.perf_counter() - begin
        print(f"tried for {n} in {seconds:.0f} s:\n{trials}", flush=True)
        raw_x, raw_y = torch_view(x), torch_view(y)
        out = torch.empty_like(raw_x)

        def cublas(raw_x: Any = raw_x, raw_y: Any = raw_y, out: Any = out) -> None:
            with torch.cuda.stream(theirs):
                torch.mm(raw_x, raw_y, out=out)

        repeats = 10 if n == 4096 else 3
        finals = [_against(n, t.config, x, y, cublas, samples, repeats, stream, backend.arch)
                  for t in trials.trials[:_FINALISTS] if t.microseconds is not None]
        best = min(finals, key=lambda f: f["cublas"]["ratio"])
        found[str(n)] = {**best, "tuning_s": seconds, "finalists": [
            {k: v for k, v in f.items() if k in ("config", "dialect_TFLOP_s", "cublas_TFLOP_s", "of_cublas")}
            for f in finals], "tried": [(str(t.config), t.microseconds or t.error) for t in trials.trials]}
        del out, raw_x, raw_y, x, y
    return found


def _against(n: int, config: Mapping[str, Any], x: Any, y: Any, cublas: Any, samples: int, repeats: int,
             stream: int, arch: str) -> dict[str, Any]:
    """One configuration in turns with cuBLAS, then with the kernel by hand."""
    import torch

    (bm, bn, bk), hints, group = config["tile"], config["hints"], config["group"]
    blocks = blocks_of(n, config["tile"], hints, config["persistent"])
    z = tcr.zeros((n, n), bf16).partition(bm, bn).map(Grouped(group), blocks)
    raw = [torch_view(h) for h in (z, x, y)]
    by_hand: Any = ct.kernel(raw_gemm, **hints)
    ours = gemm.replace_hints(**hints)
    equal = same_code(ours.compile(z, x, y, bk, arch=arch).cubin, by_hand, (*raw, bm, bn, bk, group), arch)
    bound = ours.bind(z, x, y, bk)

    def hand() -> None:
        ct.launch(stream, (blocks, 1, 1), by_hand, (*raw, bm, bn, bk, group))

    best = compare(cublas, bound, samples=samples, repeats=repeats, flush=False)
    same = compare(hand, bound, samples=samples, repeats=repeats, flush=False)
    bound.wait()
    rows = torch.arange(0, n, n // 64, device="cuda")
    wanted = raw[1][rows].double() @ raw[2].double()
    wrong = ((raw[0][rows].double() - wanted).abs().max() / wanted.abs().max()).item()
    flop = 2 * n**3 / 1e6
    low, high = best.interval
    return {
        "config": dict(config), "blocks": blocks, "by_hand": comparison_facts(same, equal),
        "cublas": comparison_facts(best),
        "off_from_f64": wrong,
        "of_cublas": (1 / best.ratio, 1 / high, 1 / low), "reaches_98_percent": 1 / best.ratio >= 0.98,
        "dialect_TFLOP_s": flop / best.second.median, "cublas_TFLOP_s": flop / best.first.median,
        "by_hand_TFLOP_s": flop / same.first.median,
    }

