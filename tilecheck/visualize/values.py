"""Launch scalars as they are given on a command line."""

from __future__ import annotations

from collections.abc import Sequence

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.symbolic import ArrayParam, Extent, GridDim, Scalar, Symbol, symbol_from_text
from tilecheck.text.did_you_mean import did_you_mean
from tilecheck.visualize.setting import CannotDraw

__all__ = ["given_values"]

LARGEST = 1 << 20


def given_values(
    model: KernelModel, grid: str | None, sets: Sequence[str], shapes: Sequence[str],
) -> dict[Symbol, int]:
    """The scalars of `--grid 4,2`, `--set T=16` and `--shape a=64,32`. Raises CannotDraw for one that the
    kernel does not have."""
    out: dict[Symbol, int] = {}
    if grid is not None:
        extents = _numbers(grid, "--grid", 1)
        if len(extents) > 3:
            raise CannotDraw(f"--grid {grid}: a grid has at most three axes")
        out.update({GridDim(k): n for k, n in enumerate((*extents, 1, 1, 1)[:3])})
    arrays = {p.name for p in model.params if p.kind in ("array", "list", "unknown")}
    scalars = {p.name for p in model.params} - {p.name for p in model.params if p.kind in ("array", "list")}
    known = scalars | {o.symbol for o in model.ownership.origins}
    for text in sets:
        name, value = _pair(text, "--set", "T=16")
        symbol = symbol_from_text(name)
        if name not in known and isinstance(symbol, Scalar):
            raise CannotDraw(f"--set {text}: `{model.name}` has no number `{name}`{did_you_mean(name, sorted(known))}")
        out[symbol] = _numbers(value, f"--set {name}", 0)[0]
    ranks = {array.text: rank for array, rank in model.ranks}
    for text in shapes:
        name, value = _pair(text, "--shape", "a=64,32")
        if name not in arrays:
            raise CannotDraw(f"--shape {text}: `{model.name}` has no array `{name}`"
                             f"{did_you_mean(name, sorted(arrays))}")
        extents = _numbers(value, f"--shape {name}", 0)
        if ranks.get(name, len(extents)) != len(extents):
            raise CannotDraw(f"--shape {text}: `{name}` has {ranks[name]} "
                             f"{'axis' if ranks[name] == 1 else 'axes'}")
        out.update({Extent(ArrayParam(name), k): n for k, n in enumerate(extents)})
    return out


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise CannotDraw(f"{option} {text}: write a name and a value, as in {option} {example}")
    return name.strip(), value.strip()


def _numbers(text: str, option: str, least: int) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        words = {"True": 1, "False": 0}
        if text in words:
            return (words[text],)
        raise CannotDraw(f"{option}: `{text}` is not a list of whole numbers") from None
    if any(not least <= n <= LARGEST for n in found):
        raise CannotDraw(f"{option}: `{text}` has a number that is not between {least} and {LARGEST}")
    return found
