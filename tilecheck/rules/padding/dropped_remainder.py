"""TC305 dropped-remainder: a loop over `n // T` tiles where `n % T` may be non-zero.

## What it does

Reports a loop over `n // T` whose variable selects tiles of `T` elements, if `n % T` may be non-zero. The quotient
may be a local variable of the kernel, or a seen launch may compute it from the extent of the array.

The loop is not reported if the remainder is known to be zero (by an assertion, by `@requires`, or by a check in the
host code before every seen launch), if code after the loop handles the remainder, or if every seen launch takes the
tile from a list that the checker cannot follow.

## Why is this bad?

The last `n % T` elements are never accessed: a sum is incomplete, and an output retains its old elements.

## Example

```python
import cuda.tile as ct


@ct.kernel
def row_sums(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((1, 1), ct.float32)
    for k in range(src.shape[1] // T):  # error: TC305
        t = ct.load(src, (i, k), (1, T))
        total = total + ct.sum(t, axis=1, keepdims=True)
    ct.store(dst, (i, 0), total)
```

## Use instead

```python
import cuda.tile as ct


@ct.kernel
def row_sums(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((1, 1), ct.float32)
    for k in range(ct.num_tiles(src, 1, (1, T))):
        t = ct.load(src, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)
        total = total + ct.sum(t, axis=1, keepdims=True)
    ct.store(dst, (i, 0), total)
```

## How to suppress it

`@requires("src.shape[1] % T == 0")` on the kernel if every launch satisfies it; seen launches are checked against it.
Otherwise `# tilecheck: allow[TC305] why the rest may be left out` on the line of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic, Note, Proposal
from tilecheck.interp.kernel.source_names import spell_term
from tilecheck.obligations.dropped_remainder import DroppedRemainder, at_launches
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.rules.rule import Rule
from tilecheck.symbolic import Term, of

CODE: Final = "TC305"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each loop that may leave out elements."""
    kernel = view.model.name
    yield from (_describe(lint, kernel) for lint in view.lints if isinstance(lint, DroppedRemainder))
    yield from (_describe(lint, kernel) for lint in at_launches(view.model, view.launches))


def _describe(lint: DroppedRemainder, kernel: str) -> Diagnostic:
    array, n, t = lint.access.array, _operand(lint.size), _operand(lint.extent)
    message = (f"this loop walks `{array}` in {n} // {t} tiles of {t}: if {n} is not a multiple of {t}, the "
               f"last {n} % {t} elements are left out")
    size, extent = spell_term(lint.size), spell_term(lint.extent)
    return Diagnostic(
        CODE, "warning", message, lint.span, kernel,
        (*_launch(lint), Note(f"`{array}` is accessed here", lint.access.span)),
        f"run to `ct.cdiv({size}, {extent})` with a neutral padding, or "
        f'declare `@requires("{size} % {extent} == 0")`',
        proposal=Proposal(("ZERO",), (f"{n} % {t} == 0",), lint.access.span))


def _launch(lint: DroppedRemainder) -> tuple[Note, ...]:
    if lint.count is None or lint.quotient is None or lint.launch is None:
        return ()
    return (Note(f"`{lint.count.name}` is `{spell_term(of(lint.quotient))}` in this launch", lint.launch.span),)


def _operand(t: Term) -> str:
    text = spell_term(t)
    return text if t.single is not None or t.constant is not None else f"({text})"


RULE: Final = Rule(
    code=CODE,
    name="dropped-remainder",
    summary="a loop over `n // T` tiles where `n % T` may be non-zero",
    severity="warning",
    mypy="tile-bounds",
    fixes=("remainder", "declaration"),
    kernel=report_kernel,
)
