"""TC402 use-after-move: a tensor used after it was moved into a partition or launch.

## What it does

Finds a tensor, partition, operation or flight of the runtime that is used after it was moved: into a partition, into
the launch that writes it, into a shared handle, or, for an operation, by being run. A view of it counts as well.

Functions are followed along their paths: a tensor that is moved under an `if` and used after it is a finding, and so
is one that a loop moves twice. What counts is the memory, whatever it is called: views (`x.view[...]`, `reshape`),
tuples, lists, attributes that the class sets, functions of the file. Of what leaves these functions nothing is said,
unless `--strict` asks for it.

## Why is this bad?

What was moved belongs to somebody else: pieces of a partition to the blocks of a launch, an operation to the run that
it had. The runtime raises `MovedError` on that line when it gets there, which may be long after the test that was
run.

## Example

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def sums(steps: int) -> None:
    x, z = tcr.ones((1024,), f32), tcr.zeros((1024,), f32)
    for _ in range(steps):
        add(z.partition(128), x, x).sync()  # error: TC402
```

## Use instead

Go on with what came of it. A launch returns what its outputs have become:

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def sums(steps: int) -> None:
    x, z = tcr.ones((1024,), f32), tcr.zeros((1024,), f32)
    for _ in range(steps):
        z = add(z.partition(128), x, x).sync().unpartition()
```

## How to suppress it

`# tilecheck: allow[TC402] why it was not moved` on the line of the use. Code that expects to be refused needs none:
in a `try` that catches `MovedError` (or another error of the runtime) by name, and under `pytest.raises(...)` of one,
nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where
from tilecheck.rules.rule import Rule

CODE: Final = "TC402"

_SAID: Final[Mapping[str, Callable[[Event], tuple[str, str]]]] = MappingProxyType({
    "handle": lambda e: (f"`{e.subject}` is {e.use} after it was moved into {e.what}", "it was moved here"),
    "view": lambda e: (f"`{e.subject}` is {e.use} after the tensor that it is a view of was moved into {e.what}",
                       "that was moved here"),
    "memory": lambda e: (f"`{e.subject}` is {e.use}, but part of its memory was moved into {e.what}",
                         "it was moved here"),
    "operation": lambda e: (f"{e.subject} is {e.use}, but it was already {e.what}: an operation runs once",
                            f"it was {e.what} here"),
    "result": lambda e: (f"the result of {e.subject} is taken a second time", "it was taken here"),
})


def report_event(event: Event) -> Diagnostic:
    message, before = _SAID[event.kind](event)
    return finding(event, message, where(event, before))


RULE: Final = Rule(
    code=CODE,
    name="use-after-move",
    summary="a tensor used after it was moved into a partition or launch",
    severity="error",
    mypy="tile-moved",
    residual=True,
    event=report_event,
)
