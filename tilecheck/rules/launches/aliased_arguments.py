"""TC401 aliased-arguments: one launch gets overlapping storage for a written and another parameter.

## What it does

Reports a seen launch that passes the same storage for a parameter that the kernel writes and for another parameter.
Views count (`x.view(...)`, slices with constant bounds that overlap), and so do the results of in-place operations
(`x.add_(1)`, `torch.add(..., out=x)`). Launches through the runtime are checked in the same way.

The arrays of a list count as well, each by its position: `xs[0]` and `xs[1]`. For two arrays of one list, it is an
error if two blocks access one element in the numbers of the launch and one of them writes it, else a warning.

It is a warning if both parameters get the whole array, and each block reads from it only what it writes later: such a
launch in place is undefined by the specification, and works with today's compilers. Declare it if it is meant.

## Why is this bad?

The compiler assumes that array parameters are disjoint; a launch that passes overlapping arrays is undefined
behaviour. The compiler may reuse values that were loaded from one array after the other one was written, and it does
not order accesses to different arrays. Blocks also race if one of them reads through the first name an element that
another one writes through the second ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)).

## Example

```python
import cuda.tile as ct
import torch


@ct.kernel
def shift(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (max(i - 1, 0),), (T,)) + 1)


def shift_in_place(x):
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128), 1, 1), shift, (x, x, 128))  # error: TC401
```

## Use instead

Give the result its own storage, or write a kernel that takes the array once and updates it in place:

```python
import cuda.tile as ct
import torch


@ct.kernel
def shift(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) + 1)


def shifted(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128), 1, 1), shift, (x, out, 128))
    return out
```

## How to suppress it

`# tilecheck: allow[TC401] why the arguments do not overlap` on the line of the launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.aliased_arguments import find_aliased_arguments
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.messages.host import finding
from tilecheck.rules.rule import Rule

CODE: Final = "TC401"

_RACE: Final = "two blocks access one element through them, and one of them writes it"
_UNDEFINED: Final = "a launch whose arrays overlap is undefined if the kernel writes one of them"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """An error at each argument that overlaps one before it."""
    model = view.model
    for found in find_aliased_arguments(model, view.launches):
        first, second = found.names
        other = second if found.written == first else first
        passed = f"`{found.text}` is passed as `{first}` and as `{second}`" if "[" not in first + second else (
            f"`{first}` and `{second}` are passed the same storage")
        message = f"{passed}, and `{model.name}` writes `{found.written}`"
        what = (_RACE if found.certain else _UNDEFINED) if found.of_one_list else (
            f"the compiler assumes that arguments do not overlap, and may use an old value of `{other}` after a write "
            f"to `{found.written}`")
        notes = (Note(what), Note("the kernel is here", model.name_span))
        help_ = f"pass another array as `{other}`, or a copy"
        if found.in_place:
            # it is undefined by the letter, and the compiler has no reason to do it wrong
            help_ += ("; or let the kernel take one array, which it reads and writes; or state that this is meant: "
                      "`# tilecheck: allow[TC401] in place: each block reads what it writes`")
        severity: Severity = "warning" if found.in_place or not found.certain else "error"
        yield Diagnostic(CODE, severity, message, found.span, model.name, notes, help_)


def report_event(event: Event) -> Diagnostic:
    """Overlapping arguments of a launch through the runtime."""
    message = (f"`{event.subject}` and `{event.use}` share memory: they are passed as `{event.other}` and "
               f"`{event.what}`, and `{event.kernel}` writes `{event.what}`")
    return finding(event, message)


RULE: Final = Rule(
    code=CODE,
    name="aliased-arguments",
    summary="one launch gets overlapping storage for a written and another parameter",
    severity="error",
    mypy="tile-alias",
    residual=True,
    kernel=report_kernel,
    event=report_event,
)
