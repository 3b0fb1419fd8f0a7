"""The text for a location: the footprint and the verdicts of an access, the contract of a kernel, the type of a tile,
the subject of a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilecheck.diagnostics import KernelReport, Obligation
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.rules.catalog import RULES, find
from tilecheck.server.regions import describe_access
from tilecheck.syntax.tree import Span

__all__ = ["Hovered", "Known", "hover"]

_ALLOW: Final = re.compile(r"#\s*tilecheck:\s*allow\s*\[([^\]]*)\]")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_STEPS: Final = 6
"""Sentences of an explanation that are shown."""


class Known(Struct, frozen=True):
    """The results for a file.

    kernels  each kernel that concerns the file, with its report if there is one
    types    of tiles, by location
    """

    kernels: Sequence[tuple[KernelModel, KernelReport | None]]
    types: Mapping[Span, str]


class Hovered(Struct, frozen=True):
    """Markdown, and what it is about."""

    text: str
    span: Span


def hover(path: str, lines: Sequence[str], line: int, column: int, known: Known) -> Hovered | None:
    """The text for a location; None if there is none. Lines count from 1, columns from 0, in characters."""
    opt_out = _rule(path, lines, line, column)
    if opt_out is not None:
        return opt_out
    parts = [part for part in (_type(known, line, column), _kernel(path, known, lines, line, column),
                               _access(path, known, line, column)) if part is not None]
    if not parts:
        return None
    inner = min(parts, key=lambda part: _size(part.span))
    return Hovered("\n\n".join(part.text for part in parts), inner.span)


# --- suppressions-----------------------------------------------------------------------------------------------------

def _rule(path: str, lines: Sequence[str], line: int, column: int) -> Hovered | None:
    """The rule that a suppression comment names at this location."""
    text = lines[line - 1] if line <= len(lines) else ""
    for comment in _ALLOW.finditer(text):
        for word in re.finditer(r"[\w-]+", comment[1]):
            start, end = comment.start(1) + word.start(), comment.start(1) + word.end()
            code = find(word[0])
            if start <= column <= end and code is not None:
                rule = RULES[code]
                return Hovered(f"**{code}** {rule.name}: {rule.summary}", Span(path, line, start, line, end))
    return None


# --- types -----------------------------------------------------------------------------------------------------------

def _type(known: Known, line: int, column: int) -> Hovered | None:
    around = [span for span in known.types if _covers(span, line, column)]
    if not around:
        return None
    span = min(around, key=_size)
    return Hovered(f"```python\n{known.types[span]}\n```", span)


# --- accesses --------------------------------------------------------------------------------------------------------

def _access(path: str, known: Known, line: int, column: int) -> Hovered | None:
    """The innermost access around a place; it may be one of several kernels that use a helper."""
    around = {access.span for model, _ in known.kernels for access in model.accesses
              if access.span.file == path and _covers(access.span, line, column)}
    if not around:
        return None
    span = min(around, key=_size)
    out: list[str] = []
    for model, report in known.kernels:
        mine = [access for access in model.accesses if access.span == span]
        if mine:
            names = {access.array.text for access in mine}
            out += [f"In `{model.name}`:", *_regions(mine)]
            asked = [o for o in report.obligations if o.span == span] if report else []
            out += [*_obligations(report, lambda o: o.span == span), *_contract(report, names, asked)]
    return Hovered("\n".join(out), span)


def _regions(accesses: Iterable[Access]) -> list[str]:
    return [f"* `{access.op}`: {text}" for access, text in {
        text: (access, text) for access in accesses for text in [describe_access(access)]}.values()]


# --- kernels and their parameters ------------------------------------------------------------------------------------

def _kernel(path: str, known: Known, lines: Sequence[str], line: int, column: int) -> Hovered | None:
    for model, report in known.kernels:
        if model.file != path or not _covers(model.span, line, column):
            continue
        if _covers(model.name_span, line, column):
            return Hovered("\n".join(_describe_kernel(model, report)), model.name_span)
        word = _word(lines[line - 1] if line <= len(lines) else "", column)
        param = next((p for p in model.params if word is not None and p.name == word[0]), None)
        if param is not None and word is not None and param.kind in ("array", "list", "unknown"):
            place = Span(path, line, word[1], line, word[2])
            return Hovered("\n".join(_parameter(model, report, param.name)), place)
    return None


def _parameter(model: KernelModel, report: KernelReport | None, name: str) -> list[str]:
    accesses = [a for a in model.accesses if a.array.root == name]
    modes = [word for mode, word in (("write", "written"), ("atomic", "updated"), ("read", "read"))
             if any(a.mode == mode for a in accesses)]
    out = [f"**`{name}`**: array of `{model.name}`, {' and '.join(modes) if modes else 'not accessed'}"]
    out += dict.fromkeys(f"* line {a.span.line}, `{a.op}`: {describe_access(a)}" for a in accesses)
    names = {a.array.text for a in accesses} | {name}
    asked = [o for o in report.obligations if o.array in names] if report else []
    return [*out, *_obligations(report, lambda o: o.array in names), *_contract(report, names, asked)]


def _describe_kernel(model: KernelModel, report: KernelReport | None) -> list[str]:
    if report is None:
        return [f"**{model.name}**"]
    return [f"**{model.name}**: {report.verdict}", *_obligations(report, lambda o: True, steps=0),
            *_contract(report, None, ())]


# --- verdicts and contracts ------------------------------------------------------------------------------------------

def _obligations(
    report: KernelReport | None, wanted: Callable[[Obligation], bool], steps: int = _STEPS
) -> Iterator[str]:
    for o in report.obligations if report is not None else ():
        if wanted(o):
            yield f"* line {o.line}: {o.kind} `{o.array}`: **{o.verdict}**"
            yield from (f"  * {step}" for step in o.steps[:steps])
            if steps and len(o.steps) > steps:
                yield "  * …"
            if o.annotation:
                yield f"  * would be proved with `{o.annotation}`"


def _contract(report: KernelReport | None, arrays: set[str] | None, asked: Sequence[Obligation]) -> Iterator[str]:
    """The clauses of the contract; with `arrays`, those that speak of them or that an obligation is under."""
    if report is None:
        return
    needed = {text for o in asked for text in o.clauses}
    clauses = [c for c in report.contract if arrays is None or c.clause in needed
               or arrays & {word[0] for word in _WORD.finditer(c.clause)}]
    if clauses:
        yield f"\nContract of `{report.name}`:"
        yield from (f"* `{c.clause}` ({c.kind}, {c.state})" for c in clauses)
    elif arrays is None:
        yield "\nIt requires nothing of its launch."


# --- places ----------------------------------------------------------------------------------------------------------

def _word(text: str, column: int) -> tuple[str, int, int] | None:
    return next(((m[0], m.start(), m.end()) for m in _WORD.finditer(text) if m.start() <= column <= m.end()), None)


def _covers(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column
