"""TC607 refused-by-compiler: a kernel that the compiler of cuda.tile does not compile for a seen launch.

## What it does

Reports the error of the front end of `cuda.tile`, at the line where it stops. Only `tilecheck check --compile` asks the
front end. It imports the file of the kernel, which runs its module code, and compiles the kernel for the constants, the
element types and the ranks of each seen launch. No GPU is needed.

A constant that is not known is not guessed: the launch is counted as not compiled. An element type that is not known is
sampled, and then an error is reported only if it is the same for all samples. A dialect kernel without a seen launch is
compiled for its declared types, with samples of its type variables.

An error on a line for which a rule on the language or on types already reports one is not repeated.

## Why is this bad?

The launch raises this error. Without `--compile`, what the checker does not know of the compiler shows at the first
launch on a GPU.

## Example

The checker does not know the width that the factory is given. The compiler has the object that it made:

```python
import cuda.tile as ct
import numpy as np


def make(width):
    @ct.kernel
    def halve(x, y, T: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i,), ct.reshape(ct.load(x, (i,), (T,)), (width,)))  # error: TC607

    return halve


HALVE = make(32)


def run():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    ct.launch(0, (4,), HALVE, (x, y, 16))
```

## Use instead

```python
import cuda.tile as ct
import numpy as np


def make(width):
    @ct.kernel
    def halve(x, y, T: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i,), ct.reshape(ct.load(x, (i,), (T,)), (width,)))

    return halve


HALVE = make(16)


def run():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    ct.launch(0, (4,), HALVE, (x, y, 16))
```

## How to suppress it

`# tilecheck: allow[TC607] another compiler is used` on the line, or without `--compile`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.rules.rule import Rule
from tilecheck.syntax.tree import Span

CODE: Final = "TC607"


def report_refused(
    kernel: str, words: str, span: Span, calls: Sequence[Span], launch: Span | None,
    values: Sequence[str], sampled: bool,
) -> Diagnostic:
    """The error for a kernel that the front end refuses. `calls` are the calls around the location, and `values` the
    numbers and element types of the launch."""
    notes = [Note("called here", call) for call in calls]
    if launch is not None:
        what = ", ".join(values)
        notes.append(Note(f"compiled for this launch{f', with {what}' if what else ''}", launch))
    if sampled:
        notes.append(Note("unknown types and type variables were sampled: it compiles for no sample"))
    return Diagnostic(
        CODE, "error", f"`{kernel}` does not compile: {words.rstrip('.')}", span, kernel, tuple(notes),
        "change this line, or what the launch passes" if launch is not None else "change this line")


RULE: Final = Rule(
    code=CODE,
    name="refused-by-compiler",
    summary="a kernel that the compiler of cuda.tile does not compile for a seen launch",
    severity="error",
    mypy="tile-language",
)
