"""Findings, hints and actions in the terms of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp

from tilecheck.rules.catalog import NAMES, RULES
from tilecheck.rules.pages import source_file
from tilecheck.server.messages import Action, Finding, Hint, Place, Related

__all__ = ["Locate", "code_action", "diagnostic", "hover", "place_of", "range_of"]

SOURCE: Final = "tilecheck"

_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}

Locate = Callable[[str, Place, Place], lsp.Location]
"""The document of a range of a file, and the range in it."""


def place_of(position: lsp.Position) -> Place:
    return position.line, position.character


def range_of(start: Place, end: Place) -> lsp.Range:
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def diagnostic(finding: Finding, path: str, locate: Locate) -> lsp.Diagnostic:
    """A finding in a file. Its code links to the file of its rule, which begins with the page."""
    code = finding.code
    return lsp.Diagnostic(
        range=locate(path, finding.start, finding.end).range,
        severity=_SEVERITIES[finding.severity],
        code=code,
        code_description=lsp.CodeDescription(source_file(code).as_uri()) if code in NAMES and code else None,
        source=SOURCE,
        message=finding.message,
        tags=[lsp.DiagnosticTag.Unnecessary] if code is not None and _is_unnecessary(code) else None,
        related_information=[_convert_related(other, locate) for other in finding.related] or None,
    )


def _is_unnecessary(code: str) -> bool:
    """Whether a finding is about code that has no effect, which editors fade."""
    return code in NAMES and RULES[code].unnecessary


def _convert_related(other: Related, locate: Locate) -> lsp.DiagnosticRelatedInformation:
    return lsp.DiagnosticRelatedInformation(locate(other.path, other.start, other.end), other.message)


def hover(hint: Hint, path: str, locate: Locate) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, hint.text), locate(path, hint.start, hint.end).range)


def code_action(
    action: Action, locate: Locate, version_of: Callable[[str], int | None], versioned: bool,
) -> lsp.CodeAction:
    """An action; with the version of each text that it changes, where the editor understands that."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for change in action.changes:
        place = locate(action.path, change.start, change.end)
        changes.setdefault(place.uri, []).append(lsp.TextEdit(place.range, change.text))
    if versioned:
        edit = lsp.WorkspaceEdit(document_changes=[
            lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version_of(uri)),
                                 list(edits)) for uri, edits in changes.items()])
    else:
        edit = lsp.WorkspaceEdit(changes=changes)
    return lsp.CodeAction(
        title=action.title, kind=lsp.CodeActionKind.QuickFix, edit=edit,
        diagnostics=[diagnostic(action.finding, action.path, locate)], is_preferred=action.preferred or None)
