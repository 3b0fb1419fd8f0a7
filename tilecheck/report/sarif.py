"""SARIF 2.1.0, a format for code scanning services and editors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tilecheck import __version__
from tilecheck.diagnostics import Diagnostic, Failure, Uncompiled
from tilecheck.report.fingerprint import fingerprints
from tilecheck.report.formats import View
from tilecheck.report.places import relative_path
from tilecheck.report.prose import sentences
from tilecheck.rules.catalog import RULES
from tilecheck.rules.pages import page, sections
from tilecheck.rules.rule import Rule
from tilecheck.syntax.tree import Span

__all__ = ["render"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE: Final = "SRCROOT"
_FINGERPRINT: Final = "tilecheck/v1"
_LEVELS: Final[Mapping[str, str]] = {"error": "error", "warning": "warning", "note": "note"}
_GROUPS: Final[Mapping[str, str]] = {
    "TC1": "ownership", "TC2": "bounds", "TC3": "padding", "TC4": "launch", "TC5": "types", "TC6": "language",
    "TC9": "opt-outs",
}


def render(view: View) -> str:
    """One run: every rule with its page, every finding, and every file that could not be checked."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(view)]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(view: View) -> dict[str, Any]:
    rules = tuple(RULES.values())
    failures, compilation = view.report.failures, view.report.compilation
    return {
        "tool": {"driver": {
            "name": "tilecheck",
            "semanticVersion": __version__,
            "rules": [_rule(rule) for rule in rules],
        }},
        "invocations": [{
            "executionSuccessful": not failures,
            "toolExecutionNotifications": [
                *(_notification(failure) for failure in failures),
                *(_note_uncompiled(u) for u in (() if compilation is None else compilation.uncompiled))],
        }],
        "originalUriBaseIds": {_BASE: {"description": {"text": "the folder of the project"}}},
        "columnKind": "unicodeCodePoints",
        "results": list(_results(view, {rule.code: index for index, rule in enumerate(rules)})),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    markdown = page(rule.code)
    parts = sections(markdown)
    what, why = (parts[heading].strip() for heading in ("What it does", "Why is this bad?"))
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": f"{rule.name}: {rule.summary}"},
        "fullDescription": {"text": " ".join(what.partition("\n\n")[0].split())},
        "help": {"text": f"{what}\n\n{why}", "markdown": markdown},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["cutile", _GROUPS[rule.code[:3]]]},
    }


def _results(view: View, indices: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    report = view.report
    states = [(d, "new") for d in report.diagnostics] + [(d, "unchanged") for d in report.baselined]
    states.sort(key=lambda pair: pair[0].span)
    marks = fingerprints(((relative_path(d.span.file), d) for d, _ in states), view.sources)
    for (diagnostic, state), mark in zip(states, marks, strict=True):
        result = _result(diagnostic, indices, mark)
        yield {**result, "baselineState": state} if view.has_baseline else result


def _result(diagnostic: Diagnostic, indices: Mapping[str, int], mark: str) -> dict[str, Any]:
    index = indices.get(diagnostic.code)
    related = [(note.message, note.span) for note in diagnostic.notes if note.span is not None]
    return {
        "ruleId": diagnostic.code,
        **({} if index is None else {"ruleIndex": index}),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join(sentences(diagnostic))},
        "locations": [{"physicalLocation": _location(diagnostic.span), **_logical(diagnostic)}],
        "relatedLocations": [
            {"id": number, "message": {"text": message}, "physicalLocation": _location(span)}
            for number, (message, span) in enumerate(related)
        ],
        "partialFingerprints": {_FINGERPRINT: mark},
    }


def _logical(diagnostic: Diagnostic) -> dict[str, Any]:
    name = diagnostic.kernel
    if name is None:
        return {}
    return {"logicalLocations": [{"name": name.rpartition(".")[2], "fullyQualifiedName": name, "kind": "function"}]}


def _location(span: Span) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(span.file),
        "region": {
            "startLine": span.line,
            "startColumn": span.column + 1,
            "endLine": span.end_line,
            "endColumn": span.end_column + 1,
        },
    }


def _artifact(file: str) -> dict[str, Any]:
    path = relative_path(file)
    if Path(path).is_absolute():
        return {"uri": f"file://{'' if path.startswith('/') else '/'}{_quote_path(path)}"}
    return {"uri": _quote_path(path), "uriBaseId": _BASE}


def _quote_path(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/:" if Path(path).is_absolute() else "/")


def _note_uncompiled(file: Uncompiled) -> dict[str, Any]:
    return {
        "level": "note",
        "message": {"text": f"not compiled: {file.why}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(file.file)}}],
    }


def _notification(failure: Failure) -> dict[str, Any]:
    place = {"artifactLocation": _artifact(failure.file)}
    region = {} if failure.line is None else {"region": {"startLine": failure.line}}
    return {
        "level": "error",
        "message": {"text": failure.message},
        "locations": [{"physicalLocation": {**place, **region}}],
    }
