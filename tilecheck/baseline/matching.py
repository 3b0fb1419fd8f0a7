"""Findings and a baseline: what is known, what is new, and what of the baseline is no longer found."""

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

__all__ = ["Comparison", "compare", "updated"]

Selected = Callable[[str], bool]
"""Whether a rule is selected, by its code."""


class Comparison(Struct, frozen=True):
    """A report compared with a baseline.

    report    with what is known moved from `diagnostics` to `baselined`
    found     all that was found, as a baseline
    stale     what the baseline has of the files and rules that were checked, and was not found; nothing unless the
              run was complete, since a finding in one file may depend on another
    kept      what the baseline has of other files and rules
    complete  whether folders were checked, or all files that the baseline has
    """

    report: Report
    found: Baseline
    stale: Baseline
    kept: Baseline
    complete: bool


def compare(
    report: Report, baseline: Baseline, folder: Path, sources: Sources, selected: Selected, folders: bool
) -> Comparison:
    """Compare a report with a baseline that stands in `folder`; `folders` says whether folders were checked.

    Findings that are alike are known from the first on, as many as the baseline has. One without a witness is also
    known by an entry with one, and not the other way round: a counterexample is news.
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
    """Which entries of a baseline a run would have found again."""

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
    except (OSError, ValueError):  # no path at all, such as one with a null character
        return False


class _Names:
    """Paths as a baseline has them."""

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


def updated(comparison: Comparison) -> Baseline:
    """The baseline that has what was found, and what other files and rules have."""
    out = dict(comparison.kept)
    for known, count in comparison.found.items():
        out[known] = max(count, out.get(known, 0))
    return out
