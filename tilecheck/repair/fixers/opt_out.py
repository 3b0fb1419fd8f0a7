"""TC901: a suppression that suppresses nothing is removed, or those of its codes that suppress nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Edit, Fix
from tilecheck.repair.source.tree import Source
from tilecheck.syntax.tree import Span

_CODES: Final = re.compile(r"\[([^\]]*)\]")


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    proposal = diagnostic.proposal
    if proposal is None or not proposal.values:
        # what names no rule may be a slip of the hand: its author knows which rule is meant
        return
    span = diagnostic.span
    text = source.text_at(span)
    if not text.startswith("#"):
        yield from _remove_decorator(source, diagnostic)
        return
    found = _CODES.search(text)
    codes = [code.strip() for code in found[1].split(",") if code.strip()] if found else []
    left = [code for code in codes if code not in proposal.values]
    if found is not None and left:
        place = span.column + found.start(1)
        codes_span = Span(span.file, span.line, place, span.line, place + len(found[1]))
        yield Fix(diagnostic.code, f"take {', '.join(proposal.values)} out of the suppression", "safe",
                  (Edit(codes_span, ", ".join(left)),))
    else:
        yield Fix(diagnostic.code, "remove the suppression", "safe", (_remove_comment(source, span),))


def _remove_comment(source: Source, span: Span) -> Edit:
    """Without a comment; without its line, if nothing else stands there."""
    line = source.lines[span.line - 1]
    before, after = line[: span.column], line[span.end_column :]
    if not before.strip() and not after.strip():
        if span.line < len(source.lines):
            return Edit(Span(span.file, span.line, 0, span.line + 1, 0), "")
        return Edit(Span(span.file, span.line, 0, span.line, len(line)), "")
    if after.strip():  # another comment follows, which stays where it is
        return Edit(Span(span.file, span.line, span.column, span.line, len(line) - len(after.lstrip())), "")
    return Edit(Span(span.file, span.line, len(before.rstrip()), span.line, len(line)), "")


def _remove_decorator(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    for node in source.nodes:
        if isinstance(node, cst.Decorator) and source.at.span(node.decorator) == diagnostic.span:
            span = diagnostic.span
            end = source.lines[span.end_line - 1]
            if "#" in end[span.end_column :]:
                return
            yield Fix(diagnostic.code, "remove the suppression", "safe",
                      (Edit(Span(span.file, span.line, 0, span.end_line + 1, 0), ""),))
