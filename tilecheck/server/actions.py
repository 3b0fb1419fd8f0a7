"""The actions for a finding: the fixes of its rule, and suppressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tilecheck.diagnostics import Diagnostic
from tilecheck.project.module import Module
from tilecheck.repair.edits import Edit, Fix
from tilecheck.repair.fixers.registry import fixes_for
from tilecheck.server.messages import Action, Change, Finding
from tilecheck.server.positions import Text
from tilecheck.server.suppress import above_definition, on_line
from tilecheck.syntax.text import SourceError

__all__ = ["Helps", "actions"]

Helps = Callable[[Diagnostic, Fix], bool]
"""Whether a fix does away with a finding, and with no new one in its place."""


def actions(
    module: Module, text: Text, version: int | None, diagnostics: Iterable[tuple[Diagnostic, Finding]], helps: Helps
) -> tuple[Action, ...]:
    """The actions for findings of a file: fixes first, then suppressions."""
    found = list(diagnostics)
    try:
        mending = [a for d, finding in found for a in _fixes(module, text, version, d, finding, helps)]
        silencing = [a for d, finding in found for a in _opt_outs(module, text, version, d, finding)]
    except SourceError:
        return ()
    return (*mending, *silencing)


def _fixes(
    module: Module, text: Text, version: int | None, d: Diagnostic, finding: Finding, helps: Helps
) -> Iterator[Action]:
    preferred = True
    for fix in fixes_for(module.text, d):
        if not helps(d, fix):
            continue
        title = fix.title[:1].upper() + fix.title[1:]
        yield Action(title, module.path, version, _changes(text, fix.edits), finding,
                     preferred and fix.applicability == "safe")
        preferred = False


def _opt_outs(module: Module, text: Text, version: int | None, d: Diagnostic, finding: Finding) -> Iterator[Action]:
    edit = on_line(module, d)
    if edit is not None:
        yield Action(f"Allow {d.code} here", module.path, version, _changes(text, (edit,)), finding)
    edit = above_definition(module, d)
    if edit is not None:
        title = f"Allow {d.code} in all of `{d.kernel}`"
        yield Action(title, module.path, version, _changes(text, (edit,)), finding)


def _changes(text: Text, edits: Iterable[Edit]) -> tuple[Change, ...]:
    return tuple(Change(*text.span(edit.span), edit.text) for edit in edits)
