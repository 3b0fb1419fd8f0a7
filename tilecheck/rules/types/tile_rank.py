"""TC503 tile-rank: a wrong number of axes, or an axis that does not exist.

## What it does

Reports operations of `cuda.tile` with a wrong number of axes, or with an axis that does not exist:

* an index and a tile with different numbers of entries;
* an axis of a reduction, of `ct.cat`, `ct.expand_dims` or `ct.transpose` that is out of range;
* a `ct.permute` that does not name each axis once;
* a scatter of a tile with more axes than its indices;
* a tile as the index of a tile.

The checker follows shapes through the kernel and the functions that it calls. An unknown number of axes is not
reported. If only a launch determines the axes of an array, a seen launch is needed.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU. The number of axes is part of the type of a
tile and of the view that it is loaded through (Tile IR specification, types).

## Example

```python
import cuda.tile as ct


@ct.kernel
def running(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(a, (i, 0), (16, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), ct.cumsum(t, axis=2))  # error: TC503
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def running(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(a, (i, 0), (16, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), ct.cumsum(t, axis=1))
```

## How to suppress it

`# tilecheck: allow[TC503] this branch is never compiled` on the line or above the kernel. It needs a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.tile_types.uses import Misfit, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.operands import Words, axes, entries, line, op, shapes, stored_to, type_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC503"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at operations."""
    return type_findings(view, CODE, _WORDS)


# --- operations of cuda.tile -----------------------------------------------------------------------------------------

def _describe_more_axes(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    value, target = use.operands[0], use.operands[-1]
    return (f"a tile of shape {shapes(value)}{line(value.made, file)} has more axes than {shapes(target)}, to which "
            f"{op(use)} broadcasts it", "reduce or reshape it first")


def _describe_stored_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    tile, count = f.words
    return (f"a tile of {axes(tile)}, {shapes(use.operands[0])}{line(use.operands[0].made, file)}, is stored"
            f"{stored_to(use)} at an index with {entries(count)}",
            "give the tile and the index one entry for each axis of the array")


def _describe_loaded_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    tile, count = f.words
    return (f"a tile of {axes(tile)}, {shapes(use.operands[1])}, is loaded from an index with {entries(count)}",
            "give the shape and the index one entry for each axis of the array")


def _describe_array_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    count, rank = f.words
    return f"`{use.array}` has {axes(rank)}, but the index has {entries(count)}", "give one entry for each axis"


def _describe_index_tile(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (place,) = f.words
    return (f"index {place} of {op(use)} is a tile, {shapes(use.operands[int(place)])}, but the index of a tile is a "
            "number", "use `ct.gather` or `ct.scatter` for the indices of elements")


def _describe_axis(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    axis, rank = f.words
    return (f"axis {axis} of {op(use)} does not exist: {shapes(use.operands[0])}{line(use.operands[0].made, file)} "
            f"has {axes(rank)}{' with the new one' if use.op == 'ct.expand_dims' else ''}",
            f"take one of {-int(rank)} to {int(rank) - 1}" if int(rank) else "a scalar has no axis")


def _describe_twice(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return f"{op(use)} names axis {f.words[0]} twice", "name each axis once"


def _describe_axes_count(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    given, rank = f.words
    return (f"{op(use)} names {axes(given)} of a tile that has {rank}, {shapes(use.operands[0])}",
            "name each axis once, in the order of the result")


def _describe_transposed(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of a tile of {axes(f.words[0])}, {shapes(use.operands[0])}",
            "add an axis first: `t[None, :]`")


def _describe_transposed_which(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} does not say which two of the {axes(f.words[0])} of {shapes(use.operands[0])} it exchanges",
            "name them: `ct.transpose(t, -1, -2)`")


def _describe_scalar(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} gets a tile, {shapes(use.operands[0])}{line(use.operands[0].made, file)}, but it "
            "takes a number", "use `ct.broadcast_to`")


def _describe_subscript(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    kept, rank = f.words
    return (f"`:` stands for {axes(kept)} of a tile that has {rank}, {shapes(use.operands[0])}",
            "write one `:` for each axis of the tile, and `None` for each new one")


def _describe_ranks(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    a, b = f.words
    return (f"{op(use)} of tiles of {axes(a)} and of {axes(b)}", "give both the same number of axes")


def _describe_part_index(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    count, rank = f.words
    return (f"the index of {op(use)} has {entries(count)}, but the tile has {axes(rank)}, "
            f"{shapes(use.operands[0])}", "give one entry for each axis of the tile")


def _describe_part_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)}: the part has {axes(f.words[0])} and the tile {f.words[1]}, {shapes(use.operands[0])}",
            "give the part one extent for each axis of the tile")


def _describe_added_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} yields {axes(f.words[1])} and is added to a tile of {f.words[0]}, "
            f"{shapes(use.operands[2])}", "the accumulator is (M, N) for (M, K) times (K, N)")


def _describe_unpacked_rank(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    return (f"{op(use)} of a tile of {axes(f.words[0])}: it takes one of one axis",
            "reshape it first: `ct.reshape(t, (-1,))`")


_WORDS: Final[Mapping[str, Words]] = {
    "more_axes": _describe_more_axes,
    "stored_rank": _describe_stored_rank,
    "loaded_rank": _describe_loaded_rank,
    "array_rank": _describe_array_rank,
    "index_tile": _describe_index_tile,
    "axis": _describe_axis,
    "twice": _describe_twice,
    "axes_count": _describe_axes_count,
    "scalar": _describe_scalar,
    "subscript": _describe_subscript,
    "transpose": _describe_transposed,
    "transpose_which": _describe_transposed_which,
    "ranks": _describe_ranks,
    "part_index": _describe_part_index,
    "part_rank": _describe_part_rank,
    "added_rank": _describe_added_rank,
    "unpacked": _describe_unpacked_rank,
}


RULE: Final = Rule(
    code=CODE,
    name="tile-rank",
    summary="a wrong number of axes, or an axis that does not exist",
    severity="error",
    mypy="tile-shape",
    kernel=report_kernel,
)
