"""TC604 refused-loop: a loop that the compiler does not translate.

## What it does

Reports a `for` over something other than a `range` or `ct.static_iter(...)`, and a `range` with a constant step that
is not positive.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: a loop of a kernel counts, and its counter
only goes up.

## Example

```python
import cuda.tile as ct


@ct.kernel
def sums(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    for k in (1, 2, 4):  # error: TC604
        t = t + k
    ct.store(y, (i,), t)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def sums(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    for k in ct.static_iter((1, 2, 4)):
        t = t + k
    ct.store(y, (i,), t)
```

## How to suppress it

`# tilecheck: allow[TC604] the loop is unrolled before it is compiled` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC604"

TEXTS: Final[Texts] = MappingProxyType({
    "iterable": ("a loop over {0}: a loop of a kernel runs over a `range`", "{1}"),
    "step": (
        "the step of this `range` is {0}: a loop of a kernel counts up",
        "count up and compute the index: `for k in range(n): i = n - 1 - k`"),
    "bound": ("a bound of this `range` is {0}", "use integers: `range(0, n)`"),
    "static iterable": ("`ct.static_iter` of {0}: it has no items", "iterate over a tuple or a range of constants"),
    "static range": (
        "a bound of this range is not known when the kernel is compiled, and `ct.static_iter` repeats the body for "
        "each item", "loop over the `range` itself, or annotate the bound as `ct.Constant[int]`"),
    "range arguments": (
        "`range` with {0} arguments",
        "write `range(stop)`, `range(start, stop)` or `range(start, stop, step)`"),
    "target": ("the counter of a `range` is one number and is unpacked into several names", "use one name"),
})

RULE: Final = Rule(
    code=CODE,
    name="refused-loop",
    summary="a loop that the compiler does not translate",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
