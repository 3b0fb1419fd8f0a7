"""TC302 unused-mask: a mask that is computed and not used.

## What it does

Reports a mask that is computed and reaches no access, no `where` and no other result. A mask is a comparison of
tiles, or a combination of masks with `&`, `|` and `~`. A mask that one variant of the kernel uses is not reported,
and neither is a name that begins with `_`.

## Why is this bad?

Accesses check bounds by themselves, so an unused mask is often harmless. But accesses check against the array. A mask
such as `offsets < n` also excludes lanes that lie inside the array and must not be used: if `n` is smaller than the
array, or if an offset extends from one row into the next.

## Example

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, n: int, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    mask = offsets < n  # error: TC302
    ct.scatter(dst, offsets, ct.gather(src, offsets) * 2)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, n: int, T: ct.Constant[int]):
    offsets = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    mask = offsets < n
    ct.scatter(dst, offsets, ct.gather(src, offsets) * 2, mask=mask)
```

## How to suppress it

`# tilecheck: allow[TC302] why it stays` on the line, or a name that begins with `_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Unused
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule

CODE: Final = "TC302"
_MASKABLE: Final = ("gather", "scatter")


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each such value."""
    for u in view.model.observed.unused:
        if u.kind == "mask":
            yield _describe(view.model, u)


def _describe(model: KernelModel, u: Unused) -> Diagnostic:
    unchecked = any(not a.checked and not a.tile for a in model.accesses)
    message = f"`{u.name}` is computed and never used: it limits no access"
    if unchecked:
        note = ("some accesses of this kernel do not check bounds: without a mask they access any location that the "
                "index selects")
    else:
        note = ("accesses check bounds against the array by themselves, but the mask also excludes lanes that lie "
                "inside the array and must not be used")
    maskable = any(a.op in _MASKABLE or a.op.startswith("atomic") for a in model.accesses)
    fix = f"pass it to an access, as `mask={u.name}`, or delete it" if maskable else (
        f"apply it, `ct.where({u.name}, ..., 0)`, or delete it")
    # a finding in a helper is the same for every kernel that calls it
    return Diagnostic(CODE, "warning", message, u.span, None if u.helper else model.name, (Note(note),), fix)


RULE: Final = Rule(
    code=CODE,
    name="unused-mask",
    summary="a mask that is computed and not used",
    severity="warning",
    mypy="tile-unused",
    unnecessary=True,
    fixes=("mask",),
    kernel=report_kernel,
)
