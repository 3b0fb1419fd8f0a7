"""TC405 grid-mismatch: a launch whose grid, shapes or constants break the kernel's contract.

## What it does

Reports a seen launch whose grid, shapes or constants break the contract of its kernel. Each kernel has a contract,
inferred or declared with `@requires`; `tilecheck contract PATH` prints it.

An inferred clause may ask for more than the kernel needs. So the kernel is executed with the numbers of the launch, or
with some that the launch can have. A launch that breaks a clause is an error if the kernel goes wrong there, or if the
author declared the clause. If every access was executed and nothing went wrong, nothing is reported.

A launch that breaks a clause for some values of its variables is a warning, which shows such values. It is also a
warning if no values were found that satisfy a clause which keeps tiles inside an array, and the launch could not be
executed, or data decides whether the access executes.

A clause on the width of numbers (`grid[0]*n < 2**31`) is decided where the launch passes constants. It is a warning:
the number wraps, which is not executed.

For a launch through the runtime, the grid and the values of type variables follow from the partitions. The rule also
reports a different `.grid(...)`, outputs whose pieces do not agree, and extents other than the kernel declares.

The most common case is a grid axis that the kernel never reads. If its extent is not 1, several blocks do the same
work and write the same elements. An extent that is computed from the sizes of arguments is a warning.

## Why is this bad?

The verdict on a kernel holds for launches that satisfy its contract. In other launches blocks may race ([Tile IR
specification, memory model](https://docs.nvidia.com/cuda/tile-ir/sections/memory_model.html)), or access tiles
outside an array. Either is undefined behaviour.

## Example

The kernel reads axis 0 of the grid; the launch also uses axis 1:

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128), 4, 1), double, (x, out, 128))  # error: TC405
    return out
```

## Use instead

```python
import cuda.tile as ct
import torch


@ct.kernel
def double(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(dst, (i,), ct.load(src, (i,), (T,)) * 2)


def doubled(x):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128), 1, 1), double, (x, out, 128))
    return out
```

## How to suppress it

`# tilecheck: allow[TC405] why the launch is right` on the line of the launch. If the host code establishes the
condition in a way that the checker does not see, state it with an `assert` before the launch, which is then checked
at run time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.discharge import Discharge, substitute_text
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.launch_breaches import Breach, find_unread_axes
from tilecheck.obligations.launches import is_width
from tilecheck.rules.messages.host import finding
from tilecheck.rules.messages.launches import SAMPLED, breach_severity, values_of
from tilecheck.rules.messages.wording import clause_list
from tilecheck.rules.rule import Rule
from tilecheck.solver.model_search.layout import leaves
from tilecheck.symbolic import Symbol, Term, const, evaluate
from tilecheck.symbolic.footprint import Clause

CODE: Final = "TC405"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The clauses that launches break, and the launches with several blocks on an axis that the kernel never reads."""
    model = view.model
    for idle in find_unread_axes(model, view.proof.obligations, view.launches):
        axis = idle.axis
        unless = "" if axis.sure else ", unless that is 1"
        message = (f"`{model.name}` never reads `ct.bid({axis.axis})`, and this launch has {axis.extent} blocks on "
                   f"that axis: they all do the same work and write the same elements{unless}")
        yield Diagnostic(
            CODE, "error" if idle.certain else "warning", message, idle.launch.span, model.name,
            (Note("the kernel is here", model.name_span),),
            f"launch with extent 1 on axis {axis.axis}, or let the kernel read `ct.bid({axis.axis})`")
    yield from (_describe_breach(view, breach) for breach in view.breaches if not breach.exceeds_tiles)


def _describe_breach(view: KernelView, breach: Breach) -> Diagnostic:
    model, clause, result = view.model, breach.clause, breach.result
    values = values_of(result.values)
    numbers = _in_numbers(model, clause, breach.launch, result)
    where = "" if not values else (
        f" (for example, with {values}{f': {numbers} is false' if numbers else ''})" if result.state == "broken" else
        f": for {values}, {numbers or 'it'} is false")
    message = f"this launch breaks `{clause.text}`, which `{model.name}` requires{where}"
    notes = [Note("the kernel is here", model.name_span)]
    if result.text:
        notes.insert(0, Note(f"at this launch the clause is {result.text}"))
    needing = next((s for s in view.proof.obligations if any(c.text == clause.text for c in s.clauses)), None)
    if needing is not None:
        notes.append(Note(f"this access to `{needing.access.array}` requires it", needing.access.span))
    if breach.also:
        notes.append(Note(f"it also breaks {clause_list(breach.also)}"))
    if breach.sampled:
        notes.append(Note(SAMPLED, breach.launch.span))
    elif is_width(clause):
        notes.append(Note("a number that the kernel computes exceeds its type there, and wraps"))
    return Diagnostic(CODE, breach_severity(breach), message, breach.launch.span, model.name, tuple(notes),
                      f"launch `{model.name}` with a grid, shapes and constants that satisfy `{clause.text}`")


def _in_numbers(model: KernelModel, clause: Clause, launch: Launch, result: Discharge) -> str:
    """The clause with its names replaced by their values in the example; empty if one of them is not known."""
    if clause.cond is None or not result.values:
        return ""
    known = dict(result.values)
    numbers: dict[Symbol, Term] = {}
    for symbol, term in bind(clause.cond, model.params, launch, model.launched).values.items():
        try:
            numbers[symbol] = const(evaluate(term, {a: known[a.key] for a in leaves(term)}))
        except (KeyError, ArithmeticError):
            return ""
    text = _TILES.sub(
        lambda m: str(-(-int(m[1]) // int(m[2]))) if int(m[2]) else m[0], substitute_text(clause.text, numbers)
    )
    return _QUOTIENT.sub(lambda m: str(int(m[1]) // int(m[2])) if int(m[2]) else m[0], text)


_TILES: Final = re.compile(r"(?<!\w)cdiv\((\d+), (\d+)\)")
_QUOTIENT: Final = re.compile(r"(?<![\w*/%.] )(?<!\w)(\d+) ?// ?(\d+)(?! ?[*/%])(?!\w)")
"""A quotient that no operator beside it precedes."""

_HOST: Final[Mapping[str, Callable[[Event], str]]] = MappingProxyType({
    "grid": lambda e: f"the grid of `{e.kernel}` is {e.other}, but the pieces of `{e.subject}` ask for {e.what}",
    "room": lambda e: f"the grid of `{e.kernel}` is {e.other}, but `{e.subject}` has room for at most {e.what}",
    "outputs": lambda e: (f"`{e.subject}` asks for grid {e.what} and `{e.use}` for {e.other} in one launch of "
                          f"`{e.kernel}`"),
    "extents": lambda e: f"the extents of `{e.subject}` do not fit `{e.kernel}`: {e.other}, and {e.what}",
})


def report_event(event: Event) -> Diagnostic:
    """A launch through the runtime whose grid or shapes do not fit its partitions."""
    return finding(event, _HOST[event.kind](event))


RULE: Final = Rule(
    code=CODE,
    name="grid-mismatch",
    summary="a launch whose grid, shapes or constants break the kernel's contract",
    severity="error",
    mypy="tile-launch",
    fixes=("swapped_axes",),
    kernel=report_kernel,
    event=report_event,
)
