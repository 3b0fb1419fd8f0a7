"""Findings, hints and actions in the terms of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp

from tilecheck.rules.catalog import NAMES, RULES
from tilecheck.rules.pages import source_file
from tilecheck.server.messages import Action, Finding, Hint, Place, Related

__all__ = ["code_action", "diagnostic", "hover", "place_of"]

SOURCE: Final = "tilecheck"

_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}

UriOf = Callable[[str], str]


def place_of(position: lsp.Position) -> Place:
    return position.line, position.character


def _range(start: Place, end: Place) -> lsp.Range:
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def diagnostic(finding: Finding, uri_of: UriOf) -> lsp.Diagnostic:
    """A finding. Its code links to the file of its rule, which begins with the page."""
    code = finding.code
    return lsp.Diagnostic(
        range=_range(finding.start, finding.end),
        severity=_SEVERITIES[finding.severity],
        code=code,
        code_description=lsp.CodeDescription(source_file(code).as_uri()) if code in NAMES and code else None,
        source=SOURCE,
        message=finding.message,
        tags=[lsp.DiagnosticTag.Unnecessary] if code is not None and _is_unnecessary(code) else None,
        related_information=[_convert_related(other, uri_of) for other in finding.related] or None,
    )


def _is_unnecessary(code: str) -> bool:
    """Whether a finding is about code that has no effect, which editors fade."""
    return code in NAMES and RULES[code].unnecessary


def _convert_related(other: Related, uri_of: UriOf) -> lsp.DiagnosticRelatedInformation:
    return lsp.DiagnosticRelatedInformation(
        lsp.Location(uri_of(other.path), _range(other.start, other.end)), other.message)


def hover(hint: Hint) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, hint.text), _range(hint.start, hint.end))


def code_action(action: Action, uri_of: UriOf, versioned: bool) -> lsp.CodeAction:
    """An action; with the version of the text that it is for, where the editor understands that."""
    uri = uri_of(action.path)
    edits = [lsp.TextEdit(_range(change.start, change.end), change.text) for change in action.changes]
    if versioned:
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri=uri, version=action.version)
        edit = lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, list(edits))])
    else:
        edit = lsp.WorkspaceEdit(changes={uri: edits})
    return lsp.CodeAction(
        title=action.title, kind=lsp.CodeActionKind.QuickFix, edit=edit,
        diagnostics=[diagnostic(action.finding, uri_of)], is_preferred=action.preferred or None)
