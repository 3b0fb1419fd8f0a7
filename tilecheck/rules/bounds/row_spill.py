"""TC206 row-spill: a flattened offset that runs past its row or head into the neighbour's.

## What it does

Reports an access by a flattened offset, `row * stride + col`, where `col` may reach `stride`: an access to one row,
or one head, extends into the next one. The message names the condition under which it does not, such as `HD // 2 + T
<= HD`. Reads that extend past the row in the same way as a write are reported with it.

The finding is a warning if no launch of the kernel is seen, or if a seen launch is not known to satisfy the
condition. A launch that breaks it for some of its values is reported as TC405.

## Why is this bad?

The bounds check only knows the ends of the flattened array. An offset past the end of a row is inside the array, but
belongs to another block. Two blocks then write one element, which is a data race and undefined behaviour ([Tile IR
specification, memory model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). The usual cause is a
tile that is rounded up to a power of two: it is right for a head of 64 or 128 elements and wrong for one of 96.

## Example

```python
import cuda.tile as ct


@ct.kernel
def swap_halves(x, o, HD: ct.Constant[int], T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    base = ct.bid(0) * HD
    first = ct.gather(x, base + lanes)
    second = ct.gather(x, base + HD // 2 + lanes)  # error: TC206
    ct.scatter(o, base + lanes, second)
    ct.scatter(o, base + HD // 2 + lanes, first)  # error: TC206
```

## Use instead

Mask the lanes past the end of the row, or declare what every launch satisfies:

```python
import cuda.tile as ct
from tilecheck import requires


@ct.kernel
def swap_halves(x, o, HD: ct.Constant[int], T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    inside = lanes < HD // 2
    base = ct.bid(0) * HD
    first = ct.gather(x, base + lanes, mask=inside)
    second = ct.gather(x, base + HD // 2 + lanes, mask=inside)
    ct.scatter(o, base + lanes, second, mask=inside)
    ct.scatter(o, base + HD // 2 + lanes, first, mask=inside)


@requires("2 * T <= HD")
@ct.kernel
def swap_aligned_halves(x, o, HD: ct.Constant[int], T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    base = ct.bid(0) * HD
    first = ct.gather(x, base + lanes)
    second = ct.gather(x, base + T + lanes)
    ct.scatter(o, base + lanes, second)
    ct.scatter(o, base + T + lanes, first)
```

## How to suppress it

`# tilecheck: allow[TC206] why the row is long enough` on the line or above the kernel, or `@unsafe("why")` on the
kernel. A declaration is better than a suppression: launches are checked against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.row_spill import spilled_read
from tilecheck.rules.messages.wording import block_name, clause_list, element_of, launch_of
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Array

CODE: Final = "TC206"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    texts = s.semantic_texts
    notes: list[Note] = []
    if s.other is not None and s.other.span != s.access.span:
        notes.append(Note(f"the other write to `{s.access.array}` is here", s.other.span))
    if s.witness is not None:
        what = f"two blocks write {element_of(s.access.array, s.witness)}"
        notes.append(Note(f"{launch_of(s.witness)} {what}", restates=True))
    notes += s.advice.notes
    message = (f"this write to `{s.access.array}` extends into the next row, which belongs to another block, unless "
               f"{clause_list(texts)}")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes),
                      s.advice.help or _help(texts), s.witness, Proposal(requires=texts))


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The reads that run past the end of their row as a reported write does."""
    for s in view.reported:
        for access in s.spilling:
            yield _read(s, access, view.model)


def _read(s: DecidedObligation, access: Access, model: KernelModel) -> Diagnostic:
    texts = s.semantic_texts
    message = f"this read of `{access.array}` extends into the next row unless {clause_list(texts)}"
    rows = (n for n in s.advice.notes if n.span is not None and not n.of_block)
    notes = (Note("the write that does the same is here", s.access.span), *rows, *_in_numbers(s, access, model))
    return Diagnostic(CODE, "warning", message, access.span, model.name, notes, s.advice.help or _help(texts),
                      proposal=Proposal(requires=texts))


def _in_numbers(s: DecidedObligation, access: Access, model: KernelModel) -> Iterator[Note]:
    """The elements that the read takes in the example, and the end of its row."""
    read = spilled_read(s, access)
    if read is None or s.witness is None:
        return
    sizes = ", ".join(f"{name} = {n}" for name, n in read.sizes)
    block = block_name(s.witness.second.block, model.axes_read)
    yield Note(f"with {sizes} block {block} reads {_range(access.array, read.first, read.last)}", access.span, True)
    yield Note(f"the row of block {block} ends with {_range(access.array, read.end - 1, read.end - 1)}: "
               f"{_range(access.array, read.end, read.last)} belongs to the next row, and becomes part of the "
               "result of this one")


def _range(array: Array, first: int, last: int) -> str:
    return f"{array}[{first}]" if first == last else f"{array}[{first}:{last + 1}]"


def _help(texts: tuple[str, ...]) -> str:
    return ("mask the lanes past the end of the row, or declare what every launch satisfies: "
            f'@requires("{" and ".join(texts)}")')


RULE: Final = Rule(
    code=CODE,
    name="row-spill",
    summary="a flattened offset that runs past its row or head into the neighbour's",
    severity="error",
    mypy="tile-bounds",
    residual=True,
    fixes=("declaration",),
    obligation=report_obligation,
    kernel=report_kernel,
)
