"""TC402 use-after-move: a tensor used after it was moved into a partition or launch.

## What it does

Reports a tensor, partition, operation or flight of the runtime that is used after it was moved: into a partition,
into a launch that writes it, or into a shared handle. An operation is moved when it runs. A use of a view of a moved
tensor is reported as well.

The checker follows functions along their paths. It reports a tensor that is moved under an `if` and used after it,
and one that a loop moves twice. It tracks memory, not names: views (`x.view[...]`, `reshape`), tuples, lists,
attributes that the class sets, and functions of the file. Uses of values that leave these functions are only reported
with `--strict`.

## Why is this bad?

A moved object has a new owner: the pieces of a partition belong to the blocks of a launch, and an operation belongs
to its run. The runtime raises `MovedError` at that line when the line executes, which may be long after the tests
passed.

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

Continue with the result of the move. A launch returns its outputs:

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

`# tilecheck: allow[TC402] why it was not moved` on the line of the use. Code that expects the error needs no
suppression: nothing is reported in a `try` that catches `MovedError`, or another error of the runtime, by name, nor
under `pytest.raises(...)` of one.
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
