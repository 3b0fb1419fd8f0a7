"""The Code Quality report of GitLab: one JSON list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tilecheck.diagnostics import Diagnostic, Failure
from tilecheck.report.fingerprint import digest_of, fingerprints
from tilecheck.report.formats import View
from tilecheck.report.places import relative_path
from tilecheck.report.prose import sentences

__all__ = ["render"]

_SEVERITIES: Final[Mapping[str, str]] = {"error": "critical", "warning": "minor", "note": "info"}
_PROJECT: Final = ("CI_PROJECT_DIR",)


def render(view: View) -> str:
    """Every finding, and every file that could not be checked, with a fingerprint that does not depend on lines."""
    return json.dumps([*_findings(view), *map(_failure, view.report.failures)], indent=2, ensure_ascii=False) + "\n"


def _findings(view: View) -> Iterator[dict[str, Any]]:
    located = [(relative_path(d.span.file, _PROJECT), d) for d in view.report.diagnostics]
    for (path, diagnostic), mark in zip(located, fingerprints(located, view.sources), strict=True):
        yield _entry(path, diagnostic, mark)


def _entry(path: str, diagnostic: Diagnostic, mark: str) -> dict[str, Any]:
    span = diagnostic.span
    return {
        "description": f"{diagnostic.code}: {diagnostic.message}",
        "check_name": diagnostic.code,
        "fingerprint": mark,
        "severity": _SEVERITIES[diagnostic.severity],
        "categories": ["Bug Risk"],
        "content": {"body": "\n\n".join(sentences(diagnostic))},
        "location": {"path": path, "lines": {"begin": span.line, "end": span.end_line}},
    }


def _failure(failure: Failure) -> dict[str, Any]:
    path = relative_path(failure.file, _PROJECT)
    return {
        "description": f"not checked: {failure.message}",
        "check_name": "not-checked",
        "fingerprint": digest_of(path, "not-checked", failure.message),
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": failure.line or 1, "end": failure.line or 1}},
    }
