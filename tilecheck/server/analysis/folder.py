"""A folder that is open in an editor: its settings, its files on disk, and the texts that are open instead of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tilecheck.config import Config, ConfigError, load_config
from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.pipeline.cache import open_cache
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.run import parse_overlays, read_overlays
from tilecheck.pipeline.store import Store
from tilecheck.pipeline.workspace import Workspace
from tilecheck.project.discover import discover
from tilecheck.repair.apply.original_bytes import change_bytes
from tilecheck.repair.edits import Fix, OverlapError
from tilecheck.server.documents import Document
from tilecheck.server.drift import Drift
from tilecheck.server.findings import finding_of, finding_of_failure, move_finding
from tilecheck.server.messages import Finding
from tilecheck.server.positions import Text
from tilecheck.syntax.text import SourceError, decode, encoding_of, is_valid

__all__ = ["Folder"]

_OF_OPT_OUTS: Final = frozenset({"TC901", "TC902"})
_MOST_TRIED: Final = 256
"""Fixes that are remembered to help, or not to."""


class Folder:
    """The results of `tilecheck PATH` for a folder, or for one file outside of all folders.

    The text of an open document replaces that of its file.

    A text that cannot be parsed is ignored: the last text of its file that could be parsed stays in use.
    """

    def __init__(self, path: str, encoding: str) -> None:
        self.path = path
        self.encoding = encoding
        self.documents: dict[str, Document] = {}
        self.config = Config(root=Path(path if os.path.isdir(path) else os.path.dirname(path)))
        self.troubles: list[str] = []
        self._overlays: tuple[tuple[str, str], ...] = ()
        self._disk: dict[str, bytes] = {}
        self._workspace: Workspace | None = None
        self._report: Report | None = None
        self._saved = False
        self._texts: dict[str, tuple[bytes, Text]] = {}
        self._tried: dict[tuple[bytes, Diagnostic, Fix], bool] = {}

    # --- what is there -----------------------------------------------------------------------------------------------

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            self.look()
        assert self._workspace is not None
        return self._workspace

    def look(self) -> None:
        """Read settings and files from disk, and take in what is new."""
        overlays = self._settings()
        self._disk = self._files()
        contents = self._contents()
        self._report = None
        if self._workspace is None or overlays != self._overlays:
            self._overlays = overlays
            self._workspace = Workspace(contents, self._roots(), parse_overlays(overlays), self._store())
            self._saved = self._workspace.complete
            return
        self._workspace.restock(contents)
        self._saved = False

    def _store(self) -> Store | None:
        cache = open_cache(self.config.cache_folder) if self.config.use_cache else None
        return None if cache is None else Store(cache, self._roots(), self._overlays)

    def _settings(self) -> tuple[tuple[str, str], ...]:
        """Read the settings; those that cannot be read leave the ones before in force."""
        try:
            config = load_config([self.path])
            overlays = read_overlays(config.contracts)
            parse_overlays(overlays)
        except ConfigError as error:
            self.troubles.append(str(error))
            return self._overlays
        self.config = config
        return overlays

    def _roots(self) -> tuple[str, ...]:
        return (self.path,) if os.path.isdir(self.path) else ()

    def _files(self) -> dict[str, bytes]:
        out: dict[str, bytes] = {}
        for path in self._discover_files():
            try:
                out[path] = Path(path).read_bytes()
            except OSError:
                continue  # gone in the meantime, or not for us
        return out

    def _discover_files(self) -> Iterable[str]:
        if not os.path.isdir(self.path):
            return [self.path] if os.path.isfile(self.path) else []
        found = discover([self.path], exclude=self.config.exclude, base=self.config.root,
                         respect_gitignore=self.config.respect_gitignore)
        return map(str, found.files)

    def _contents(self) -> dict[str, bytes]:
        out = dict(self._disk)
        for path, document in self.documents.items():
            if path in out or path == self.path:
                out[path] = self._data_of(document)
        return out

    def _data_of(self, document: Document) -> bytes:
        """The bytes that count for a document: its own if they can be parsed, else those that did before."""
        if document.fault is None:
            return document.data
        module = self._workspace.project.modules_by_path().get(document.path) if self._workspace is not None else None
        before = _raw(module) if module is not None else self._disk.get(document.path)
        source = _data(module) if module is not None else before
        return before if before is not None and source is not None and is_valid(source) else document.data

    # --- what is open ------------------------------------------------------------------------------------------------

    def covers(self, path: str) -> bool:
        """Whether a file is one of those that are checked."""
        return path in self.workspace.files

    def open(self, document: Document) -> None:
        """A document is open, or has another text."""
        self.documents[document.path] = document
        self._take_in(document.path, self._data_of(document))

    def close(self, path: str) -> None:
        """A document is what is on disk again."""
        self.documents.pop(path, None)
        try:
            self._take_in(path, Path(path).read_bytes())
        except OSError:
            self.look()

    def _take_in(self, path: str, data: bytes) -> None:
        workspace = self.workspace
        if path not in workspace.files:
            if path == self.path:
                self.look()
            return
        if _raw(workspace.project.modules_by_path()[path]) != data:
            workspace.replace({path: data})
            self._report, self._saved = None, False

    # --- results -----------------------------------------------------------------------------------------------------

    def step(self, wanted: list[str]) -> bool:
        """Do one step of the analysis; whether there was one to do."""
        busy = self.workspace.step(wanted)
        self._report = None if busy else self._report
        if not busy and not self._saved and self._contents() == self._disk:
            self._saved = True
            self.report()  # with which all kernels are concluded
            self.workspace.save()
        return busy

    def is_final(self, path: str) -> bool:
        """Whether the findings of a file are those of a run over all files, as far as the kernels that they depend on
        are known."""
        return self.workspace.has_final_findings(path)

    @property
    def is_complete(self) -> bool:
        return self.workspace.complete

    def report(self) -> Report:
        """The report of the results so far. Until each file was analysed once, it reports no suppression as unused: the
        finding that a suppression is for may still follow."""
        if self._report is None:
            found = finish(self.workspace.analysis(), self.config)
            if not self.is_complete:
                found = Report(tuple(d for d in found.diagnostics if d.code != "TC901"), found.kernels, found.failures,
                               found.files)
            self._report = found
        return self._report

    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.report().diagnostics if d.span.file == path)

    def findings(self, path: str) -> tuple[Finding, ...]:
        """The findings that an editor shows for a file. If its text cannot be parsed, these are the earlier findings
        and the syntax error."""
        if not self.covers(path):
            return ()
        found = [finding_of(d, self.checked_text) for d in self.diagnostics(path)]
        text = self.checked_text(path)
        found += [finding_of_failure(f, text) for f in self.report().failures if f.file == path]
        document = self.documents.get(path)
        if document is not None and document.fault is not None and _bytes_of(self.workspace, path) != document.source:
            shown = Text(document.text, self.encoding)
            drift = Drift(text.lines, shown.lines)
            found = [move_finding(f, path, drift, shown) for f in found]
            found.append(finding_of_failure(document.fault, shown))
        return tuple(found)

    def files_with_findings(self) -> set[str]:
        return {d.span.file for d in self.report().diagnostics} | {f.file for f in self.report().failures}

    def checked_text(self, path: str) -> Text:
        """The text of a file that was checked."""
        data = _bytes_of(self.workspace, path)
        known = self._texts.get(path)
        if known is None or known[0] != data:
            known = self._texts[path] = (data, Text(_decode(data, path), self.encoding))
        return known[1]

    def helps(self, diagnostic: Diagnostic, fix: Fix) -> bool:
        """Whether a fix of a kernel does away with a finding of it, and with no new one in its place. Fixes of other
        things do what they say."""
        home = next((k.file for k in self.report().kernels if k.name == diagnostic.kernel
                     and k.file == diagnostic.span.file), None)
        if home is None or diagnostic.kernel is None or diagnostic.code in _OF_OPT_OUTS:
            return True
        path = diagnostic.span.file
        data = _bytes_of(self.workspace, path)
        key = (data, diagnostic, fix)
        if key not in self._tried:
            if len(self._tried) >= _MOST_TRIED:
                self._tried.clear()
            self._tried[key] = self._helps(path, data, (home, diagnostic.kernel), diagnostic.code, fix)
        return self._tried[key]

    def _helps(self, path: str, data: bytes, kernel: tuple[str, str], code: str, fix: Fix) -> bool:
        try:
            after = self.workspace.attempt(path, change_bytes(data, path, fix.edits), kernel)
        except (SourceError, OverlapError):
            return False
        before = self.workspace.attempt(path, data, kernel)
        if after is None or before is None:
            return False
        was, left = Counter(d.code for d in _select_reported(before)), Counter(d.code for d in _select_reported(after))
        return left[code] < was[code] and all(left[c] <= was[c] for c in left)

    def is_current(self, path: str) -> bool:
        """Whether the checked text of an open file is the text that the editor shows."""
        document = self.documents.get(path)
        return document is not None and self.covers(path) and _bytes_of(self.workspace, path) == document.source


def _select_reported(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    return (d for d in diagnostics if d.severity != "note")


def _data(module: object) -> bytes | None:
    try:
        data: bytes = module.data  # type: ignore[attr-defined]
    except SourceError:
        return None
    return data


def _raw(module: object) -> bytes | None:
    try:
        data: bytes = module.raw  # type: ignore[attr-defined]
    except SourceError:
        return None
    return data


def _bytes_of(workspace: Workspace, path: str) -> bytes:
    return _data(workspace.module(path)) or b""


def _decode(data: bytes, path: str) -> str:
    """The text, with line ends and form feeds as an editor sees them."""
    try:
        decode(data, path)
        return data.decode(encoding_of(data)).removeprefix("\ufeff")
    except SourceError:
        return data.decode("utf-8", "replace")


