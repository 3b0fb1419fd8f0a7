"""Clauses and annotations that the author wrote: `@requires("...")` and `# tilecheck: requires ...` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tilecheck.kernel.access import Declared
from tilecheck.kernel.tree import Attribute, Call, Constant, Expr, FuncDef, Name, Span

_COMMENT = re.compile(r"#\s*tilecheck:\s*requires\b\s*(.*)$")


def declared(definition: FuncDef, decorators: tuple[Expr, ...]) -> tuple[Declared, ...]:
    out: list[Declared] = []
    for d in decorators:
        if isinstance(d, Call) and _name(d.func) == "requires":
            out.extend(
                Declared(a.value, a.span, "requires")
                for a in d.args if isinstance(a, Constant) and isinstance(a.value, str))
    for line, text in definition.comments:
        found = _COMMENT.search(text)
        if found is not None and found.group(1).strip():
            clause = found.group(1).strip()
            out.append(Declared(clause, Span(definition.span.file, line, 0, line, 0), "comment"))
    return tuple(out)


_OF_INTEGERS = re.compile(r"\b(?:injective|monotone|segments|range|multiple)\s*\(([^()]*)")


def integers(texts: Iterable[str]) -> frozenset[str]:
    """Names in annotations that only arrays of integers have. A bound in one counts too, and does no harm."""
    found = (part.strip() for text in texts for inside in _OF_INTEGERS.findall(text) for part in inside.split(","))
    return frozenset(name for name in found if name.isidentifier())


def _name(e: Expr) -> str:
    if isinstance(e, Name):
        return e.id
    return e.attr if isinstance(e, Attribute) else ""
