"""The process that speaks to the editor. It analyses nothing itself, so it always answers at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from tilecheck import __version__
from tilecheck.server import convert
from tilecheck.server.link import Link
from tilecheck.server.messages import (
    Answer,
    Closed,
    Opened,
    Place,
    Published,
    Question,
    Reply,
    Settings,
    Touched,
    Trouble,
    Working,
)
from tilecheck.server.notebooks import SYNC, Notebook, read_notebook
from tilecheck.server.options import Options, options_of
from tilecheck.text.notebooks import SUFFIX

__all__ = ["Editor"]

_PATIENCE: Final = 10.0
"""Seconds that a question may take until it is answered with nothing."""
_TOGETHER: Final = 0.1
"""Seconds within which changes on disk are looked at together."""
_WATCHED: Final = ("**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/tilecheck.toml", "**/*.toml", "**/.gitignore")


class Editor:
    """The server, as an editor sees it. `asked_to_stop` is whether the editor has announced its exit."""

    def __init__(self, link: Link) -> None:
        self.server = LanguageServer("tilecheck", __version__, notebook_document_sync=SYNC)
        self.asked_to_stop = False
        self._link = link
        self._attached = False
        self._options = Options()
        self._uris: dict[str, str] = {}
        self._notebooks: dict[str, Notebook] = {}
        self._delayed: dict[str, asyncio.TimerHandle] = {}
        self._looking: asyncio.TimerHandle | None = None
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._asked = 0
        self._busy: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._register()

    def _register(self) -> None:
        handlers: Mapping[str, tuple[Callable[..., Any], Any]] = {
            lsp.INITIALIZE: (self._initialize, None),
            lsp.INITIALIZED: (self._finish_initialization, None),
            lsp.SHUTDOWN: (self._shutdown, None),
            lsp.TEXT_DOCUMENT_DID_OPEN: (self._did_open, None),
            lsp.TEXT_DOCUMENT_DID_CHANGE: (self._did_change, None),
            lsp.TEXT_DOCUMENT_DID_SAVE: (self._did_save, None),
            lsp.TEXT_DOCUMENT_DID_CLOSE: (self._did_close, None),
            lsp.NOTEBOOK_DOCUMENT_DID_OPEN: (self._did_open_notebook, None),
            lsp.NOTEBOOK_DOCUMENT_DID_CHANGE: (self._did_change_notebook, None),
            lsp.NOTEBOOK_DOCUMENT_DID_SAVE: (self._did_save_notebook, None),
            lsp.NOTEBOOK_DOCUMENT_DID_CLOSE: (self._did_close_notebook, None),
            lsp.WORKSPACE_DID_CHANGE_CONFIGURATION: (self._did_change_configuration, None),
            lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: (self._did_change_files, None),
            lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (self._did_change_folders, None),
            lsp.TEXT_DOCUMENT_HOVER: (self._hover, None),
            lsp.TEXT_DOCUMENT_CODE_ACTION: (
                self._code_action, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])),
        }
        for name, (handler, options) in handlers.items():
            self.server.feature(name, options)(_wrap_plain(handler))

    # --- beginning and end -------------------------------------------------------------------------------------------

    def _initialize(self, params: lsp.InitializeParams) -> None:
        self._options = options_of(params.initialization_options)

    def _finish_initialization(self, params: lsp.InitializedParams) -> None:
        self._link.attach(self._receive, self._report_death)
        self._attached = True
        self._tell_settings()
        capabilities = self.server.client_capabilities.workspace
        watching = capabilities.did_change_watched_files if capabilities is not None else None
        if watching is not None and watching.dynamic_registration:
            self._watch()

    def _watch(self) -> None:
        watchers = [lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        self.server.client_register_capability(lsp.RegistrationParams([lsp.Registration(
            id="tilecheck-files", method=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=lsp.DidChangeWatchedFilesRegistrationOptions(watchers))]))

    def _shutdown(self, params: None) -> None:
        self.asked_to_stop = True
        for handle in self._delayed.values():
            handle.cancel()
        self._attached = False
        self._link.close()

    def _tell_settings(self) -> None:
        workspace = self.server.workspace
        uris = [folder.uri for folder in workspace.folders.values()] or [workspace.root_uri or ""]
        roots = [os.path.abspath(path) for path in map(to_fs_path, uris) if path]
        encoding = str(getattr(workspace.position_encoding, "value", workspace.position_encoding) or "utf-16")
        everywhere = self._options.diagnostics == "workspace"
        self._send(Settings(tuple(dict.fromkeys(roots)), encoding, everywhere))

    def _send(self, request: Any) -> None:
        if self._attached:
            self._link.send(request)

    # --- documents ---------------------------------------------------------------------------------------------------

    def _did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        if document.language_id == "python" or document.uri.endswith(".py"):
            path = _path(document.uri)
            self._uris[path] = document.uri
            self._flush(path)

    def _did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._change(_path(params.text_document.uri))

    def _change(self, path: str) -> None:
        if path not in self._uris:
            return
        self._cancel(path)
        loop = asyncio.get_running_loop()
        self._delayed[path] = loop.call_later(self._options.debounce / 1000, self._flush, path)

    def _did_save(self, params: lsp.DidSaveTextDocumentParams) -> None:
        self._save(_path(params.text_document.uri))

    def _save(self, path: str) -> None:
        if path in self._delayed:
            self._flush(path)
        self._look_soon()

    def _did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._close(_path(params.text_document.uri))

    def _close(self, path: str) -> None:
        self._cancel(path)
        if path in self._uris:
            self._send(Closed(path))

    def _flush(self, path: str) -> None:
        """Have the text of a document analysed as it is now."""
        self._cancel(path)
        uri = self._uris[path]
        notebook = self.server.workspace.get_notebook_document(notebook_uri=uri)
        if notebook is not None:
            read, known = read_notebook(notebook, self._text), self._notebooks.get(path)
            self._notebooks[path] = read
            for cell in () if known is None else known.cells:
                if cell not in read.cells:
                    self._publish(cell, None, [])
            self._send(Opened(path, read.version, read.text))
            return
        document = self._document(uri)
        if document is not None:
            self._send(Opened(path, document.version or 0, document.source))

    def _text(self, uri: str) -> str | None:
        document = self._document(uri)
        return None if document is None else document.source

    # --- notebooks ---------------------------------------------------------------------------------------------------

    def _did_open_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        path = _notebook_path(params.notebook_document.uri)
        self._uris[path] = params.notebook_document.uri
        self._flush(path)

    def _did_change_notebook(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        self._change(_notebook_path(params.notebook_document.uri))

    def _did_save_notebook(self, params: lsp.DidSaveNotebookDocumentParams) -> None:
        self._save(_notebook_path(params.notebook_document.uri))

    def _did_close_notebook(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        path = _notebook_path(params.notebook_document.uri)
        self._close(path)
        closed = self._notebooks.pop(path, None)
        for cell in () if closed is None else closed.cells:
            self._publish(cell, None, [])

    def _cancel(self, path: str) -> None:
        handle = self._delayed.pop(path, None)
        if handle is not None:
            handle.cancel()

    # --- settings and files ------------------------------------------------------------------------------------------

    def _did_change_configuration(self, params: lsp.DidChangeConfigurationParams) -> None:
        self._options = options_of(params.settings, self._options)
        self._tell_settings()

    def _did_change_files(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        self._look_soon()

    def _did_change_folders(self, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        self._tell_settings()

    def _look_soon(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = asyncio.get_running_loop().call_later(_TOGETHER, self._send, Touched())

    # --- questions ---------------------------------------------------------------------------------------------------

    async def _hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        place = convert.place_of(params.position)
        path, answer = await self._ask("hover", params.text_document.uri, place, place)
        return convert.hover(answer.hint, path, self._locate) if answer and answer.hint is not None else None

    async def _code_action(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        wanted = params.context.only
        if wanted is not None and not any(_is_quick_fix(kind) for kind in wanted):
            return None
        start, end = convert.place_of(params.range.start), convert.place_of(params.range.end)
        _, answer = await self._ask("actions", params.text_document.uri, start, end)
        if answer is None:
            return None
        versioned = self._understands_versions()
        return [convert.code_action(action, self._locate, self._version, versioned) for action in answer.actions]

    async def _ask(self, kind: Any, uri: str, start: Place, end: Place) -> tuple[str, Answer | None]:
        """The path of the file, and the answer to a question about a range of it."""
        whole = self.server.workspace.get_notebook_document(cell_uri=uri)
        path = _path(uri) if whole is None else _notebook_path(whole.uri)
        if path in self._delayed:
            self._flush(path)
        if path not in self._uris or not self._attached:
            return path, None
        if path in self._notebooks:
            places = [self._notebooks[path].place_in_source(uri, place) for place in (start, end)]
            if places[0] is None or places[1] is None:
                return path, None
            start, end = places[0], places[1]
        return path, await self._await_answer(kind, path, start, end)

    async def _await_answer(self, kind: Any, path: str, start: Place, end: Place) -> Answer | None:
        self._asked += 1
        number = self._asked
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send(Question(number, kind, path, start, end))
        try:
            return await asyncio.wait_for(future, _PATIENCE)
        except TimeoutError:
            return None
        finally:
            self._waiting.pop(number, None)

    def _understands_versions(self) -> bool:
        workspace = self.server.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace is not None else None
        return bool(edits is not None and edits.document_changes)

    # --- replies -----------------------------------------------------------------------------------------------------

    def _receive(self, reply: Reply) -> None:
        _RECEIVE[type(reply)](self, reply)

    def _show_findings(self, found: Published) -> None:
        """Show findings, except those of an outdated text: the findings of the current text follow."""
        notebook = self._notebooks.get(found.path)
        uri = self._uri(found.path)
        if found.version != (self._version(uri) if notebook is None else notebook.version):
            return
        shown: dict[str, list[lsp.Diagnostic]] = {uri: []} if notebook is None else {c: [] for c in notebook.cells}
        for finding in found.findings:
            place = self._locate(found.path, finding.start, finding.end)
            shown.setdefault(place.uri, []).append(convert.diagnostic(finding, found.path, self._locate))
        for document, diagnostics in shown.items():
            self._publish(document, self._version(document), diagnostics)

    def _publish(self, uri: str, version: int | None, diagnostics: list[lsp.Diagnostic]) -> None:
        self.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics))

    def _locate(self, path: str, start: Place, end: Place) -> lsp.Location:
        """The document of a range of a file, and the range in it.

        In a notebook that is not open, and in a line of one that belongs to no cell, it is the first line of the file.
        """
        notebook = self._notebooks.get(path)
        if notebook is not None:
            first, last = notebook.place_in_cell(start), notebook.place_in_cell(end)
            if first is not None:
                stop = last[1] if last is not None and last[0] == first[0] else first[1]
                return lsp.Location(first[0], convert.range_of(first[1], stop))
        if path.endswith(SUFFIX):
            start = end = (0, 0)
        return lsp.Location(self._uri(path), convert.range_of(start, end))

    def _version(self, uri: str) -> int | None:
        """The version of a document; None if it is not open."""
        document = self._document(uri)
        return None if document is None else document.version or 0

    def _deliver_answer(self, answer: Answer) -> None:
        future = self._waiting.get(answer.number)
        if future is not None and not future.done():
            future.set_result(answer)

    def _trouble(self, trouble: Trouble) -> None:
        self.server.window_show_message(
            lsp.ShowMessageParams(lsp.MessageType.Warning, f"tilecheck: {trouble.message}"))

    def _show_progress(self, working: Working) -> None:
        window = self.server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        token = f"tilecheck:{working.root}"
        if not working.done:
            self._busy.add(token)
            task = asyncio.get_running_loop().create_task(self._begin(token, working.root))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        self._busy.discard(token)
        if token in self.server.work_done_progress.tokens:
            self.server.work_done_progress.end(token, lsp.WorkDoneProgressEnd())

    async def _begin(self, token: str, root: str) -> None:
        """Show that there is work, once the editor is ready to, unless it is done by then."""
        progress = self.server.work_done_progress
        if token not in progress.tokens:
            await progress.create_async(token)
        if token in self._busy:
            progress.begin(token, lsp.WorkDoneProgressBegin(
                title="tilecheck", message=f"first look at {os.path.basename(root)}"))

    def _report_death(self, again: bool) -> None:
        for number in list(self._waiting):
            self._deliver_answer(Answer(number))
        what = "it was started again" if again else "it is started again with the next edit"
        self.server.window_show_message(lsp.ShowMessageParams(
            lsp.MessageType.Error, f"tilecheck: the process that analyses ended unexpectedly; {what}"))

    def _document(self, uri: str) -> Any:
        """The document that is open there, or None."""
        return self.server.workspace.text_documents.get(unquote(uri))  # whose keys are spelled so

    def _uri(self, path: str) -> str:
        return self._uris.get(path) or from_fs_path(path) or path


def _path(uri: str) -> str:
    """The path of a document. The URI itself stands for a document that is not a file."""
    path = to_fs_path(uri)
    return uri if path is None else os.path.abspath(path)


def _notebook_path(uri: str) -> str:
    """The path of a notebook, which ends like those of notebooks, also where it was never saved."""
    path = _path(uri)
    return path if path.endswith(SUFFIX) else f"{path}{SUFFIX}"


def _is_quick_fix(kind: Any) -> bool:
    name = str(getattr(kind, "value", kind))
    return name in ("", "quickfix") or name.startswith("quickfix.")


def _wrap_plain(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that the server can set attributes on. A method does not allow that."""
    if asyncio.iscoroutinefunction(method):

        async def wait(params: Any) -> Any:
            return await method(params)

        return wait

    def call(params: Any) -> Any:
        return method(params)

    return call


_RECEIVE: Final[Mapping[type, Callable[[Editor, Any], None]]] = {
    Published: Editor._show_findings,
    Answer: Editor._deliver_answer,
    Trouble: Editor._trouble,
    Working: Editor._show_progress,
}
