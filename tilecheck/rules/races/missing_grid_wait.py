"""TC111 missing-grid-wait: a kernel under programmatic dependent launch accesses memory before it waits.

## What it does

Reports a kernel that is launched with `programmatic_dependent_launch=True` and accesses an array before it calls
`ct.grid_dependency_control_wait()`, or without calling it.

A wait under a condition only counts for accesses under the same condition; the constants that the launch passes are
taken into account. A kernel may read an array before the wait if it reads other arrays only after the wait: such an
array is assumed not to be written by an earlier launch. A kernel without such a launch is not reported.

## Why is this bad?

Under programmatic dependent launch, a kernel starts while the previous launch is still running. The writes of the
previous launch are visible only after the wait. Before it, a load may return old values, and a store may overwrite
elements that are still being read. Nothing orders the two accesses. That is a data race, and undefined behaviour by
the Tile IR memory model ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)).

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(src, (i,), (T,))  # error: TC111
    ct.grid_dependency_control_wait()
    ct.store(dst, (i,), t * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128),), double, (x, out, 128),
              programmatic_dependent_launch=True)
    return out
```

## Use instead

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.grid_dependency_control_wait()
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128),), double, (x, out, 128),
              programmatic_dependent_launch=True)
    return out
```

## How to suppress it

`# tilecheck: allow[TC111] no earlier launch writes src` on the line of the access, or above the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import constants_of
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Early
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule

CODE: Final = "TC111"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error at the first access that may come too early in some seen launch."""
    model = view.model
    for launch in view.launches:
        if not launch.dependent:
            continue
        given = constants_of(model, launch)
        early = next(
            (e for e in model.observed.early if not _reads_ahead(model, e) and not e.is_after_wait(given)), None
        )
        if early is not None:
            yield _describe(model, launch, early)
            return


def _reads_ahead(model: KernelModel, early: Early) -> bool:
    """Whether an array is read ahead of the wait on purpose: the kernel reads others after it, and not this one."""
    after = model.observed.after
    return early.reads and not early.waits and bool(after) and early.array not in after


def _describe(model: KernelModel, launch: Launch, early: Early) -> Diagnostic:
    late = "on a path that has not waited for it" if model.observed.waits else "without waiting for it"
    message = (f"`{model.name}` may start while the previous launch is still running, and accesses `{early.array}` "
               "here "
               f"{late}")
    return Diagnostic(
        CODE, "error", message, early.span, model.name,
        (Note("it is launched with programmatic_dependent_launch=True here", launch.span),
         Note("the writes of the previous launch are visible only after the wait")),
        "call `ct.grid_dependency_control_wait()` before the first access, on every path")


RULE: Final = Rule(
    code=CODE,
    name="missing-grid-wait",
    summary="a kernel under programmatic dependent launch accesses memory before it waits",
    severity="error",
    mypy="tile-race",
    kernel=report_kernel,
)
