"""TC902 opt-out-without-reason: a suppression without a reason.

## What it does

Reports a suppression, a `# tilecheck: allow[...]` comment or an `@unsafe` decorator, that does not state why the code
is right.

## Why is this bad?

A suppression replaces a proof by the word of the author. Without the argument, a later reader who changes the code
cannot check whether it still holds.

## Example

```python
import cuda.tile as ct
from tilecheck import unsafe


@unsafe()  # error: TC902
@ct.kernel
def first_block_wins(src, dst, T: ct.Constant[int]):
    ct.store(dst, (0,), ct.load(src, (ct.bid(0),), (T,)))
```

## Use instead

```python
import cuda.tile as ct
from tilecheck import unsafe


@unsafe("launched with one block only, by the self test")
@ct.kernel
def first_block_wins(src, dst, T: ct.Constant[int]):
    ct.store(dst, (0,), ct.load(src, (ct.bid(0),), (T,)))
```

## How to suppress it

`--ignore TC902`, or `ignore = ["TC902"]` in `[tool.tilecheck]`.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.rules.rule import Rule
from tilecheck.syntax.tree import Span

CODE: Final = "TC902"


def report_missing_reason(what: str, decorator: bool, span: Span, kernel: str | None) -> Diagnostic:
    """The warning for a suppression without a reason. `what` is the suppression in words."""
    help_ = 'write @unsafe("why")' if decorator else "state why the code is right after the bracket"
    return Diagnostic(CODE, "warning", f"{what} gives no reason", span, kernel, help=help_)


RULE: Final = Rule(
    code=CODE,
    name="opt-out-without-reason",
    summary="a suppression without a reason",
    severity="warning",
    mypy="tile-opt-out",
)
