"""Pass `check_bounds=False` to accesses that are proved in bounds. Applied only on request; it fixes no finding.

Without its check, an access relies on the launch. So each clause of the contract that the proof needs must be declared,
or discharged at every seen launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.repair.apply.moves import Moves, locate_after
from tilecheck.repair.apply.original_bytes import change_bytes
from tilecheck.repair.apply.run import Applied, Checked, Contents, Fixed, Tree
from tilecheck.repair.apply.verify import describe_harm
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import identify_operation
from tilecheck.repair.source.tree import Source, parse_source
from tilecheck.syntax.text import SourceError, decode
from tilecheck.syntax.tree import Span

__all__ = ["drop_bounds_checks"]

_CHECKED: Final = frozenset({"load", "store", "gather", "scatter"})
_SATISFIED: Final = frozenset({"discharged", "declared"})
_TITLE: Final = "pass check_bounds=False"


def drop_bounds_checks(tree: Tree, before: Mapping[str, bytes], fixed: Fixed) -> Fixed:
    """Drop the bounds checks of accesses that are proved in bounds. `before` holds the files that may be changed."""
    contents = dict(fixed.contents)
    checked = fixed.checked
    applied = list(fixed.applied)
    for file in sorted({k.file for k in checked.full.kernels} & before.keys()):
        # in reverse order, because an edit does not move what comes before it
        for start in sorted(_find_candidates(contents.get(file, before[file]), file), reverse=True):
            step = _drop_check(tree, contents, checked, file, contents.get(file, before[file]), start)
            if step is not None:
                contents, checked, change = step
                applied.append(change)
    return replace(fixed, contents=contents, checked=checked, applied=tuple(applied))


def _find_candidates(data: bytes, file: str) -> dict[tuple[int, int], tuple[Span, Fix]]:
    """The accesses of a file with a bounds check, by line and column, each with the edit that drops the check."""
    try:
        source = parse_source(decode(data, file), file)
    except SourceError:
        return {}
    return {(span.line, span.column): (span, fix) for span, fix in _find_accesses(source)}


def _find_accesses(source: Source) -> Iterator[tuple[Span, Fix]]:
    for span, call in source.calls():
        name, method = identify_operation(source, call)
        if method or name not in _CHECKED or source.function_around(call) is None:
            continue
        edit = None if source.keyword(call, "check_bounds") else source.add_keyword(call, "check_bounds", "False")
        if edit is not None:
            yield span, Fix("", _TITLE, "safe", (edit,))


def _drop_check(
    tree: Tree, contents: Contents, checked: Checked, file: str, data: bytes, start: tuple[int, int],
) -> tuple[dict[str, bytes], Checked, Applied] | None:
    """The tree without the check of one access; None if the access is not proved in bounds without it."""
    span, fix = _find_candidates(data, file)[start]
    kernel = next((k for k in checked.full.kernels if k.file == file and any(
        o.span.line == span.line and o.span.column == span.column for o in k.obligations)), None)
    if kernel is None:
        return None
    changed = {**contents, file: change_bytes(data, file, fix.edits)}
    moves = {file: Moves(decode(data, file), fix.edits)}
    after = tree.check(changed)
    if describe_harm(checked.full, after.full, moves) is not None or not _is_proved_inside(
            after.full, kernel, locate_after(moves, span)):
        return None
    finding = Diagnostic("", "note", _TITLE, span, kernel.name)
    return changed, after, Applied(finding, fix)


def _is_proved_inside(after: Report, kernel: KernelReport, start: tuple[str, int, int]) -> bool:
    """Whether the access at a file, line and column is proved in bounds at every launch of its kernel."""
    found = next((k for k in after.kernels if (k.file, k.name) == (kernel.file, kernel.name)), None)
    if found is None:
        return False
    obligations = [o for o in found.obligations
                   if o.kind == "bounds" and (o.span.file, o.span.line, o.span.column) == start]
    states = {clause.clause: clause.state for clause in found.contract}
    return bool(obligations) and all(
        o.verdict == "proved" and all(states.get(clause) in _SATISFIED for clause in o.clauses) for o in obligations)
