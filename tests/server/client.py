"""A small editor: starts the server, speaks the protocol with its own framing, and stores the received messages."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from tests.patience import PATIENCE

"""Seconds that anything may take on a slow machine."""


def uri_of(path: Path | str) -> str:
    return "file://" + quote(str(path))


class Client:
    """One session. `said` contains all messages of the server, in order."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, process: subprocess.Popen[bytes] | None = None) -> None:
        self.process = process
        self.writer = writer
        self.said: list[dict[str, Any]] = []
        self.times: list[float] = []
        self._news = threading.Condition()
        self._number = 0
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._ended = False
        threading.Thread(target=self._read, args=(reader,), daemon=True).start()

    # --- framing -----------------------------------------------------------------------------------------------------

    def _read(self, reader: BinaryIO) -> None:
        while True:
            length = 0
            while (line := reader.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                break
            self._take(json.loads(reader.read(length)))
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:  # the server asks something
            with contextlib.suppress(OSError, ValueError):  # this end may be closed
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        if "method" not in message:
            self._answers[message["id"]].put(message)
            return
        with self._news:
            self.said.append(message)
            self.times.append(time.monotonic())
            self._news.notify_all()

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=False).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.writer.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        self._number += 1
        number = self._number
        self._answers[number] = queue.Queue()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self._answers[number].get(timeout=PATIENCE)
        assert "error" not in answer, answer
        return answer["result"]

    # --- a session ---------------------------------------------------------------------------------------------------

    def initialize(self, *roots: Path, options: Any = None, capabilities: dict[str, Any] | None = None) -> Any:
        result = self.request("initialize", {
            "processId": os.getpid(), "rootUri": uri_of(roots[0]) if roots else None,
            "workspaceFolders": [{"uri": uri_of(root), "name": root.name} for root in roots] or None,
            "initializationOptions": options, "capabilities": capabilities if capabilities is not None else {
                "workspace": {"workspaceEdit": {"documentChanges": True},
                              "didChangeWatchedFiles": {"dynamicRegistration": True}},
                "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}}}})
        self.notify("initialized", {})
        return result

    def open(self, path: Path | str, text: str | None = None, version: int = 1, language: str = "python") -> None:
        text = Path(path).read_bytes().decode() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(path), "languageId": language, "version": version, "text": text}})

    def change(self, path: Path | str, text: str, version: int) -> None:
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(path), "version": version},
                                               "contentChanges": [{"text": text}]})

    def save(self, path: Path | str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})

    def close(self, path: Path | str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})

    def list_published(self, path: Path | str) -> list[dict[str, Any]]:
        """Returns all published diagnostics of a file, in order."""
        with self._news:
            return [m["params"] for m in self.said if m["method"] == "textDocument/publishDiagnostics"
                    and m["params"]["uri"] == uri_of(path)]

    def wait(self, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Waits until a condition is truthy and returns its value."""
        end = time.monotonic() + patience
        with self._news:
            while True:
                find_reports = condition()
                if find_reports:
                    return find_reports
                left = end - time.monotonic()
                assert left > 0, "nothing came"
                assert not self._ended, "the server is gone"
                self._news.wait(left)

    def diagnostics(self, path: Path | str, version: int | None = None) -> list[dict[str, Any]]:
        """The first diagnostics of a version of a file, or of any."""
        def find_reports() -> list[dict[str, Any]]:
            return [p for p in self.list_published(path) if version is None or p.get("version") == version]

        result: list[dict[str, Any]] = self.wait(find_reports)[0]["diagnostics"]
        return result

    def wait_until(self, path: Path | str, wanted: Callable[[list[dict[str, Any]]], Any]) -> list[dict[str, Any]]:
        """Waits until the diagnostics of a file satisfy `wanted` and returns them."""
        result: list[dict[str, Any]] = self.wait(
            lambda: [p["diagnostics"] for p in self.list_published(path)[-1:] if wanted(p["diagnostics"])])[0]
        return result

    def hover(self, path: Path | str, line: int, character: int) -> Any:
        return self.request("textDocument/hover", {
            "textDocument": {"uri": uri_of(path)}, "position": {"line": line, "character": character}})

    def actions(self, path: Path | str, line: int, character: int = 0, to: tuple[int, int] | None = None) -> Any:
        start = {"line": line, "character": character}
        end = {"line": to[0], "character": to[1]} if to else start
        return self.request("textDocument/codeAction", {
            "textDocument": {"uri": uri_of(path)}, "range": {"start": start, "end": end},
            "context": {"diagnostics": []}})

    def stop(self) -> int | None:
        """Shut down as the protocol has it; the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE) if self.process is not None else None


def start(cwd: Path, *arguments: str, home: Path | None = None) -> Client:
    """A server on standard input and output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tilecheck", "server", *arguments], cwd=cwd, env=_environment(home or cwd),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    return Client(process.stdout, process.stdin, process)


def start_tcp(cwd: Path) -> Client:
    """A server that is connected to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "tilecheck", "server", "--tcp", "--port", str(port)], cwd=cwd, env=_environment(cwd))
    end = time.monotonic() + PATIENCE
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            assert time.monotonic() < end and process.poll() is None, "the server does not listen"
            time.sleep(0.05)
    return Client(connection.makefile("rb"), connection.makefile("wb"), process)


def _environment(home: Path) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(home / ".user")}


def apply_edits(text: str, edits: list[dict[str, Any]]) -> str:
    """Applies the edits of an action, whose positions are in UTF-16, to a text."""
    lines = text.split("\n")

    def offset(position: dict[str, int]) -> int:
        before = sum(len(line) + 1 for line in lines[: position["line"]])
        units = lines[position["line"]].encode("utf-16-le")[: 2 * position["character"]]
        return before + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]),
                       reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
