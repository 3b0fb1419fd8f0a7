"""The JSON report. Its names are stable; new ones may be added. Lines and columns count from 1.

`tilecheck/schemas/report-1.json` is its schema.
"""

from __future__ import annotations

import json
from typing import Any, Final

from tilecheck.diagnostics import Compilation, Diagnostic, Failure, KernelReport, Note, Obligation, Report
from tilecheck.report.formats import View
from tilecheck.report.frame import Sources, no_sources
from tilecheck.report.places import cell_of
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.syntax.tree import Span

VERSION: Final = 1
"""The version of the schema. It changes if a name is removed or changes its meaning."""


def render(view: View) -> str:
    """The report as one JSON object."""
    return render_json(view.report, view.sources)


def render_json(report: Report, sources: Sources = no_sources) -> str:
    """The report as one JSON object."""
    return json.dumps(report_object(report, sources), indent=2, ensure_ascii=False) + "\n"


def report_object(report: Report, sources: Sources) -> dict[str, Any]:
    """The report as plain dicts, lists, strings and numbers."""
    findings = sorted(
        [(d, False) for d in report.diagnostics] + [(d, True) for d in report.baselined], key=lambda pair: pair[0].span
    )
    return {
        "version": VERSION,
        "diagnostics": [_diagnostic(d, sources, baselined) for d, baselined in findings],
        "kernels": [kernel_object(k) for k in report.kernels],
        "failures": [_failure(f) for f in report.failures],
        "files": report.files,
        "unchanged": report.unchanged,
        **({} if report.compilation is None else {"compilation": _compilation(report.compilation)}),
    }


def kernel_object(kernel: KernelReport) -> dict[str, Any]:
    """One kernel with its contract and its obligations."""
    return {
        "file": kernel.file,
        "name": kernel.name,
        "line": kernel.line,
        "verdict": kernel.verdict,
        "contract": [{"clause": c.clause, "kind": c.kind, "state": c.state} for c in kernel.contract],
        "launches": {name: getattr(kernel.launches, name) for name in kernel.launches.__struct_fields__},
        "obligations": [_obligation(o) for o in kernel.obligations],
    }


def _diagnostic(diagnostic: Diagnostic, sources: Sources, baselined: bool = False) -> dict[str, Any]:
    cell = cell_of(diagnostic.span, sources)
    return {
        **_span(diagnostic.span),
        **({} if cell is None else {"cell": cell[0], "cell_line": cell[1]}),
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "kernel": diagnostic.kernel,
        "notes": [note.message for note in diagnostic.notes],
        "related": [_note_object(note) for note in diagnostic.notes if note.span is not None],
        "help": diagnostic.help,
        "witness": None if diagnostic.witness is None else witness_object(diagnostic.witness),
        "baselined": baselined,
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column + 1,
        "end_line": span.end_line,
        "end_column": span.end_column + 1,
    }


def _note_object(note: Note) -> dict[str, Any]:
    return {"message": note.message, **(_span(note.span) if note.span is not None else {})}


def witness_object(witness: Witness) -> dict[str, Any]:
    return {
        "grid": list(witness.grid),
        "scalars": {symbol.key: value for symbol, value in witness.scalars},
        "first": _point(witness.first),
        "second": _point(witness.second),
        "element": list(witness.element),
        "data": dict(witness.data),
    }


def _point(point: BlockPoint) -> dict[str, Any]:
    return {"block": list(point.block), "iterations": dict(point.iterations), "lanes": dict(point.lanes)}


def _obligation(obligation: Obligation) -> dict[str, Any]:
    return {
        "kind": obligation.kind,
        "line": obligation.line,
        "array": obligation.array,
        "verdict": obligation.verdict,
        "why": obligation.why,
        "file": obligation.span.file,
        "column": obligation.span.column + 1,
        "rules": list(obligation.rules),
        "clauses": list(obligation.clauses),
        "annotation": obligation.annotation,
    }


def _compilation(compilation: Compilation) -> dict[str, Any]:
    return {
        "launches": [{**_span(x.span), "kernel": x.kernel or None, "state": x.state, "verdict": x.verdict,
                      "why": x.why or None} for x in compilation.launches],
        "uncompiled": [{"file": x.file, "why": x.why} for x in compilation.uncompiled],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {"file": failure.file, "line": failure.line, "message": failure.message}
