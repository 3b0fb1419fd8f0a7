"""Processor time of the checker as programs grow: launches, kernels, arrays, files, nesting.

    python benchmarks/scaling.py [--only FAMILY ...] [--most SECONDS] [--output FILE]

Each program of `grown_programs.py` is checked in a process of its own, without a cache. For each family of programs the
exponent p of `time ~ n**p` is fitted to the larger half of the sizes, less the time that no program takes; a family
exceeds n log n where p is larger than the exponent of n log n between these sizes by more than the noise of a
measurement. Writes `benchmarks/results/scaling.json` and a plot of all curves beside it, `scaling.svg`. The larger
sizes of a family are left out once one took longer than `--most`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import log, log10
from pathlib import Path
from typing import Final

from grown_programs import FAMILIES, Files

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "scaling.json"
NOISE: Final = 0.15
"""An exponent that is larger by less may be noise."""
LEAST: Final = 0.05
"""Seconds below which a curve is mostly noise: it exceeds nothing."""

Curve = Mapping[int, float]
"""Processor seconds by size."""


def check(files: Files) -> float:
    """The processor time of a check of a program in this process."""
    from tilecheck.config import Config
    from tilecheck.pipeline.policy import finish
    from tilecheck.pipeline.run import analyse_paths

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        os.chdir(folder)
        try:
            config = Config(root=folder, use_cache=False, jobs=1, respect_gitignore=False)
            gc.collect()
            start = time.process_time()
            finish(analyse_paths(["."], config), config)
            return time.process_time() - start
        finally:
            os.chdir(before)


def measure_here(family: str, size: int) -> None:
    """Print the time of one program, and of the smallest one, which loads the modules of the checker first."""
    for name in ("kernels", "launching_functions"):
        check(FAMILIES[name].make(1))
    base = check(FAMILIES["kernels"].make(1))
    print(json.dumps([base, check(FAMILIES[family].make(size))]))


def measure(family: str, size: int) -> tuple[float, float]:
    """The times of the smallest program and of this one, in a process of their own."""
    done = subprocess.run([sys.executable, __file__, "--here", family, str(size)], capture_output=True, text=True,
                          check=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    base, took = json.loads(done.stdout.splitlines()[-1])
    return base, took


def measure_family(family: str, most: float) -> dict[int, float]:
    """The curve of a family, as far as its programs take no longer than `most`."""
    out: dict[int, float] = {}
    for size in FAMILIES[family].sizes:
        base, took = measure(family, size)
        out[size] = round(max(took - base, 0.001), 4)
        if took > most:
            break
    return out


# --- exponents -------------------------------------------------------------------------------------------------------

def larger_half(curve: Curve) -> list[int]:
    """The sizes that the exponent is fitted to."""
    sizes = sorted(curve)
    return sizes[-max(len(sizes) // 2 + 1, 2):]


def fit_exponent(curve: Curve) -> float:
    """The slope of the logarithm of the time, by least squares."""
    return _slope([(log(n), log(curve[n])) for n in larger_half(curve)])


def n_log_n(curve: Curve) -> float:
    """The exponent that n log n would have between the same sizes."""
    return _slope([(log(n), log(n * log(max(n, 2)))) for n in larger_half(curve)])


def _slope(points: Sequence[tuple[float, float]]) -> float:
    x = sum(x for x, _ in points) / len(points)
    y = sum(y for _, y in points) / len(points)
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread if spread else 0.0


def exceeds(curve: Curve) -> bool:
    """Whether a curve grows faster than n log n."""
    return max(curve.values()) > LEAST and fit_exponent(curve) > n_log_n(curve) + NOISE


# --- the plot --------------------------------------------------------------------------------------------------------

_WIDTH: Final = 240
_HEIGHT: Final = 170
_COLUMNS: Final = 4
_LOW: Final = 0.001
_HIGH: Final = 100.0


def plot(curves: Mapping[str, Curve]) -> str:
    """All curves as an SVG, one picture for each family, both axes logarithmic; the thin line is n log n through the
    first point of the fit."""
    rows = -(-len(curves) // _COLUMNS)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_COLUMNS * _WIDTH}" height="{rows * _HEIGHT}" '
             'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="#ffffff"/>']
    for at, (name, curve) in enumerate(curves.items()):
        parts += _picture(name, curve, at % _COLUMNS * _WIDTH, at // _COLUMNS * _HEIGHT)
    return "\n".join([*parts, "</svg>\n"])


def _picture(name: str, curve: Curve, left: int, top: int) -> Iterator[str]:
    sizes = sorted(curve)
    least, most = log10(FAMILIES[name].sizes[0]), log10(FAMILIES[name].sizes[-1])

    def at(n: float, seconds: float) -> str:
        x = left + 40 + (log10(n) - least) / (most - least) * (_WIDTH - 60)
        y = top + 30 + (log10(_HIGH) - log10(min(max(seconds, _LOW), _HIGH))) / log10(_HIGH / _LOW) * (_HEIGHT - 60)
        return f"{x:.1f},{y:.1f}"

    colour = "#b03030" if exceeds(curve) else "#30609a"
    yield (f'<text x="{left + 8}" y="{top + 16}" font-weight="bold">{escape(name.replace("_", " "))}</text>'
           f'<text x="{left + _WIDTH - 70}" y="{top + 16}" fill="{colour}">n^{fit_exponent(curve):.2f}</text>')
    for seconds in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0):
        first, last = at(10 ** least, seconds), at(10 ** most, seconds)
        yield f'<polyline points="{first} {last}" stroke="#e0e0e0" fill="none"/>'
        x, y = first.split(",")
        yield f'<text x="{float(x) - 4}" y="{float(y) + 3}" text-anchor="end" fill="#606060">{seconds:g} s</text>'
    for n in FAMILIES[name].sizes:
        x = at(n, 1.0).split(",")[0]
        yield f'<text x="{x}" y="{top + _HEIGHT - 14}" text-anchor="middle" fill="#606060">{n}</text>'
    fitted = larger_half(curve)
    scale = curve[fitted[0]] / (fitted[0] * log(max(fitted[0], 2)))
    guide = " ".join(at(n, scale * n * log(max(n, 2))) for n in fitted)
    yield f'<polyline points="{guide}" stroke="#909090" stroke-dasharray="3 3" fill="none"/>'
    yield f'<polyline points="{" ".join(at(n, curve[n]) for n in sizes)}" stroke="{colour}" fill="none"/>'
    for n in sizes:
        x, y = at(n, curve[n]).split(",")
        yield f'<circle cx="{x}" cy="{y}" r="2.2" fill="{colour}"/>'


# --- main ------------------------------------------------------------------------------------------------------------

def describe(name: str, curve: Curve) -> str:
    """One line for a family."""
    times = "  ".join(f"{n}: {seconds:.3f}" for n, seconds in sorted(curve.items()))
    return (f"{name:22} {FAMILIES[name].counted:14} n^{fit_exponent(curve):.2f}"
            f"{' exceeds n log n' if exceeds(curve) else ''}   {times}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", action="append", choices=FAMILIES, help="a family; repeatable")
    parser.add_argument("--most", type=float, default=60.0, help="seconds after which a family grows no more")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--here", nargs=2, metavar=("FAMILY", "SIZE"), help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.here:
        measure_here(given.here[0], int(given.here[1]))
        return 0
    known = json.loads(given.output.read_text())["families"] if given.output.exists() else {}
    curves: dict[str, dict[int, float]] = {
        name: {int(n): s for n, s in found["seconds"].items()} for name, found in known.items() if name in FAMILIES}
    for name in given.only or FAMILIES:
        curves[name] = measure_family(name, given.most)
        print(describe(name, curves[name]), flush=True)
    curves = {name: curves[name] for name in FAMILIES if name in curves}
    given.output.parent.mkdir(exist_ok=True)
    given.output.write_text(json.dumps({
        "machine": {"python": platform.python_version(), "processors": os.cpu_count(), "system": platform.system()},
        "families": {name: {
            "counted": FAMILIES[name].counted, "seconds": {str(n): s for n, s in curve.items()},
            "exponent": round(fit_exponent(curve), 2), "exceeds_n_log_n": exceeds(curve)}
            for name, curve in curves.items()}}, indent=2) + "\n")
    given.output.with_suffix(".svg").write_text(plot(curves), encoding="utf-8")
    faster = [name for name, curve in curves.items() if exceeds(curve)]
    print("grow faster than n log n: " + (", ".join(faster) or "none"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
