"""TC404 never-run: a lazy launch that is built and dropped.

## What it does

Reports an operation of the runtime (a call of a kernel, a `zip`, a `then`) that is dropped before it ran. The finding
is an error if the operation never runs, and a warning if it does not run on some path. Paths that end with `raise` do
not count.

## Why is this bad?

Calling a kernel only builds the operation. Without `.sync()`, `.start()` or `await` nothing is computed, and the
outputs are lost. The runtime warns with `NeverRunWarning` when that happens.

## Example

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def summed(x: tcr.Tensor) -> None:
    add(tcr.zeros((1024,), f32).partition(128), x, x)  # error: TC404
```

## Use instead

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def summed(x: tcr.Tensor) -> tcr.Partition:
    return add(tcr.zeros((1024,), f32).partition(128), x, x).sync()
```

## How to suppress it

`# tilecheck: allow[TC404] why it need not run` on the line where it is built.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding
from tilecheck.rules.rule import Rule

CODE: Final = "TC404"


def report_event(event: Event) -> Diagnostic:
    some = " on some path" if event.kind == "some path" else ""
    note = Note("calling a kernel of the dialect only builds an operation: it runs with `.sync()`, `.start()` or "
                "`await`")
    return finding(event, f"{event.subject} is built and{some} never run", (note,))


RULE: Final = Rule(
    code=CODE,
    name="never-run",
    summary="a lazy launch that is built and dropped",
    severity="error",
    mypy="tile-never-run",
    fixes=("run_operation",),
    event=report_event,
)
