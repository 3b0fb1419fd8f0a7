"""Compares findings with a baseline: existing findings, new findings, and stale entries."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.baseline.baseline import Baseline, Known
from tilecheck.diagnostics import Report
from tilecheck.report.fingerprint import Digests
from tilecheck.report.frame import Sources

__all__ = ["Comparison", "compare", "update_baseline"]

Selected = Callable[[str], bool]
"""Whether a rule is selected, by its code."""


class Comparison(Struct, frozen=True):
    """A report compared with a baseline.

    report     the report with existing findings moved from `diagnostics` to `baselined`
    found      all findings of the run, as a baseline
    stale      entries for checked files and rules that were not found; empty unless the run was complete, since a
               finding in one file may depend on another file
    unchecked  entries for other files and rules
    complete   whether folders were checked, or all files of the baseline
    """

    report: Report
    found: Baseline
    stale: Baseline
    unchecked: Baseline
    complete: bool


def compare(
    report: Report, baseline: Baseline, folder: Path, sources: Sources, selected: Selected, folders: bool
) -> Comparison:
    """Compare a report with a baseline in `folder`. `folders` is whether folders were checked.

    If several findings have one identity, the baseline covers the first ones, up to its count. An entry with a witness
    also covers a finding without one, but not the reverse: a counterexample is new information.
    """
    names = _Names(folder)
    digests = Digests(sources)
    identified = [
        (d, Known(names(d.span.file), d.kernel, d.code, digests(d), d.witness is not None)) for d in report.diagnostics
    ]
    left = Counter(dict(baseline))
    known: set[int] = set()
    for witness in (False, True):
        for number, (_, identity) in enumerate(identified):
            entry = replace(identity, witness=True) if witness else identity
            if number not in known and left[entry] > 0:
                left[entry] -= 1
                known.add(number)
    checked = _Checked(report, names, folder, selected)
    complete = folders or all(checked.has(entry.file) for entry in baseline)
    return Comparison(
        replace(
            report,
            diagnostics=tuple(d for number, (d, _) in enumerate(identified) if number not in known),
            baselined=tuple(d for number, (d, _) in enumerate(identified) if number in known),
        ),
        Counter(identity for _, identity in identified),
        {e: count for e, count in left.items() if count > 0 and checked.covers(e)} if complete else {},
        {e: count for e, count in baseline.items() if not checked.covers(e)},
        complete,
    )


class _Checked:
    """The entries of a baseline that a run would find again."""

    def __init__(self, report: Report, names: Callable[[str], str], folder: Path, selected: Selected) -> None:
        self._files = {names(path) for path in report.paths}
        self._failed = {names(failure.file) for failure in report.failures}
        self._folder = folder
        self._selected = selected
        self._gone: dict[str, bool] = {}

    def has(self, file: str) -> bool:
        """Whether a file was checked, or is gone."""
        if file in self._files:
            return True
        if file not in self._gone:
            self._gone[file] = not _exists(self._folder / file)
        return self._gone[file]

    def covers(self, entry: Known) -> bool:
        """Whether the file of an entry was checked without a failure, for its rule."""
        return self._selected(entry.code) and entry.file not in self._failed and self.has(entry.file)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # not a valid path, such as one with a null character
        return False


class _Names:
    """Paths in the form of a baseline."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.path.abspath(folder)
        self._known: dict[str, str] = {}

    def __call__(self, file: str) -> str:
        if file not in self._known:
            try:
                self._known[file] = Path(os.path.relpath(file, self._folder)).as_posix()
            except ValueError:  # on another drive
                self._known[file] = Path(os.path.abspath(file)).as_posix()
        return self._known[file]


def update_baseline(comparison: Comparison) -> Baseline:
    """The baseline with the findings of the run, and with the entries for unchecked files and rules."""
    out = dict(comparison.unchecked)
    for known, count in comparison.found.items():
        out[known] = max(count, out.get(known, 0))
    return out
