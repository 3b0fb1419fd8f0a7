"""Adds to an analysis what the compiler of cuda.tile says about the seen launches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tilecheck.config import Config
from tilecheck.diagnostics import Compilation, CompiledLaunch, Diagnostic, KernelReport, Note, Uncompiled
from tilecheck.pipeline.compile_messages import Answer, FaultFound, Refused, SiteOf, Where
from tilecheck.pipeline.compile_runs import run_requests
from tilecheck.pipeline.results import Analysis, KernelFindings, KernelKey
from tilecheck.pipeline.run import Pipeline, discover_files, inputs_of
from tilecheck.pipeline.specializations import Specialization, build_requests, list_specializations
from tilecheck.rules.language import refused_by_compiler
from tilecheck.rules.messages.launch_faults import CODES_OF_FAULTS, report_outside, report_race
from tilecheck.syntax.tree import Span
from tilecheck.text.sources import SourceLines

__all__ = ["compile_seen_launches"]

_NOTEBOOK: Final = ".ipynb"
_CALLS: Final = 3
"""Calls around a location that a finding shows."""


def compile_seen_launches(
    analysis: Analysis, paths: Sequence[str], config: Config, pipeline: Pipeline, seconds: float,
) -> Analysis:
    """The analysis with the findings of the compiler, and its verdicts on launches that the source leaves open.

    Files are imported, each in a process of its own with `seconds` of time.
    """
    found = discover_files(paths, config)
    inputs = inputs_of(map(str, found.files), config, tuple(map(str, found.roots)))
    workspace = pipeline.open(inputs, config)
    workspace.compute("sites", "launching", "launches")
    left_open = frozenset((k.report.file, k.report.name) for k in analysis.kernels if _is_open(k.report))
    all_ = list_specializations(workspace, left_open)
    workspace.save()
    notebooks = dict.fromkeys(s.home for s in all_ if s.home.endswith(_NOTEBOOK))
    wanted = [s for s in all_ if s.home not in notebooks]
    answers, failed = run_requests(build_requests(wanted, inputs.roots), seconds, config.workers)
    failed += [(home, "the kernels of notebooks are not compiled: export it as a Python file") for home in notebooks]
    return _add(analysis, all_, answers, dict(failed), inputs.files)


def _is_open(report: KernelReport) -> bool:
    """Whether the source does not decide all seen launches of a kernel."""
    counts = report.launches
    return report.verdict == "unproven" or bool(counts.broken or counts.open or counts.not_followed)


def _add(
    analysis: Analysis, specializations: Iterable[Specialization], answers: Mapping[int, Answer],
    failed: Mapping[str, str], files: Iterable[str],
) -> Analysis:
    places = _Places(files)
    launches: list[CompiledLaunch] = []
    verdicts: dict[KernelKey, list[str | None]] = {}
    found: dict[KernelKey | None, dict[Diagnostic, None]] = {}
    seen: set[tuple[Span, str]] = set()
    names = {(k.report.file, k.report.name): k for k in analysis.kernels}
    for s in specializations:
        answer = None if s.asked is None else answers.get(s.asked.number)
        launches.append(_launch(s, answer, failed))
        if s.kernel is not None:
            verdicts.setdefault(s.kernel, []).append(launches[-1].verdict)
        if answer is None:
            continue
        for diagnostic in _report(s, answer, names, places):
            # kernels that share a helper have one finding there
            key = (diagnostic.span, diagnostic.message if answer.refused is None else answer.refused.words)
            if key not in seen:
                seen.add(key)
                found.setdefault(s.kernel if s.kernel in names else None, {})[diagnostic] = None
    compilation = Compilation(
        tuple(dict.fromkeys(launches)), tuple(Uncompiled(file, why) for file, why in sorted(failed.items())))
    known = [d for k in analysis.kernels for d in k.diagnostics if d.severity == "error"]
    new = {key: [d for d in mine if not _is_known(d, known)] for key, mine in found.items()}
    kernels = tuple(_note_proofs(_add_findings(k, new.get(_key_of(k), ())), verdicts.get(_key_of(k), ()))
                    for k in analysis.kernels)
    return replace(analysis, kernels=kernels, host=(*analysis.host, *new.get(None, ())), compilation=compilation)


def _key_of(kernel: KernelFindings) -> KernelKey:
    return kernel.report.file, kernel.report.name


def _note_proofs(kernel: KernelFindings, verdicts: Sequence[str | None]) -> KernelFindings:
    """The findings of a kernel. Those that leave something open say so if Tile IR proves all its seen launches."""
    if not verdicts or set(verdicts) != {"proved"}:
        return kernel
    count = len(verdicts)
    note = Note(f"proved from Tile IR at {count} seen launch{'' if count == 1 else 'es'}")
    return replace(kernel, diagnostics=tuple(
        replace(d, notes=(*d.notes, note)) if d.residual and d.severity != "error" else d for d in kernel.diagnostics))


def _launch(s: Specialization, answer: Answer | None, failed: Mapping[str, str]) -> CompiledLaunch:
    name = s.kernel[1] if s.kernel is not None else "" if answer is None else answer.name
    if answer is None:
        why = s.why or ("its file is not imported" if s.home in failed else "it is not compiled")
        return CompiledLaunch(name, s.span, "skipped", None, why)
    state = answer.state
    assert state in ("compiled", "refused", "skipped")
    return CompiledLaunch(name, s.span, state, answer.verdict, answer.why)


def _is_known(fault: Diagnostic, known: Iterable[Diagnostic]) -> bool:
    """Whether the source shows a fault on its line as well."""
    return fault.code in CODES_OF_FAULTS and any(k.code == fault.code and _meet(k.span, fault.span) for k in known)


def _add_findings(kernel: KernelFindings, found: Sequence[Diagnostic]) -> KernelFindings:
    """The findings of a kernel with those of its launches, in place of open findings on their lines."""
    refuted = [d for d in found if d.code in CODES_OF_FAULTS]
    known = [d for d in kernel.diagnostics if not (d.residual and d.severity != "error" and any(
        _meet(d.span, r.span) for r in refuted))]
    return replace(kernel, diagnostics=(*known, *found)) if found else kernel


def _meet(a: Span, b: Span) -> bool:
    return a.file == b.file and a.line <= b.end_line and b.line <= a.end_line


# --- findings --------------------------------------------------------------------------------------------------------

def _report(
    s: Specialization, answer: Answer, names: Mapping[KernelKey, KernelFindings], places: _Places,
) -> Iterator[Diagnostic]:
    name = answer.name if s.kernel is None else s.kernel[1]
    if answer.refused is not None:
        yield _report_refused(s, name, answer.refused, names, places)
    if answer.fault is not None:
        yield _report_fault(s, name, answer.fault, places)


def _report_refused(
    s: Specialization, name: str, refused: Refused, names: Mapping[KernelKey, KernelFindings], places: _Places,
) -> Diagnostic:
    spans = [span for where in refused.places if (span := places.span(where)) is not None]
    launch = s.span if s.launched else None
    span = spans[0] if spans else _definition(s, names, places)
    words = refused.words.rstrip(".")
    first = next((where for where in refused.places if os.path.isfile(where.file)), None)
    if first is not None and places.span(first) is None:
        words = f"{words} ({os.path.basename(first.file)}, line {first.line})"
    return refused_by_compiler.report_refused(
        name, words, span, spans[1:_CALLS + 1], launch, s.values, refused.sampled)


def _definition(
    s: Specialization, names: Mapping[KernelKey, KernelFindings], places: _Places,
) -> Span:
    """The line of the name of a kernel, or of the launch of one that is not known."""
    report = None if s.kernel is None or s.kernel not in names else names[s.kernel].report
    return s.span if report is None else places.line(report.file, report.line) or s.span


def _report_fault(s: Specialization, name: str, fault: FaultFound, places: _Places) -> Diagnostic:
    spans = [places.site(site) for site in fault.sites]
    span = spans[-1] or s.span
    if fault.kind == "outside" or fault.element is None:
        return report_outside(name, fault.array, fault.blocks[-1], span, s.span)
    modes = fault.sites[0].mode, fault.sites[-1].mode
    return report_race(name, fault.array, fault.element, fault.blocks, modes, span, spans[0], s.span)


class _Places:
    """Locations in the checked files, named as the report names them."""

    def __init__(self, files: Iterable[str]) -> None:
        self._names = {os.path.realpath(file): file for file in files}
        self._lines = SourceLines()

    def span(self, where: Where) -> Span | None:
        """A location; None outside of the checked files."""
        file = self._names.get(os.path.realpath(where.file))
        if file is None:
            return None
        lines = self._lines(file)
        if not 1 <= where.line <= where.end_line <= len(lines):
            return None
        return Span(file, where.line, _column(lines[where.line - 1], where.column), where.end_line,
                    _column(lines[where.end_line - 1], where.end_column))

    def line(self, file: str, number: int) -> Span | None:
        """The code of a line."""
        lines = self._lines(file)
        if not 1 <= number <= len(lines):
            return None
        text = lines[number - 1].rstrip()
        return Span(file, number, len(text) - len(text.lstrip()), number, len(text))

    def site(self, site: SiteOf) -> Span | None:
        """The line of an access; None outside of the checked files."""
        file = self._names.get(os.path.realpath(site.file))
        return None if file is None else self.line(file, site.line)


def _column(line: str, offset: int) -> int:
    """A column in characters, from one in bytes of UTF-8."""
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))
