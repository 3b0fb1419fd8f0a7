"""TC106 duplicate-scatter: one scatter writes an element twice from one block.

## What it does

Reports a scatter whose indices name one element twice within one block.

## Why is this bad?

A tile operation performs one memory operation for each element, and nothing orders these operations. Two of them that
write one location are a data race inside a block ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). The behaviour is undefined; neither of the
two values is guaranteed to remain.

## Example

Lanes `2 * k` and `2 * k + 1` have the same index:

```python
import cuda.tile as ct


@ct.kernel
def pairs(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    offsets = i * T + ct.arange(T, dtype=ct.int32) // 2
    ct.scatter(dst, offsets, ct.load(src, (i,), (T,)))  # error: TC106
```

## Use instead

Give every lane an element of its own, or combine the lanes first. To add up values in one location, use
`ct.atomic_add`: its lanes may name the same element.

```python
import cuda.tile as ct


@ct.kernel
def spread(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    offsets = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(dst, offsets, ct.load(src, (i,), (T,)))


@ct.kernel
def add_pairs(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    offsets = i * T + ct.arange(T, dtype=ct.int32) // 2
    ct.atomic_add(dst, offsets, ct.load(src, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))
```

## How to suppress it

`# tilecheck: allow[TC106] why the indices differ` on the line or above the kernel, or `@unsafe("why")` on the kernel.
If the indices come from an array that contains no value twice, declare that instead: `@requires("injective(ids)")`.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, launch_of
from tilecheck.rules.rule import Rule

CODE: Final = "TC106"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    array, w = s.access.array, s.witness
    help_ = f"give every lane its own element of `{array}`, or mask the lanes that repeat one"
    if s.verdict == "refuted" and w is not None:
        first, second = (", ".join(str(v) for _, v in p.lanes) for p in (w.first, w.second))
        message = f"one {s.access.op} writes {element_of(array, w)} twice: from lane {first} and from lane {second}"
        note = Note(f"{launch_of(w)}, in block {block_name(w.first.block, model.axes_read)}; which of the two values "
                    "remains is undefined", restates=True)
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (note,), help_, w)
    semantic = s.semantic_texts
    if s.verdict == "conditional":
        message = f"lanes write different elements of `{array}` only if {clause_list(semantic)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = f"could not prove that the lanes of this {s.access.op} write different elements of `{array}`"
        if s.missing:
            help_ = f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}"
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, (), help_, w)


RULE: Final = Rule(
    code=CODE,
    name="duplicate-scatter",
    summary="one scatter writes an element twice from one block",
    severity="error",
    mypy="tile-race",
    residual=True,
    obligation=report_obligation,
)
