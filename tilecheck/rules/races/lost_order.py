"""TC108 lost-order: accesses of one block whose program order the compiler does not preserve.

## What it does

Reports accesses of one block that rely on program order, where the compiler does not preserve it:

* a store in a `for` loop whose iterations write the same elements although the compiler may leave them unordered, for
  example through a slice that moves with the loop;
* accesses under a lock whose operations do not order them.

## Why is this bad?

Program order alone orders nothing in Tile IR; only tokens do. The compiler leaves the token out if it considers the
iterations of a loop independent. Two unordered writes of one location are a data race even within one block ([Tile IR
specification, memory model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)), and the behaviour is
undefined.

## Example

In each iteration the slice moves back by a tile and the index advances by one. So all iterations write the same
elements, in no defined order:

```python
import cuda.tile as ct


@ct.kernel
def moving_window(dst, n: int, T: ct.Constant[int]):
    base = ct.bid(0) * n
    for k in range(n):
        window = dst.slice(0, (base + n - k) * T, (base + n) * T + T)
        ct.store(window, (k,), ct.full((T,), k, ct.float32))  # error: TC108
```

## Use instead

Hold the value in a variable and store it once after the loop, or let the iterations write different elements:

```python
import cuda.tile as ct


@ct.kernel
def last_value(dst, n: int, T: ct.Constant[int]):
    value = ct.zeros((T,), ct.float32)
    for k in range(n):
        value = value + k
    ct.store(dst, (ct.bid(0),), value)
```

## How to suppress it

`# tilecheck: allow[TC108] why the stores are ordered` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.wording import block_name, blocks, clause_list, element_of, iterations, launch_of
from tilecheck.rules.rule import Rule

CODE: Final = "TC108"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.kind != "order":
        return _weak_lock(s, model)
    array, w = s.access.array, s.witness
    help_ = f"take the view of `{array}` outside the loop, or move the view and keep the index fixed"
    if s.verdict == "refuted" and w is not None:
        message = (f"two iterations of the loop write {element_of(array, w)}, and the compiler leaves these stores "
                   "unordered")
        note = Note(f"{launch_of(w)}, block {block_name(w.first.block, model.axes_read)}:{iterations(w.first)} and"
                    f"{iterations(w.second)}", restates=True)
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (note,), help_, w)
    semantic = s.semantic_texts
    condition = f" unless {clause_list(semantic)}" if semantic else ""
    message = (f"iterations of the loop may write one element of `{array}`{condition}, and the compiler leaves these "
               "stores unordered")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_, w)


def _weak_lock(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    lock = next((array for array, _, how in s.access.locks if how != "ordered"),
                next((array for array, _, _ in s.access.locks), "the lock"))
    message = (f"the lock `{lock}` does not order this access to `{s.access.array}`: the compiler may move it out of "
               "the locked section")
    help_ = (f"take `{lock}` with memory_order=ct.MemoryOrder.ACQUIRE and release it with RELEASE, both with "
             "memory_scope=ct.MemoryScope.DEVICE")
    w = s.witness
    notes = () if w is None else (Note(
        f"{launch_of(w)}: {blocks(w, model.axes_read)} both access {element_of(s.access.array, w)}", restates=True),)
    severity: Severity = "warning" if w is None else "error"
    return Diagnostic(CODE, severity, message, s.access.span, model.name, notes, help_, w)


RULE: Final = Rule(
    code=CODE,
    name="lost-order",
    summary="accesses of one block whose program order the compiler does not preserve",
    severity="error",
    mypy="tile-race",
    residual=True,
    obligation=report_obligation,
)
