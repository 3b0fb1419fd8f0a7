"""TC103 cross-block-read: a block reads an element that another block writes in the same launch.

## What it does

Reports a block that reads an element which another block writes in the same launch. The finding is located at the
read.

## Why is this bad?

The blocks of a launch are not ordered: there is no barrier, and no guarantee that they run at the same time. A plain
read and a plain write of one location from two blocks are a data race ([Tile IR specification, memory
model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)), and the behaviour of the program is
undefined. The reader may see the old value or the new one. It may also see a value that was never stored, because the
compiler may assume that no other block accesses the location.

## Example

A reduction in two phases, as if all blocks finished the first phase before any of them begins the second:

```python
import cuda.tile as ct


@ct.kernel
def two_phases(src, partial, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(partial, (i,), ct.load(src, (i,), (T,)))
    total = ct.zeros((T,), ct.float32)
    for j in range(ct.num_blocks(0)):
        total = total + ct.load(partial, (j,), (T,))  # error: TC103
    ct.store(dst, (i,), total)
```

## Use instead

End the launch between the phases. Launches on one stream run one after the other:

```python
import cuda.tile as ct


@ct.kernel
def first_phase(src, partial, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(partial, (i,), ct.load(src, (i,), (T,)) * 2)


@ct.kernel
def second_phase(partial, dst, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((T,), ct.float32)
    for j in range(n):
        total = total + ct.load(partial, (j,), (T,))
    ct.store(dst, (i,), total)
```

A block may read the elements that it writes itself:

```python
import cuda.tile as ct


@ct.kernel
def in_place(x, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(x, (i,), ct.load(x, (i,), (T,)) * 2)
```

## How to suppress it

`# tilecheck: allow[TC103] why no other block writes it` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import (
    advise_on_example,
    clause_list,
    element_of,
    iterations,
    launch_of,
    note_example,
    pair_of_blocks,
)
from tilecheck.rules.rule import Rule

CODE: Final = "TC103"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    array = s.access.array
    notes = [Note(f"`{array}` is written here", s.other.span)] if s.other is not None else []
    help_ = (f"read the elements of `{array}` that other blocks write in a second launch, or read an array that no "
             "block writes")
    w = s.witness
    if s.verdict == "refuted" and w is not None:
        writer, reader = pair_of_blocks(w, model.axes_read)
        message = f"block {reader} reads {element_of(array, w)}, which block {writer} writes in the same launch"
        notes.append(Note(f"{launch_of(w)}: block {writer}{iterations(w.first)} writes and block "
                          f"{reader}{iterations(w.second)} reads {element_of(array, w)}", restates=True))
        return Diagnostic(CODE, "error", message, s.access.span, model.name, (
            *notes, *note_example(s.reason, w), *s.advice.notes),
            advise_on_example(s.reason) or s.advice.help or help_, w, Proposal(edits=s.advice.edits))
    semantic = s.semantic_texts
    if s.verdict == "conditional":
        message = f"a block may read an element of `{array}` that another one writes unless {clause_list(semantic)}"
        help_ = f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")'
    else:
        message = (f"could not prove that no block reads an element of `{array}` that another one writes: "
                   f"{reason_text(s.reason)}")
        if s.missing:
            help_ = f"if it holds, say so in the kernel: # tilecheck: requires {s.missing}"
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), help_, w)


RULE: Final = Rule(
    code=CODE,
    name="cross-block-read",
    summary="a block reads an element that another block writes in the same launch",
    severity="error",
    mypy="tile-race",
    residual=True,
    fixes=("advised",),
    obligation=report_obligation,
)
