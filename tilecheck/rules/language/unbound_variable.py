"""TC606 unbound-variable: a variable that has no value, or two types, on some path.

## What it does

Reports a name that nothing defines, a variable that is used where some path has not set it, and one that is used
where two paths have set it to values of different kinds or types. The finding is at
the statement whose paths differ. A variable that only the body of a loop sets has no value after the loop, because the
loop may be empty.

Conditions that are decided while the kernel is compiled choose one path and are not counted.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: each variable of a kernel has one type, and
a value on every path to its uses.

## Example

```python
import cuda.tile as ct


@ct.kernel
def edge(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    if n > 3:  # error: TC606
        t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), t)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def edge(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.zeros((T,), ct.float32)
    if n > 3:
        t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), t)
```

## How to suppress it

`# tilecheck: allow[TC606] the condition is a constant of another module` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC606"

TEXTS: Final[Texts] = MappingProxyType({
    "undefined": ("`{0}` is not defined", "define it, or import it"),
    "unset": ("`{0}` is used before it is set", "set it above"),
    "path": (
        "`{0}` has a value after this statement on some paths only, and line {1} uses it",
        "set it before the statement"),
    "kinds": (
        "`{0}` is {1} or {2} after this statement, by the path, and line {3} uses it",
        "give it the same kind and type on both paths"),
    "carried": ("`{0}` is {1} before the loop and {2} at the end of an iteration", "use another name in the loop"),
    "carried kinds": (
        "`{0}` is {1} or {2} at the end of an iteration, by the path",
        "give it the same kind and type on both paths"),
    "carried unset": (
        "`{0}` has a value before the loop, and at the end of an iteration on some paths only",
        "set it on every path"),
    "returned": (
        "this function returns {0} or {1}, by the path that was taken",
        "return the same kind and type on all paths"),
    "expression": (
        "this is {0} or {1}, by a condition that is known at run time only",
        "give both alternatives the same kind and type"),
})

RULE: Final = Rule(
    code=CODE,
    name="unbound-variable",
    summary="a variable that has no value, or two types, on some path",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
