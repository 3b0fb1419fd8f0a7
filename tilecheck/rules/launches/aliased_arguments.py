"""TC401 aliased-arguments: one launch gets overlapping storage for a written and another parameter."""

from __future__ import annotations

from collections.abc import Sequence

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.host.argument_aliasing import aliases
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.read_write_sets import touched
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding

__all__ = ["diagnose", "diagnose_host"]

CODE = "TC401"


def diagnose(model: KernelModel, launches: Sequence[Launch]) -> list[Diagnostic]:
    out: list[Diagnostic] = []
    for launch in launches:
        if launch.arguments is None:
            continue
        pairs = aliases(launch, model.params)
        arrays = touched(model, launch) if pairs else None
        for i, j in pairs:
            names = (model.params[i].name, model.params[j].name)
            if arrays is None or not arrays.conflict(*names):
                continue
            target = names[0] if names[0] in arrays.written else names[1]
            other = names[1] if target == names[0] else names[0]
            argument = launch.arguments[j]
            message = (f"`{argument.text}` is passed as `{names[0]}` and as `{names[1]}`, and `{model.name}` writes "
                       f"`{target}`")
            notes = (Note("the compiler takes arguments for separate storage and may keep an old value of "
                          f"`{other}` after a write to `{target}`"),
                     Note("the kernel is here", model.name_span))
            out.append(Diagnostic(CODE, "error", message, argument.span, model.name, notes,
                                  f"pass another array as `{other}`, or a copy"))
    return out


def diagnose_host(event: Event) -> Diagnostic:
    """Of a launch through the runtime."""
    message = (f"`{event.subject}` and `{event.use}` share memory: they are passed as `{event.other}` and "
               f"`{event.what}`, and `{event.kernel}` writes `{event.what}`")
    return finding(event, message)
