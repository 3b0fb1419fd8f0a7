"""TC207 narrowed-index: an index that is silently truncated or may wrap.

## What it does

Reports an index that loses bits:

* a cast to an integer type of 8 or 16 bits, of a value that grows with the grid or may exceed the type;
* a cast to 32 bits of a product that was computed in 64 bits;
* an index in 32 bits, if a declared size or the constants of a seen launch reach 2**31.

An ordinary index is required to stay below 2**31 by a clause of the contract. That clause is not a finding.

## Why is this bad?

The index wraps: from 32768, or 2**31, on it is a different index, and mostly a negative one. A bounds check drops the
element, so that part of the output is never written. Without a check, the access goes to other memory.

## Example

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    offsets = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32)).astype(ct.int16)  # error: TC207
    ct.store(dst, (ct.bid(0),), ct.gather(src, offsets) * 2)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.store(dst, (ct.bid(0),), ct.gather(src, offsets) * 2)
```

## How to suppress it

`# tilecheck: allow[TC207] why the index is small` on the line or above the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.narrowed_index import DeclaredWide, NarrowedIndex, WrappingIndex, wrapping_at_launches
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Lane

CODE: Final = "TC207"

_WIDEN: Final = "compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with `ct.IndexedWithInt64`"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each index that may not fit."""
    for lint in view.lints:
        match lint:
            case NarrowedIndex():
                yield _describe_narrowed(lint, view.model.name)
            case DeclaredWide():
                message = (f"the index of `{lint.access.array}` may wrap: it is computed in 32 bits, and "
                           f"`{lint.clause}` admits sizes beyond 2**31")
                yield Diagnostic(CODE, "warning", message, lint.span, view.model.name, (), _WIDEN)
    for wrapping in wrapping_at_launches(view.model, view.launches):
        yield _describe_wrapping(wrapping, view.model.name)


def _describe_narrowed(lint: NarrowedIndex, kernel: str) -> Diagnostic:
    n, array = lint.narrowing, lint.access.array
    lane = n.value.single
    what = f"ct.arange({spell_term(lane.size)})" if isinstance(lane, Lane) else spell_term(n.value)
    message = (f"`{what}` is narrowed to {n.dtype} and becomes an index of `{array}`: from {_power(lint.capacity)} on "
               "it is a different index")
    wide = "int64" if n.dtype.bits == 32 else "int32"
    return Diagnostic(CODE, "warning", message, lint.span, kernel,
                      (Note(f"`{array}` is indexed here", lint.access.span),), f"keep the index in {wide}")


def _power(value: int) -> str:
    return f"2**{value.bit_length() - 1}" if value > 2**16 else str(value)


def _describe_wrapping(lint: WrappingIndex, kernel: str) -> Diagnostic:
    message = (f"the index of `{lint.access.array}` wraps: it is computed in 32 bits, and reaches "
               f"`{spell_term(lint.bound)}`, which is 2**31 or more in a seen launch")
    return Diagnostic(CODE, "warning", message, lint.span, kernel,
                      (Note("it is launched here", lint.launch.span),), _WIDEN)


RULE: Final = Rule(
    code=CODE,
    name="narrowed-index",
    summary="an index that is silently truncated or may wrap",
    severity="warning",
    mypy="tile-bounds",
    kernel=report_kernel,
)
