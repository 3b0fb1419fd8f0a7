"""`@requires(...)` on a kernel that is right only where a launch satisfies a condition.

The checker believes a declaration, so these fixes are never safe: only the author knows that every launch satisfies it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Edit, Fix
from tilecheck.repair.source.imports import import_edit
from tilecheck.repair.source.tree import Source, get_dotted_name
from tilecheck.syntax.tree import Span


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    proposal = diagnostic.proposal
    kernel = source.function(diagnostic.kernel)
    if proposal is None or not proposal.requires or kernel is None or not kernel.decorators:
        return
    clauses = tuple(dict.fromkeys(proposal.requires))
    name, edits = import_edit(source, "requires")
    if name is None:
        return
    yield Fix(diagnostic.code, f"declare {' and '.join(f'`{c}`' for c in clauses)}", "unsafe",
              (*edits, _add_declaration(source, kernel, name, clauses)), declares=diagnostic.kernel)


def _add_declaration(source: Source, kernel: cst.FunctionDef, name: str, clauses: tuple[str, ...]) -> Edit:
    """One more argument of the existing decorator, or a decorator above the others."""
    texts = ", ".join(_quote(clause) for clause in clauses)
    for decorator in kernel.decorators:
        applied = decorator.decorator
        if isinstance(applied, cst.Call) and get_dotted_name(applied.func) == name and applied.args:
            return source.insert_after(applied.args[-1], f", {texts}")
    first = source.at.span(kernel.decorators[0].decorator)
    line = source.lines[first.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return Edit(Span(source.file, first.line, len(indent), first.line, len(indent)), f"@{name}({texts})\n{indent}")


def _quote(clause: str) -> str:
    return f'"{clause}"'
