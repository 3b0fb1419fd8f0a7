"""TC901 unused-opt-out: a suppression that suppresses nothing.

## What it does

Reports a suppression, a `# tilecheck: allow[...]` comment or an `@unsafe` decorator, that suppresses no finding. Only
codes that are selected in this run are considered. It also reports declarations of a contract that contradict each
other.

## Why is this bad?

A suppression that is no longer needed hides the next bug at its location.

## Example

```python
import cuda.tile as ct


@ct.kernel
def double(x, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(x, (i,), ct.load(x, (i,), (T,)) * 2)  # tilecheck: allow[TC101] one launch at a time  # error: TC901
```

## Use instead

Remove the comment:

```python
import cuda.tile as ct


@ct.kernel
def double(x, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(x, (i,), ct.load(x, (i,), (T,)) * 2)
```

## How to suppress it

`--ignore TC901`, or `ignore = ["TC901"]` in `[tool.tilecheck]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tilecheck.diagnostics import Diagnostic, Proposal
from tilecheck.rules.rule import Rule
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.obligations.kernel_view import KernelView

CODE: Final = "TC901"


def report_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """A warning for each declaration of a contract that no launch can satisfy, which has no effect."""
    for d in view.proof.contradictory:
        yield Diagnostic(CODE, "warning", f"`{d.text}` has no effect: no launch can satisfy what `{view.model.name}` "
                         "declares", d.span, view.model.name, help="declare only what every launch of the kernel "
                         "satisfies")


def report_unknown_rules(what: str, selectors: Sequence[str], span: Span, kernel: str | None) -> Diagnostic:
    """The warning for a suppression with selectors that select no rule. `what` is the suppression in words."""
    which = f" by {', '.join(selectors)}" if any(selectors) else ""
    return Diagnostic(
        CODE, "warning", f"{what} names no rule{which}", span, kernel, help="name the rule that it is for")


def report_unused(what: str, selectors: Sequence[str], whole: bool, span: Span, kernel: str | None) -> Diagnostic:
    """The warning for a suppression whose `selectors` suppress no finding. `whole` says whether these are all."""
    which = "" if whole else f" for {', '.join(selectors)}"
    return Diagnostic(CODE, "warning", f"{what} suppresses nothing{which}", span, kernel, help="remove it",
                      proposal=Proposal(tuple(selectors)))


RULE: Final = Rule(
    code=CODE,
    name="unused-opt-out",
    summary="a suppression that suppresses nothing",
    severity="warning",
    mypy="tile-opt-out",
    unnecessary=True,
    fixes=("opt_out",),
    kernel=report_kernel,
)
