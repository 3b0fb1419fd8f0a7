"""TC107 mixed-atomicity: a plain or too weak access to an element that another block updates atomically.

## What it does

Reports a plain load or store of a location that another block updates with an atomic. It also reports atomics whose
order or scope is too weak for their use, such as a lock that is taken without `ACQUIRE`, or with the scope of one
block.

## Why is this bad?

An atomic is only safe next to other atomics. A plain access to the same location from another block conflicts with
it, and nothing orders the two accesses. That is a data race, and undefined behaviour by the Tile IR memory model
([Tile IR specification, memory model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)). A lock that
is taken with a relaxed operation does not keep the protected accesses inside: the compiler may move them out.

## Example

```python
import cuda.tile as ct


@ct.kernel
def count_then_read(count, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.atomic_add(count, (0,), 1)
    seen = ct.load(count, (0,), (1,))  # error: TC107
    ct.store(dst, (i,), ct.broadcast_to(seen, (T,)))
```

## Use instead

Use the value that the atomic returns, or read the result in a later launch:

```python
import cuda.tile as ct


@ct.kernel
def ticket(count, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    seen = ct.atomic_add(count, (0,), 1)
    ct.store(dst, (i,), ct.broadcast_to(seen, (T,)))
```

## How to suppress it

`# tilecheck: allow[TC107] why the accesses are ordered` on the line or above the kernel, or `@unsafe("why")` on the
kernel. Both need a reason.
"""

from __future__ import annotations

from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.dialect.ownership import Fault
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.rules.messages.reasons import reason_text
from tilecheck.rules.messages.wording import clause_list, element_of, iterations, launch_of, pair_of_blocks
from tilecheck.rules.rule import Rule

CODE: Final = "TC107"


def report_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    if s.fault is not None:
        return _describe_plain(s.fault, model)
    array, w = s.access.array, s.witness
    notes = [Note(f"`{array}` is updated atomically here", s.other.span)] if (
        s.other is not None and s.other.span != s.access.span) else []
    doing = _describe_access(s.access)
    if s.verdict == "refuted" and w is not None:
        other, mine = pair_of_blocks(w, model.axes_read)
        message = f"block {mine} {doing} {element_of(array, w)} while block {other} updates it atomically"
        notes.append(Note(f"{launch_of(w)}: block {other}{iterations(w.first)} updates and block "
                          f"{mine}{iterations(w.second)} {doing} the element", restates=True))
        return Diagnostic(CODE, "error", message, s.access.span, model.name, tuple(notes), _help(s), w)
    semantic = s.semantic_texts
    if s.verdict == "conditional":
        message = (f"a block {doing} an element of `{array}` that another one updates atomically, unless "
                   f"{clause_list(semantic)}")
        return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes),
                          f'declare what every launch satisfies: @requires("{" and ".join(semantic)}")', w)
    message = (f"could not prove that no block {doing} an element of `{array}` that another one updates atomically: "
               f"{reason_text(s.reason)}")
    return Diagnostic(CODE, "warning", message, s.access.span, model.name, tuple(notes), _help(s), w)


def _describe_plain(fault: Fault, model: KernelModel) -> Diagnostic:
    """A plain access through an accumulator of the dialect, which has none."""
    array, what = fault.array, fault.words[0]
    message = f"`{array}.{what}` is not atomic, but `{array}` is an accumulator that all blocks update" if (
        what.isidentifier()) else f"a plain assignment to `{array}`, which is an accumulator that all blocks update"
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, (),
        f"update it with an atomic such as `{array}.add(indices, update)`; read it in another launch")


def _describe_access(a: Access) -> str:
    if a.mode == "atomic":
        return f"updates (scope {a.scope})"
    return {"read": "plainly reads", "write": "plainly writes"}[a.mode]


def _help(s: DecidedObligation) -> str:
    if s.access.mode == "atomic" or s.access.order != "weak":
        return "use memory_scope=ct.MemoryScope.DEVICE for an element that several blocks access"
    what = "read it with an atomic" if s.access.mode == "read" else "write it with an atomic"
    return f"{what}, or access it in another launch"


RULE: Final = Rule(
    code=CODE,
    name="mixed-atomicity",
    summary="a plain or too weak access to an element that another block updates atomically",
    severity="error",
    mypy="tile-race",
    residual=True,
    obligation=report_obligation,
)
