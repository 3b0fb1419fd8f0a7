"""TC403 use-in-flight: a tensor read or written while a launch that writes it is in flight.

## What it does

Reports memory that is read or moved while a launch that writes it is in flight, and memory that is moved while a
launch that reads it is in flight. A flight ends when its result is taken, by `flight.wait()` or `await flight`. A
flight that was dropped never ends, as far as the program knows.

If TC402 applies as well, only this rule reports: the program lacks a wait.

## Why is this bad?

The launch runs beside the program. A read may return old elements, new elements, or some of each. The runtime raises
`InFlightError` instead, even if the launch has already finished.

## Example

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def summed() -> object:
    x, z = tcr.ones((1024,), f32), tcr.zeros((1024,), f32).partition(128)
    flight = add(z, x, x).start()
    print(z.numpy())  # error: TC403
    return flight.wait()
```

## Use instead

Wait for the flight, and use its result. Inputs can be read in the meantime:

```python
from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


def summed() -> object:
    x, z = tcr.ones((1024,), f32), tcr.zeros((1024,), f32).partition(128)
    flight = add(z, x, x).start()
    print(x.numpy())
    z = flight.wait()
    return z.numpy()
```

## How to suppress it

`# tilecheck: allow[TC403] why the flight is over` on the line of the use.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where
from tilecheck.rules.rule import Rule

CODE: Final = "TC403"

_DOES: Final[Mapping[str, str]] = MappingProxyType({"reading": "reads"})


def report_event(event: Event) -> Diagnostic:
    does = _DOES.get(event.kind, "writes")
    message = f"`{event.subject}` is {event.use} while {event.what}, which is in flight, {does} it"
    return finding(event, message, where(event, "it was started here, and not waited for"))


RULE: Final = Rule(
    code=CODE,
    name="use-in-flight",
    summary="a tensor read or written while a launch that writes it is in flight",
    severity="error",
    mypy="tile-in-flight",
    residual=True,
    event=report_event,
)
