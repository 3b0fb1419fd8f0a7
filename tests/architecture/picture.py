"""The picture of the checker's layers in `docs/images/layers.svg`.

    python -m tests.architecture.picture    draw it from the imports as they are

A box is a folder, a row is a layer of the contract in `pyproject.toml`. An arrow means that one folder imports another.
Arrows that follow from others (`a` to `c` where `a` imports `b` and `b` imports `c`) are left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Set
from html import escape
from typing import Final

from tests.architecture.imports import ROOT, read_imports

__all__ = ["PICTURE", "draw"]

PICTURE: Final = ROOT / "docs" / "images" / "layers.svg"

ROLES: Final = {
    "__main__": "python -m tilecheck",
    "api": "the checker as a library",
    "baseline": "known findings, --since",
    "cli": "commands, options, exit status",
    "config": "settings",
    "contracts": "the contract language",
    "decorators": "@requires, @unsafe",
    "diagnostics": "findings as data",
    "dtypes": "element types",
    "explain": "proofs in words",
    "interp": "kernel, host, ownership",
    "kernel_model": "kernels, executed",
    "mypy_plugin": "verdicts inside mypy",
    "obligations": "what must hold; verdicts",
    "ops": "operations of cuda.tile",
    "pipeline": "files to results; cache",
    "project": "modules, names, suppressions",
    "pytest_plugin": "pytest --tilecheck",
    "repair": "edits, verified",
    "report": "text, JSON, SARIF, ...",
    "rules": "one file a rule",
    "server": "the language server",
    "solver": "disjointness, bounds, models",
    "symbolic": "terms and conditions",
    "syntax": "trees and spans",
    "text": "plurals, names of blocks",
    "visualize": "pictures of a launch",
}

_WIDTH: Final = 960
_BOX: Final = (200, 44)
_ROW: Final = 84


def draw() -> str:
    """The picture as SVG text."""
    layers = _read_layers()
    edges = _reduce(_read_edges({name for layer in layers for name in layer}))
    centres = {name: (_WIDTH * (2 * k + 1) // (2 * len(layer)), 40 + _ROW * row)
               for row, layer in enumerate(layers) for k, name in enumerate(layer)}
    arrows = [_draw_arrow(centres[a], centres[b]) for a in sorted(edges) for b in sorted(edges[a])]
    boxes = [_draw_box(name, *centres[name]) for layer in layers for name in layer]
    height = 40 + _ROW * (len(layers) - 1) + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">\n'
        "<title>The layers of the checker</title>\n"
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#8a94a6"/></marker></defs>\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join((*arrows, *boxes)) + "\n</svg>\n")


def _read_layers() -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "checker-layers")
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def _read_edges(names: Set[str]) -> dict[str, set[str]]:
    edges: dict[str, set[str]] = {name: set() for name in names}
    for module, others in read_imports("tilecheck").items():
        for other in others:
            a, b = module.split(".")[1:2], other.split(".")[1:2]
            if a and b and a != b and a[0] in names and b[0] in names:
                edges[a[0]].add(b[0])
    return edges


def _reduce(edges: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """The edges without those that follow from others. The graph has no cycle."""
    def reach(name: str) -> set[str]:
        return edges[name].union(*(reach(other) for other in edges[name]))

    return {name: {b for b in others if not any(b in reach(other) for other in others if other != b)}
            for name, others in edges.items()}


def _draw_box(name: str, x: int, y: int) -> str:
    width, height = _BOX
    return (
        f'<g><rect x="{x - width // 2}" y="{y - height // 2}" width="{width}" height="{height}" rx="6" '
        'fill="#f3f6fb" stroke="#4b6584"/>'
        f'<text x="{x}" y="{y - 3}" text-anchor="middle" font-weight="600" fill="#1f2d3d">{escape(name)}</text>'
        f'<text x="{x}" y="{y + 14}" text-anchor="middle" font-size="11" fill="#4b6584">{escape(ROLES[name])}</text>'
        "</g>")


def _draw_arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + _BOX[1] // 2, v - _BOX[1] // 2
    bend = max(20, (v - y) // 2)
    return (f'<path d="M{x} {y}C{x} {y + bend} {u} {v - bend} {u} {v}" fill="none" stroke="#8a94a6" '
            'stroke-width="1.3" marker-end="url(#head)"/>')


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
