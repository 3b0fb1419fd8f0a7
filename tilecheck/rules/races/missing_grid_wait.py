"""TC111 missing-grid-wait: a kernel under programmatic dependent launch touches memory before it waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import constants_of
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.lint_facts import Early

__all__ = ["diagnose"]

CODE = "TC111"


def diagnose(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Diagnostic]:
    """One error, at the first access that may come too early in some visible launch."""
    for launch in launches:
        if not launch.dependent:
            continue
        given = constants_of(model, launch)
        early = next((e for e in model.observed.early if not _ahead(model, e) and not e.waited(given)), None)
        if early is not None:
            yield _told(model, launch, early)
            return


def _ahead(model: KernelModel, early: Early) -> bool:
    """Whether an array is read ahead of the wait on purpose: the kernel reads others after it, and not this one."""
    after = model.observed.after
    return early.reads and not early.waits and bool(after) and early.array not in after


def _told(model: KernelModel, launch: Launch, early: Early) -> Diagnostic:
    late = "on a path that has not waited for it" if model.observed.waits else "without ever waiting for it"
    message = (f"`{model.name}` may start while the launch before it still runs, and touches `{early.array}` here "
               f"{late}")
    return Diagnostic(
        CODE, "error", message, early.span, model.name,
        (Note("it is launched with programmatic_dependent_launch=True here", launch.span),
         Note("what the launch before it writes is visible only after the wait")),
        "call `ct.grid_dependency_control_wait()` before the first access, on every path")
