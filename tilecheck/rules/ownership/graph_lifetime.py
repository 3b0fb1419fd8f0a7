"""TC406 graph-lifetime: a captured graph replayed after its inputs are gone or moved.

## What it does

Reports a captured graph whose tensors do not live as long as the graph:

* a graph of torch that is replayed after a tensor that it uses is gone, because the tensor was deleted or its last
  name was bound to another tensor;
* a tensor of the runtime that is moved while a graph that uses it can still be replayed.

Tensors that the function received, and tensors that are allocated during the capture, have other owners and are not
reported.

## Why is this bad?

A graph holds addresses. If it is replayed after a tensor was freed, it reads and writes memory that may have another
owner. If a name was bound to a new batch, the graph still uses the old one.

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def replayed(batches, n):
    x, out = torch.empty(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (ct.cdiv(n, 128),), double, (x, out, 128))
    for batch in batches:
        x = batch.cuda()
        graph.replay()  # error: TC406
    return out
```

## Use instead

Write into the tensor that was captured:

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def replayed(batches, n):
    x, out = torch.empty(n, device="cuda"), torch.empty(n, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), (ct.cdiv(n, 128),), double, (x, out, 128))
    for batch in batches:
        x.copy_(batch)
        graph.replay()
    return out
```

## How to suppress it

`# tilecheck: allow[TC406] why the tensor is still alive` on the line of the finding.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where
from tilecheck.rules.rule import Rule

CODE: Final = "TC406"


def report_event(event: Event) -> Diagnostic:
    if event.kind == "replayed":
        message = f"`{event.other}` is replayed after `{event.subject}`, which it uses, is gone"
        return finding(event, message, where(event, "it was captured here"))
    message = f"`{event.subject}` is {event.use} while a graph that uses it can still be replayed"
    return finding(event, message, where(event, "the graph was captured here"))


RULE: Final = Rule(
    code=CODE,
    name="graph-lifetime",
    summary="a captured graph replayed after its inputs are gone or moved",
    severity="error",
    mypy="tile-moved",
    residual=True,
    event=report_event,
)
