"""The fixes for a finding. Each rule names the modules of this package that repair its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix, OverlapError, offsets_of
from tilecheck.repair.source.tree import Source, parse_source
from tilecheck.rules.catalog import RULES
from tilecheck.syntax.text import SourceError

__all__ = ["fixes_for"]

Fixer = Callable[[Source, Diagnostic], Iterable[Fix]]

def fixes_for(text: str, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """The alternative fixes of a finding in a text, the best first.

    A pure function of its arguments. `text` is the file that the finding stands in, decoded as `source.text.decode`
    does it.
    `apply.verify` finds out how an alternative affects other findings.
    """
    modules = RULES[diagnostic.code].fixes if diagnostic.code in RULES else ()
    if not modules:
        return ()
    try:
        source = parse_source(text, diagnostic.span.file)
    except SourceError:
        return ()
    if diagnostic.span.end_line > len(source.lines):
        return ()  # another text
    out: dict[object, Fix] = {}
    for name in modules:
        fixer: Fixer = import_module(f"tilecheck.repair.fixers.{name}").fixes
        for fix in fixer(source, diagnostic):
            try:
                changes = tuple(offsets_of(text, fix.edits))
            except OverlapError:
                continue
            if any(text[start:end] != new for start, end, new in changes):
                out.setdefault(changes, fix)
    return tuple(out.values())
