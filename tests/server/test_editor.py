"""The editor's side of the server, with nothing behind it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.workspace import Workspace

from tilecheck.server.editor import Editor
from tilecheck.server.messages import Answer, Closed, Finding, Opened, Published, Question, Settings

FINDING = Finding((0, 0), (0, 1), "error", "TC101", "wrong")


class Nothing:
    """A link that keeps what it is asked to send."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def attach(self, receive: Any, died: Any) -> None:
        return None

    def send(self, request: Any) -> None:
        self.sent.append(request)

    def close(self) -> None:
        return None


@pytest.fixture
def editor(monkeypatch):
    made = Editor(Nothing())  # type: ignore[arg-type]
    made.server.protocol._workspace = Workspace(None, lsp.TextDocumentSyncKind.Incremental)
    made.server.protocol.client_capabilities = lsp.ClientCapabilities()
    made.shown = []  # type: ignore[attr-defined]
    monkeypatch.setattr(made.server, "text_document_publish_diagnostics", made.shown.append)  # type: ignore[attr-defined]
    made._attached = True
    return made


def _open(editor: Any, version: int, text: str = "x\n", uri: str = "file:///f.py") -> None:
    document = lsp.TextDocumentItem(uri, "python", version, text)
    editor.server.workspace.put_text_document(document)
    editor._did_open(lsp.DidOpenTextDocumentParams(document))


def test_findings_of_another_version_are_not_shown(editor):
    _open(editor, 2)
    for version in (1, 3, None):
        editor._receive(Published("/f.py", version, (FINDING,)))
    assert editor.shown == []
    editor._receive(Published("/f.py", 2, (FINDING,)))
    (shown,) = editor.shown
    assert shown.version == 2 and shown.uri == "file:///f.py" and [d.code for d in shown.diagnostics] == ["TC101"]


def test_findings_of_a_file_that_is_closed_are_taken_away_only(editor):
    _open(editor, 1)
    editor.server.workspace.remove_text_document("file:///f.py")
    editor._receive(Published("/f.py", 1, (FINDING,)))
    assert editor.shown == []
    editor._receive(Published("/f.py", None, ()))
    assert [s.diagnostics for s in editor.shown] == [[]]


def test_addresses_are_spelled_as_in_the_editor(editor):
    _open(editor, 1, uri="file:///a%20b/%C3%A9.py")
    editor._receive(Published("/a b/é.py", 1, ()))
    assert editor.shown[0].uri == "file:///a%20b/%C3%A9.py"


def test_a_request_sends_pending_edits_first(editor):
    async def session() -> Any:
        _open(editor, 1, "one\n")
        editor.server.workspace.update_text_document(
            lsp.VersionedTextDocumentIdentifier(version=2, uri="file:///f.py"),
            lsp.TextDocumentContentChangeWholeDocument("two\n"))
        editor._did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=2, uri="file:///f.py"), []))
        asked = asyncio.ensure_future(editor._hover(lsp.HoverParams(
            lsp.TextDocumentIdentifier("file:///f.py"), lsp.Position(0, 0))))
        await asyncio.sleep(0)
        editor._receive(Answer(1))
        return await asked

    assert asyncio.run(session()) is None
    assert [(type(r), getattr(r, "text", None)) for r in editor._link.sent] == [
        (Opened, "one\n"), (Opened, "two\n"), (Question, None)]


def test_an_edit_that_is_closed_before_it_is_sent_is_not_sent(editor):
    async def session() -> None:
        editor._options = type(editor._options)(debounce=10)
        _open(editor, 1)
        editor._did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=2, uri="file:///f.py"), []))
        editor._did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier("file:///f.py")))
        await asyncio.sleep(0.05)

    asyncio.run(session())
    assert [type(r) for r in editor._link.sent] == [Opened, Closed]


def test_a_root_counts_as_a_folder(editor):
    """Old editors send no folders."""
    editor.server.protocol._workspace = Workspace("file:///work/project", lsp.TextDocumentSyncKind.Incremental)
    editor._tell_settings()
    assert editor._link.sent == [Settings(("/work/project",), "utf-16")]
