"""Bars of the results of `gpu.py`, as an SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

__all__ = ["picture"]

_WIDTH, _LEFT, _ROW, _FULL = 760, 250, 22, 400


def picture(found: dict[str, Any]) -> str:
    """One group of bars for each measurement, in units of its own."""
    rows = list(_groups(found))
    height = 40 + sum(30 + _ROW * len(bars) for _, bars in rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><text x="10" y="20" font-size="14">{escape(found["machine"]["card"])}</text>']
    y = 50
    for title, bars in rows:
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        y += 8
        most = max(value for _, value in bars)
        for name, value in bars:
            length = _FULL * value / most
            colour = "#4a7fb5" if "dialect" in name or "bound" in name or "graph" in name else "#b0b0b0"
            parts.append(f'<text x="20" y="{y + 14}">{escape(name)}</text>'
                         f'<rect x="{_LEFT}" y="{y + 3}" width="{length:.1f}" height="{_ROW - 6}" fill="{colour}"/>'
                         f'<text x="{_LEFT + length + 6:.1f}" y="{y + 14}">{value:.4g}</text>')
            y += _ROW
        y += 22
    return "\n".join([*parts, "</svg>\n"])


def _groups(found: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    launch, add, gemm = found.get("launch"), found.get("add"), found.get("gemm", {})
    if launch:
        yield "Host time of a launch, us (shorter is better)", [
            ("ct.launch", launch["ct.launch_us"]), ("dialect, bound", launch["bound_us"]),
            ("dialect, not bound", launch["unbound_us"]), ("ct.launch with guards", launch["guarded_raw_us"]),
            ("dialect, a graph of 1000", launch["graph_us_a_kernel"])]
    if add:
        tiles = [k for k in add if k.isdigit()]
        yield "Add of 256 Mi f32, TB/s (longer is better)", [
            *((f"dialect, tile {t}", add[t]["dialect_TB_s"]) for t in tiles),
            *((f"by hand, tile {t}", add[t]["raw_TB_s"]) for t in tiles), ("copy by the driver", add["copy_TB_s"])]
    for n, values in ((n, v) for n, v in gemm.items() if isinstance(v, dict)):
        yield f"bf16 product {n} x {n} x {n}, TFLOP/s (longer is better)", [
            ("dialect", values["dialect_TFLOP_s"]), ("by hand", values["by_hand_TFLOP_s"]),
            ("cuBLAS", values["cublas_TFLOP_s"])]
