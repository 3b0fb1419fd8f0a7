"""Clauses and annotations that the author wrote: `@requires("...")` and `# tilecheck: requires ...` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tilecheck.interp.kernel.access import Declared
from tilecheck.project.ours import is_ours
from tilecheck.symbolic import Array, ArrayParam
from tilecheck.syntax.tree import Call, Constant, Span

if TYPE_CHECKING:
    from tilecheck.contracts import Annotation
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project
    from tilecheck.symbolic import Term

_COMMENT = re.compile(r"#\s*tilecheck:\s*requires\b\s*(.*)$")


def find_declared(project: Project, site: KernelSite) -> tuple[Declared, ...]:
    """The clauses of a kernel. A decorator counts when it is ours: one of that name from elsewhere checks nothing."""
    out: list[Declared] = []
    for d in site.decorators:
        if isinstance(d, Call) and is_ours(project, site, d.func, "requires"):
            out.extend(
                Declared(a.value, a.span, "requires")
                for a in d.args if isinstance(a, Constant) and isinstance(a.value, str))
    for line, text in site.definition.comments:
        found = _COMMENT.search(text)
        if found is not None and found.group(1).strip():
            clause = found.group(1).strip()
            out.append(Declared(clause, Span(site.definition.span.file, line, 0, line, 0), "comment"))
    return tuple(out)


_OF_INTEGERS = re.compile(r"\b(?:injective|monotone|segments|range|multiple)\s*\(([^()]*)")


def integers(texts: Iterable[str]) -> frozenset[Array]:
    """Names in annotations that only arrays of integers have. A bound in one counts too, and does no harm."""
    found = (part.strip() for text in texts for inside in _OF_INTEGERS.findall(text) for part in inside.split(","))
    return frozenset(ArrayParam(name) for name in found if name.isidentifier())


def ranges(texts: Iterable[str]) -> Mapping[Array, tuple[Term, Term]]:
    """Returns the declared `range(ids, lo, hi)` of each array. The first clause for an array is used.

    A clause that cannot be parsed is ignored here and reported elsewhere.
    """
    out: dict[Array, tuple[Term, Term]] = {}
    for note in _find_annotations("range", texts):
        out.setdefault(note.arrays[0], (note.terms[0], note.terms[1]))
    return out


def whole_numbers(texts: Iterable[str]) -> frozenset[str]:
    """Returns the parameters with a declared `integer(n)`."""
    return frozenset(note.arrays[0].root for note in _find_annotations("integer", texts))


def _find_annotations(name: str, texts: Iterable[str]) -> Iterator[Annotation]:
    said = [text for text in texts if name in text]
    if not said:
        return
    from tilecheck.contracts import ContractError, annotation_of, parse

    for text in said:
        try:
            found = [annotation_of(c) for c in parse(text) if c.cond is None]
        except ContractError:
            continue
        yield from (note for note in found if note is not None and note.name == name)
