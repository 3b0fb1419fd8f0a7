"""TC111 missing-grid-wait: a kernel under programmatic dependent launch touches memory before it waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.host.launch import Launch
from tilecheck.kernel.access import KernelModel

__all__ = ["diagnose"]

CODE = "TC111"


def diagnose(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Diagnostic]:
    """One error, at the first access that may come too early."""
    launch = next((launch for launch in launches if launch.dependent), None)
    if launch is None or model.observed.early is None:
        return
    array, span = model.observed.early
    when = ("on some paths before it waits for it" if model.observed.waits else "and never waits for it")
    message = (f"`{model.name}` may start while the launch before it still runs, and touches `{array}` here "
               f"{when}" if model.observed.waits else
               f"`{model.name}` may start while the launch before it still runs {when}, and touches `{array}` here")
    yield Diagnostic(
        CODE, "error", message, span, model.name,
        (Note("it is launched with programmatic_dependent_launch=True here", launch.span),
         Note("what the launch before it writes is visible only after the wait")),
        "call `ct.grid_dependency_control_wait()` before the first access, on every path")
