"""TC603 refused-call: a call of something that a kernel cannot call.

## What it does

Reports calls in a kernel, or in a function that a kernel calls, that the compiler does not translate:

* builtins of Python such as `sum`, `enumerate`, `zip`, `isinstance` or `round`, and `min` and `max` of other than two
  values;
* functions of libraries: `math.sin`, `np.sin`, `torch.exp`;
* classes other than frozen dataclasses and enumerations, kernels, and functions that a cache wraps;
* wrong arguments of an operation of `cuda.tile`, or of a function.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: only operations of `cuda.tile`, some
builtins and plain Python functions have a translation.

## Example

```python
import cuda.tile as ct


@ct.kernel
def weigh(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    total = sum((1, 2, T))  # error: TC603
    ct.store(y, (i,), ct.load(x, (i,), (T,)) * total)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def weigh(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    total = 1 + 2 + T
    ct.store(y, (i,), ct.load(x, (i,), (T,)) * total)
```

## How to suppress it

`# tilecheck: allow[TC603] the compiler of this project translates it` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC603"

TEXTS: Final[Texts] = MappingProxyType({
    "builtin": ("`{0}` has no translation in a kernel", "{1}"),
    "library": ("`{0}` is a function of Python: a kernel cannot call it", "{1}"),
    "class": (
        "`{0}(...)`: a kernel creates instances of frozen dataclasses only",
        "make it a frozen dataclass, or pass a tuple"),
    "cached": (
        "`{0}` is wrapped by `{1}`: a kernel calls plain functions",
        "call the function that is wrapped, or compute the value in `ct.static_eval`"),
    "kernel": ("`{0}` is a kernel: it is launched, not called", "move the body into a plain function that both call"),
    "arguments": ("`{0}` {1}", "its parameters are `{2}`"),
    "static": (
        "`ct.{0}` in `ct.{1}`: Python executes this expression, and it has no tiles",
        "call the operation outside, or pass constants only"),
    "constant": ("`{0}` of a value that is not known when the kernel is compiled", "use `x.astype({1})`"),
    "value": ("{0} is called", "call a function or an operation of `cuda.tile`"),
    "starred": ("`*` before {0}: only a tuple can be unpacked into arguments", "pass the items one by one"),
})

RULE: Final = Rule(
    code=CODE,
    name="refused-call",
    summary="a call of something that a kernel cannot call",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
