"""From an analysis to the report: suppressions, selection, severities, order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.ops.releases import is_newer
from tilecheck.pipeline.results import Analysis, OptOut
from tilecheck.rules.catalog import NAMES
from tilecheck.rules.selection import Selection, covered_codes
from tilecheck.rules.suppressions.opt_out_without_reason import report_missing_reason
from tilecheck.rules.suppressions.unused_opt_out import report_unknown_rules, report_unused
from tilecheck.syntax.tree import Span

COMPILER: Final = "TC607"
"""The rule whose findings come from the compiler. Without `--compile` there are none."""

_NOT_COMPILED: Final = ("TC104", "TC105", "TC109", "TC110", "TC303", "TC408", "TC5", "TC6")
"""Codes of code that does not compile."""


def finish(analysis: Analysis, config: Config) -> Report:
    """The report of an analysis under the settings of a run."""
    selected = _selector(config)
    kept, used = _apply(_raise_severities(analysis, config), analysis.opt_outs)
    judged = config.selection if analysis.compilation is not None else Selection(
        config.selection.select, (*config.selection.ignore, COMPILER))
    diagnostics = {d for d in (*kept, *_complaints(analysis.opt_outs, used, judged)) if selected(d)}
    return Report(
        diagnostics=tuple(sorted(_drop_repeated(diagnostics), key=_place)),
        kernels=tuple(sorted((k.report for k in analysis.kernels), key=lambda k: (k.file, k.line, k.name))),
        failures=tuple(sorted(set(analysis.failures), key=lambda f: (f.file, f.line or 0, f.message))),
        files=analysis.files,
        paths=analysis.paths,
        compilation=analysis.compilation,
    )


def _drop_repeated(diagnostics: Collection[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings without those of the compiler on a line where the checker says that the code does not compile."""
    if not any(d.code == COMPILER for d in diagnostics):
        yield from diagnostics
        return
    known = [d.span for d in diagnostics if d.code != COMPILER and d.code.startswith(_NOT_COMPILED)
             and d.severity == "error"]
    yield from (d for d in diagnostics if d.code != COMPILER or not any(
        span.file == d.span.file and span.line <= d.span.end_line and d.span.line <= span.end_line for span in known))


def count_suppressed(analysis: Analysis, config: Config) -> Mapping[OptOut, Mapping[str, int]]:
    """How many findings of which code each suppression covers. A suppression that covers none is left out."""
    counts: defaultdict[OptOut, Counter[str]] = defaultdict(Counter)
    for diagnostic, covering in _pair_with_suppressions(
        dict.fromkeys(_raise_severities(analysis, config)), analysis.opt_outs
    ):
        for opt_out in covering:
            counts[opt_out][diagnostic.code] += 1
    return counts


def _raise_severities(analysis: Analysis, config: Config) -> list[tuple[str, Diagnostic]]:
    """All findings with the files of their kernels, as severe as the settings say."""
    raw = [(k.report.file, d) for k in analysis.kernels for d in _with_severity(
        k.diagnostics, config.strict or k.deny_residual)]
    return raw + [(d.span.file, d) for d in _with_severity(analysis.host, config.strict)]


def _place(diagnostic: Diagnostic) -> tuple[object, ...]:
    return (diagnostic.span, diagnostic.code, diagnostic.kernel or "", diagnostic.message)


def _with_severity(diagnostics: Iterable[Diagnostic], raised: bool) -> Iterator[Diagnostic]:
    """Raise residual findings to errors if `raised`; otherwise leave out notes."""
    for diagnostic in diagnostics:
        if raised and diagnostic.residual and diagnostic.severity in ("warning", "note"):
            yield replace(diagnostic, severity="error")
        elif diagnostic.severity != "note":
            # a missing proof is not evidence of an error: the report of the kernel contains it
            yield diagnostic


def _apply(
    diagnostics: Iterable[tuple[str, Diagnostic]], opt_outs: Sequence[OptOut]
) -> tuple[list[Diagnostic], set[tuple[OptOut, str]]]:
    """The findings that no suppression covers, and each suppression with the codes that it suppressed."""
    kept: list[Diagnostic] = []
    used: set[tuple[OptOut, str]] = set()
    for diagnostic, covering in _pair_with_suppressions(diagnostics, opt_outs):
        used.update((opt_out, diagnostic.code) for opt_out in covering)
        if not covering:
            kept.append(diagnostic)
    return kept, used


