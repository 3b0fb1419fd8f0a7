"""TC504 tile-extent: an extent of a tile that is not a power of two.

## What it does

Reports tiles with an extent that is not a positive power of two: tiles that are loaded, filled, counted with
`ct.arange`, broadcast, extracted or concatenated. An extent that depends on a constant of the kernel is wrong if it
is not a power of two for any value of the constant, such as `3 * T`, or for the value that a seen launch passes; the
finding then shows the launch. Extents of arrays, steps of a tiled view and numbers of blocks may have any value.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU. All extents of a tile are powers of two (Tile
IR specification, types).

## Example

```python
import cuda.tile as ct


@ct.kernel
def copy(a, c):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (48,)))  # error: TC504


@ct.kernel
def thirds(c, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.zeros((3 * T,), ct.float32))  # error: TC504
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def copy(a, c):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (64,)))


@ct.kernel
def thirds(c, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(3):
        ct.store(c, (3 * i + k,), ct.zeros((T,), ct.float32))
```

## How to suppress it

`# tilecheck: allow[TC504] this branch is never compiled` on the line or above the kernel. It needs a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.interp.kernel.tile_types.uses import Misfit, Use
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.operands import Words, op, shapes, type_findings
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Term

CODE: Final = "TC504"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The errors at operations."""
    return type_findings(view, CODE, _WORDS)


# --- operations of cuda.tile -----------------------------------------------------------------------------------------

def _describe_extent(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (extent,) = f.terms
    return (f"{op(use)} cannot produce a tile of shape {shapes(use.operands[0])}: dim {f.axis} is "
            f"{spell_term(extent)}, but extents are powers of two",
            _help_to_round(extent, use.op in ("ct.load", "ct.num_tiles", "view.tiled_view")))


def _help_to_round(extent: Term, array: bool) -> str:
    n = extent.constant
    if n is None or n <= 0:
        return "use a positive power of two"
    up = 1 << (n - 1).bit_length()
    return f"use {up}; " + ("elements outside the array are padded or clipped" if array else
                            "mask the lanes that are not needed")


def _describe_cat_extent(use: Use, f: Misfit, file: str) -> tuple[str, str]:
    (whole,) = f.terms
    return (f"`ct.cat` of tiles of shapes {shapes(*use.operands)} yields {spell_term(whole)} along dim {f.axis}, which "
            "is not a power of two", "concatenate tiles of equal extents")


_WORDS: Final[Mapping[str, Words]] = {
    "extent": _describe_extent,
    "cat": _describe_cat_extent,
}


RULE: Final = Rule(
    code=CODE,
    name="tile-extent",
    summary="an extent of a tile that is not a power of two",
    severity="error",
    mypy="tile-shape",
    kernel=report_kernel,
)
