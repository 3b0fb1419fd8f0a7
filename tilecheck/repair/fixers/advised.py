"""The edit that the checker tried and advises in the help of a finding: an index, a step, the end of a loop.

These are guesses: one is applied only if it alone leaves the kernel without a finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Edit, Fix
from tilecheck.repair.source.tree import Source


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    for span, text in diagnostic.proposal.edits if diagnostic.proposal is not None else ():
        if span.file == diagnostic.span.file and span.end_line <= len(source.lines):
            lines = source.lines[span.line - 1:span.end_line]
            old = f" in place of `{lines[0][span.column:span.end_column]}`" if len(lines) == 1 else ""
            yield Fix(diagnostic.code, f"write `{text}`{old}", "unsafe", (Edit(span, text),), only=True)