def _pair_with_suppressions(
    diagnostics: Iterable[tuple[str, Diagnostic]], opt_outs: Sequence[OptOut]
) -> Iterator[tuple[Diagnostic, list[OptOut]]]:
    """Each finding with the suppressions that cover it.

    A finding comes with the file of its kernel, which is not always the file it stands in.
    """
    by_file: defaultdict[str, list[OptOut]] = defaultdict(list)
    for opt_out in opt_outs:
        by_file[opt_out.span.file].append(opt_out)
    for home, diagnostic in diagnostics:
        span = diagnostic.span
        covering = [o for o in by_file[home] if o.kernel is not None and _covers_kernel(o, diagnostic)]
        covering += [o for o in by_file[span.file] if o.lines is not None and _covers_lines(o.lines, span)]
        yield diagnostic, [o for o in covering if not o.codes or diagnostic.code in _codes(o)]


def _covers_kernel(opt_out: OptOut, diagnostic: Diagnostic) -> bool:
    """A kernel's author answers for the kernel, not for the arguments of a launch."""
    return diagnostic.kernel == opt_out.kernel and not diagnostic.code.startswith("TC4")


def _covers_lines(lines: tuple[int, int], span: Span) -> bool:
    return lines[0] <= span.end_line and span.line <= lines[1]


def _codes(opt_out: OptOut) -> frozenset[str]:
    return frozenset(code for selector in opt_out.codes for code in covered_codes(selector))


def _complaints(opt_outs: Iterable[OptOut], used: set[tuple[OptOut, str]], judged: Selection) -> Iterator[Diagnostic]:
    """TC901 and TC902. A suppression is judged only if every rule that it names is selected."""
    for opt_out in opt_outs:
        if not opt_out.reason.strip():
            yield report_missing_reason(opt_out.what, not opt_out.codes, opt_out.span, opt_out.kernel)
        unknown = [selector for selector in opt_out.codes if not covered_codes(selector)]
        if unknown:
            yield report_unknown_rules(opt_out.what, unknown, opt_out.span, opt_out.kernel)
            continue
        idle = _idle(opt_out, used, judged)
        if idle:
            whole = len(idle) >= len(opt_out.codes)
            yield report_unused(opt_out.what, idle, whole, opt_out.span, opt_out.kernel)


def _idle(opt_out: OptOut, used: set[tuple[OptOut, str]], selection: Selection) -> list[str]:
    """The selectors of a suppression that suppressed nothing; those that were not wholly selected are not judged."""
    if not opt_out.codes:
        return [] if any(o == opt_out for o, _ in used) or not all(
            c in selection for c in NAMES if c != COMPILER) else ["all"]
    return [
        selector
        for selector in opt_out.codes
        if all(code in selection and (opt_out, code) not in used for code in covered_codes(selector))
    ]


def _selector(config: Config) -> Callable[[Diagnostic], bool]:
    """Whether a finding is of a selected rule, in a file for which that rule is not ignored.

    Of a newer release of cuda-tile it is not known what the language has: the rules on it are not selected.
    """
    selection = config.selection
    if config.cuda_tile and is_newer(config.cuda_tile):
        # the compiler that is installed knows its own language
        selection = Selection(config.select, (*config.ignore, *(c for c in NAMES if c[:3] == "TC6" and c != COMPILER)))
    if not config.per_file_ignores:
        return lambda diagnostic: diagnostic.code in selection
    from pathspec import GitIgnoreSpec

    ignores = [(GitIgnoreSpec.from_lines([pattern]), Selection(rules)) for pattern, rules in config.per_file_ignores]

    def is_selected(diagnostic: Diagnostic) -> bool:
        name = _relative(diagnostic.span.file, config.root)
        return diagnostic.code in selection and not any(
            diagnostic.code in rules and spec.match_file(name) for spec, rules in ignores
        )

    return is_selected


def _relative(file: str, root: Path) -> str:
    path = Path(file).absolute()
    return path.relative_to(root.absolute()).as_posix() if path.is_relative_to(root.absolute()) else path.name
