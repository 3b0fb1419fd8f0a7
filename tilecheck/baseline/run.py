"""Applies a baseline to the report of a run, and updates or prunes it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.baseline.baseline import Baseline, BaselineError, display_path, load, remove_stale, save
from tilecheck.baseline.matching import Comparison, compare, update_baseline
from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.report.frame import Sources
from tilecheck.text.plural import pluralize

__all__ = ["Outcome", "apply_baseline"]


class Outcome(Struct, frozen=True):
    """The report without existing findings, messages for the user, and whether stale entries make the run fail."""

    report: Report
    messages: tuple[str, ...] = ()
    fails: bool = False


def apply_baseline(
    report: Report, sources: Sources, config: Config, *, update: bool, prune: bool, stale_is_error: bool, folders: bool
) -> Outcome:
    """Compare a report with the baseline of the settings. With `update` or `prune`, write the baseline.

    Raises BaselineError.
    """
    path = config.baseline
    if path is None:
        raise BaselineError("there is no baseline: pass --baseline FILE, or set `baseline` in [tool.tilecheck]")
    known: Baseline = {} if update and not path.exists() else load(path)
    selection = config.selection
    compared = compare(report, known, path.parent, sources, lambda code: code in selection, folders)
    if update:
        new = update_baseline(compared)
        save(path, new)
        return Outcome(_hide_all(compared), (f"{display_path(path)}: {_findings(new)} written",))
    if prune:
        if not compared.complete:
            raise BaselineError(f"{display_path(path)}: to prune, check folders, or all files with findings in it")
        save(path, remove_stale(known, compared.stale))
        return Outcome(compared.report, (f"{display_path(path)}: {_findings(compared.stale)} removed",))
    if not compared.stale:
        return Outcome(compared.report)
    files = ", ".join(sorted({entry.file for entry in compared.stale})[:3])
    message = (f"{display_path(path)}: {_findings(compared.stale)} no longer found ({files}); "
               "`--prune-baseline` removes them")
    return Outcome(compared.report, (f"{'error' if stale_is_error else 'warning'}: {message}",), stale_is_error)


def _hide_all(compared: Comparison) -> Report:
    report = compared.report
    every = sorted((*report.baselined, *report.diagnostics), key=lambda d: (d.span, d.code))
    return replace(report, diagnostics=(), baselined=tuple(every))


def _findings(baseline: Baseline) -> str:
    return pluralize(sum(baseline.values()), "finding")
