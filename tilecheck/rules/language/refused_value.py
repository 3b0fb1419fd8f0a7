"""TC605 refused-value: a value that a kernel cannot use in this way.

## What it does

Reports values that the compiler does not take in a place: items of arrays and tiles, lists and other objects of a
module, operators of `None`, strings, tuples and arrays, indices of tuples that are not constants, integers to an
integer power, a value that a kernel returns, and objects without a translation.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: a value of a kernel is a tile, a number, an
array or a tuple of those.

## Example

```python
import cuda.tile as ct


@ct.kernel
def square(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), t * n ** 2)  # error: TC605
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def square(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), t * (n * n))
```

## How to suppress it

`# tilecheck: allow[TC605] the compiler of this project translates it` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC605"

TEXTS: Final[Texts] = MappingProxyType({
    "array item": ("an item of {0}: a kernel loads tiles", "use `ct.load` or `ct.gather`"),
    "tile item": ("an item of a tile", "use `ct.extract(t, index, shape)`; `t[None, :]` adds an axis"),
    "item of": ("an item of {0}", "{1}"),
    "array item set": ("an item of {0} is set: a kernel stores tiles", "use `ct.store` or `ct.scatter`"),
    "item set": ("an item of {0} is set: it does not change", "compute a new value; `ct.where` selects elements"),
    "tuple index": ("an index of a tuple that is not a constant", "use a constant, or `if` and `elif`"),
    "out of range": ("index {0} of a tuple with {1} items", "use an index from {2} to {3}"),
    "index kind": ("an index of a tuple that is {0}", "use an integer constant"),
    "operator": ("`{0}` of {1} and {2}", "{3}"),
    "unary": ("`{0}` of {1}", "{2}"),
    "identity": ("`{0}` of values of which none is `None`", "compare with `==`"),
    "power": ("an integer to an integer power", "multiply: `n * n`; or convert one of them to a float"),
    "truth": ("{0} decides a branch", "compare it with a number; of a tile, select with `ct.where`"),
    "module value": (
        "`{0}` is {1}: a kernel uses numbers, strings, tuples and functions of a module",
        "make it a tuple, or pass it as an argument"),
    "constant value": ("{0} is not a value of the device language", "use an integer or a float"),
    "returned": ("a kernel returns {0}", "store it in an array"),
    "unpack": ("{0} is unpacked into {1} names", "{2}"),
    "context": ("`with` of {0}", "use a function that `contextmanager` decorates"),
    "starred": ("`*` before {0}: only a tuple can be unpacked", "name the items"),
    "argument": ("`{0}` of `{1}` is {2}", "it takes {3}"),
    "raised": (
        "the compiler raises this exception",
        "launch with other constants, or put the `raise` under a condition that is a constant"),
    "asserted": ("this assertion of the compiler fails", "launch with constants for which it holds"),
    "static kind": ("`ct.static_assert` of a number", "compare it: the condition is a boolean"),
    "static condition": (
        "`ct.static_assert` of a condition that is not known when the kernel is compiled",
        "use `ct.assert_`"),
})

RULE: Final = Rule(
    code=CODE,
    name="refused-value",
    summary="a value that a kernel cannot use in this way",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
