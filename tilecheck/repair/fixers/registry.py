"""The fixes of each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix, OverlapError, offsets_of
from tilecheck.repair.source.tree import Source, source_of
from tilecheck.syntax.text import SourceError

__all__ = ["FIXERS", "fixes_for"]

Fixer = Callable[[Source, Diagnostic], Iterable[Fix]]

FIXERS: Final[Mapping[str, tuple[str, ...]]] = {
    "TC101": ("advised",),
    "TC102": ("declaration",),
    "TC103": ("advised",),
    "TC201": ("advised",),
    "TC202": ("bounds_check", "declaration"),
    "TC203": ("index_space",),
    "TC205": ("launch_grid", "swapped_axes"),
    "TC206": ("declaration",),
    "TC301": ("padding", "declaration"),
    "TC302": ("mask",),
    "TC303": ("integer_padding",),
    "TC305": ("remainder", "declaration"),
    "TC404": ("run_operation",),
    "TC405": ("swapped_axes",),
    "TC901": ("opt_out",),
}
"""Modules of this package that each have `fixes(source, diagnostic)`, by the code of the findings they are for."""


def fixes_for(text: str, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """What may be done about a finding in a text: alternatives, the best first.

    A pure function of its arguments. `text` is the file that the finding stands in, decoded as `source.text.decode`
    does it.
    Nothing is known yet of what an alternative does to other findings: `verify` tells.
    """
    modules = FIXERS.get(diagnostic.code, ())
    if not modules:
        return ()
    try:
        source = source_of(text, diagnostic.span.file)
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
