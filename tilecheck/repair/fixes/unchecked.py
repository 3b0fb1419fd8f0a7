"""`check_bounds=False` where every element that an access touches is proved to lie inside: no fix of a finding, and
only made when it is asked for.

Without its check an access relies on the launch, so a clause of the contract that no visible launch discharges and
nobody declared stands against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.results import Analysis
from tilecheck.repair.fixes.edits import Fix
from tilecheck.repair.fixes.moves import Moves, moved
from tilecheck.repair.fixes.operations import operation
from tilecheck.repair.fixes.original import change_bytes
from tilecheck.repair.fixes.run import Applied, Contents, Fixed, Tree
from tilecheck.repair.fixes.syntax import Source, source_of
from tilecheck.repair.fixes.verify import harm
from tilecheck.syntax.text import SourceError, decode
from tilecheck.syntax.tree import Span

__all__ = ["drop_checks"]

_CHECKED: Final = frozenset({"load", "store", "gather", "scatter"})
_SETTLED: Final = frozenset({"discharged", "declared"})
_TITLE: Final = "pass check_bounds=False"


def drop_checks(tree: Tree, before: Mapping[str, bytes], config: Config, fixed: Fixed) -> Fixed:
    """The outcome of a run with the checks dropped that no access needs."""
    everything = replace(config, select=("ALL",), ignore=(), per_file_ignores=())
    contents = dict(fixed.contents)
    analysis = fixed.analysis
    applied = list(fixed.applied)
    for file in sorted({k.file for k in finish(analysis, everything).kernels} & before.keys()):
        # from the end: a change moves no beginning that comes before it
        for place in sorted(_candidates(contents.get(file, before[file]), file), reverse=True):
            step = _dropped(tree, everything, contents, analysis, file, contents.get(file, before[file]), place)
            if step is not None:
                contents, analysis, made = step
                applied.append(made)
    return replace(fixed, contents=contents, analysis=analysis, applied=tuple(applied))


def _candidates(data: bytes, file: str) -> dict[tuple[int, int], tuple[Span, Fix]]:
    """The accesses of a file that check bounds by where they begin, each with the edit that drops the check."""
    try:
        source = source_of(decode(data, file), file)
    except SourceError:
        return {}
    return {(span.line, span.column): (span, fix) for span, fix in _accesses(source)}


def _accesses(source: Source) -> Iterator[tuple[Span, Fix]]:
    for span, call in source.calls():
        name, method = operation(source, call)
        if method or name not in _CHECKED or source.function_around(call) is None:
            continue
        edit = None if source.keyword(call, "check_bounds") else source.add_keyword(call, "check_bounds", "False")
        if edit is not None:
            yield span, Fix("", _TITLE, "safe", (edit,))


def _dropped(
    tree: Tree, config: Config, contents: Contents, analysis: Analysis, file: str, data: bytes,
    place: tuple[int, int],
) -> tuple[dict[str, bytes], Analysis, Applied] | None:
    """The tree without the check of one access, if nothing speaks against that."""
    span, fix = _candidates(data, file)[place]
    report = finish(analysis, config)
    kernel = next((k for k in report.kernels if k.file == file and any(
        o.span.line == span.line and o.span.column == span.column for o in k.obligations)), None)
    if kernel is None:
        return None
    changed = {**contents, file: change_bytes(data, file, fix.edits)}
    moves = {file: Moves(decode(data, file), fix.edits)}
    found = tree.analyse(changed)
    after = finish(found, config)
    if harm(report, after, moves) is not None or not _inside(after, kernel, moved(moves, span)):
        return None
    finding = Diagnostic("", "note", _TITLE, span, kernel.name)
    return changed, found, Applied(finding, fix)


def _inside(after: Report, kernel: KernelReport, place: tuple[str, int, int]) -> bool:
    """Whether an access is now proved to stay inside in every launch that its kernel can have."""
    found = next((k for k in after.kernels if (k.file, k.name) == (kernel.file, kernel.name)), None)
    if found is None:
        return False
    asked = [o for o in found.obligations if o.kind == "bounds" and (o.span.file, o.span.line, o.span.column) == place]
    states = {clause.clause: clause.state for clause in found.contract}
    return bool(asked) and all(
        o.verdict == "proved" and all(states.get(clause) in _SETTLED for clause in o.clauses) for o in asked)
