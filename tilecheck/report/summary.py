"""Counts: the closing line of a report and the table of `--statistics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tilecheck.diagnostics import Compilation, KernelReport, Report
from tilecheck.rules.catalog import NAMES
from tilecheck.text.plural import pluralize

_ORDER: Final = ("proved", "conditional", "atomic", "single-block", "unproven", "refuted")


def render_summary(report: Report) -> str:
    """One line with the numbers of findings, files and kernels."""
    severities = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    found = [pluralize(severities[s], s) for s in ("error", "warning", "note") if severities[s]]
    if report.failures:
        found.append(f"{pluralize(len(report.failures), 'file')} not checked")
    head = f"Found {_join(found)}" if found else "No findings"
    hidden = "".join(f" {sentence}" for sentence in _describe_hidden(report))
    return f"{head} in {pluralize(report.files, 'file')}; {_kernels(report)}.{hidden}"


def _describe_hidden(report: Report) -> Iterator[str]:
    """A sentence for each group of findings that the report does not show."""
    if report.baselined:
        yield f"Not shown: {pluralize(len(report.baselined), 'finding')} of the baseline."
    if report.unchanged:
        yield f"Not shown: {pluralize(report.unchanged, 'finding')} in code that did not change."


def _kernels(report: Report) -> str:
    verdicts = Counter(kernel.verdict for kernel in report.kernels)
    if not verdicts:
        return "no kernels"
    parts = [f"{verdicts[v]} {v}" for v in _ORDER if verdicts[v]]
    return f"{pluralize(len(report.kernels), 'kernel')}: {', '.join(parts)}"


def describe_launches(kernel: KernelReport) -> list[str]:
    """`contract holds at 31 launches; 2 not followed`, or nothing if no launch of the kernel was seen."""
    counts = kernel.launches
    others = [f"{count} {what}" for count, what in (
        (counts.broken, "broken"), (counts.open, "open"), (counts.not_followed, "not followed")) if count]
    if not (counts.holds or others):
        return []
    return ["; ".join([f"contract holds at {counts.holds} launch{'' if counts.holds == 1 else 'es'}", *others])]


def describe_compilation(compilation: Compilation) -> str:
    """One sentence with the numbers of specializations that compile, and of launches that their Tile IR decides."""
    launches = compilation.launches
    if not launches:
        return "Nothing to compile: no launch was seen."
    states = Counter(launch.state for launch in launches)
    verdicts = Counter(launch.verdict for launch in launches)
    asked = states["compiled"] + states["refused"]
    parts = [f"Compiled {states['compiled']} of {pluralize(asked, 'specialization')}"]
    parts += [f"{states['skipped']} not compiled"] if states["skipped"] else []
    parts += [f"{verdicts[v]} {v} from Tile IR" for v in ("proved", "refuted", "undecided") if verdicts[v]]
    return f"{'; '.join(parts)}."


def render_statistics(report: Report) -> str:
    """A line for each rule with findings, the most frequent first."""
    counts = Counter(diagnostic.code for diagnostic in report.diagnostics)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    width = max((len(str(count)) for _, count in rows), default=0)
    return "\n".join(
        f"{count:>{width}}  {code}  {NAMES.get(code, '')}".rstrip() for code, count in rows
    )




def _join(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
