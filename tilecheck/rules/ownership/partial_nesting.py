"""TC109 partial-nesting: a nested partition whose tile does not divide the piece.

## What it does

Reports tiles that are nested in a piece of an output, by `z.pieces(...)` or `z.store_at(...)`, and do not divide the
piece. If the extents are only known at the launch, the condition becomes a clause of the contract: the tile divides
the piece, or the array has one piece along that axis.

## Why is this bad?

Nested tiles are counted in units of their own size. If they do not divide the piece, the last one begins in this
piece and ends in the next one, which another block owns. Then both blocks write there, which is a data race and
undefined behaviour by the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). The bounds check does not prevent this: it
stops at the end of the array, not at the end of the piece.

## Example

```python
from __future__ import annotations

from typing import Literal

import cuda.tile as ct
from tilecheck_runtime import Mut, f32, kernel


@kernel
def clear(z: Mut[f32, Literal[48]]) -> None:
    for inner in z.pieces(32):  # error: TC109
        z[inner] = ct.zeros((32,), ct.float32)
```

## Use instead

```python
from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct
from tilecheck_runtime import Mut, f32, kernel

B = TypeVar("B", bound=int)
T = TypeVar("T", bound=int)


@kernel
def clear(z: Mut[f32, Literal[48]]) -> None:
    for inner in z.pieces(16):
        z[inner] = ct.zeros((16,), ct.float32)


@kernel
def clear_all(z: Mut[f32, B], t: T) -> None:
    # every launch satisfies B % t == 0, or has one piece
    for inner in z.pieces(t):
        z[inner] = ct.zeros((t,), ct.float32)
```

## How to suppress it

`# tilecheck: allow[TC109] the array has a single piece` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.rule import Rule

CODE: Final = "TC109"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    array = fault.array
    if fault.how == "open":
        message = f"whether the tiles nested in a piece of `{array}` divide it is not known when the kernel is launched"
        return Diagnostic(CODE, "error", message, fault.span, model.name, (),
                          "nest tiles whose extents are constants of the kernel")
    axis, inner, outer = (int(w) for w in fault.words)
    last = outer // inner * inner
    message = (f"tiles of {inner} do not divide the piece of `{array}`, which is {outer} along axis {axis}: the last "
               f"one reaches {last + inner - outer} past its end, into the next block's piece")
    note = Note(f"block 0 owns the elements 0 to {outer - 1}, and its nested tile {last // inner} covers {last} to "
                f"{last + inner - 1}")
    return Diagnostic(CODE, "error", message, fault.span, model.name, (note,), _fix(inner, outer))


def _fix(inner: int, outer: int) -> str:
    fitting = max((d for d in (1 << k for k in range(inner.bit_length())) if d <= inner and outer % d == 0), default=1)
    rounded = -(-outer // inner) * inner
    return f"nest tiles of {fitting}, or make the piece {rounded} long"


RULE: Final = Rule(
    code=CODE,
    name="partial-nesting",
    summary="a nested partition whose tile does not divide the piece",
    severity="error",
    mypy="tile-ownership",
    obligation=report_obligation,
)
