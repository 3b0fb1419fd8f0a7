"""TC104 shared-write: a write through a `Ref`, or to an array declared read-only.

## What it does

Reports a write through a parameter that a kernel of the ownership dialect only borrows: a store, an atomic, or an
assignment to an item of a `Ref`, of a partition or view of a `Ref`, or of the array behind it.

In host code, reports a tensor of the runtime that is used for writing although others may read it: the partition of a
shared handle while another handle exists, or the partition of a read-only view.

## Why is this bad?

The caller keeps a `Ref` while the kernel runs. Other launches may read the same storage at the same time, and every
block of this launch reads it without synchronisation. A write to it is a data race with those reads, and the
behaviour is undefined by the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). The proofs of dialect kernels depend on this
rule: they assume that no element of a `Ref` changes during a launch.

## Example

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def scale(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    t = x.load_like(z) * 2.0
    x.store(t)  # error: TC104
    z.store(t)
```

## Use instead

Write to an output. An array that is both read and written is an output whose blocks read their own pieces:

```python
from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def scale(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) * 2.0)


@kernel
def scale_in_place(z: Mut[f32, B]) -> None:
    z.store(z.load() * 2.0)
```

## How to suppress it

`# tilecheck: allow[TC104] no other code uses this array` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.host import finding, where
from tilecheck.rules.rule import Rule

CODE: Final = "TC104"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    how = {
        "method": f"`{fault.array}.{''.join(fault.words)}`",
        "item": f"an assignment to an item of `{fault.array}`",
        "raw": f"`ct.{''.join(fault.words)}`",
    }[fault.how]
    message = f"{how} writes to `{fault.array}`, which the kernel only borrows: it is a `Ref`"
    span = next((p.span for p in model.params if p.name == fault.array), None)
    notes = () if span is None else (Note(f"`{fault.array}` is declared here", span),)
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, notes,
        f"declare `{fault.array}: Mut[...]` if the kernel writes it; otherwise store to an output")


def report_event(event: Event) -> Diagnostic:
    """Of host code that asks for memory to write which others may read, or which can only be read."""
    if event.kind == "read-only":
        return finding(event, f"`{event.subject}` is {event.use}, but it is a read-only view")
    return finding(event, f"`{event.subject}` is {event.use}, but another handle shares its memory",
                   where(event, "the other handle was created here"))


RULE: Final = Rule(
    code=CODE,
    name="shared-write",
    summary="a write through a `Ref`, or to an array declared read-only",
    severity="error",
    mypy="tile-ownership",
    obligation=report_obligation,
    event=report_event,
)
