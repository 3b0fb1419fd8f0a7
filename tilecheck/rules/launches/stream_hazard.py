"""TC407 stream-hazard: two streams touch the same storage with no order between them.

## What it does

Reports two pieces of work on the same memory that run on different CUDA streams with no order between them, if at
least one of them writes. Work means launches of kernels, operations of torch on the current stream, and the
initialisation of a new tensor. `wait_stream`, events that are recorded and waited for, and a synchronisation by the
host establish an order. Only streams that the function creates are distinguished from the current one; a stream that
the function receives may be any stream.

The runtime orders its launches itself. For it, the rule reports a launch that is run inside another operation.

## Why is this bad?

Streams run at the same time. A reader sees old elements, new elements, or some of each, and in tests mostly the right
ones. A launch inside an operation of the runtime would wait for the thread that it runs in; the runtime raises
`NestedLaunchError`.

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    side = torch.cuda.Stream()
    ct.launch(side, (ct.cdiv(x.shape[0], 128),), double, (x, out, 128))
    return out.sum()  # error: TC407
```

## Use instead

Let one stream wait for the other:

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    ct.launch(side, (ct.cdiv(x.shape[0], 128),), double, (x, out, 128))
    torch.cuda.current_stream().wait_stream(side)
    return out.sum()
```

## How to suppress it

`# tilecheck: allow[TC407] why they are ordered` on the line of the finding.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where
from tilecheck.rules.rule import Rule

CODE: Final = "TC407"


def report_event(event: Event) -> Diagnostic:
    if event.kind == "nested":
        note = Note("a continuation runs inside its operation, which cannot launch another one and wait for it")
        return finding(event, f"{event.subject} is run inside another operation", (note,))
    first, second = map(_quote_stream, event.other.split("|"))
    message = (f"`{event.subject}` is used by {event.use} on {second} while {event.what} on {first} may still use "
               "it: nothing orders the two")
    return finding(event, message, where(event, f"{event.what} is here"))


def _quote_stream(stream: str) -> str:
    """A stream that has a variable by that, any other as it is described."""
    return f"`{stream}`" if stream.isidentifier() else stream


RULE: Final = Rule(
    code=CODE,
    name="stream-hazard",
    summary="two streams touch the same storage with no order between them",
    severity="error",
    mypy="tile-in-flight",
    residual=True,
    event=report_event,
)
