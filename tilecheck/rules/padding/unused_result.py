"""TC304 unused-result: a loaded or computed tile that never reaches memory.

## What it does

Reports a tile that is loaded or computed and reaches no store, no atomic, no condition and no result of a function.
Of a chain of such values the last one is reported. Assignments with an effect (an atomic, an ordered load, a call
that stores) are not reported, nor are values that one variant of the kernel uses, nor names that begin with `_`.

## Why is this bad?

The compiler removes the value. The kernel probably does not compute what its author intended: the result should have
been stored, or another name should have been used.

## Example

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    t = ct.load(src, (ct.bid(0),), (T,))
    doubled = t * 2  # error: TC304
    ct.store(dst, (ct.bid(0),), t)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    t = ct.load(src, (ct.bid(0),), (T,))
    doubled = t * 2
    ct.store(dst, (ct.bid(0),), doubled)
```

## How to suppress it

`# tilecheck: allow[TC304] why it stays` on the line, or a name that begins with `_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Unused
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule

CODE: Final = "TC304"
_WHAT: Final = {"tile": "computed", "loaded": "loaded"}


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each such value."""
    for u in view.model.observed.unused:
        if u.kind in _WHAT:
            yield _describe(view.model, u)


def _describe(model: KernelModel, u: Unused) -> Diagnostic:
    message = f"`{u.name}` is {_WHAT[u.kind]} and never reaches memory: nothing that is stored depends on it"
    note = "the compiler removes it, and the code that only computes it"
    # a finding in a helper is the same for every kernel that calls it
    return Diagnostic(CODE, "warning", message, u.span, None if u.helper else model.name, (Note(note),),
                      f"store `{u.name}` or a value computed from it, or delete it")


RULE: Final = Rule(
    code=CODE,
    name="unused-result",
    summary="a loaded or computed tile that never reaches memory",
    severity="warning",
    mypy="tile-unused",
    unnecessary=True,
    kernel=report_kernel,
)
