"""TC601 unknown-name: a name that cuda.tile does not have.

## What it does

Reports a name that does not exist, in a kernel or in a function that a kernel calls: an operation of `cuda.tile`
(`ct.sigmoid`), a name that is imported from `cuda.tile`, a member of an enumeration (`ct.PaddingMode.NINF`), or an
attribute of a tile, an array or a tuple. The closest name that exists is suggested.

The names of `cuda.tile` are those of cuda-tile 1.7. If the project requires a newer release, the rules TC6xx report
nothing, because its language is not known. The release is that of `cuda-tile = "1.8"` in `[tool.tilecheck]`, or of the
dependency `cuda-tile>=1.8` in the same `pyproject.toml`. Private names are not reported, nor are names in a function or
an import that is under a condition, as in `if hasattr(ct, "x"):`, or in a `try`.

## Why is this bad?

The kernel does not compile, which shows at its first launch on a GPU: an attribute that does not exist is an
error.

## Example

```python
import cuda.tile as ct


@ct.kernel
def activate(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), ct.sigmoid(t))  # error: TC601
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def activate(x, y, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(y, (i,), 1 / (1 + ct.exp(-t)))
```

## How to suppress it

`# tilecheck: allow[TC601] a release that is not published yet has it` on the line or above the
kernel. It needs a reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from tilecheck.rules.messages.refusals import Texts, refusal_findings
from tilecheck.rules.rule import Rule

CODE: Final = "TC601"

TEXTS: Final[Texts] = MappingProxyType({
    "name": ("`{0}` has no name `{1}`", "`docs/cuda-tile.md` lists the operations"),
    "close": ("`{0}` has no name `{1}`", "did you mean `{2}`?"),
    "composed": ("`{0}` has no name `{1}`", "write `{2}`"),
    "attribute": ("{0} has no attribute `{1}`", "{2}"),
})

RULE: Final = Rule(
    code=CODE,
    name="unknown-name",
    summary="a name that cuda.tile does not have",
    severity="error",
    mypy="tile-language",
    kernel=partial(refusal_findings, code=CODE, texts=TEXTS),
)
