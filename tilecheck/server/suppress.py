"""Suppressions of findings: `# tilecheck: allow[...]` with a reason to fill in, on the line or above the definition."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.project.module import Module
from tilecheck.repair.edits import Edit
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.tree import Span

__all__ = ["PLACEHOLDER", "above_definition", "on_line"]

PLACEHOLDER: Final = "say here why this is safe"

_OURS: Final = re.compile(r"#\s*tilecheck:\s*allow\s*\[([^\]]*)\]")
_NO_OPT_OUT: Final = frozenset({"TC901", "TC902"})
"""Findings about suppressions: they have fixes and cannot be suppressed."""


def on_line(module: Module, diagnostic: Diagnostic) -> Edit | None:
    """A suppression at the end of the statement that contains a finding; None if there is no room for one."""
    if diagnostic.code in _NO_OPT_OUT:
        return None
    span = diagnostic.span
    covering = next((rows for rows in _statements(module.text) if rows[0] <= span.line <= rows[1]), None)
    if covering is None:
        return None
    for line in range(covering[0], covering[1] + 1):
        known = _OURS.search(module.lines[line - 1])
        if known is not None and _is_comment(module.text, line, known.start()):
            return _one_more(span.file, line, known, diagnostic.code)
    line = covering[1]
    text = module.lines[line - 1]
    end = len(text.rstrip())
    return Edit(Span(span.file, line, end, line, len(text)), f"  # tilecheck: allow[{diagnostic.code}] {PLACEHOLDER}")


def above_definition(module: Module, diagnostic: Diagnostic) -> Edit | None:
    """A suppression above the kernel that a finding is about. None for a finding about a launch, or about a kernel of
    another file."""
    if diagnostic.code in _NO_OPT_OUT or diagnostic.code.startswith("TC4") or diagnostic.kernel is None:
        return None
    definition = module.skeleton.definitions.get(diagnostic.kernel)
    if definition is None or not definition.first_line <= diagnostic.span.line <= definition.end_line:
        return None
    line = definition.first_line
    above = line - 1
    while above > definition.above and module.lines[above - 1].lstrip().startswith("#"):
        known = _OURS.search(module.lines[above - 1])
        if known is not None:
            return _one_more(diagnostic.span.file, above, known, diagnostic.code)
        above -= 1
    text = module.lines[line - 1]
    indent = text[: len(text) - len(text.lstrip())]
    return Edit(Span(diagnostic.span.file, line, 0, line, 0),
                f"{indent}# tilecheck: allow[{diagnostic.code}] {PLACEHOLDER}\n")


def _one_more(file: str, line: int, known: re.Match[str], code: str) -> Edit:
    """Add a code to an existing suppression."""
    written = known[1].rstrip()
    start = known.start(1) + len(written)
    return Edit(Span(file, line, start, line, known.end(1)), f", {code}" if written.strip() else code)


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each logical line."""
    start: int | None = None
    for token in _tokens(text):
        if token.type == tokenize.NEWLINE:
            yield token.start[0] if start is None else start, token.start[0]
            start = None
        elif start is None and token.type not in (
            tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER
        ):
            start = token.start[0]


def _is_comment(text: str, line: int, column: int) -> bool:
    return any(token.type == tokenize.COMMENT and token.start[0] == line and token.start[1] <= column
               for token in _tokens(text))


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError) as error:
        raise SourceError("", str(error)) from None
