"""The loop of the analysing process: it receives requests of the editor, does the pending steps and sends the results.

All folders are analysed step by step, those with recent edits first. Between two steps the process receives all
requests that have arrived, so that work for an outdated text is dropped after at most one step.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, Final

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.project.module import Module
from tilecheck.server.actions import actions
from tilecheck.server.analysis.folder import Folder
from tilecheck.server.documents import document
from tilecheck.server.hover import Hovered, Known, hover
from tilecheck.server.messages import (
    Action,
    Answer,
    Closed,
    Finding,
    Hint,
    Opened,
    Place,
    Published,
    Question,
    Reply,
    Request,
    Settings,
    Touched,
    Trouble,
    Working,
)
from tilecheck.server.positions import Text
from tilecheck.syntax.text import SourceError

__all__ = ["Session"]


class Session:
    """The state of the analysing process. `tell` sends a reply."""

    def __init__(self, tell: Callable[[Reply], None]) -> None:
        self._tell = tell
        self._settings = Settings((), "utf-16")
        self._folders: dict[str, Folder] = {}
        self._loose: dict[str, Folder] = {}
        self._recent: list[str] = []
        self._pending: set[str] = set()
        self._published: dict[str, Published] = {}
        self._questions: list[Question] = []
        self._said: set[str] = set()
        self._working: set[str] = set()
        self._unseen: set[str] = set()

    # --- what arrives ------------------------------------------------------------------------------------------------

    def take(self, request: Request) -> None:
        """Take in what the editor says."""
        _TAKE[type(request)](self, request)

    def settings(self, settings: Settings) -> None:
        documents = {d.path: d for f in self._all() for d in f.documents.values()}
        kept = self._folders if settings.encoding == self._settings.encoding else {}
        self._settings = settings
        self._folders = {root: kept.get(root) or Folder(root, settings.encoding) for root in settings.roots}
        self._loose = {}
        for folder in self._folders.values():
            folder.documents = {}
        for found in documents.values():
            self._folder(found.path).documents[found.path] = found
        self._take_away(documents.keys())
        self.look_again(Touched())

    def _take_away(self, documents: Set[str]) -> None:
        """Show nothing any more of files that are not open, where that is no longer wanted or their folder is not."""
        for path, shown in list(self._published.items()):
            if shown.findings and path not in documents and not (
                self._settings.everywhere and self._owner(path) is not None
            ):
                self._publish(Published(path, None, ()))

    def open_document(self, opened: Opened) -> None:
        path = opened.path
        self._recent = [path, *(p for p in self._recent if p != path)]
        folder = self._folder(path)
        if path not in folder.documents and not folder.covers(path):
            folder.look()  # it may be new on disk
        folder.open(document(path, opened.version, opened.text))
        self._published.pop(path, None)
        self._ask_for(folder)

    def close_document(self, closed: Closed) -> None:
        path = closed.path
        folder = self._owner(path)
        if folder is None:
            return  # it was never open here
        folder.close(path)
        self._recent = [p for p in self._recent if p != path]
        self._ask_for(folder)
        if self._loose.pop(path, None) is None and self._settings.everywhere:
            self._pending.add(path)
        else:
            self._pending.discard(path)
            self._publish(Published(path, None, ()))

    def look_again(self, touched: Touched) -> None:
        for folder in self._all():
            folder.look()
            self._ask_for(folder)

    def question(self, question: Question) -> None:
        self._questions.append(question)
        self._answer()

    def _owner(self, path: str) -> Folder | None:
        """The innermost folder that a file is in, or the one that it has for itself."""
        around = [root for root in self._folders if path.startswith(os.path.join(root, ""))]
        return self._folders[max(around, key=len)] if around else self._loose.get(path)

    def _folder(self, path: str) -> Folder:
        """The same for a file that is open, which has one for itself if it is in none."""
        owner = self._owner(path)
        if owner is None:
            owner = self._loose[path] = Folder(path, self._settings.encoding)
        return owner

    def _all(self) -> list[Folder]:
        return [*self._loose.values(), *self._folders.values()]

    def _ask_for(self, folder: Folder) -> None:
        """Mark the shown results of a folder as possibly outdated."""
        self._pending |= folder.documents.keys()
        self._unseen.add(folder.path)

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Do one pending step; whether there was one."""
        busy = self._step()
        self._say_troubles()
        self._publish_final()
        self._answer()
        return busy

    def _step(self) -> bool:
        order = [self._folder(path) for path in self._recent]
        for folder in dict.fromkeys([*order, *self._all()]):
            wanted = [path for path in self._recent if path in folder.documents]
            before = folder.is_complete
            if folder.step(wanted):
                if not before and folder.path not in self._working:
                    self._working.add(folder.path)
                    self._tell(Working(folder.path, False))
                return True
            if folder.path in self._working:
                self._working.discard(folder.path)
                self._tell(Working(folder.path, True))
            if folder.path in self._unseen:
                self._unseen.discard(folder.path)
                self._finish_folder(folder)
        return False

    def _finish_folder(self, folder: Folder) -> None:
        """Publish the results that waited for the end of the analysis of a folder. If the editor asks for it, also
        publish the findings in files that are not open."""
        self._pending |= folder.documents.keys()
        if self._settings.everywhere:
            shown = {path for path, p in self._published.items() if p.findings}
            self._pending |= {p for p in folder.files_with_findings() | shown if self._owner(p) is folder}

    def _publish_final(self) -> None:
        for path in sorted(self._pending):
            folder = self._owner(path)
            if folder is None or (path not in folder.documents and not self._settings.everywhere):
                self._pending.discard(path)
                continue
            if not folder.covers(path) or folder.is_final(path):
                known = folder.documents.get(path)
                self._pending.discard(path)
                self._publish(Published(path, known.version if known else None, folder.findings(path)))

    def _publish(self, found: Published) -> None:
        if self._published.get(found.path) != found:
            self._published[found.path] = found
            self._tell(found)

    def _say_troubles(self) -> None:
        for folder in self._all():
            for message in folder.troubles:
                if message not in self._said:
                    self._said.add(message)
                    self._tell(Trouble(message))
            folder.troubles.clear()

    # --- answers -----------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        left = []
        for question in self._questions:
            folder = self._owner(question.path)
            if folder is None or not folder.covers(question.path):
                self._tell(Answer(question.number))
            elif folder.workspace.has_final_findings(question.path):
                self._tell(self._answer_question(folder, question))
            else:
                left.append(question)
        self._questions = left

    def _answer_question(self, folder: Folder, question: Question) -> Answer:
        try:
            return _ANSWERS[question.kind](self, folder, question)
        except Exception:  # no answer is worth the findings
            traceback.print_exc()
            return Answer(question.number)

    def _hover(self, folder: Folder, question: Question) -> Answer:
        if not folder.is_current(question.path) and question.path in folder.documents:
            return Answer(question.number)
        text = folder.checked_text(question.path)
        line, column = question.start[0] + 1, text.column(question.start)
        module = folder.workspace.module(question.path)
        try:
            found = hover(question.path, module.lines, line, column, self._collect_known(folder, module))
        except SourceError:
            found = None
        return Answer(question.number, None if found is None else _hint(found, text))

    def _collect_known(self, folder: Folder, module: Module) -> Known:
        from tilecheck.pipeline.tile_types import types_of_module

        reports = {(k.file, k.name): k for k in folder.report().kernels}
        kernels: Iterator[tuple[KernelModel, Any]] = (
            (model, reports.get((model.file, model.name))) for model in folder.workspace.models(module.path))
        return Known(tuple(kernels), types_of_module(folder.workspace.project, module))

    def _actions(self, folder: Folder, question: Question) -> Answer:
        if not folder.is_current(question.path):
            return Answer(question.number)
        text = folder.checked_text(question.path)
        module = folder.workspace.module(question.path)
        found = []
        for d in folder.diagnostics(question.path):
            start, end = text.span(d.span)
            if start <= question.end and question.start <= end:
                found.append((d, self._find_shown(folder, question.path, start, end, d.code)))
        version = folder.documents[question.path].version
        shown = [(d, f) for d, f in found if f is not None]
        done: tuple[Action, ...] = actions(module, text, version, shown, folder.helps)
        return Answer(question.number, actions=done)

    def _find_shown(self, folder: Folder, path: str, start: Place, end: Place, code: str) -> Finding | None:
        return next((f for f in folder.findings(path) if (f.start, f.end, f.code) == (start, end, code)), None)


def _hint(found: Hovered, text: Text) -> Hint:
    return Hint(found.text, *text.span(found.span))


_TAKE: Final[Mapping[type, Callable[[Session, Any], None]]] = {
    Settings: Session.settings,
    Opened: Session.open_document,
    Closed: Session.close_document,
    Touched: Session.look_again,
    Question: Session.question,
}
_ANSWERS: Final[Mapping[str, Callable[[Session, Folder, Question], Answer]]] = {
    "hover": Session._hover, "actions": Session._actions,
}
